"""Formats that are told by the file's path alone: which module reads which files.

A module is imported when there is a file for it. Each has a ``NAME`` and ``read(source, setting)``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from flagguard.patterns import expression

if TYPE_CHECKING:
    from re import Pattern

    from flagguard.command import Reading
    from flagguard.hosts import Setting
    from flagguard.text import SourceText


class ByPath:
    """One format, as a host."""

    def __init__(self, name: str, pattern: "Pattern[str]", word: str = "", listed: bool = False) -> None:
        """``word``: without it in the text or the name there is nothing of the format, and nothing is imported.

        ``listed``: it has no module, but a table of ``hosts/data/listed.toml``.
        """
        self.NAME = name
        self._pattern = pattern
        self._word = word
        self._listed = listed

    def claims(self, path: str, head: bytes) -> bool:
        del head
        return self._pattern.fullmatch(path) is not None

    def read(self, source: "SourceText", setting: "Setting") -> "Reading":
        if self._word not in source.text and self._word not in source.path:
            from flagguard.command import Reading as Nothing

            return Nothing()
        if self._listed:
            from flagguard.hosts import listed

            return listed.read(source, setting, self.NAME)
        found: Reading = import_module(f"flagguard.hosts.{self.NAME}").read(source, setting)
        return found


HOSTS: tuple[ByPath, ...] = (
    # what a `.gitlab-ci.yml` includes has any name; files called `x.gitlab-ci.yml` are read by themselves too
    ByPath("gitlab", expression(r"(?:.*[/.])?\.?gitlab-ci\.ya?ml")),
    # `config.yml`, and the configurations that a set-up workflow goes on with
    ByPath("circleci", expression(r"(?:.*/)?\.circleci/[^/]+\.ya?ml")),
    # a pipeline has any name; these are what Azure proposes and the folders that repositories keep theirs in
    ByPath(
        "azure",
        expression(
            r"(?i:(?:.*/)?\.?(?:azure[-_]?pipelines?|vsts-ci)[^/]*\.ya?ml|(?:.*/)?(?:\.?azure[-_]pipelines?|\.azuredevops"
            r"|\.azure/pipelines|\.pipelines|eng/pipelines|eng/common/templates(?:-official)?)/.*\.ya?ml)"
        ),
    ),
    ByPath("buildkite", expression(r"(?:.*/)?(?:\.buildkite/.*|buildkite)\.(?:ya?ml|json)")),
    ByPath("travis", expression(r"(?:.*/)?\.travis\.ya?ml")),
    ByPath("cirrus", expression(r"(?:.*/)?\.cirrus\.ya?ml")),
    ByPath("woodpecker", expression(r"(?:.*/)?(?:\.woodpecker(?:/[^/]+)?|\.drone)\.ya?ml")),
    ByPath("bitbucket", expression(r"(?:.*/)?bitbucket-pipelines\.ya?ml")),
    ByPath("appveyor", expression(r"(?:.*/)?\.?appveyor[^/]*\.ya?ml")),
    ByPath(
        "jenkins", expression(r"(?:.*/)?(?:Jenkinsfile(?:[.\-_][^/]*)?|[^/]+\.[jJ]enkinsfile|\.?jenkins/[^/]+\.groovy)")
    ),
    ByPath("compose", expression(r"(?:.*/)?(?:docker-)?compose(?:[.\-_][^/]*)?\.ya?ml")),
    ByPath("bake", expression(r"(?:.*/)?docker-bake(?:\.[^/]+)?\.(?:hcl|json)")),
    # not what CMake writes itself when it configures
    ByPath(
        "cmake",
        expression(
            r"(?:.*/)?(?:CMakeLists\.txt|CMake(?:User)?Presets\.json"
            r"|(?!(?:cmake_install|CTestTestfile|CPack\w*Config)\.cmake)[^/]+\.cmake)"
        ),
    ),
    ByPath("pixi", expression(r"(?:.*/)?(?:pixi|mojoproject|pyproject)\.toml")),
    ByPath("tox", expression(r"(?:.*/)?(?:tox\.(?:ini|toml)|setup\.cfg|pyproject\.toml)")),
    ByPath("hatch", expression(r"(?:.*/)?(?:hatch|pyproject)\.toml"), "hatch"),
    ByPath("pdm", expression(r"(?:.*/)?pyproject\.toml"), "pdm"),
    ByPath("briefcase", expression(r"(?:.*/)?pyproject\.toml"), "briefcase"),
    ByPath("uv", expression(r"(?:.*/)?(?:uv|pyproject)\.toml"), "uv"),
    ByPath("rye", expression(r"(?:.*/)?pyproject\.toml"), "rye"),
    ByPath("taskipy", expression(r"(?:.*/)?pyproject\.toml"), "taskipy"),
    ByPath(
        "mise",
        expression(
            r"(?:.*/)?(?:\.?mise(?:\.[^/]+)?\.toml|\.?mise/config(?:\.[^/]+)?\.toml|\.config/mise(?:\.[^/]+)?\.toml"
            r"|\.config/mise/(?:conf\.d/)?[^/]+\.toml|\.rtx\.toml)"
        ),
    ),
    ByPath("build_rs", expression(r"(?:.*/)?build(?:/main)?\.rs")),
    ByPath("build_rs", expression(r"(?:.*/)?Cargo\.toml"), "build"),  # it may name another script
    ByPath("pkgconfig", expression(r".+\.pc(?:\.(?:in|cmake))*")),
    ByPath("cargo", expression(r"(?:.*/)?\.cargo/config(?:\.toml)?")),
    ByPath("cibuildwheel", expression(r"(?:.*/)?(?:pyproject|cibuildwheel)\.toml"), "cibuildwheel"),
    ByPath("bazel", expression(r"(?:.*/)?(?:BUILD(?:\.bazel)?|[^/]+\.bzl)"), "opts"),
    ByPath("bazelrc", expression(r"(?:.*/)?(?:\.bazelrc|[^/]+\.bazelrc)")),
    ByPath("goreleaser", expression(r"(?:.*/)?\.?goreleaser(?:[.\-_][^/]*)?\.ya?ml")),
    ByPath("gyp", expression(r"(?:.*/)?[^/]+\.gypi?")),
    ByPath("meson", expression(r"(?:.*/)?meson\.build"), "arg"),
    ByPath("npm", expression(r"(?:.*/)?package\.json")),
    ByPath("cargo_make", expression(r"(?:.*/)?Makefile\.toml")),
    # what a command starts in a package.json, and nothing by itself
    ByPath("wireit", expression(r"(?!)")),
    ByPath("turbo", expression(r"(?!)")),
    ByPath("lerna", expression(r"(?!)")),
    ByPath("nx", expression(r"(?:.*/)?(?:project|package)\.json"), "targets"),
    ByPath("moon", expression(r"(?:.*/)?(?:moon\.ya?ml|\.moon/tasks(?:/.+)?\.ya?ml)")),
    ByPath("taskfile", expression(r"(?:.*/)?[Tt]askfile(?:\.dist)?\.ya?ml")),
    ByPath("compile_commands", expression(r"(?:.*/)?compile_commands\.json")),
    # no file of a tree: what `--log` names
    ByPath("log", expression(r"(?!)")),
    ByPath("conda", expression(r"(?:.*/)?(?:meta|recipe)\.yaml")),
    ByPath("homebrew", expression(r"(?:(?:.*/)?(?:Homebrew)?Formula/(?:.*/)?)?[^/]+\.rb"), "< Formula"),
    ByPath("nix", expression(r".*\.nix")),
    ByPath("spack", expression(r"(?:.*/)?package\.py"), "spack"),
    ByPath("pkgbuild", expression(r"(?:.*/)?PKGBUILD(?:[.\-][\w.-]+)?")),
    ByPath("apkbuild", expression(r"(?:.*/)?APKBUILD(?:\.in)?")),
    ByPath("rpmspec", expression(r".*\.spec(?:\.in)?")),
    ByPath("readthedocs", expression(r"(?:.*/)?\.?readthedocs\.ya?ml"), "build", True),
    ByPath("codebuild", expression(r"(?:.*/)?buildspec[^/]*\.ya?ml"), "", True),
    ByPath("cloudbuild", expression(r"(?:.*/)?cloudbuild[^/]*\.(?:ya?ml|json)"), "", True),
    ByPath("semaphore", expression(r"(?:.*/)?\.semaphore/[^/]+\.ya?ml"), "", True),
    ByPath("codemagic", expression(r"(?:.*/)?codemagic\.ya?ml"), "", True),
    ByPath("lefthook", expression(r"(?:.*/)?\.?lefthook(?:-local)?\.(?:ya?ml|toml|jsonc?)"), "", True),
    ByPath("pre_commit", expression(r"(?:.*/)?\.pre-commit-(?:config|hooks)\.ya?ml"), "entry", True),
    ByPath("netlify", expression(r"(?:.*/)?netlify\.toml"), "", True),
    ByPath("render", expression(r"(?:.*/)?render\.ya?ml"), "", True),
    ByPath("vercel", expression(r"(?:.*/)?vercel\.json"), "ommand", True),
    ByPath("craft", expression(r"(?:.*/)?\.?(?:snap|rock|charm)craft\.yaml"), "", True),
    ByPath("vscode", expression(r"(?:.*/)?\.vscode/tasks\.json"), "", True),
    ByPath("devcontainer", expression(r"(?:.*/)?(?:\.devcontainer(?:/[^/]+)?/devcontainer|\.devcontainer)\.json")),
)
_ENDS = (
    *(".yml", ".yaml", ".json", ".jsonc", ".hcl", ".groovy", ".cmake", ".toml", ".spec", ".spec.in", ".rb", ".nix"),
    *("CMakeLists.txt", "tox.ini", "setup.cfg", ".cargo/config"),
    *(
        "BUILD",
        "BUILD.bazel",
        "package.py",
        "build.rs",
        "build/main.rs",
        ".bzl",
        ".bazelrc",
        ".gyp",
        ".gypi",
        "meson.build",
        ".pc",
        ".pc.in",
        ".pc.cmake",
        ".pc.cmake.in",
    ),
)
_WORDS = ("enkinsfile", "PKGBUILD", "APKBUILD")


def claiming(path: str) -> list[ByPath]:
    """The formats that a file is of."""
    if not path.endswith(_ENDS) and not any(word in path for word in _WORDS):
        return []
    return [host for host in HOSTS if host.claims(path, b"")]


def is_jenkins(path: str) -> bool:
    return any(host.NAME == "jenkins" for host in claiming(path))
