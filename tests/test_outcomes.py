"""What an outcome rests on: what decided, and what findings tell of it. Whether it is right is seen in the verdicts."""

import pytest
from rule_cases import BASELINE, command, rule

from flagguard.constraints import Mode, Outcome, deciding_word, evaluate, feature
from flagguard.tools.invocation import understand

MOST = '{ effective = "cpu", at-most = "baseline" }'
NATIVE = '{ effective = "cpu", value = "native" }'


def outcome(mode: Mode, asked: str, text: str) -> Outcome:
    """`NAME=value` before the command is its environment."""
    words = text.split(" ")
    env = {}
    while "=" in words[0]:
        name, env[name] = words.pop(0).split("=")
    run = command(" ".join(words), env=env)
    clause = "require" if mode is Mode.REQUIRE else "forbid"
    settings = rule(f'"{words[0]}"', f"{clause} = [{asked}]", BASELINE)
    (requirement,) = settings.rules[0].require or settings.rules[0].forbid
    return evaluate(requirement, understand(run, {})[0], "linux-x86_64", mode, settings.baseline)


def rests_on(found: Outcome) -> str:
    """`answer reason name`, then what else is told."""
    at = deciding_word(found)
    facts = {
        "value": found.word.shown if found.word is not None else "",
        "of": found.option.word.shown if found.option is not None else found.variable,
        "by": found.by.word.shown if found.by is not None else "",
        "at": at.shown if at is not None else "",
        "joint": repr(found.joint) if found.joint != "=" else "",
        "excess": found.excess.value if found.excess is not None else "",
        "extra": ",".join(found.extra),
        "added": ",".join(feature(o) for o in found.added),
        "default": found.default,
        "limit": found.limit,
        "on": found.platform if found.platform != "linux-x86_64" else "",
        "ways": ", ".join(found.ways),
    }
    told = [f"{key} {fact}" for key, fact in facts.items() if fact]
    return "; ".join([f"{found.answer.value} {found.reason.value} {found.name}", *told])


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ('"--target-cpu"', "mojo build a.mojo", "fails absent --target-cpu; joint ' '"),
        ('"--target-cpu"', "mojo build a.mojo --target-cpu",
         "fails no-value --target-cpu; of --target-cpu; at --target-cpu; joint ' '"),
        ('"--target-cpu"', "mojo build --target-cpu <$X> a.mojo",
         "open value --target-cpu; value $X; of --target-cpu; at $X; joint ' '"),
        ('"--target-cpu"', "mojo build --target-cpu '' a.mojo",
         "fails empty --target-cpu; of --target-cpu; at --target-cpu; joint ' '"),
        ('"--target-cpu"', "mojo build --target-cpu x a.mojo",
         "holds value --target-cpu; value x; of --target-cpu; at x"),
        ('"--target-cpu"', "mojo build <$F> a.mojo", "open hidden --target-cpu; value $F; at $F; joint ' '"),
        ('{ flag = "--target-cpu", value = "a" }', "mojo build --target-cpu b a.mojo",
         "fails value --target-cpu; value b; of --target-cpu; at b; joint ' '"),
        ('{ flag = ["--mcpu", "--target-cpu"], value = "a" }', "mojo build --target-cpu b <$F> a.mojo",
         "fails value --target-cpu; value b; of --target-cpu; at b; joint ' '"),
        ('"-fPIC"', "gcc -fPIC -c a.c", "holds value -fPIC; of -fPIC; at -fPIC"),
        ('"-fPIC"', "gcc -fPIC -fno-PIC -c a.c", "fails taken-back -fPIC; of -fPIC; by -fno-PIC; at -fno-PIC"),
        ('"-fPIC"', "gcc -fPIC -fno-PIC -fPIC -c a.c", "holds value -fPIC; of -fPIC; at -fPIC"),
        ('{ flag = "-fPIC", value = "x" }', "gcc -fPIC -c a.c", "fails no-value -fPIC; of -fPIC; at -fPIC"),
        ('{ flag = "-fPIC", not = "x" }', "gcc -fPIC -c a.c", "holds value -fPIC; of -fPIC; at -fPIC"),
        ('"-fcf-protection"', "gcc -fcf-protection=none a.c",
         "fails taken-back -fcf-protection; value none; of -fcf-protection=none; by -fcf-protection=none; "
         "at -fcf-protection=none"),
        ('"-ffile-prefix-map"', "gcc -ffile-prefix-map=<$X> a.c",
         "open value -ffile-prefix-map; value $X; of -ffile-prefix-map=$X; at $X"),
        ('"-march"', "gcc -march=generic a.c", "fails refused -march; value generic; of -march=generic; at generic"),
        ('{ flag = "-march", at-most = "baseline" }', "gcc -march=x86-64-v3 a.c",
         "fails value -march; value x86-64-v3; of -march=x86-64-v3; at x86-64-v3; excess above; "
         "extra avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,xsave; limit x86-64-v2"),
        ('{ flag = "-march", at-most = "baseline" }', "gcc -march=x86-64-v33 a.c",
         "fails value -march; value x86-64-v33; of -march=x86-64-v33; at x86-64-v33; excess unknown-name; "
         "extra x86-64-v3; limit x86-64-v2"),
        ('{ flag = "-march", at-most = "baseline" }', "gcc -march=qqqqq a.c",
         "fails value -march; value qqqqq; of -march=qqqqq; at qqqqq; excess unknown-name; limit x86-64-v2"),
        ('{ flag = "-march", at-most = "baseline" }', "gcc -march=power8 a.c",
         "fails value -march; value power8; of -march=power8; at power8; excess other-architecture; "
         "limit x86-64-v2"),
        ('{ flag = "-march", at-most = "baseline" }', "gcc -march=native a.c",
         "fails value -march; value native; of -march=native; at native; excess host; limit x86-64-v2"),
        ('{ flag = "-march", at-most = "baseline" }', "gcc -march=x86-64<$V> a.c",
         "open value -march; value x86-64$V; of -march=x86-64$V; at x86-64$V; limit x86-64-v2"),
        ('{ flag = "-march", at-most = "power8" }', "gcc -march=x86-64 a.c",
         "fails value -march; value x86-64; of -march=x86-64; at x86-64; excess limit; limit power8"),
        ('{ flag = "--min", at-most = "12.0" }', "tool --min 13",
         "fails value --min; value 13; of --min; at 13; joint ' '; excess above; limit 12.0"),
        ('{ flag = "--min", at-most = "12.0" }', "tool --min twelve",
         "fails value --min; value twelve; of --min; at twelve; joint ' '; excess no-version; limit 12.0"),
        ('{ flag = "--min", at-most = "12.0" }', "tool --min host",
         "fails value --min; value host; of --min; at host; joint ' '; excess host; limit 12.0"),
        ('{ flag = "--min", at-most = "12.0" }', "tool --min native",
         "fails value --min; value native; of --min; at native; joint ' '; excess host; limit 12.0"),
        ('{ env = ["A", "B"] }', "tool", "fails absent A"),
        ('{ env = ["A", "B"], value = "x" }', "B=y tool", "fails value B; value y; at y"),
        ('{ env = ["A", "B"], value = "x" }', "A=y B=x tool", "holds value B; value x; at x"),
        ('{ any = ["--mcpu", { env = "CPU", value = "x" }] }', "CPU=y mojo build a.mojo",
         "fails value CPU; value y; at y"),
        ('{ any = ["--mcpu", { env = "CPU", value = "x" }] }', "CPU=y mojo build <$F> a.mojo",
         "open hidden --mcpu; value $F; at $F; joint ' '"),
        ('{ any = ["--mcpu", { env = "CPU", value = "x" }] }', "CPU=x mojo build <$F> a.mojo",
         "holds value CPU; value x; at x"),
        (MOST, "gcc -march=x86-64-v2 a.c",
         "holds value cpu; value x86-64-v2; of -march=x86-64-v2; at x86-64-v2; limit x86-64-v2"),
        (MOST, "gcc -march=x86-64-v3 a.c",
         "fails value cpu; value x86-64-v3; of -march=x86-64-v3; at x86-64-v3; excess above; "
         "extra avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,xsave; limit x86-64-v2; ways -march=x86-64-v2"),
        (MOST, "gcc -march=x86-64-v2 -mavx2 a.c",
         "fails value cpu; value x86-64-v2; of -march=x86-64-v2; at -mavx2; excess above; "
         "extra avx,avx2,xsave; added -mavx2; limit x86-64-v2; ways -march=x86-64-v2"),
        (MOST, "gcc -mavx2 a.c",
         "fails default cpu; at -mavx2; excess above; extra avx,avx2,xsave; added -mavx2; default generic; "
         "limit x86-64-v2; ways -march=x86-64-v2"),
        (MOST, "gcc a.c", "holds default cpu; default generic; limit x86-64-v2"),
        (MOST, "gcc -march=generic a.c",
         "fails refused cpu; value generic; of -march=generic; at generic; limit x86-64-v2; "
         "ways -march=x86-64-v2"),
        (MOST, "gcc -march=x86-64-v2 <!F> a.c",
         "open hidden cpu; value $F; of -march=x86-64-v2; at $F; limit x86-64-v2; ways -march=x86-64-v2"),
        (MOST, "gcc <!F> a.c",
         "open hidden cpu; value $F; at $F; default generic; limit x86-64-v2; ways -march=x86-64-v2"),
        (MOST, "gcc -march=<$X> a.c", "open value cpu; value $X; of -march=$X; at $X"),
        (MOST, "mojo build a.mojo",
         "fails default cpu; excess host; default host; limit x86-64-v2; "
         "ways --target-cpu x86-64-v2, --march x86-64-v2, --mcpu x86-64-v2"),
        (MOST, "mojo build <$F> a.mojo",
         "open hidden cpu; value $F; at $F; excess host; default host; limit x86-64-v2; "
         "ways --target-cpu x86-64-v2, --march x86-64-v2, --mcpu x86-64-v2"),
        (MOST, "mojo build --mcpu '' a.mojo",
         "fails empty cpu; of --mcpu; at --mcpu; excess host; default host; limit x86-64-v2; "
         "ways --mcpu x86-64-v2, --target-cpu x86-64-v2, --march x86-64-v2"),
        (MOST, "mojo build --mcpu x86-64-v3 a.mojo",
         "fails value cpu; value x86-64-v3; of --mcpu; at x86-64-v3; excess above; "
         "extra avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,xsave; limit x86-64-v2; "
         "ways --mcpu x86-64-v2, --target-cpu x86-64-v2, --march x86-64-v2"),
        (MOST, "aarch64-linux-gnu-gcc -mcpu=neoverse-n1 a.c",
         "fails value cpu; value neoverse-n1; of -mcpu=neoverse-n1; at neoverse-n1; excess above; "
         "extra aes,crc,dotprod,dpb,fp16,lse,rcpc,rdma,sha2,ssbs; limit generic; on linux-aarch64; "
         "ways -mcpu=generic, -march=armv8-a"),
        (MOST, "powerpc64le-linux-gnu-gcc <!F> a.c", "fails no-baseline cpu; default generic; on linux-ppc64le"),
        (MOST, "GOAMD64=v3 go build",
         "fails value cpu; value x86-64-v3; of GOAMD64; at x86-64-v3; excess above; "
         "extra avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,xsave; limit x86-64-v2; ways GOAMD64=v2"),
        ('{ effective = "cpu" }', "gcc a.c", "fails absent cpu; default generic; ways -march=…"),
        ('{ effective = "cpu" }', "mojo build a.mojo",
         "fails absent cpu; default host; ways --target-cpu …, --march …, --mcpu …"),
        ('{ effective = "cpu" }', "gcc <$F> a.c", "open hidden cpu; value $F; at $F; default generic; ways -march=…"),
        ('{ effective = "cpu" }', "clang <$F> a.c",
         "open hidden cpu; value $F; at $F; default generic; ways -march=…"),
        ('{ effective = "cpu" }', "aarch64-linux-gnu-gcc a.c",
         "fails absent cpu; default generic; ways -march=…, -mcpu=…"),
        ('{ effective = "cpu" }', "GOAMD64=v9 go build", "fails refused cpu; value v9; of GOAMD64; at v9"),
        ('{ effective = "cpu", value = "x86-64-v2" }', "gcc a.c",
         "fails default cpu; default generic; ways -march=x86-64-v2"),
        ('{ effective = "cpu", value = "x86*" }', "gcc -march=atom a.c",
         "fails value cpu; value atom; of -march=atom; at atom"),
        ('{ effective = "cpu", one-of = ["x[0-9]", "x86-64-v2", "generic"] }', "gcc -march=atom a.c",
         "fails value cpu; value atom; of -march=atom; at atom; ways -march=x86-64-v2, -march=x86-64"),
        ('{ effective = "cpu", not = "native" }', "mojo build a.mojo", "fails default cpu; default host"),
        ('{ effective = "cpu", not = "native" }', "mojo build --mcpu '' a.mojo",
         "fails empty cpu; of --mcpu; at --mcpu; default host"),
        ('{ effective = "cpu", not = "native" }', "gcc -march=native a.c",
         "fails value cpu; value native; of -march=native; at native"),
        ('{ effective = "cpu", matches = "^x" }', "gcc -march=<$X> a.c",
         "open value cpu; value $X; of -march=$X; at $X"),
        ('{ effective = "cpu", value = "X1" }', "gcc -march=atom a.c",
         "fails value cpu; value atom; of -march=atom; at atom; ways -march=X1"),
        ('{ effective = "pic", value = "-fPIC" }', "gcc a.c", "fails default pic; default none; ways -fPIC"),
        ('{ effective = "fortify", at-most = "2" }', "gcc -O2 -D_FORTIFY_SOURCE=3 a.c",
         "fails value fortify; value 3; of -D_FORTIFY_SOURCE=3; at 3; excess above; limit 2; "
         "ways -D_FORTIFY_SOURCE=2"),
    ],
)  # fmt: skip
def test_what_a_requirement_rests_on(asked: str, text: str, expected: str) -> None:
    assert rests_on(outcome(Mode.REQUIRE, asked, text)) == expected


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        ('"-fPIC"', "gcc -fPIC -fno-PIC -c a.c", "fails absent -fPIC"),
        ('"-ffast-math"', "gcc -ffast-math -c a.c", "holds value -ffast-math; of -ffast-math; at -ffast-math"),
        ('"-ffast-math"', "gcc <!F> -c a.c", "open hidden -ffast-math; value $F; at $F"),
        ('"--target-cpu"', "mojo build a.mojo --target-cpu",
         "holds no-value --target-cpu; of --target-cpu; at --target-cpu"),
        ('"--target-cpu"', "mojo build --target-cpu x a.mojo",
         "holds value --target-cpu; value x; of --target-cpu; at x"),
        ('{ flag = "-march", value = "native" }', "gcc -march=<!X> a.c",
         "open value -march; value $X; of -march=$X; at $X"),
        ('{ any = ["-ffast-math", { flag = "-march", value = "native" }] }', "gcc -march=<!X> a.c",
         "open value -march; value $X; of -march=$X; at $X"),
        (NATIVE, "mojo build a.mojo", "holds default cpu; default host"),
        (NATIVE, "mojo build --mcpu '' a.mojo", "holds empty cpu; of --mcpu; at --mcpu; default host"),
        (NATIVE, "mojo build --mcpu host a.mojo", "holds value cpu; value host; of --mcpu; at host"),
        (NATIVE, "gcc -march=native a.c", "holds value cpu; value native; of -march=native; at native"),
        (NATIVE, "gcc -march=x86-64 <!F> a.c", "open hidden cpu; value $F; of -march=x86-64; at $F"),
        (NATIVE, "gcc -march=native <!F> a.c", "holds value cpu; value native; of -march=native; at native"),
        ('{ effective = "cpu", value = "x86-64-v3" }', "GOAMD64=v3 go build",
         "holds value cpu; value x86-64-v3; of GOAMD64; at x86-64-v3"),
        ('{ env = "A", value = "x" }', "A=x tool", "holds value A; value x; at x"),
    ],
)  # fmt: skip
def test_what_a_ban_rests_on(asked: str, text: str, expected: str) -> None:
    assert rests_on(outcome(Mode.SELECT, asked, text)) == expected


def test_a_blank_value_has_a_place() -> None:
    found = outcome(Mode.REQUIRE, '"--target-cpu"', "mojo build --target-cpu { } a.mojo")
    at = deciding_word(found)
    assert rests_on(found).startswith("fails empty --target-cpu; ")
    assert at is not None
    assert at is found.word
    assert at.text == " "
