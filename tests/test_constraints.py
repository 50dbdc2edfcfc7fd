"""Constraints on invocations: every branch of the three answers, seen as verdicts."""

import pytest
from rule_cases import BASELINE, CPU, rule, verdicts

# -- require, on flags ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        # presence
        ('"--target-cpu"', "mojo build --target-cpu x86-64-v2 a.mojo", []),
        ('"--target-cpu"', "mojo build --target-cpu=x86-64-v2 a.mojo", []),
        ('"--target-cpu"', "mojo build a.mojo", ["missing"]),
        ('"--target-cpu"', "mojo build a.mojo --target-cpu", ["missing"]),
        ('"--target-cpu"', "mojo build --target-cpu '' a.mojo", ["missing"]),
        ('"--target-cpu"', "mojo build --target-cpu= a.mojo", ["missing"]),
        ('"--target-cpu"', "mojo build --target-cpu-tune x86-64-v2 a.mojo", ["missing"]),
        ('"--target-cpu"', "mojo build {--target-cpu x86-64-v2} a.mojo", ["missing"]),
        ('"--target-cpu"', "mojo build --target-cpu <$X> a.mojo", ["unresolved"]),
        ('"--target-cpu"', "mojo build --target-cpu <!X> a.mojo", ["unresolved"]),
        ('"--target-cpu"', "mojo build --target-cpu x86-64-<$X> a.mojo", []),
        ('"--target-cpu"', "mojo build <$FLAGS> a.mojo", ["unresolved"]),
        ('"--target-cpu"', "mojo build <!FLAGS> a.mojo", ["unresolved"]),
        ('"--target-cpu"', "mojo build --target-cpu x86-64-v2 <$FLAGS> a.mojo", []),
        ('"--target-cpu"', "mojo build <$DIR>/a.mojo", ["missing"]),
        ('{ flag = ["--target-cpu", "--mcpu"] }', "mojo build --mcpu x86-64-v2 a.mojo", []),
        ('{ flag = ["--target-cpu", "--mcpu"] }', "mojo build a.mojo", ["missing"]),
        # conditions
        ('{ flag = "--target-cpu", value = "x86-64*" }', "mojo build --target-cpu x86-64-v2 a.mojo", []),
        ('{ flag = "--target-cpu", value = "x86-64*" }', "mojo build --target-cpu native a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", value = "x86-64*" }', "mojo build --target-cpu x86-64<$V> a.mojo", []),
        ('{ flag = "--target-cpu", value = "x86-64*" }', "mojo build --target-cpu x86<$V> a.mojo", ["unresolved"]),
        ('{ flag = "--target-cpu", value = "x86-64*" }', "mojo build --target-cpu apple<$V> a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", one-of = ["a", "b"] }', "mojo build --target-cpu b a.mojo", []),
        ('{ flag = "--target-cpu", one-of = ["a", "b"] }', "mojo build --target-cpu c a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", one-of = ["a*"] }', "mojo build --target-cpu ab a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu x a.mojo", []),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu native a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", not = ["native", "h*"] }', "mojo build --target-cpu host a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu <$X> a.mojo", ["unresolved"]),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu x<$X> a.mojo", []),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu nat<$X> a.mojo", ["unresolved"]),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu '' a.mojo", ["missing"]),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build a.mojo", ["missing"]),
        ('{ flag = "--target-cpu", matches = "^x86" }', "mojo build --target-cpu x86-64 a.mojo", []),
        ('{ flag = "--target-cpu", matches = "^x86" }', "mojo build --target-cpu y86 a.mojo", ["wrong-value"]),
        ('{ flag = "--target-cpu", matches = "v[0-9]" }', "mojo build --target-cpu <$A>-v2 a.mojo", []),
        ('{ flag = "--target-cpu", matches = "v[0-9]$" }', "mojo build --target-cpu v2<$A> a.mojo", ["unresolved"]),
        # the last occurrence counts, and what was said is not hidden by a hole
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu x --target-cpu native", ["wrong-value"]),
        ('{ flag = "--target-cpu", not = "native" }', "mojo build --target-cpu native <$X> a.mojo", ["wrong-value"]),
        # any
        ('{ any = ["--mcpu", { env = "CPU", value = "x" }] }', "mojo build --mcpu x a.mojo", []),
        ('{ any = ["--mcpu", { env = "CPU", value = "x" }] }', "mojo build a.mojo", ["missing"]),
        ('{ any = ["--mcpu", { env = "CPU", value = "x" }] }', "mojo build <$F> a.mojo", ["unresolved"]),
        ('{ any = ["--mcpu", "--target-cpu"] }', "mojo build --mcpu <$X> a.mojo", ["unresolved"]),
        ('{ any = ["--mcpu", "--target-cpu"] }', "mojo build --mcpu '' --target-cpu x a.mojo", []),
    ],
)  # fmt: skip
def test_a_required_flag(asked: str, text: str, expected: list[str]) -> None:
    assert verdicts(rule(more=f"require = [{asked}]"), text) == expected


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ('{ flag = "-C link-arg", value = "-s" }', "rustc -C link-arg=-s -C link-arg=-x a.rs", []),
        ('{ flag = "-C link-arg", value = "-s" }', "rustc -C link-arg=-x a.rs", ["wrong-value"]),
        ('{ flag = "-C relocation-model", value = "pic" }', "rustc -Crelocation-model=pic a.rs", []),
        ('{ flag = "-C relocation-model", value = "pic" }', "rustc -Crelocation-model=static a.rs", ["wrong-value"]),
    ],
)
def test_flags_that_accumulate(asked: str, text: str, expected: list[str]) -> None:
    assert verdicts(rule('"rustc"', f"require = [{asked}]"), text) == expected


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ('"-fPIC"', "gcc -fPIC -c a.c", []),
        ('"-fPIC"', "gcc -c a.c", ["missing"]),
        ('"-fPIC"', "gcc -fPIC -fno-PIC -c a.c", ["missing"]),
        ('{ flag = "-fPIC", value = "x" }', "gcc -fPIC -c a.c", ["missing"]),
        ('{ flag = "-fPIC", not = "x" }', "gcc -fPIC -c a.c", []),
        ('"-fstack-protector-strong"', "gcc -fstack-protector-strong -fno-stack-protector a.c", ["missing"]),
        ('"-fcf-protection"', "gcc -fcf-protection=none a.c", ["missing"]),
        ('"-fcf-protection"', "gcc -fcf-protection=full a.c", []),
        ('{ flag = "-fcf-protection", value = "none" }', "gcc -fcf-protection=none a.c", []),
        ('{ flag = "-fsanitize", contains = "undefined" }', "gcc -fsanitize=undefined -fsanitize=address a.c", []),
        (
            '{ flag = "-fsanitize", contains = "address" }',
            "gcc -fsanitize=address -fno-sanitize=address a.c",
            ["missing"],
        ),
        # a value that the tool refuses meets nothing, unless its owner wrote it out
        ('"-march"', "gcc -march=generic a.c", ["wrong-value"]),
        ('{ flag = "-march", at-most = "x86-64" }', "gcc -march=generic a.c", ["wrong-value"]),
        ('{ flag = "-march", value = "generic" }', "gcc -march=generic a.c", []),
        ('{ effective = "cpu", at-most = "x86-64-v2" }', "gcc -march=generic a.c", ["wrong-value"]),
        ('{ effective = "cpu", at-most = "x86-64-v2" }', "gcc -march=x86_64_v2 a.c", ["wrong-value"]),
        ('{ effective = "cpu", at-most = "x86-64-v2" }', "gcc -march=x86-64-v2 a.c", []),
        ('{ effective = "cpu", at-most = "x86-64-v2" }', "gcc a.c", []),
        ('{ effective = "cpu", at-most = "power8" }', "gcc a.c", ["wrong-value"]),
        ('{ effective = "cpu" }', "gcc -march=x86-64 a.c", []),
        ('{ effective = "cpu" }', "gcc a.c", ["missing"]),
        ('{ effective = "cpu" }', "gcc <$CFLAGS> a.c", ["unresolved"]),
        ('{ effective = "cpu" }', "make all", ["missing"]),
        ('"-ffile-prefix-map"', "gcc -ffile-prefix-map=<$PWD>=. -c a.c", []),
        ('"-ffile-prefix-map"', "gcc -ffile-prefix-map=<$MAP> -c a.c", ["unresolved"]),
        ('{ flag = "PORTABLE=", value = "1" }', "make PORTABLE=1 all", []),
        ('{ flag = "PORTABLE=", value = "1" }', "make PORTABLE=1 PORTABLE=0 all", ["wrong-value"]),
        ('{ flag = "PORTABLE=", value = "1" }', "make all", ["missing"]),
    ],
)
def test_switches_and_settings(asked: str, text: str, expected: list[str]) -> None:
    assert verdicts(rule('["gcc", "make"]', f"require = [{asked}]"), text) == expected


