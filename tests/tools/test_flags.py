"""Which options answer to a flag as a rule writes it, and where one may hide."""

from dataclasses import replace

import pytest

from flagguard.tools.invocation import Option, understand

from .support import command, invocation, shown, word


def values(options: tuple[Option, ...]) -> list[str | None]:
    return [shown(o.value) for o in options]


@pytest.mark.parametrize(
    ("line", "flag", "expected"),
    [
        # spellings of one option
        ("mojo build --target-cpu x86-64-v2 a.mojo", "--target-cpu", ["x86-64-v2"]),
        ("mojo build --target-cpu=x86-64-v2 a.mojo", "--target-cpu", ["x86-64-v2"]),
        ("mojo build a.mojo --target-cpu x86-64-v2", "--target-cpu", ["x86-64-v2"]),
        ("mojo build --target-cpu-tune x86-64-v2 a.mojo", "--target-cpu", []),
        ("mojo build '--target-cpu x86-64-v2' a.mojo", "--target-cpu", []),
        ("mojo build a.mojo --target-cpu", "--target-cpu", [None]),
        ("mojo build --target-cpu '' a.mojo", "--target-cpu", [""]),
        ("mojo run a.mojo --target-cpu x", "--target-cpu", []),
        ("mojo a.mojo --target-cpu x", "--target-cpu", []),
        ("mojo --target-cpu x a.mojo", "--target-cpu", ["x"]),
        ("mojo run {DIR}/a.mojo --target-cpu x", "--target-cpu", []),
        ("mojo run {X} --target-cpu x", "--target-cpu", []),
        ("mojo build {X} --target-cpu x", "--target-cpu", ["x"]),
        ("mojo build --target-features -avx2 a.mojo", "--target-features", ["-avx2"]),
        ("rustc -C target-cpu=x a.rs", "-C target-cpu", ["x"]),
        ("rustc -Ctarget-cpu=x a.rs", "-C target-cpu", ["x"]),
        ("rustc --codegen target-cpu=x a.rs", "-C target-cpu", ["x"]),
        ("rustc --codegen=target-cpu=x a.rs", "-Ctarget-cpu", ["x"]),
        ("rustc -C opt-level=3 a.rs", "-C target-cpu", []),
        ("rustc --crate-type=cdylib lib.rs", "--crate-type", ["cdylib"]),
        ("gcc --march native a.c", "-march", ["native"]),
        ("gcc -march=x86-64-v2 a.c", "-march", ["x86-64-v2"]),
        ("gcc -march=x86-64-v2 a.c", "-march=x86-64-v2", ["x86-64-v2"]),
        ("gcc -march=x86-64-v2 a.c", "-march=native", []),
        ("nvcc --gpu-architecture=native a.cu", "-arch", ["native"]),
        ("nvcc -arch native a.cu", "--gpu-architecture", ["native"]),
        ("cmake -DBUILD_CUDA=OFF .", "-DBUILD_CUDA", ["OFF"]),
        ("cmake -D BUILD_CUDA:BOOL=OFF .", "-DBUILD_CUDA", ["OFF"]),
        ("cmake '-DA=NEVER -DBUILD_CUDA=OFF' .", "-DBUILD_CUDA", []),
        ("docker build --build-arg A=1 --build-arg=CUDA=80 .", "--build-arg CUDA", ["80"]),
        ("zig build -Dcpu=baseline", "-Dcpu", ["baseline"]),
        ("git -c core.hooksPath=/dev/null commit -m x", "-c core.hooksPath", ["/dev/null"]),
        ("uses actions/checkout@v4 --persist-credentials=false", "persist-credentials", ["false"]),
        # values of other options are not options
        ("clang -MF -march=native.d a.c", "-march", []),
        ("clang -DCPU=-march=native -o out-march=native a.c", "-march", []),
        ("git commit -m '-n'", "-n", []),
        # cut short, as far as it stays the only one
        ("git commit --no-verif -m x", "--no-verify", [None]),
        ("git commit --no-veri -m x", "-n", [None]),
        ("git commit --mess=--no-verify", "--no-verify", []),
        ("git commit --mess=x", "-m", ["x"]),
        ("git push --f", "--force", []),
        ("pip install --require-h -r x", "--require-hashes", [None]),
        ("pip install --requ x", "--require-hashes", []),
        ("make --direc=sub", "-C", ["sub"]),
        ("cargo install --lock x", "--locked", []),
        # clusters
        ("git commit -anm msg", "-n", [None]),
        ("git commit -anm msg", "-m", ["msg"]),
        ("git commit -manm", "-n", []),
        ("git commit --no-verify -m x", "-n", [None]),
        ("make -kj4 all", "-j", ["4"]),
        # what a later option takes back
        ("gcc -fPIC -fno-pic a.c", "-fPIC", []),
        ("gcc -fPIE -fPIC a.c", "-fPIC", [None]),
        ("gcc -ffast-math -fno-fast-math a.c", "-ffast-math", []),
        ("gcc -O2 -O0 a.c", "-O2", []),
        ("gcc -O0 -O2 a.c", "-O2", ["2"]),
        ("gcc -DX=1 -UX a.c", "-DX", []),
        ("gcc -UX -DX=1 a.c", "-DX", ["1"]),
        ("gcc -fstack-protector-strong -fno-stack-protector a.c", "-fstack-protector-strong", []),
        ("gcc -fno-stack-protector -fstack-protector-strong a.c", "-fstack-protector-strong", [None]),
        ("gcc -fstack-protector-strong -fstack-protector a.c", "-fstack-protector-strong", []),
        ("gcc -flto=thin -fno-lto a.c", "-flto", []),
        ("gcc -Wformat=2 -Wno-format a.c", "-Wformat", []),
        ("gcc -Werror -Wno-error a.c", "-Werror", []),
        ("gcc -Werror=x -Wno-error a.c", "-Werror", ["x"]),
        ("gcc -Werror -Wno-error=x a.c", "-Werror", [None]),
        ("gcc -Werror=x -Werror=y -Wno-error=x a.c", "-Werror", ["y"]),
        ("gcc -fsanitize=address -fsanitize=undefined a.c", "-fsanitize", ["address", "undefined"]),
        ("gcc -fsanitize=address,undefined -fno-sanitize=undefined a.c", "-fsanitize", ["address"]),
        ("gcc -fsanitize=address -fno-sanitize=all a.c", "-fsanitize", []),
        ("gcc -g -g0 a.c", "-g", []),
        ("gcc -g -g3 a.c", "-g", [None]),
        ("gcc -Wall -w a.c", "-Wall", []),
        ("gcc -w -Wall a.c", "-w", [None]),
        ("gcc -Wl,-z,now -Wl,-z,lazy a.c", "-Wl,-z,now", []),
        ("gcc -Wl,-z,lazy -Wl,-z,now a.c", "-Wl,-z,now", ["now"]),
        ("gcc -z relro -z norelro a.c", "-z relro", []),
        # gcc hands `-z` on to the linker with its keyword
        ("gcc -z now a.c", "-Wl,-z,now", ["now"]),
        ("gcc -Wl,-z,now a.c", "-z now", ["now"]),
        ("gcc -znow a.c", "-Wl,-z,now", ["now"]),
        ("gcc -z lazy a.c", "-Wl,-z,now", []),
        ("cl /GS /GS- a.c", "/GS", []),
        ("cl /GS- /GS a.c", "/GS", [None]),
        ("./configure --enable-x --disable-x", "--enable-x", []),
        ("./configure --with-x=/usr --without-x", "--with-x", []),
        ("./configure --disable-x --enable-x", "--enable-x", [None]),
        # settings
        ("make -j 4 PORTABLE=1 all PORTABLE=0", "PORTABLE=", ["1", "0"]),
        ("make 'KCFLAGS=-ffile-prefix-map={SRC}=.' modules", "KCFLAGS=", ["-ffile-prefix-map=$SRC=."]),
        # a program that the catalogue does not know
        ("tool --name value -Dx=1 --other=2 y=3", "--name", ["value"]),
        ("tool --name value -Dx=1 --other=2 y=3", "-Dx", ["1"]),
        ("tool --name value -Dx=1 --other=2 y=3", "--other", ["2"]),
        ("tool --name value -Dx=1 --other=2 y=3", "y=", ["3"]),
        ("tool -- --name value", "--name", []),
        # words carried by others
        ("cargo rustc -- -C target-cpu=x", "-C target-cpu", ["x"]),
        ("cargo run -- -C target-cpu=x", "-C target-cpu", []),
        ("nvcc -Xcompiler -fPIC,-march=x a.cu", "-march", ["x"]),
        ("gcc -Wl,-z,relro,-z,now a.c", "-Wl,-z,now", ["now"]),
        ("gcc -Wl,-z,relro a.c", "-Wl,-z,now", []),
        ("gcc -Xlinker -z -Xlinker now a.c", "-Wl,-z,now", ["now"]),
    ],
)
def test_spellings_of_a_flag(line: str, flag: str, expected: list[str | None]) -> None:
    assert values(invocation(line).occurrences(flag)) == expected


