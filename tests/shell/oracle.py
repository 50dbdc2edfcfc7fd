"""Runs scripts in the real bash and dash and records the argv and the environment of every program that they start.

The programs on PATH are stubs that write down how they were called; `uname` and `arch` answer as the platform under
test does; wrappers (`sudo`, `ccache`, `uv run`…) start the rest of their words as the real ones do. Nothing here knows
flagguard.
"""

import contextlib
import os
import shlex
import shutil
import signal
import stat
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

HERE = Path(__file__).parent

UNAME: dict[str, tuple[str, str, str]] = {
    # platform: `uname -s`, `uname -m`, $OSTYPE
    "linux-x86_64": ("Linux", "x86_64", "linux-gnu"),
    "linux-aarch64": ("Linux", "aarch64", "linux-gnu"),
    "linux-ppc64le": ("Linux", "ppc64le", "linux-gnu"),
    "linux-riscv64": ("Linux", "riscv64", "linux-gnu"),
    "macos-arm64": ("Darwin", "arm64", "darwin23"),
    "macos-x86_64": ("Darwin", "x86_64", "darwin23"),
    "windows-x86_64": ("MINGW64_NT-10.0-19045", "x86_64", "msys"),
    "freebsd-x86_64": ("FreeBSD", "amd64", "freebsd14.0"),
}

STUBS = """
aarch64-linux-gnu-gcc apt-get ar as autoreconf awk bazel brew c++ c99 cargo cat cc chmod clang clang++ cmake cmp cp
cpio ctest curl cython date diff emcc f find-tool g g++ gcc gcc-12 gfortran git gmake go grep gzip head id install
iron ispc ld ldconfig llvm-config ln ls make maturin meson mkdir mojo mv nasm ninja node npm nvcc objcopy patch perl
pip pkg-config python python3 ranlib rm rustc sleep sort strip swift tail tar tee test-tool touch tree wget which
xcodebuild xcrun yarn zig
""".split()
"""Programs that only record. They exit with 0, or as a case says."""

FILES = dict.fromkeys(("main.c", "util.c", "src/a.c", "src/b.c", "flags"), "-march=native\n")
"""The files beside the script."""

_PROGRAMS_BESIDE = ("configure", "tools/gen", "src/configure")

TRANSPARENT = frozenset({"uname", "arch", "basename", "dirname", "hostname", "nproc"})
"""Programs that answer and are not recorded."""

_REAL = tuple("env nice timeout xargs find nohup sh bash dash basename dirname sed tr cut true false".split())

_LIBRARY = HERE / "wrappers.sh"
WRAPPERS = frozenset(_REAL) | frozenset(
    name for line in _LIBRARY.read_text().splitlines() if line.startswith("#: ") for name in line[3:].split()
)
"""Programs that start the rest of their words and are not recorded themselves."""

_STUB_C = r"""
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
static char *buf; static size_t len, cap;
static void put(const char *s) {
    size_t n = strlen(s) + 1;
    while (len + n + 4 > cap) buf = realloc(buf, cap = cap ? cap * 2 : 16384);
    memcpy(buf + len, s, n); len += n;
}
int main(int argc, char **argv) {
    char path[4096], *base = strrchr(argv[0], '/'); int fd, i, status = 0; FILE *f; char n[32];
    snprintf(n, sizeof n, "%d", argc); put(n);
    for (i = 0; i < argc; i++) put(argv[i]);
    for (i = 0; environ[i]; i++) ;
    snprintf(n, sizeof n, "%d", i); put(n);
    for (i = 0; environ[i]; i++) put(environ[i]);
    fd = open(ROOT "/log", O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (fd < 0 || write(fd, buf, len) != (ssize_t)len) return 111;
    snprintf(path, sizeof path, "%s/exit/%s", ROOT, base ? base + 1 : argv[0]);
    if ((f = fopen(path, "r"))) { if (fscanf(f, "%d", &status) != 1) status = 112; fclose(f); }
    return status;
}
"""

_STUB_SH = r"""#!/bin/sh
case $0 in @ROOT@/bin/*) set -- "${0##*/}" "$@" ;; *) set -- "$0" "$@" ;; esac
{ printf '%s\0' $# "$@" -1; export -p; printf '\0'; } > @ROOT@/record.$$
/bin/cat @ROOT@/record.$$ >> @ROOT@/log
if [ -f "@ROOT@/exit/${1##*/}" ]; then read -r status < "@ROOT@/exit/${1##*/}"; exit "$status"; fi
exit 0
"""
"""The same where there is no C compiler: slower; the environment as `export -p` writes it."""


@dataclass(frozen=True)
class Record:
    """One program as the system started it."""

    argv: tuple[str, ...]
    env: Mapping[str, str]


@dataclass(frozen=True)
class Run:
    """What a script did."""

    records: tuple[Record, ...]
    status: int | None
    """None: it was stopped at the time limit."""
    output: str
    """What it wrote to its output and its errors."""