# -- require, at most -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "platform", "expected"),
    [
        ("mojo build --target-cpu x86-64-v2 a", "linux-x86_64", []),
        ("mojo build --target-cpu x86-64 a", "linux-x86_64", []),
        ("mojo build --target-cpu x86-64-v3 a", "linux-x86_64", ["wrong-value"]),
        ("mojo build --target-cpu native a", "linux-x86_64", ["wrong-value"]),
        ("mojo build --target-cpu x86-64-v22 a", "linux-x86_64", ["wrong-value"]),
        ("mojo build --target-cpu apple-m1 a", "linux-x86_64", ["wrong-value"]),
        ("mojo build --target-cpu generic a", "linux-aarch64", []),
        ("mojo build --target-cpu apple-m1 a", "macos-arm64", []),
        ("mojo build --target-cpu x86-64-<$V> a", "linux-x86_64", ["unresolved"]),
        ("mojo build --target-cpu <$CPU> a", "linux-x86_64", ["unresolved"]),
        ("mojo build --target-cpu '' a", "linux-x86_64", ["missing"]),
        ("mojo build a", "linux-x86_64", ["missing"]),
        ("mojo build --target-cpu power8 a", "linux-ppc64le", ["no-baseline"]),
        ("mojo build a", "linux-ppc64le", ["missing"]),
    ],
)
def test_at_most_the_baseline(text: str, platform: str, expected: list[str]) -> None:
    assert verdicts(rule(more=CPU, top=BASELINE), text, platforms=(platform,)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mojo build --target-cpu x86-64-v2 a", []),
        ("mojo build --target-cpu x86-64-v3 a", ["wrong-value"]),
        ("mojo build --tune x86-64-v3 a", []),
    ],
)
def test_at_most_the_baseline_in_an_any(text: str, expected: list[str]) -> None:
    asked = 'require = [{ any = ["--tune", { flag = "--target-cpu", at-most = "baseline" }] }]'
    assert verdicts(rule(more=asked, top=BASELINE), text) == expected