@pytest.mark.parametrize(
    ("line", "flag", "undone", "by"),
    [
        ("gcc -fPIC -fno-PIC a.c", "-fPIC", "-fPIC", "-fno-PIC"),
        ("gcc -flto=thin -fno-lto a.c", "-flto", "-flto=thin", "-fno-lto"),
        ("gcc -fPIC -fno-PIC -fPIC a.c", "-fPIC", "-fPIC", "-fno-PIC"),
        ("gcc -fno-PIC a.c", "-fPIC", None, None),
    ],
)
def test_what_takes_a_flag_back(line: str, flag: str, undone: str | None, by: str | None) -> None:
    found = invocation(line).found(flag)
    assert (found.undone and found.undone.word.shown, found.by and found.by.word.shown) == (undone, by)


@pytest.mark.parametrize(
    ("env", "flag", "expected"),
    [
        ({"RUSTFLAGS": "-C strip=none --remap-path-prefix /b=."}, "--remap-path-prefix", ["/b=."]),
        ({"RUSTFLAGS": "-Ctarget-cpu=x"}, "-C target-cpu", ["x"]),
        ({"CARGO_ENCODED_RUSTFLAGS": "-C\x1ftarget-cpu=x"}, "-C target-cpu", ["x"]),
        ({"RUSTFLAGS": "", "CARGO_BUILD_RUSTFLAGS": "-Ctarget-cpu=x"}, "-C target-cpu", []),
        ({"CFLAGS": "-march=native"}, "-march", []),
    ],
)
def test_flags_from_the_environment(env: dict[str, str], flag: str, expected: list[str]) -> None:
    found = invocation("cargo build", env).occurrences(flag)
    assert values(found) == expected
    assert all(o.words == () and o.carrier in env for o in found)


