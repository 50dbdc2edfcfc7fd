"""What findings say, where they point, and what they tell to write instead."""

from dataclasses import replace

import pytest
from rule_cases import BASELINE, CPU, command, findings, rule

from flagguard.command import Command
from flagguard.config import Config
from flagguard.text import Hole, Piece, Span


def build(text: str = "mojo build a.mojo", **facts: object) -> Command:
    return command(text, **facts)  # type: ignore[arg-type]


NO_CPU = rule(more='require = ["--target-cpu"]')


@pytest.mark.parametrize(
    ("settings", "text", "facts", "message", "help"),
    [
        (
            rule(more=CPU, top=BASELINE),
            "mojo build a.mojo",
            {},
            "`mojo build` has no `--target-cpu` or `--mcpu`",
            "write `--target-cpu x86-64-v2` (or older)",
        ),
        (
            rule(more=CPU, top=BASELINE),
            "mojo build --mcpu native a.mojo",
            {},
            "`--mcpu` is `native`, the build machine's own, which no limit bounds",
            "write `--mcpu x86-64-v2` (or older)",
        ),
        (
            rule(more=CPU, top=BASELINE),
            "mojo build --mcpu x86-64-v33 a.mojo",
            {},
            "`--mcpu` is `x86-64-v33`, which is no CPU that is known; the nearest name is `x86-64-v3`",
            "write `--mcpu x86-64-v2` (or older)",
        ),
        (
            rule(more=CPU, top=BASELINE),
            "mojo build --mcpu power8 a.mojo",
            {"platforms": ("linux-ppc64le",)},
            "`mojo build` builds for linux-ppc64le, and `[baseline]` names no CPU for that platform",
            'add `linux-ppc64le = "…"` to `[baseline]`, the oldest CPU that this platform must support',
        ),
        (
            rule(more=CPU, top=BASELINE),
            "mojo build --mcpu '' a.mojo",
            {},
            "the value of `--mcpu` is empty",
            "write `--mcpu x86-64-v2` (or older)",
        ),
        *(
            (
                rule(command='"gcc"', more='require = [{ effective = "fortify", value = "2" }]'),
                f"gcc -O2 -D_FORTIFY_SOURCE=2 {undone} a.c",
                {},
                f"`{undone}` leaves the level of _FORTIFY_SOURCE at `0`",
                help,
            )
            for undone, help in (
                ("-U_FORTIFY_SOURCE", "write `-D_FORTIFY_SOURCE=2` in place of `-U_FORTIFY_SOURCE`"),
                ("-O0", "take `-O0` away"),
            )
        ),
        # where any value will do the rule's own words say more than the flag
        (
            rule(more='require = ["--target-cpu"]\nfix = "add `--target-cpu x86-64-v2`"'),
            "mojo build a.mojo",
            {},
            "`mojo build` has no `--target-cpu`",
            "add `--target-cpu x86-64-v2`",
        ),
        (
            rule(more='require = [{ any = [{ flag = "--mcpu", not = "native" }, "--target-cpu"] }]\nfix = "name one"'),
            "mojo build --mcpu native a.mojo",
            {},
            "`--mcpu` is `native`, which the rule refuses",
            "name one",
        ),
        (
            rule(more='require = [{ flag = "--target-cpu", not = "native" }]'),
            "mojo build --target-cpu native a.mojo",
            {},
            "`--target-cpu` is `native`, which the rule refuses",
            "give `--target-cpu` a value other than `native`",
        ),
        (
            rule(more='require = [{ flag = ["--target-cpu", "--mcpu"], not = "native" }]'),
            "mojo build --mcpu native a.mojo",
            {},
            "`--mcpu` is `native`, which the rule refuses",
            "give `--mcpu` a value other than `native`",
        ),
        (
            rule(more='require = [{ flag = "--target-cpu", not = "native" }]'),
            "mojo build a.mojo",
            {},
            "`mojo build` has no `--target-cpu`",
            "add `--target-cpu` with a value other than `native`",
        ),
        (
            rule('"docker build"', 'require = [{ flag = "--build-arg ARCHS", contains = "9.0" }]'),
            "docker build --build-arg ARCHS=7.5 .",
            {},
            "`--build-arg ARCHS` is `7.5`, which has no item `9.0`",
            "add `9.0` to `--build-arg ARCHS`",
        ),
        (
            rule('"pip wheel"', 'require = [{ env = "ARCHS", contains = "9.0" }]'),
            "pip wheel .",
            {},
            "`pip wheel` runs without `ARCHS` in its environment",
            "set `ARCHS` to a list with `9.0`",
        ),
        (
            rule(more='require = ["--target-cpu"]'),
            "mojo build <$FLAGS> a.mojo",
            {},
            "`$FLAGS` may hold `--target-cpu`, or not: nobody here says it",
            "add `--target-cpu`",
        ),
        (
            rule('"cmake"', 'require = [{ flag = "-DGGML_NATIVE", value = "OFF" }]'),
            "cmake -DGGML_NATIVE=ON .",
            {},
            "`-DGGML_NATIVE` is `ON`, not `OFF`",
            "write `-DGGML_NATIVE=OFF`",
        ),
        (
            rule('"go build"', 'require = [{ env = "GOAMD64", one-of = ["v1", "v2"] }]'),
            "go build",
            {},
            "`go build` runs without `GOAMD64` in its environment",
            "set `GOAMD64=v1` (or `v2`)",
        ),
        (
            rule('"@c-compiler"', 'forbid = [{ effective = "cpu", value = "native" }]'),
            "gcc -march=native -c a.c",
            {},
            "`gcc` builds for the build machine's own CPU: `-march=native`",
            "take `-march=native` away",
        ),
        (
            rule(more='forbid = [{ effective = "cpu", value = "native" }]'),
            "mojo build a.mojo",
            {},
            "`mojo build` is not told a CPU, and then builds for the one of the build machine",
            None,
        ),
        (
            rule('"gcc"', 'forbid = ["-ffast-math"]'),
            "gcc -ffast-math a.c",
            {},
            "`gcc` has `-ffast-math`",
            "take `-ffast-math` away",
        ),
        (
            rule('"@c-compiler"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE),
            "arm-none-eabi-gcc -c a.c",
            {},
            "`arm-none-eabi-gcc` builds for none-armv7l, and `[baseline]` names no CPU for that platform",
            "exempt it with a reason, or leave it out by `where`: `[baseline]` cannot name none-armv7l",
        ),
        (
            rule('"@c-compiler"', 'forbid = [{ effective = "cpu", value = "native" }]'),
            "<$CC> -march=native -c a.c",
            {},
            "`$CC` may be one of `@c-compiler`, or not: nobody here says it",
            None,
        ),
        (
            rule('"@c-compiler"', 'require = [{ effective = "pic", value = "-fPIC" }]'),
            "gcc -c a.c",
            {},
            "nothing tells `gcc` its kind of position-independent code, and the default is `none`, not `-fPIC`",
            "write `-fPIC`",
        ),
        (
            rule(more='require = [{ flag = "--target-cpu", at-most = "x86-64-v2" }]'),
            "mojo build --target-cpu generic a.mojo",
            {"platforms": ("linux-aarch64",)},
            "`--target-cpu` is `generic`, and its limit `x86-64-v2` is no CPU of linux-aarch64",
            "give the rule a `where` with the platforms that its limit is for",
        ),
        (
            rule('"gcc"', 'require = [{ flag = "-mmacosx-version-min", at-most = "12.0" }]'),
            "gcc -mmacosx-version-min=12.3 -c a.c",
            {},
            "`-mmacosx-version-min` is `12.3`, which is above `12.0`",
            "write `-mmacosx-version-min=12.0` (or older)",
        ),
        (
            rule('"@rust-compiler"', 'forbid = [{ effective = "cpu", value = "native" }]'),
            "cargo rustc -- -Ctarget-cpu=native",
            {},
            "`cargo` builds for the build machine's own CPU: `-C target-cpu=native` after `--`",
            "take `-C target-cpu=native` after `--` away",
        ),
        (
            rule('"@rust-compiler"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE),
            "cargo build",
            {"env": {"RUSTFLAGS": "-C target-cpu=x86-64-v3"}},
            "the CPU is `x86-64-v3`, which is above the baseline `x86-64-v2` of linux-x86_64: it needs avx, avx2, bmi, "
            "bmi2, f16c, fma, lzcnt, movbe and 1 more besides",
            "write `-C target-cpu=x86-64-v2` (or older)",
        ),
        (
            rule('"@c-compiler"', 'forbid = [{ effective = "cpu", value = "native" }]'),
            "icx -xHost a.c",
            {},
            "`icx` builds for the build machine's own CPU: `-xHost`",
            "take `-xHost` away",
        ),
        (
            rule('"mojo build"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE),
            "mojo build a.mojo",
            {},
            "`mojo build` is not told a CPU, and then builds for the one of the build machine",
            "write `--target-cpu x86-64-v2` (or older)",
        ),
        (
            rule('"gcc"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE),
            "gcc -mavx2 a.c",
            {},
            "nothing tells `gcc` its CPU, and the default is `generic`, which with `-mavx2` is above the baseline "
            "`x86-64-v2` of linux-x86_64: it needs avx, avx2, xsave besides",
            "name the CPU `x86-64-v2` (or older), and nothing above it",
        ),
        (
            rule('"gcc"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE),
            "gcc <!X> a.c",
            {},
            "`$X` may decide the CPU, or not: the output of a command",
            "write `-march=x86-64-v2` after it, or exempt the command with a reason",
        ),
        (
            rule('"gcc"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE),
            "gcc -march=generic a.c",
            {"platforms": ("linux-aarch64",)},
            "`gcc` does not take `-march=generic`",
            "write `-march=armv8-a` or `-mcpu=generic` (or older)",
        ),
        (
            rule('"gcc"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE),
            "gcc -march=apple-m1 a.c",
            {"platforms": ("macos-arm64",)},
            "`gcc` does not take `-march=apple-m1`",
            "write `-mcpu=apple-m1` (or older)",
        ),
        (
            rule('"zig build"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE),
            "zig build",
            {},
            "`zig build` is not told a CPU, and then builds for the one of the build machine",
            "write `-Dcpu=x86_64_v2` (or older)",
        ),
        (
            rule('"go build"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE),
            "go build",
            {"env": {"GOAMD64": "x86-64-v2"}},
            "`go build` does not take `GOAMD64=x86-64-v2`",
            "write `GOAMD64=v2` (or older)",
        ),
        (
            rule('"gcc"', 'require = [{ effective = "pic" }]'),
            "gcc a.c",
            {},
            "nothing tells `gcc` its kind of position-independent code",
            "write `-fPIC`, `-fpic` or `-fPIE`",
        ),
        (
            rule('"gcc"', 'require = [{ effective = "fast-math", value = "off" }]'),
            "gcc -ffast-math a.c",
            {},
            "the fast-math setting is `on`, not `off`",
            "write `-fno-fast-math` in place of `-ffast-math`",
        ),
        (
            rule('"gcc"', 'require = ["-fPIC"]'),
            "gcc -fPIC -fno-PIC a.c",
            {},
            "`-fno-PIC` later takes `-fPIC` back",
            "take `-fno-PIC` away",
        ),
        (
            rule('"gcc"', 'require = ["-Wl,-z,now"]'),
            "gcc -Wl,-z,now -Wl,-z,lazy a.c",
            {},
            "`-z lazy` later takes `-z now` back",
            "take `-z lazy` away",
        ),
        (
            rule('"rustc"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE),
            "rustc -Ctarget-feature=+crt-static -Ctarget-cpu=x86-64-v3 a.rs",
            {},
            "the CPU is `x86-64-v3`, which is above the baseline `x86-64-v2` of linux-x86_64:"
            " it needs avx, avx2, bmi, bmi2, f16c, fma, lzcnt, movbe and 1 more besides",
            "write `-C target-cpu=x86-64-v2` (or older)",
        ),
        (
            rule(more='require = ["--target-cpu"]'),
            "mojo build --target-cpu '' a.mojo",
            {},
            "the value of `--target-cpu` is empty",
            "give `--target-cpu` a value",
        ),
        (
            rule('"npm ci"', 'require = ["--ignore-scripts"]'),
            "npm ci --ignore-scripts=false",
            {},
            "`--ignore-scripts=false` turns `--ignore-scripts` off",
            "take `--ignore-scripts=false` away",
        ),
        (
            rule('"docker build"', 'require = ["--pull"]'),
            "docker build --pull=false .",
            {},
            "`--pull=false` turns `--pull` off",
            "take `--pull=false` away",
        ),
        (
            rule('"gcc"', 'require = ["-fcf-protection"]'),
            "gcc -fcf-protection=none a.c",
            {},
            "`-fcf-protection=none` turns `-fcf-protection` off",
            "take `-fcf-protection=none` away",
        ),
        (
            rule('"gcc"', 'require = [{ flag = "-O", one-of = ["2", "3"] }]'),
            "gcc -O0 a.c",
            {},
            "`-O` is `0`, not `2` or `3`",
            "write `-O2` (or `-O3`)",
        ),
        (rule('"gcc"', 'forbid = ["-O2"]'), "gcc -O2 a.c", {}, "`gcc` has `-O2`", "take `-O2` away"),
        (rule('"npm install"', "never = true"), "npm install", {}, "`npm install` must not run here", None),
    ],
)  # fmt: skip
def test_messages(settings: Config, text: str, facts: dict[str, object], message: str, help: str | None) -> None:
    (found,) = findings(settings, build(text, **facts))
    assert (found.message, found.help, found.why) == (message, help, "because")


def test_features_above_the_baseline_are_named() -> None:
    settings = rule('"@c-compiler"', 'require = [{ effective = "cpu", at-most = "baseline" }]', BASELINE)
    (found,) = findings(settings, build("gcc -march=x86-64-v2 -mavx2 -c a.c"))
    start = "the CPU is `x86-64-v2`, which with `-mavx2` is above the baseline `x86-64-v2` of linux-x86_64: it needs "
    assert found.message.startswith(start)
    assert "avx2" in found.message[len(start) :]


def test_an_unset_variable_is_named() -> None:
    hole = Hole("$cpu", "nothing in the repository sets it", name="cpu")
    unquoted = build("mojo build --target-cpu -I src a.mojo", vanished=((3, hole),))
    settings = rule(more='require = [{ flag = "--target-cpu", value = "x*" }]')
    (found,) = findings(settings, unquoted)
    assert found.message.endswith("; `$cpu` is set nowhere")
    quoted = build("mojo build --target-cpu '' a.mojo")
    empty = replace(quoted.argv[3], pieces=(Piece("", (Span("build.sh", 24, 28),), unset="cpu"),))
    (found,) = findings(settings, replace(quoted, argv=(*quoted.argv[:3], empty, *quoted.argv[4:])))
    assert found.message == "the value of `--target-cpu` is empty; `$cpu` is set nowhere"


def test_a_finding_points_at_the_word_and_at_where_it_was_decided() -> None:
    written = Span("build.sh", 24, 30)
    assigned = Span("env.sh", 4, 10)
    base = build("mojo build --target-cpu {$cpu} a.mojo")
    value = replace(
        base.argv[3], pieces=(Piece("native", (Span("build.sh", 25, 29), assigned), verbatim=True),), written=written
    )
    (found,) = findings(
        rule(more='require = [{ flag = "--target-cpu", not = "native" }]'),
        replace(base, argv=(*base.argv[:3], value, *base.argv[4:])),
    )
    assert (found.mark, found.origin, found.route) == (written, assigned, (Span("build.sh", 25, 29), assigned))
    (missing,) = findings(NO_CPU, build())
    assert (missing.mark, missing.origin) == (None, None)