# -- environment ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"GOAMD64": "v1"}, []),
        ({"GOAMD64": "v3"}, ["wrong-value"]),
        ({"GOAMD64": ""}, ["missing"]),
        ({"GOARM": "7"}, ["missing"]),
    ],
)
def test_a_variable_of_the_environment(env: dict[str, str], expected: list[str]) -> None:
    settings = rule('"go build"', 'require = [{ env = "GOAMD64", one-of = ["v1", "v2"] }]')
    assert verdicts(settings, "go build ./...", env=env) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("7.5;9.0", []), ("7.5 9.0", []), ("9.0,7.5", []), ("7.5;9.0a", ["wrong-value"]), ("17.5;9.0", ["wrong-value"])],
)
def test_contains_compares_whole_items(value: str, expected: list[str]) -> None:
    settings = rule(
        '"setup.py bdist_wheel"', 'require = [{ env = "A", contains = "9.0" }, { env = "A", contains = "7.5" }]'
    )
    assert verdicts(settings, "setup.py bdist_wheel", env={"A": value}) == expected


# -- forbid and never -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ('"-ffast-math"', "gcc -ffast-math -c a.c", ["forbidden"]),
        ('"-ffast-math"', "gcc -c a.c", []),
        ('"-ffast-math"', "gcc <$CFLAGS> -c a.c", []),
        ('"-ffast-math"', "gcc <!CFLAGS> -c a.c", ["unresolved"]),
        ('"--target-cpu"', "mojo build a.mojo --target-cpu", ["forbidden"]),
        ('"--target-cpu"', "mojo build --target-cpu <$X> a.mojo", ["forbidden"]),
        ('{ flag = "--target-cpu", value = "x" }', "mojo build a.mojo --target-cpu", []),
        ('{ flag = "-fPIC", value = "x" }', "gcc -fPIC -c a.c", []),
        ('{ flag = "-march", value = "native" }', "gcc -march=native -c a.c", ["forbidden"]),
        ('{ flag = "-march", value = "native" }', "gcc -march=x86-64 -c a.c", []),
        ('{ flag = "-march", value = "native" }', "gcc -march=native -march=x86-64 -c a.c", []),
        ('{ flag = "-march", value = "native" }', "gcc -march=<$CPU> -c a.c", []),
        ('{ flag = "-march", value = "native" }', "gcc -march=<!CPU> -c a.c", ["unresolved"]),
        ('{ flag = "-march", value = "native" }', "gcc -march=x86-64<!V> -c a.c", []),
        ('{ effective = "cpu", value = "native" }', "gcc -march=native -c a.c", ["forbidden"]),
        ('{ effective = "cpu", value = "native" }', "gcc -c a.c", []),
        ('{ effective = "cpu", value = "native" }', "gcc -march=native -E a.c", ["forbidden"]),
        ('{ effective = "cpu", value = "native" }', "gcc -mtune=native -c a.c", []),
        ('{ effective = "cpu", value = "native" }', "mojo build a.mojo", ["forbidden"]),
        ('{ effective = "cpu", value = "native" }', "mojo build --target-cpu '' a.mojo", ["forbidden"]),
        ('{ effective = "cpu", value = "native" }', "mojo build --target-cpu x86-64 a.mojo", []),
        ('{ effective = "cpu", value = "native" }', "mojo build --target-cpu host a.mojo", ["forbidden"]),
        ('{ effective = "cpu", value = "native" }', "mojo build <$F> a.mojo", ["unresolved"]),
        ('{ effective = "cpu", value = "native" }', "gcc -march=<$CPU> -c a.c", []),
        ('{ effective = "cpu", value = "native" }', "gcc -march=<!CPU> -c a.c", ["unresolved"]),
        ('{ effective = "cpu", value = "native" }', "gcc -march=x86-64 <$F> -c a.c", []),
        ('{ effective = "cpu", value = "native" }', "gcc -march=x86-64 <!F> -c a.c", ["unresolved"]),
        ('{ effective = "cpu", value = "native" }', "gcc -march=native <!F> -c a.c", ["forbidden"]),
        ('{ effective = "cpu" }', "gcc -c a.c", []),
        ('{ effective = "cpu" }', "gcc -march=x86-64 -c a.c", ["forbidden"]),
        ('{ any = ["-ffast-math", "-Ofast"] }', "gcc -Ofast -c a.c", ["forbidden"]),
        ('{ any = ["-ffast-math", "-Ofast"] }', "gcc <!F> -Ofast -c a.c", ["forbidden"]),
        ('{ any = ["-ffast-math", "-Ofast"] }', "gcc <!F> -c a.c", ["unresolved"]),
    ],
)
def test_what_is_forbidden(asked: str, text: str, expected: list[str]) -> None:
    assert verdicts(rule('["gcc", "mojo build"]', f"forbid = [{asked}]"), text) == expected