class Toolbox:
    """A folder with the stubs, a log, and a scratch folder; one script at a time."""

    def __init__(self, root: Path, compiler: str | None = None) -> None:
        self.root = root
        self.log = root / "log"
        self.bin = root / "bin"
        self.work = root / "work"
        for name in ("bin", "exit", "work", "home", "template"):
            (root / name).mkdir(parents=True, exist_ok=True)
        self._make_stubs(compiler if compiler is not None else shutil.which("cc"))
        self._make_wrappers()
        for platform, (system, machine, _) in UNAME.items():
            self._make_uname(platform, system, machine)
        for name, text in FILES.items():
            path = root / "template" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        for name in _PROGRAMS_BESIDE:
            path = root / "template" / name
            path.parent.mkdir(exist_ok=True)
            path.symlink_to(self.stub)

    def _script(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def _make_stubs(self, compiler: str | None) -> None:
        self.stub = self.root / "stub"
        built = False
        if compiler:
            source = self.root / "stub.c"
            source.write_text(_STUB_C)
            command = [compiler, "-O1", f'-DROOT="{self.root}"', "-o", str(self.stub), str(source)]
            built = subprocess.run(command, capture_output=True, check=False).returncode == 0
        if not built:
            self._script(self.stub, _STUB_SH.replace("@ROOT@", str(self.root)))
        for name in STUBS:
            (self.bin / name).symlink_to(self.stub)
        for name in _REAL:
            real = shutil.which(name)
            if real and name == "bash":
                self._script(self.bin / name, f'#!/bin/sh\nexec {real} --noprofile --norc "$@"\n')
            elif real:
                (self.bin / name).symlink_to(real)

    def _make_wrappers(self) -> None:
        for name in WRAPPERS - set(_REAL):
            self._script(self.bin / name, f"#!/bin/sh\nname={name}\n. {_LIBRARY}\n")

    def _make_uname(self, platform: str, system: str, machine: str) -> None:
        folder = self.root / platform
        folder.mkdir()
        text = f"""#!/bin/sh
case "$*" in
  ""|-s|--kernel-name) echo {system} ;;
  -m|--machine) echo {machine} ;;
  -sm|-ms|"-s -m"|"-m -s") echo {system} {machine} ;;
  -r) echo 6.1.0 ;;
  -n) echo builder ;;
  -p|-i) echo unknown ;;
  -o) case {system} in Linux) echo GNU/Linux ;; MINGW*) echo Msys ;; *) echo {system} ;; esac ;;
  -a) echo "{system} builder 6.1.0 #1 {machine}" ;;
  *) exit 1 ;;
esac
"""
        self._script(folder / "uname", text)
        self._script(folder / "arch", f"#!/bin/sh\necho {machine}\n")
        self._script(folder / "nproc", "#!/bin/sh\necho 4\n")

    def _tidy(self) -> None:
        """Leave in the scratch folder what the template has."""
        before = _listing(self.root / "template")
        after = _listing(self.work)
        for path in after.keys() - before.keys():
            if not path.endswith("/"):
                (self.work / path).unlink()
        after = {path: size for path, size in after.items() if path.endswith("/") or path in before}
        if after != before:
            shutil.rmtree(self.work)
            shutil.copytree(self.root / "template", self.work, symlinks=True)

    @cached_property
    def ordinary(self) -> dict[str, str]:
        """The environment that the machine has anyway."""
        return {"HOME": str(self.root / "home"), "LC_ALL": "C", "TERM": "dumb", "TMPDIR": str(self.root)}

    def run(
        self,
        shell: str,
        script: bytes,
        platform: str = "linux-x86_64",
        *,
        env: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
        options: Sequence[str] = (),
        exits: Mapping[str, int] | None = None,
        limit: float = 10.0,
    ) -> Run:
        """Run ``script`` in ``shell`` as on ``platform``; ``exits`` gives stubs their exit status."""
        self._tidy()
        (self.work / "build.sh").write_bytes(script)
        self.log.write_bytes(b"")
        for name, code in (exits or {}).items():
            (self.root / "exit" / name).write_text(str(code))
        environment = {**self.ordinary, "PATH": f"{self.root / platform}:{self.bin}", **(env or {})}
        if shell == "bash":
            environment.setdefault("OSTYPE", UNAME[platform][2])
        path = shutil.which(shell)
        assert path is not None
        process = subprocess.Popen(
            [path, *options, "build.sh", *arguments],
            executable=path,
            cwd=self.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        status: int | None
        try:
            output, _ = process.communicate(timeout=limit)
            status = process.returncode
        except subprocess.TimeoutExpired:
            status, output = None, b""
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for name in exits or {}:
                (self.root / "exit" / name).unlink()
        return Run(tuple(records_of(self.log.read_bytes())), status, output.decode(errors="replace"))


def _listing(root: Path, prefix: str = "") -> dict[str, int]:
    """Every path below ``root`` with its size; folders end with a slash."""
    out: dict[str, int] = {}
    with os.scandir(root) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                out[f"{prefix}{entry.name}/"] = 0
                out.update(_listing(Path(entry.path), f"{prefix}{entry.name}/"))
            else:
                out[prefix + entry.name] = entry.stat(follow_symlinks=False).st_size
    return out


def records_of(log: bytes) -> list[Record]:
    fields = [f.decode("utf-8", "surrogateescape") for f in log.split(b"\0")[:-1]]
    out, at = [], 0
    while at < len(fields):
        size = int(fields[at])
        argv = tuple(fields[at + 1 : at + 1 + size])
        at += 1 + size
        count = int(fields[at])
        at += 1
        if count < 0:
            env = _exported(fields[at])
            at += 1
        else:
            env = dict(f.partition("=")[::2] for f in fields[at : at + count])
            at += count
        out.append(Record(argv, env))
    return out


def _exported(listing: str) -> dict[str, str]:
    """`export -p` read back."""
    words = shlex.split(listing)
    return dict(w.partition("=")[::2] for w in words if "=" in w)
