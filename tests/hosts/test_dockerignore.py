"""What an ignore file keeps out of an image, and with it what the files there say."""

import pytest

from flagguard.hosts.dockerignore import left_out

from .support import Memory


@pytest.mark.parametrize(
    ("text", "outside", "inside"),
    [
        (".cargo", [".cargo", ".cargo/config.toml"], ["sub/.cargo/config.toml", "x.cargo"]),
        ("/.cargo/", [".cargo/config.toml"], ["sub/.cargo/config.toml"]),
        ("**/.cargo", [".cargo/config.toml", "a/b/.cargo/config.toml"], ["a/.cargos"]),
        ("*/temp*", ["a/temporary.txt", "a/temp/x"], ["temp", "a/b/temp"]),
        ("temp?", ["tempa", "temp1/x"], ["temp", "temp12"]),
        ("*.md\n!README.md", ["a.md"], ["README.md", "a/b.md"]),
        ("*.md\n!README*.md\nREADME-secret.md", ["README-secret.md"], ["README-a.md"]),
        ("*\n!src\n!.cargo/config.toml", ["Makefile", ".cargo/x"], ["src/a.c", ".cargo/config.toml"]),
        ("# .cargo\n\n  target  ", ["target/x"], [".cargo/config.toml"]),
        ("**", ["a/b"], []),
        ("a/**/z", ["a/z", "a/b/c/z/y"], ["z", "b/z"]),
        ("[ab].c\n\\*", ["a.c", "*"], ["c.c", "x"]),
        ("[b-a]", [], ["a", "b"]),
        ("\ufeff.cargo\r\n", [".cargo"], []),
        ("a\x0b\n.cargo", ["a", ".cargo"], []),
        ("a\u2028b", ["a\u2028b"], ["a", "b"]),
    ],
)
def test_the_last_line_that_matches_decides(text: str, outside: list[str], inside: list[str]) -> None:
    found = left_out("Dockerfile", [""], Memory({".dockerignore": text}))
    assert found is not None
    assert ([p for p in outside if p not in found], [p for p in inside if p in found]) == ([], [])


def test_the_dockerfiles_own_ignore_file_stands_in_for_that_of_the_context() -> None:
    files = Memory({".dockerignore": ".cargo", "d/a.Dockerfile.dockerignore": "target"})
    own, shared = (left_out(f"d/{name}.Dockerfile", [""], files) for name in "ab")
    assert own is not None
    assert shared is not None
    assert (".cargo" in own, "target" in own, ".cargo" in shared) == (False, True, True)


def test_where_the_context_may_be_either_folder_a_file_is_out_that_comes_from_neither() -> None:
    found = left_out("d/Dockerfile", ["d", ""], Memory({".dockerignore": "d/x\n.cargo", "d/.dockerignore": "y"}))
    assert found is not None
    assert [p in found for p in (".cargo/config.toml", "d/x", "d/y")] == [True, False, False]
    assert left_out("Dockerfile", [""], Memory({})) is None