def test_never_is_a_finding_on_the_command_itself() -> None:
    settings = rule('"npm install"', 'operands = "none"\nnever = true')
    assert verdicts(settings, "npm install") == ["forbidden"]
    assert verdicts(settings, "npm install left-pad") == []
    assert verdicts(settings, "npm install <$WHAT>") == ["unresolved"]
    assert verdicts(settings, "npm ci") == []


# -- effective --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gcc -march=x86-64-v2 -c a.c", []),
        ("gcc -c a.c", []),
        ("gcc -march=x86-64-v3 -c a.c", ["wrong-value"]),
        ("gcc -march=native -c a.c", ["wrong-value"]),
        ("gcc -march=x86-64-v2 -mavx2 -c a.c", ["wrong-value"]),
        ("gcc -mavx2 -march=x86-64-v2 -c a.c", ["wrong-value"]),
        ("gcc -mavx2 -c a.c", ["wrong-value"]),
        ("gcc -march=x86-64-v2 <$CFLAGS> -c a.c", []),
        ("gcc -march=x86-64-v2 <!CFLAGS> -c a.c", ["unresolved"]),
        ("gcc <$CFLAGS> -c a.c", []),
        ("gcc <!CFLAGS> -c a.c", ["unresolved"]),
        ("gcc -march=<$CPU> -c a.c", ["unresolved"]),
        # what it builds for counts, not where
        ("aarch64-linux-gnu-gcc -c a.c", []),
        ("aarch64-linux-gnu-gcc -mcpu=neoverse-n1 -c a.c", ["wrong-value"]),
        ("powerpc64le-linux-gnu-gcc -c a.c", ["no-baseline"]),
        ("powerpc64le-linux-gnu-gcc <!F> -c a.c", ["no-baseline"]),
        ("clang --target=aarch64-linux-gnu -march=armv8-a -c a.c", []),
        ("mojo build --target-triple aarch64-unknown-linux-gnu --target-cpu generic a.mojo", []),
        ("mojo build a.mojo", ["missing"]),
        ("mojo build <$FLAGS> a.mojo", ["unresolved"]),
        ("mojo build --target-cpu x86-64-v2 a.mojo", []),
        ("mojo build --target-cpu x86-64-v2 --target-features +avx2 a.mojo", ["wrong-value"]),
        ("mojo build --target-cpu x86-64-v2 --target-features +sse2,-<$F> a.mojo", ["unresolved"]),
        ("mojo build --target-cpu x86-64-v2 --target-features +avx2,-<$F> a.mojo", ["wrong-value"]),
        ("mojo build --target-cpu x86-64-v2 --target-features +<$F> a.mojo", ["unresolved"]),
        ("mojo build --target-cpu x86-64-v2 --target-features -<$F> a.mojo", ["unresolved"]),
        ("mojo build --target-cpu x86-64-v2 --target-features <$F> a.mojo", ["unresolved"]),
        ("mojo build --target-cpu x86-64-v3 --target-features <$F> a.mojo", ["wrong-value"]),
        ("mojo build --target-cpu '' a.mojo", ["missing"]),
    ],
)
def test_the_effective_cpu_is_at_most_the_baseline(text: str, expected: list[str]) -> None:
    settings = rule(
        '["@c-compiler", "mojo build"]', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE
    )
    assert verdicts(settings, text) == expected


