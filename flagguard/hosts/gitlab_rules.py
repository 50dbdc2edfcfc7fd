"""GitLab CI/CD: variables in keywords, and the conditions of `rules`.

Follows https://docs.gitlab.com/ci/variables/where_variables_can_be_used/ and
https://docs.gitlab.com/ci/jobs/job_rules/ ("CI/CD variable expressions"). What GitLab gives when a pipeline runs is
unknown here; what only its settings may give is taken as not set, and a rule that needs it to have a value has to be
asked for.
"""

import re
from collections.abc import Mapping, Sequence

from flagguard.hosts.pipelines import Notes, fill, is_true, open_hole, outside, text, unset
from flagguard.hosts.tree import Items, Node, Scalar, Table
from flagguard.patterns import expression
from flagguard.text import EMPTY, Shape, Traced, literal
from flagguard.values import dataclass, field

PREDEFINED = (
    "CI GITLAB_CI CHAT_CHANNEL CHAT_INPUT CHAT_USER_ID GITLAB_FEATURES GITLAB_USER_EMAIL GITLAB_USER_ID "
    "GITLAB_USER_LOGIN GITLAB_USER_NAME KUBECONFIG TRIGGER_PAYLOAD "
    + " ".join(
        f"CI_{name}"
        for name in (
            "API_V4_URL API_GRAPHQL_URL BUILDS_DIR COMMIT_AUTHOR COMMIT_BEFORE_SHA COMMIT_BRANCH "
            "COMMIT_DESCRIPTION COMMIT_MESSAGE COMMIT_REF_NAME COMMIT_REF_PROTECTED COMMIT_REF_SLUG COMMIT_SHA "
            "COMMIT_SHORT_SHA COMMIT_TAG COMMIT_TAG_MESSAGE COMMIT_TIMESTAMP COMMIT_TITLE CONCURRENT_ID "
            "CONCURRENT_PROJECT_ID CONFIG_PATH DEBUG_TRACE DEBUG_SERVICES DEFAULT_BRANCH DEFAULT_BRANCH_SLUG "
            "DEPENDENCY_PROXY_DIRECT_GROUP_IMAGE_PREFIX DEPENDENCY_PROXY_GROUP_IMAGE_PREFIX "
            "DEPENDENCY_PROXY_PASSWORD DEPENDENCY_PROXY_SERVER DEPENDENCY_PROXY_USER DEPLOY_FREEZE "
            "DEPLOY_PASSWORD DEPLOY_USER DISPOSABLE_ENVIRONMENT ENVIRONMENT_ID ENVIRONMENT_NAME ENVIRONMENT_SLUG "
            "ENVIRONMENT_URL ENVIRONMENT_ACTION ENVIRONMENT_TIER GITLAB_FIPS_MODE HAS_OPEN_REQUIREMENTS "
            "JOB_GROUP_NAME JOB_ID JOB_IMAGE JOB_MANUAL JOB_NAME JOB_NAME_SLUG JOB_STAGE JOB_STATUS "
            "JOB_STARTED_AT JOB_TIMEOUT JOB_TOKEN JOB_URL KUBERNETES_ACTIVE MERGE_REQUEST_APPROVED "
            "MERGE_REQUEST_ASSIGNEES MERGE_REQUEST_DIFF_BASE_SHA MERGE_REQUEST_DIFF_ID MERGE_REQUEST_DRAFT "
            "MERGE_REQUEST_EVENT_TYPE MERGE_REQUEST_ID MERGE_REQUEST_IID MERGE_REQUEST_LABELS "
            "MERGE_REQUEST_MILESTONE MERGE_REQUEST_PROJECT_ID MERGE_REQUEST_PROJECT_PATH "
            "MERGE_REQUEST_PROJECT_URL MERGE_REQUEST_REF_PATH MERGE_REQUEST_SOURCE_BRANCH_NAME "
            "MERGE_REQUEST_SOURCE_BRANCH_PROTECTED MERGE_REQUEST_SOURCE_BRANCH_SHA "
            "MERGE_REQUEST_SOURCE_PROJECT_ID MERGE_REQUEST_SOURCE_PROJECT_PATH MERGE_REQUEST_SOURCE_PROJECT_URL "
            "MERGE_REQUEST_SQUASH_ON_MERGE MERGE_REQUEST_TARGET_BRANCH_NAME MERGE_REQUEST_TARGET_BRANCH_PROTECTED "
            "MERGE_REQUEST_TARGET_BRANCH_SHA MERGE_REQUEST_TITLE NODE_INDEX NODE_TOTAL OPEN_MERGE_REQUESTS "
            "PAGES_DOMAIN PAGES_HOSTNAME PAGES_URL PIPELINE_CREATED_AT PIPELINE_ID PIPELINE_IID PIPELINE_NAME "
            "PIPELINE_SCHEDULE_DESCRIPTION PIPELINE_SOURCE PIPELINE_TRIGGERED PIPELINE_URL "
            "PROJECT_CLASSIFICATION_LABEL PROJECT_DESCRIPTION PROJECT_DIR PROJECT_ID PROJECT_NAME "
            "PROJECT_NAMESPACE PROJECT_NAMESPACE_ID PROJECT_NAMESPACE_SLUG PROJECT_PATH PROJECT_PATH_SLUG "
            "PROJECT_REPOSITORY_LANGUAGES PROJECT_ROOT_NAMESPACE PROJECT_TITLE PROJECT_URL PROJECT_VISIBILITY "
            "REGISTRY REGISTRY_IMAGE REGISTRY_PASSWORD REGISTRY_USER RELEASE_DESCRIPTION REPOSITORY_URL "
            "RUNNER_DESCRIPTION RUNNER_EXECUTABLE_ARCH RUNNER_ID RUNNER_REVISION RUNNER_SHORT_TOKEN RUNNER_TAGS "
            "RUNNER_VERSION SERVER SERVER_FQDN SERVER_HOST SERVER_NAME SERVER_PORT SERVER_PROTOCOL "
            "SERVER_REVISION SERVER_SHELL_SSH_HOST SERVER_SHELL_SSH_PORT SERVER_TLS_CA_FILE SERVER_TLS_CERT_FILE "
            "SERVER_TLS_KEY_FILE SERVER_URL SERVER_VERSION SERVER_VERSION_MAJOR SERVER_VERSION_MINOR "
            "SERVER_VERSION_PATCH SHARED_ENVIRONMENT TEMPLATE_REGISTRY_HOST TRIGGER_SHORT_TOKEN UPSTREAM_JOB_ID "
            "UPSTREAM_PIPELINE_ID UPSTREAM_PROJECT_ID"
        ).split()
    )
).split()
"""https://docs.gitlab.com/ci/variables/predefined_variables/, as of 2026-11."""
_GIVEN = frozenset(PREDEFINED)
_PATHS = frozenset(
    "CI_PROJECT_DIR CI_BUILDS_DIR CI_COMMIT_SHA CI_COMMIT_SHORT_SHA CI_PROJECT_NAME CI_CONFIG_PATH".split()
)
_NUMBERS = frozenset("CI_NODE_INDEX CI_NODE_TOTAL CI_PIPELINE_ID CI_PIPELINE_IID CI_JOB_ID CI_PROJECT_ID".split())
_USE = expression(r"\$\$|%%|\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}|%([A-Za-z_]\w*)%")


