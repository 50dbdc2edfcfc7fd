"""What ``peel`` says of a wrapper, against what the real program passes on, where it is installed."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from flagguard.command import word
from flagguard.shell.wrapper_table import Env
from flagguard.shell.wrappers import peel
from flagguard.text import literal

REAL = [
    "env rec a b",
    "env A=x B=y rec a",
    "env -iu X rec a",
    "env -uX -- rec a",
    "env --uns=X --chd=/ rec a",
    "env - A=x rec a",
    "env -S 'rec \"a b\" c\\_d' 'e f'",
    "env '-Srec -n #x' e",
    "env -S 'A=x rec \\t' e",
    "env --split-string='rec a' b",
    "env -iS 'rec a\\c b' d",
    "nice rec -n 5",
    "nice -n 5 rec -n",
    "nice -n5 -- rec a",
    "nice -5 rec a",
    "nice --adj=3 rec a",
    "timeout 5 rec 5",
    "timeout -k 5 10s rec a",
    "timeout -k5 -s KILL 5 rec a",
    "timeout --sig KILL --kill=3 --fore 5 rec --sig",
    "stdbuf -oL -e 0 rec -o",
    "stdbuf --out=L rec a",
    "nohup rec a",
    "nohup -- rec a",
    "setsid rec -f",
    "setsid --wait rec a",
    "flock lock rec -c",
    "flock -n -w 3 lock rec a",
    "flock --ex lock rec a",
    "ionice -c3 rec a",
    "ionice -c 2 -n 7 rec a",
    "chrt -b 0 rec a",
    "taskset -c 0 rec a",
    "taskset 1 rec a",
    "setarch x86_64 -R rec a",
    "setarch -R rec -R",
    "linux64 rec a",
    "xargs rec a",
    "xargs -0 -P4 -n 1 rec a",
    "xargs -I{} rec x{}y",
    "xargs -I {} -n1 rec x{}y",
    "xargs -I {} -n2 rec x{}y",
    "xargs -n2 -I{} rec x{}y",
    "xargs -I{} -L1 rec x{}y",
    "xargs -iF rec xFy",
    "xargs -i rec x{}y",
    "xargs --rep=Q -r rec xQy",
    "xargs -e -l1 rec a",
    "xargs --max-args=1 --null rec a",
    "find top -maxdepth 0 -exec rec a {} ';'",
    "find top -maxdepth 0 -exec rec a {} + -exec rec b{} ';'",
    "find top -maxdepth 0 -name -exec -o -exec rec a + {} ';'",
    "strace -o /dev/null -E A=x rec a",
    "runuser -u root -- rec a",
    "runuser root -c 'rec a'",
    "su -c 'rec a'",
    "su root --comm='rec a'",
    "setpriv --clear-groups rec a",
    "prlimit --nofile=20:30 rec a",
    "unshare -n rec -n",
    "unshare --fork --pid -- rec a",
    "nsenter -t 1 -u rec a",
    "chroot / rec a",
    "fakeroot rec -u",
    "fakeroot -u -- rec a",
    "dbus-run-session -- rec a",
    "sh -c 'rec a'",
    "bash -ec 'rec a'",
    "script -qec 'rec a' /dev/null",
    "flock lock -c 'rec a'",
]


@pytest.mark.parametrize("line", REAL)
def test_the_real_program_passes_the_same_words(line: str, tmp_path: Path) -> None:
    argv = shlex.split(line)
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} is not installed")
    recorded = tmp_path / "recorded"
    record = tmp_path / "rec"
    record.write_text(
        f"#!/bin/sh\nfor each do printf '%s\\0' \"$each\"; done >> '{recorded}'\nprintf '\\n' >> '{recorded}'\n"
    )
    record.chmod(0o755)
    (tmp_path / "top").mkdir()
    outer = [each.replace("rec", str(record), 1) if "rec" in each and each != "recorded" else each for each in argv]
    if "--chd=/" in outer:
        outer[outer.index("--chd=/")] = f"--chd={tmp_path}"
    done = subprocess.run(
        outer, cwd=tmp_path, input=b"i1", capture_output=True, timeout=20, check=False, env={"PATH": os.environ["PATH"]}
    )
    if not recorded.exists():
        pytest.skip(f"{argv[0]} does not run here: {done.stderr.decode(errors='replace').strip()}")
    expected = []
    for peeled in peel(tuple(word(literal(each)) for each in outer)):
        inner = peeled.argv or tuple(
            word(literal(each)) for each in shlex.split(peeled.script.text if peeled.script else "")
        )
        texts = [w.text for w in inner]
        assert texts[0] == str(record)
        item = "top" if argv[0] == "find" else "i1"
        if peeled.replaces:
            texts = [each.replace(peeled.replaces, item) for each in texts]
        if peeled.appended is not None:
            texts.append(item)
        expected.append(texts[1:])
    raw = recorded.read_text()
    assert sorted(line.split("\0")[:-1] for line in raw.split("\n")[:-1]) == sorted(expected)


ENVIRONMENTS = [
    "env A=1 X=2 show",
    "env -i A=1 show",
    "env -u X show",
    "env -uX -u Y A= show",
    "env - show",
    "env -S 'X=3 show'",
    "nice show",
    "strace -o /dev/null -E A=1 -E X show",
    "strace -o /dev/null --env=Y=4 show",
    "su -c show",
    "su - -c show",
    "su -l root -c show",
    "su -w X -l root -c show",
    "runuser -u root show",
    "runuser -l root -c show",
    "setpriv --clear-groups show",
    "setpriv --reset-env show",
    "fakeroot show",
    "xargs show",
    "script -qec show /dev/null",
]


@pytest.mark.parametrize("line", ENVIRONMENTS)
def test_the_real_program_gives_the_same_environment(line: str, tmp_path: Path) -> None:
    argv = shlex.split(line)
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} is not installed")
    recorded = tmp_path / "recorded"
    show = tmp_path / "shown"
    show.write_text(f"#!/bin/sh\necho \"${{X-none}},${{Y-none}},${{A-none}}\" > '{recorded}'\n")
    show.chmod(0o755)
    tmp_path.chmod(0o755)
    outer = [each.replace("show", str(show)) for each in argv]
    around = {"X": "x", "Y": "y"}
    done = subprocess.run(
        outer, cwd=tmp_path, capture_output=True, timeout=20, check=False, env={"PATH": os.environ["PATH"], **around}
    )
    if not recorded.exists():
        pytest.skip(f"{argv[0]} does not run here: {done.stderr.decode(errors='replace').strip()}")
    (peeled,) = peel(tuple(word(literal(each)) for each in outer))
    inside = {k: v for k, v in around.items() if peeled.env is Env.KEEP or k in peeled.passes}
    inside = {k: v for k, v in inside.items() if k not in peeled.unset}
    inside |= {name: value.text for name, value in peeled.assignments}
    assert recorded.read_text().strip() == ",".join(inside.get(name, "none") for name in ("X", "Y", "A"))