@pytest.mark.parametrize(
    ("c", "cxx", "required", "forbidden"),
    [
        ("x86-64-v2", "x86-64-v2", [], []),
        ("native", "x86-64-v2", ["wrong-value"], ["forbidden"]),
        ("x86-64-v2", "native", ["wrong-value"], ["forbidden"]),
        ("x86-64-v2", "<!CPU>", ["unresolved"], ["unresolved"]),
        ("<!CPU>", "x86-64-v2", ["unresolved"], ["unresolved"]),
        ("native", "<!CPU>", ["wrong-value"], ["forbidden"]),
        ("<!CPU>", "native", ["wrong-value"], ["forbidden"]),
    ],
)
def test_languages_with_flags_of_their_own(c: str, cxx: str, required: list[str], forbidden: list[str]) -> None:
    text = f"cmake -DCMAKE_C_FLAGS=-march={c} -DCMAKE_CXX_FLAGS=-march={cxx} ."
    at_most = rule('"cmake"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE)
    assert verdicts(at_most, text) == required
    assert verdicts(rule('"cmake"', 'forbid = [{ effective = "cpu", value = "native" }]'), text) == forbidden


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("12", []),
        ("12.0", []),
        ("11.7.1", []),
        ("12.0.1", ["wrong-value"]),
        ("host", ["wrong-value"]),
        ("native", ["wrong-value"]),
        ("twelve", ["wrong-value"]),
        ("1<$X>", ["unresolved"]),
        ("''", ["missing"]),
    ],
)
def test_versions_are_compared_by_their_numbers(value: str, expected: list[str]) -> None:
    settings = rule('"tool"', 'require = [{ flag = "--min", at-most = "12.0" }]')
    assert verdicts(settings, f"tool --min {value}") == expected