def predefined(name: str, written: str) -> Traced:
    shape = Shape.PATH if name in _PATHS else Shape.NUMBER if name in _NUMBERS else Shape.ANY
    return outside(name, written, "GitLab gives it", shape, "" if name == "CI_PROJECT_DIR" else None)


@dataclass(frozen=True)
class Variables:
    """The variables at a place: texts that may name each other."""

    values: Mapping[str, Traced]
    assume: Mapping[str, str] = field(default_factory=dict)
    raw: frozenset[str] = frozenset()
    """Those with `expand: false`."""
    open: bool = False
    """Others may be set by what is not in the repository."""

    def expanded(self, whole: Traced, inside: tuple[str, ...] = ()) -> Traced:
        """A text with its variables replaced."""
        if "$" not in whole.text and "%" not in whole.text:
            return whole
        return fill(whole, _USE, lambda m, _: self._put(m[1] or m[2] or m[3], m[0], inside))

    def _put(self, name: str | None, written: str, inside: tuple[str, ...]) -> Traced | None:
        if name is None:
            return literal(written[0])
        if written[0] == "%" and name not in self.values:
            return None  # `%s` and the like
        return self.value(name, written, inside)

    def value(self, name: str, written: str, inside: tuple[str, ...] = ()) -> Traced:
        if name in inside or len(inside) > 20:
            return open_hole(written, "a variable that refers to itself", name)
        found = self.values.get(name)
        if found is not None:
            return found if name in self.raw else self.expanded(found, (*inside, name))
        if name in self.assume:
            return literal(self.assume[name])
        if name in _GIVEN:
            return predefined(name, written)
        if self.open:
            return outside(name, written, "what is included from elsewhere may set it")
        return unset(name)

    def all(self) -> dict[str, Traced]:
        return {name: self.value(name, f"${name}") for name in self.values}


