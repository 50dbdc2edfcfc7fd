"""From what each file was judged as to the report over all of them (DESIGN 5, 6).

What shows only in the whole: too few commands, exemptions and entries that match nothing or are past their date. Sees
no command, and imports none of the stages that find and judge them: a run over an unchanged tree needs this alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from flagguard import globs
from flagguard.config import Config
from flagguard.exempting import Comment
from flagguard.findings import Finding, Judged, PlaceKey, Report, Summary, Verdict
from flagguard.naming import near, nearest
from flagguard.rules import Exemption, Rule, Severity, Where
from flagguard.text import Problem, Span
from flagguard.values import replace


def report(judged: Sequence[Judged], config: Config, asked: Callable[[str], bool] | None = None) -> Report:
    """The report; with ``asked``, only of what stands in such files.

    All is judged even so: whether a rule meets enough commands and whether an exemption meets one shows only in the
    whole tree.
    """
    whole = conclude(judged, config)
    if asked is None:
        return whole
    findings = tuple(finding for finding in whole.findings if asked(finding.span.path))
    problems = tuple(problem for problem in whole.problems if asked(problem.path))
    part = conclude([one for one in judged if asked(one.path)], config, complete=False)
    failing = sum(finding.fails for finding in findings)
    summary: Summary = replace(
        part.summary,
        errors=failing,
        warnings=len(findings) - failing,
        unresolved=sum(finding.verdict is Verdict.UNRESOLVED for finding in findings),
    )
    return Report(findings, problems, summary, whole.matched)


def conclude(judged: Iterable[Judged], config: Config, *, complete: bool = True) -> Report:
    """The report over all files.

    ``complete``: the whole tree was judged, so that what matched nothing matches nothing; else nothing is said of that.
    """
    judged = tuple(judged)
    findings = [finding for one in judged for finding in one.findings]
    if not config.whole:  # the entry of `[baseline]` may be the one that could not be read
        findings = [finding for finding in findings if finding.verdict is not Verdict.NO_BASELINE]
    problems = [problem for one in judged for problem in one.problems]
    findings.extend(_expired(config))
    findings.extend(_comment_findings(judged, config, complete))
    if complete:
        findings.extend(_too_few(judged, config))
    if complete and config.whole:
        problems.extend(_unused(judged, config))
    findings = sorted(dict.fromkeys(findings), key=lambda f: (f.span.path, f.span.start, f.rule, f.message, f.via))
    return Report(
        findings=tuple(findings),
        problems=tuple(sorted(dict.fromkeys(problems))),
        summary=Summary(
            files=len(judged),
            commands=len(frozenset[PlaceKey]().union(*(one.commands for one in judged))),
            judged=len(frozenset[PlaceKey]().union(*(one.judged for one in judged))),
            errors=sum(f.severity is Severity.ERROR for f in findings),
            warnings=sum(f.severity is Severity.WARNING for f in findings),
            unresolved=sum(f.verdict is Verdict.UNRESOLVED for f in findings),
            exempt=len(frozenset[PlaceKey]().union(*(one.exempt for one in judged))),
        ),
        matched={rule.id: len(_places(judged, rule)) for rule in config.rules},
    )


def _too_few(judged: Sequence[Judged], config: Config) -> Iterator[Finding]:
    for rule in config.rules:
        if not rule.at_least:
            continue
        places = _places(judged, rule)
        if len(places) >= rule.at_least:
            continue
        may = frozenset[PlaceKey]().union(*(one.perhaps.get(rule.id, frozenset()) for one in judged)) | places
        settled = len(may) < rule.at_least
        yield Finding(
            rule=rule.id,
            severity=rule.severity,
            verdict=Verdict.TOO_FEW if settled else Verdict.UNRESOLVED,
            message=_counted(rule, len(places), config, judged if settled else ())
            + ("" if settled else f"; {len(may) - len(places)} more may be one"),
            span=rule.span or Span(config.path or "", 0, 0),
            why=rule.why,
            help="bring the command back, or correct the rule: its `command`, its `where`, `at-least`",
        )


def _counted(rule: Rule, count: int, config: Config, judged: Sequence[Judged]) -> str:
    from flagguard.wording import quoted  # only where something is wrong

    what = quoted(rule.command) + _where(rule.where)
    wanted = rule.where.globs.get("platform", ())
    if wanted and config.baseline and not any(globs.matches(w, p) for w in wanted for p in config.baseline):
        return f"no command is {what}: `[baseline]` names no such platform, so nothing is read for it"
    if not count:
        return f"no command is {what}: the rule guards nothing{_nearest(rule, judged)}"
    return f"only {count} command{'s are' if count > 1 else ' is'} {what}, and at least {rule.at_least} must be"


def _nearest(rule: Rule, judged: Sequence[Judged]) -> str:
    """The command that may be meant."""
    heads = frozenset[str]().union(*(one.heads for one in judged))
    plain = [name for name in rule.command if not name.startswith("@")]
    if any(name in heads for name in plain):
        return "; the command is there, but not in such a place" if rule.where.globs else ""
    found = next((f for name in plain if (f := near(name, [h for h in heads if h != name]))), None)
    return f"; the nearest command here is `{found}`" if found else ""


def _places(judged: Sequence[Judged], rule: Rule) -> frozenset[PlaceKey]:
    return frozenset[PlaceKey]().union(*(one.matched.get(rule.id, frozenset()) for one in judged))


def _expired(config: Config) -> Iterator[Finding]:
    for exempt in config.exemptions:
        if exempt.until is not None and config.today > exempt.until:
            yield Finding(
                rule=exempt.rule,
                severity=next((r.severity for r in config.rules if exempt.of(r.id)), Severity.ERROR),
                verdict=Verdict.EXEMPT_EXPIRED,
                message=f"the exemption from `{exempt.rule}` ended on {exempt.until.isoformat()}",
                span=exempt.span or Span(config.path or "", 0, 0),
                why=exempt.reason,
                help="make the commands meet the rule and take the exemption away, or decide on a new date",
            )


def _comment_findings(judged: Sequence[Judged], config: Config, complete: bool) -> Iterator[Finding]:
    used = frozenset[Comment]().union(*(one.comments_used for one in judged))
    meant = dict(entry for one in judged for entry in one.meant)
    rules = {rule.id: rule for rule in config.rules}
    for comment in dict.fromkeys(c for one in judged for c in one.comments):
        rule = rules.get(comment.rule or "")
        verdict, message = Verdict.EXEMPT_UNUSED, ""
        if comment.written is not None:
            message = f"`{comment.written}` exempts nothing: the word is `# flagguard: exempt`"
        elif comment.rule is None:
            verdict, message = Verdict.EXEMPT_WITHOUT_REASON, "the comment names no rule to exempt from"
        elif rule is None:
            if config.whole:
                message = f"there is no rule `{comment.rule}`{nearest(comment.rule, rules)}"
        elif comment.reason is None:
            verdict, message = Verdict.EXEMPT_WITHOUT_REASON, f"the exemption from `{rule.id}` gives no reason"
        elif comment not in used and complete:
            message = f"the comment exempts nothing: no command here breaks `{rule.id}`"
            if comment in meant:
                line = meant[comment]
                message = (
                    f"the comment exempts nothing: it must stand on the line of the command ({line}) or the one above"
                )
        if message:
            named = comment.rule if rule is not None or comment.rule is None else near(comment.rule, rules)
            yield Finding(
                rule=comment.rule or "exempt",
                severity=rule.severity if rule is not None else Severity.ERROR,
                verdict=verdict,
                message=message,
                span=comment.span,
                mark=comment.span,
                help=f"write `# flagguard: exempt {named or 'RULE'} - {comment.reason or 'REASON'}` "
                "at the command, or take the comment away",
            )


def _unused(judged: Sequence[Judged], config: Config) -> Iterator[Problem]:
    needed = frozenset[int]().union(*(one.exemptions for one in judged))
    for number, exempt in enumerate(config.exemptions):
        if number not in needed:
            path, line = config.position(exempt.span)
            yield Problem(path, line, _nowhere(exempt, judged, config), key="exempt")
    if config.entries:
        yield from _no_entry(judged, config)
    tools = frozenset[str]().union(*(one.tools for one in judged))
    for name in config.tools:
        if name not in tools:
            path, line = config.position(config.tool_places[name]())
            yield Problem(path, line, f"no command is `{name}`", key=f"tools.{name}")
    wrappers = frozenset[str]().union(*(one.wrappers for one in judged))
    for name in config.wrappers:
        if name not in wrappers:
            path, line = config.position(config.wrapper_places[name]())
            yield Problem(path, line, f"no command is run by `{name}`", key=f"wrappers.{name}")


def _no_entry(judged: Sequence[Judged], config: Config) -> Iterator[Problem]:
    """Entry points of `where.from` that name no file."""
    from flagguard.entries import names

    asking = [(rule.where, rule.span) for rule in config.rules]
    asking += [(exempt.where, exempt.span) for exempt in config.exemptions]
    for where, span in asking:
        for entry in where.globs.get("from", ()):
            if not any(names(entry, file.path) for file in judged):
                path, line = config.position(span)
                told = f"no file that holds commands is `{entry.partition(':')[0]}`"
                yield Problem(path, line, told, key="where.from")


def _where(where: Where) -> str:
    from flagguard.wording import quoted  # only where something is wrong

    told = " and ".join(f"{fact} {quoted(patterns)}" for fact, patterns in where.globs.items() if patterns)
    return f" with {told}" if told else ""


def _nowhere(exempt: Exemption, judged: Sequence[Judged], config: Config) -> str:
    """An exemption that matches nothing, and where the commands of its rules stand."""
    from flagguard.wording import quoted

    told = f"matches nothing: no command that the rule `{exempt.rule}` speaks of stands there{_where(exempt.where)}"
    rules = [rule for rule in config.rules if exempt.of(rule.id)]
    places = {place for rule in rules for place in _places(judged, rule)}
    listed = sorted({_shown(place) for place in places})
    if not listed:
        return f"{told}; the rule has no command at all"
    more = f" and {len(listed) - 5} more" if len(listed) > 5 else ""
    return f"{told}; there are some in {quoted(listed[:5], 'and')}{more}"


def _shown(place: PlaceKey) -> str:
    facts = (("task", place.task), ("target", place.target), ("job", place.job), ("step", place.step))
    named = ", ".join(f"{name} {value}" for name, value in facts if value is not None)
    return f"{place.path} ({named})" if named else place.path