def test_a_value_that_the_environment_lends() -> None:
    built = invocation("docker build --build-arg A --build-arg B --build-arg C=3 .", {"A": "1", "C": "4"})
    assert [values(built.occurrences(f"--build-arg {name}")) for name in "ABC"] == [["1"], [None], ["3"]]


def test_words_say_where_an_option_stands() -> None:
    (option,) = invocation("uv pip install -r x --require-hashes").occurrences("-r")
    assert option.words == (3, 4)
    (joined,) = invocation("python3 -m pip install --requirement=x").occurrences("-r")
    assert joined.words == (4,)


@pytest.mark.parametrize(
    ("line", "flag", "accumulates", "counting"),
    [
        ("rustc -C link-arg=a -C link-arg=b x.rs", "-C link-arg", True, ["a", "b"]),
        ("rustc -C target-cpu=a -C target-cpu=b x.rs", "-C target-cpu", False, ["b"]),
        ("gcc -DA=1 -DB a.c", "-D", True, ["A=1", "B"]),
        ("cmake -DX=ON -DX=OFF .", "-DX", False, ["OFF"]),
        ("bazel build --copt=-a --copt=-b //x", "--copt", True, ["-a", "-b"]),
        ("mojo build --target-cpu a --target-cpu b x.mojo", "--target-cpu", False, ["b"]),
    ],
)
def test_the_occurrences_that_count(line: str, flag: str, accumulates: bool, counting: list[str]) -> None:
    found = invocation(line).counting(flag)
    assert values(found) == counting
    assert {o.accumulates for o in found} == {accumulates}


@pytest.mark.parametrize(
    ("line", "flag", "expected"),
    [
        ("mojo build {X} a.mojo", "--target-cpu", "$X"),
        ("mojo build {X}{Y} a.mojo", "--target-cpu", "$X$Y"),
        ("mojo build --target-{X} a.mojo", "--target-cpu", "--target-$X"),
        ("mojo build --lib-{X} a.mojo", "--target-cpu", None),
        ("mojo build -I {X} a.mojo", "--target-cpu", None),
        ("mojo build {DIR}/a.mojo -o out-{V}", "--target-cpu", None),
        ("mojo build {FILE/} a.mojo", "--target-cpu", None),
        ("mojo run a.mojo {X}", "--target-cpu", None),
        ("mojo run {X} --target-cpu x86-64-v2", "--target-cpu", "$X"),
        ("mojo run {DIR}/a.mojo --target-cpu x86-64-v2", "--target-cpu", None),
        ("cargo build -- {X}", "--release", None),
        ("rustc -C {X} a.rs", "-C target-cpu", "$X"),
        ("rustc -C target-{X} a.rs", "-C target-cpu", "target-$X"),
        ("rustc -C opt-level={X} a.rs", "-C target-cpu", None),
        ("gcc -f{X} a.c", "-fPIC", "-f$X"),
        ("gcc -O{X} a.c", "-fPIC", None),
        ("gcc @flags a.c", "-fPIC", "@flags"),
        ("make {X}", "CFLAGS=", "$X"),
        ("make CF{X}", "CFLAGS=", "CF$X"),
        ("make -j {N}", "CFLAGS=", None),
        ("tool --name {X}", "--other", "$X"),
        ("mojo build {X} {Y!} a.mojo", "--target-cpu", "$Y"),
    ],
)
def test_words_in_which_a_flag_may_hide(line: str, flag: str, expected: str | None) -> None:
    assert shown(invocation(line).could_hide(flag)) == expected


def test_a_hole_in_the_environment_hides_too() -> None:
    cargo = replace(command("cargo build"), env={"RUSTFLAGS": word("{EXTRA} -C opt-level=3")})
    assert shown(understand(cargo, {})[0].could_hide("-C target-cpu")) == "$EXTRA"