# -- conditions -------------------------------------------------------------------------------------------------------

_TOKEN = expression(
    r"\s*(?:(&&|\|\||==|!=|=~|!~|[()!])|\$(\w+)|\$\{(\w+)\}|\"([^\"]*)\"|'([^']*)'|(null)\b"
    r"|/((?:\\.|[^/\\])*)/([gimsx]*))"
)
_SAFE = expression(r"[^*+{]*|[^()]{1,60}")
"""Patterns that are tried in a time that is bounded: no repetition of a group."""
_LONGEST = 500


class _Unreadable(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Operand:
    """A text, nothing (None), or not known."""

    text: str | None = None
    known: bool = True
    pattern: str | None = None
    flags: str = ""


def holds(condition: str, variables: Variables, usual: bool = True) -> bool | None:
    """Whether a condition holds; None: nobody knows. ``usual``: variables that nobody sets are not set."""
    tokens: list[re.Match[str]] = []
    at = 0
    condition = condition.strip()
    while at < len(condition):
        found = _TOKEN.match(condition, at)
        if found is None or len(tokens) > _LONGEST:
            return None
        tokens.append(found)
        at = found.end()
        at += len(condition[at:]) - len(condition[at:].lstrip())
    try:
        parser = _Parser(tokens, variables, usual)
        value = parser.either()
        return value if parser.at == len(tokens) else None
    except (_Unreadable, RecursionError):
        return None


class _Parser:
    def __init__(self, tokens: "Sequence[re.Match[str]]", variables: Variables, usual: bool) -> None:
        self.tokens, self.variables, self.usual = tokens, variables, usual
        self.at = 0

    def accept(self, *operators: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at][1] in operators:
            self.at += 1
            return str(self.tokens[self.at - 1][1])
        return None

    def either(self) -> bool | None:
        value = self.both()
        while self.accept("||"):
            other = self.both()
            value = True if value or other else None if value is None or other is None else False
        return value

    def both(self) -> bool | None:
        value = self.single()
        while self.accept("&&"):
            other = self.single()
            value = False if value is False or other is False else None if value is None or other is None else True
        return value

    def single(self) -> bool | None:
        if self.accept("!"):
            value = self.single()
            return None if value is None else not value
        if self.accept("("):
            value = self.either()
            if not self.accept(")"):
                raise _Unreadable
            return value
        left = self.operand()
        operator = self.accept("==", "!=", "=~", "!~")
        if operator is None:
            return bool(left.text) if left.known else None
        right = self.operand()
        if operator in ("=~", "!~"):
            found = _matches(left, right)
        else:
            found = left.text == right.text if left.known and right.known else None
        return found if operator in ("==", "=~") or found is None else not found

    def operand(self) -> _Operand:
        if self.at >= len(self.tokens):
            raise _Unreadable
        token = self.tokens[self.at]
        self.at += 1
        if token[1] is not None:
            raise _Unreadable
        name = token[2] or token[3]
        if name is not None:
            return self.variable(name)
        if token[6] is not None:
            return _Operand()
        if token[7] is not None:
            return _Operand(token[7], pattern=token[7], flags=token[8])
        return _Operand(token[4] if token[4] is not None else token[5])

    def variable(self, name: str) -> _Operand:
        value = self.variables.value(name, f"${name}")
        missing = any(p.unset for p in value.pieces) and not value.text
        if missing:
            return _Operand(known=self.usual)
        if not self.usual and any(p.overridable for p in value.pieces):
            return _Operand(known=False)
        return _Operand(value.text if value.known else None, known=value.known)


def _matches(left: _Operand, right: _Operand) -> bool | None:
    if not left.known or not right.known:
        return None
    if left.text is None:
        return False
    pattern = right.pattern
    if pattern is None:
        inner = re.fullmatch(r"/(.*)/([gimsx]*)", right.text or "")
        pattern = inner[1] if inner else None
    if pattern is None or not _SAFE.fullmatch(pattern) or len(left.text) > _LONGEST:
        return None
    try:
        return re.search(pattern, left.text, re.IGNORECASE if "i" in right.flags else 0) is not None
    except (re.error, OverflowError, RecursionError):
        return None


# -- rules ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """One way in which `rules` add a job."""

    when: tuple[str, ...] = ()
    opt_in: bool = False
    variables: Table | None = None
    ignored: bool | None = None
    """What it says of `allow_failure`."""


def outcomes(rules: Node | None, variables: Variables, notes: Notes, key: str) -> list[Outcome]:
    """The ways in which a job may be added; none where it never is. Ways that come to the same are one."""
    if rules is None:
        return [Outcome()]
    found: list[Outcome] = []
    sure, never = False, False
    for rule in _flat(rules):
        if not isinstance(rule, Table):
            notes.wrong(rule, "a mapping", key)
            continue
        condition = " ".join(text(rule.get("if")).shown.split())
        held = holds(condition, variables) if rule.get("if") is not None else True
        asked = held is False and holds(condition, variables, usual=False) is not False
        if held is False and not asked:
            continue
        if held and (rule.get("changes") is not None or rule.get("exists") is not None):
            held = None
        allowed = rule.get("allow_failure")
        own = rule.get("variables")
        if text(rule.get("when")).text != "never":
            said = f"rules: if {condition}" if condition else "rules"
            outcome = Outcome(() if held and not found else (said,), asked, own if isinstance(own, Table) else None,
                              is_true(allowed) if allowed is not None else None)  # fmt: skip
            found.append(outcome)
        elif not asked:
            never = True
        if held:
            sure = bool(found) and not never
            break
    return _alike(found, sure)


def _flat(rules: Node) -> list[Node]:
    out: list[Node] = []
    for one in rules.items if isinstance(rules, Items) else (rules,):
        out += _flat(one) if isinstance(one, Items) else [one]
    return out


def _alike(found: list[Outcome], sure: bool) -> list[Outcome]:
    groups: dict[object, list[Outcome]] = {}
    for one in found:
        own = tuple((e.name, text(e.value)) for e in one.variables.entries) if one.variables is not None else ()
        groups.setdefault((own, one.ignored), []).append(one)
    out = []
    for several in groups.values():
        usual = [one for one in several if not one.opt_in] or several
        said = tuple(dict.fromkeys(w for one in usual for w in one.when))
        first = usual[0]
        if len(groups) == 1 and sure and not first.opt_in:
            said = ()
        elif len(said) > 1:
            said = (f"rules: {' or '.join(w.removeprefix('rules: ') for w in said)}"[:200],)
        out.append(Outcome(said, first.opt_in, first.variables, first.ignored))
    return out


def scalar_text(node: Node | None) -> Traced:
    """A variable's value: a scalar, or a table that has one."""
    if isinstance(node, Table):
        return text(node.get("value")).overridable()
    return text(node) if isinstance(node, Scalar) else EMPTY
