"""From what each file was judged as to the report over all of them (DESIGN 5, 6).

What shows only in the whole: too few commands, exemptions and entries that match nothing or are past their date. Sees
no command, and imports none of the stages that find and judge them: a run over an unchanged tree needs this alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from flagguard import globs
from flagguard.config import Config
from flagguard.exempting import Comment
from flagguard.findings import Finding, Judged, PlaceKey, Report, Summary, Verdict
from flagguard.rulefile import nearest
from flagguard.rules import Rule, Severity
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
    problems = [problem for one in judged for problem in one.problems]
    findings.extend(_expired(config))
    findings.extend(_comment_findings(judged, config, complete))
    if complete:
        findings.extend(_too_few(judged, config))
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
            message=_counted(rule, len(places), config)
            + ("" if settled else f"; {len(may) - len(places)} more may be one"),
            span=rule.span or Span(config.path or "", 0, 0),
            why=rule.why,
            help="bring the command back, or correct the rule: its `command`, its `where`, `at-least`",
        )


def _counted(rule: Rule, count: int, config: Config) -> str:
    from flagguard.wording import quoted  # only where something is wrong

    where = " and ".join(f"{fact} {quoted(patterns)}" for fact, patterns in rule.where.globs.items() if patterns)
    what = quoted(rule.command) + (f" with {where}" if where else "")
    wanted = rule.where.globs.get("platform", ())
    if wanted and config.baseline and not any(globs.matches(w, p) for w in wanted for p in config.baseline):
        return f"no command is {what}: `[baseline]` names no such platform, so nothing is read for it"
    if not count:
        return f"no command is {what}: the rule guards nothing"
    return f"only {count} command{'s are' if count > 1 else ' is'} {what}, and at least {rule.at_least} must be"


def _places(judged: Sequence[Judged], rule: Rule) -> frozenset[PlaceKey]:
    return frozenset[PlaceKey]().union(*(one.matched.get(rule.id, frozenset()) for one in judged))


def _expired(config: Config) -> Iterator[Finding]:
    for exempt in config.exemptions:
        if exempt.until is not None and config.today > exempt.until:
            yield Finding(
                rule=exempt.rule,
                severity=next((r.severity for r in config.rules if r.id == exempt.rule), Severity.ERROR),
                verdict=Verdict.EXEMPT_EXPIRED,
                message=f"the exemption from `{exempt.rule}` ended on {exempt.until.isoformat()}",
                span=exempt.span or Span(config.path or "", 0, 0),
                why=exempt.reason,
                help="make the commands meet the rule and take the exemption away, or decide on a new date",
            )


def _comment_findings(judged: Sequence[Judged], config: Config, complete: bool) -> Iterator[Finding]:
    used = frozenset[Comment]().union(*(one.comments_used for one in judged))
    rules = {rule.id: rule for rule in config.rules}
    for comment in dict.fromkeys(c for one in judged for c in one.comments):
        rule = rules.get(comment.rule or "")
        verdict, message = Verdict.EXEMPT_UNUSED, ""
        if comment.rule is None:
            verdict, message = Verdict.EXEMPT_WITHOUT_REASON, "the comment names no rule to exempt from"
        elif rule is None:
            message = f"there is no rule `{comment.rule}`{nearest(comment.rule, rules)}"
        elif comment.reason is None:
            verdict, message = Verdict.EXEMPT_WITHOUT_REASON, f"the exemption from `{rule.id}` gives no reason"
        elif comment not in used and complete:
            message = f"the comment exempts nothing: no command here breaks `{rule.id}`"
        if message:
            yield Finding(
                rule=comment.rule or "exempt",
                severity=rule.severity if rule is not None else Severity.ERROR,
                verdict=verdict,
                message=message,
                span=comment.span,
                mark=comment.span,
                help="write `# flagguard: exempt RULE - reason` at the command, or take the comment away",
            )


def _unused(judged: Sequence[Judged], config: Config) -> Iterator[Problem]:
    needed = frozenset[int]().union(*(one.exemptions for one in judged))
    for number, exempt in enumerate(config.exemptions):
        if number not in needed:
            path, line = config.position(exempt.span)
            told = f"matches nothing: no command that the rule `{exempt.rule}` speaks of stands there"
            yield Problem(path, line, told, key="exempt")
    found = frozenset[str]().union(*(one.tools for one in judged))
    for name in config.tools:
        if name not in found:
            path, line = config.position(config.tool_places[name]())
            yield Problem(path, line, f"no command is `{name}`", key=f"tools.{name}")
