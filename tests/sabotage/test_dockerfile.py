"""Edits of Dockerfiles: in a RUN, in a list of words, in ENV and ARG, in here-documents."""

from pathlib import Path

import pytest

from .support import prove

RULES = """
packs = []
[baseline]
linux-x86_64 = "x86-64-v2"
[[rule]]
id      = "pinned"
command = "gcc"
require = [{ effective = "cpu", at-most = "baseline" }, "-march", "-fPIC"]
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("RUN gcc -march=x86-64-v2 -fPIC -c a.c", ["-RUN gcc -march=x86-64-v2 -fPIC -c a.c", "+RUN gcc -fPIC -c a.c"]),
        (
            "RUN gcc -O2 \\\n    # why\n    -march=x86-64-v2 \\\n    -fPIC -c a.c && \\\n    true",
            ["-    -march=x86-64-v2 \\"],
        ),
        (
            'RUN ["gcc", "-march=x86-64-v2", "-fPIC", "-c", "a.c"]',
            ['-RUN ["gcc", "-march=x86-64-v2", "-fPIC", "-c", "a.c"]', '+RUN ["gcc", "-fPIC", "-c", "a.c"]'],
        ),
        (
            'ENV F=-march=x86-64-v2\nRUN ["/bin/bash", "-c", "gcc -fPIC $F -c a.c"]',
            ['+RUN ["/bin/bash", "-c", "gcc -fPIC $F -march=native -c a.c"]'],
        ),
        ("RUN <<EOF\nset -e\ngcc -march=x86-64-v2 -fPIC -c a.c\nEOF", ["+gcc -fPIC -c a.c"]),
        ("COPY <<EOF /x.sh\ngcc -march=x86-64-v2 -fPIC -c a.c\nEOF\nRUN sh /x.sh", ["+gcc -fPIC -c a.c"]),
        (
            'ARG MARCH=x86-64-v2\nENV CFLAGS="-O2 -march=${MARCH}" \\\n    OTHER=1\nRUN gcc $CFLAGS -fPIC -c a.c',
            ["-ARG MARCH=x86-64-v2"],
        ),
        ("ENV A=1 CFLAGS=-march=x86-64-v2 B=2\nRUN gcc $CFLAGS -fPIC -c a.c", ["+ENV A=1 B=2"]),
        (
            'ENTRYPOINT ["gcc", "-march=x86-64-v2"]\nCMD ["-fPIC", "-c", "a.c"]',
            ['-CMD ["-fPIC", "-c", "a.c"]', '+CMD ["-c", "a.c"]'],
        ),
    ],
)
def test_every_way_to_write_a_command_can_be_edited_and_is_caught(
    tmp_path: Path, body: str, expected: list[str]
) -> None:
    proof = prove(tmp_path, RULES, {"Dockerfile": f"FROM gcc:14\n{body}\n"})
    bad = [r for r in proof.results if r.outcome.value not in ("caught", "stayed-clean", "not-applicable")]
    assert [(r.operator.value, r.outcome.value, r.diff) for r in bad] == []
    caught = [r.diff.splitlines() for r in proof.results if r.outcome.value == "caught"]
    assert any(set(expected) <= set(diff) for diff in caught), caught
