"""Every way in which the flags of a compiler reach it through another tool: the CPU that comes of it."""

import shlex

import pytest

from .support import LINUX, invocation, shown

NATIVE = """
make CFLAGS=-march=native
./configure CFLAGS=-march=native
CFLAGS=-march=native ./configure
./configure CC="gcc -march=native"
CC="gcc -march=native" ./configure
./configure "CC=ccache gcc -march=native"
CFLAGS=-march=native pip install x
CFLAGS=-march=native pip wheel .
CPPFLAGS=-march=native pip wheel .
CC="gcc -march=native" pip install .
CFLAGS=-march=native python setup.py build_ext
CFLAGS=-march=native python -m build
CFLAGS=-march=native uv build
CFLAGS=-march=native uv pip install .
CFLAGS=-march=native pip3 install --no-binary :all: numpy
pip install . --config-settings=cmake.args=-DCMAKE_C_FLAGS=-march=native
pip install . -C cmake.define.CMAKE_CXX_FLAGS=-march=native
pip install . -Csetup-args=-Dc_args=-march=native
CMAKE_ARGS="-DCMAKE_C_FLAGS=-march=native" pip install .
CMAKE_ARGS="-DGGML_NATIVE=ON" pip install llama-cpp-python
meson setup build -Dc_args=-march=native
meson setup build -Dcpp_args="-O2 -march=native"
meson setup build "-Dc_args=['-O2', '-march=native']"
meson setup build -Dc_args=-O2,-march=native
meson configure build -Dc_args=-march=native
meson build -Dcpp_args=-march=native
CXXFLAGS=-march=native meson setup b
CC="gcc -march=native" meson setup b
cmake -DCMAKE_C_FLAGS=-march=native .
cmake -DCMAKE_CXX_FLAGS_RELEASE=-march=native -DCMAKE_BUILD_TYPE=Release .
cmake -DCMAKE_C_COMPILER="gcc;-march=native" .
CC="gcc -march=native" cmake .
CXX="g++ -march=native" cmake -B b
cmake -DCMAKE_C_FLAGS_INIT=-march=native .
cabal build --ghc-options=-optc-march=native
cabal build --ghc-options="-fllvm -optlc-mcpu=native"
cabal configure --ghc-option=-optc-march=native
stack build --ghc-options "-optc -march=native"
stack install --ghc-options=-optc-march=native
ghc -optc-march=native a.hs
ghc -optc -march=native a.hs
cargo --config 'build.rustflags="-C target-cpu=native"' build
cargo build --config 'build.rustflags=["-C","target-cpu=native"]'
cargo build --config "target.'cfg(all())'.rustflags=['-Ctarget-cpu=native']"
CGO_CFLAGS=-march=native go build
CGO_CXXFLAGS=-march=native go test ./...
CC="gcc -march=native" go build
bazel build --copt=-march=native //...
bazel build --copt -march=native //...
bazel build --cxxopt=-march=native //...
gcc -wrapper env,CFLAGS=1 -march=native a.c
CCC_OVERRIDE_OPTIONS="+-march=native" clang a.c
CFLAGS=-march=native ./waf configure
python waf configure CFLAGS=-march=native
scons CCFLAGS=-march=native
qmake QMAKE_CXXFLAGS+=-march=native
qmake QMAKE_CFLAGS=-march=native a.pro
xmake f --cxflags=-march=native
xmake config --cflags="-march=native"
dotnet publish -p:IlcInstructionSet=native
nim c -d:release --passC:-march=native a.nim
nim c --passC="-march=native" a.nim
nim c -t:-march=native a.nim
crystal build --mcpu native a.cr
crystal build --mcpu=native a.cr
odin build . -microarch:native
v -cflags -march=native a.v
v -prod -cflags "-march=native" .
dmd -mcpu=native a.d
ldc2 -mcpu=native a.d
gdc -march=native a.d
ldc2 a.d -mcpu=native
dub build --dflags=-mcpu=native
ocamlfind ocamlopt -ccopt -march=native a.ml
ocamlopt -ccopt "-O2 -march=native" a.ml
OCAMLPARAM="_,ccopt=-march=native" dune build
armclang -march=native a.c
hipcc -march=native a.cpp
icx -xHost a.c
icx /QxHost a.c
ifx -xHOST a.f90
nvc++ -tp=native a.cpp
nvfortran -tp host a.f90
nvcc -Xcompiler -march=native a.cu
nvcc --compiler-options=-O2,-march=native a.cu
NVCC_APPEND_FLAGS="-Xcompiler -march=native" nvcc a.cu
ispc --target=host a.ispc
swiftc -Xcc -march=native a.swift
swift build -Xswiftc -target-cpu -Xswiftc native
swift build -Xcc -march=native
julia -C native a.jl
kotlinc-native -Xoverride-konan-properties=targetCpu.linux_x64=native a.kt
emcc -march=native a.c
ld -plugin-opt=mcpu=native a.o
gcc -Wl,-plugin-opt=mcpu=native a.o
gcc -flto -Wl,-mllvm,-mcpu=native a.o
llc -mcpu=native a.ll
opt -O3 -mcpu=native a.ll
zig c++ -target x86_64-linux-gnu -mcpu=native a.cpp
zig build -Dcpu=native
zig cc -march=native a.c
cmake -DGGML_NATIVE=ON .
RUSTFLAGS=-Ctarget-cpu=native wasm-pack build
RUSTFLAGS=-Ctarget-cpu=native cargo zigbuild
RUSTFLAGS=-Ctarget-cpu=native cross build
RUSTFLAGS=-Ctarget-cpu=native pip install .
RUSTFLAGS="-Ctarget-cpu=native" uv build
RUSTFLAGS="-Ctarget-cpu=native" python -m build
RUSTFLAGS="-Ctarget-cpu=native" maturin build
RUSTFLAGS="-Ctarget-cpu=native" tauri build
RUSTFLAGS="-Ctarget-cpu=native" cargo tauri build
RUSTFLAGS="-Ctarget-cpu=native" cargo lambda build
RUSTDOCFLAGS= RUSTFLAGS="-Ctarget-cpu=native" cargo deb
"""
OTHERS = [
    ("native-image -jar a.jar", "x86-64-v3"),
    ("gnatmake -f a.adb -cargs -march=haswell -largs -s", "haswell"),
    ("x86_64-linux-gnu-gnatmake-12 -march=nehalem a.adb", "nehalem"),
    ("gnatmake -march=native a.adb", "native"),
    ("native-image -march=compatibility -jar a.jar", "generic"),
    ("native-image -march=native -jar a.jar", "native"),
    ("odin build .", "x86-64-v2"),
    ("odin build . -microarch:generic", "generic"),
    ("CFLAGS=-march=native make", "None"),
    ("CL=/arch:AVX2 cl a.c", "haswell"),
    ("nvc a.c", "host"),
    ("ispc a.ispc", "host"),
    ("ponyc", "host"),
    ("chpl a.chpl", "host"),
    ("zig build", "host"),
    ("zig build-exe a.zig", "host"),
    ("zig cc a.c", "host"),
    ("CFLAGS=-march=native make CFLAGS=-O2", "generic"),
    ("CFLAGS=-march=native ./configure CFLAGS=-O2", "generic"),
    ("./configure CC='gcc -march=native' CFLAGS=-march=x86-64", "x86-64"),
    ("CFLAGS=-march=native cmake -DCMAKE_C_FLAGS=-O2 .", "generic"),
    ("cmake -DCMAKE_C_FLAGS_DEBUG=-march=native -DCMAKE_BUILD_TYPE=Release .", "generic"),
    ("cmake -DGGML_NATIVE=OFF -DCMAKE_C_FLAGS=-march=x86-64-v2 .", "x86-64-v2"),
    ("cmake -DGGML_NATIVE=ON -DCMAKE_C_FLAGS=-march=x86-64-v2 .", "native"),
    ("cmake -DCMAKE_C_COMPILER=gcc .", "generic"),
    ("CFLAGS=-march=native cmake -B b", "native"),
    ("CFLAGS=-march=native cmake --build b", "generic"),
    ("CFLAGS=-march=native cmake --install b", "generic"),
    ("CC='gcc -march=native' cmake --build b", "generic"),
    ("meson setup b -Db_lto=true", "generic"),
    ("bazel build --host_copt=-march=native //...", "generic"),
    ("CL=/arch:AVX2 cl /arch:SSE2 a.c", "generic"),
    ("_CL_=/arch:AVX2 cl /arch:SSE2 a.c", "haswell"),
    ("CCC_OVERRIDE_OPTIONS=x-march=native clang -march=native a.c", "generic"),
    ("CCC_OVERRIDE_OPTIONS='# O3 ^-march=native' clang -march=x86-64 a.c", "x86-64"),
    ("NVCC_APPEND_FLAGS='-Xcompiler -march=x86-64' nvcc -Xcompiler -march=native a.cu", "x86-64"),
    ("go build -ldflags=-march=native", "generic"),
    ("nim c -d:march=native a.nim", "generic"),
    ("ghc -optl-march=native a.hs", "generic"),
    ("gem install x -- --with-opt-dir=-march=native", "generic"),
    ("GOFLAGS=-trimpath go build", "generic"),
]


def cpu(line: str) -> str | None:
    """The CPU, or the tool's default; of several languages the first that says one."""
    words, env = shlex.split(line), {}
    while "=" in words[0] and words[0][0] != "-":
        name, _, env[name] = words.pop(0).partition("=")
    found = invocation(shlex.join(words), env).effectives("cpu", LINUX)
    said = [e for e in found if e.value is not None]
    return shown(said[0].value) if said else found[0].default


@pytest.mark.parametrize("line", NATIVE.strip().splitlines())
def test_native_is_seen(line: str) -> None:
    assert cpu(line) == "native"


@pytest.mark.parametrize(("line", "wanted"), OTHERS)
def test_what_else_comes_of_it(line: str, wanted: str) -> None:
    assert str(cpu(line)) == wanted


@pytest.mark.parametrize(
    ("line", "files", "wanted"),
    [
        ("gcc @a.rsp a.c", {"a.rsp": "@b.rsp\n", "b.rsp": "-march=native"}, "native"),
        ("gcc @a.rsp a.c", {"a.rsp": "@a.rsp -march=native"}, "native"),
        ("clang --config=x.cfg a.c", {"x.cfg": "# -march=haswell\n-march=native\n"}, "native"),
        ("clang --config x.cfg -march=x86-64 a.c", {"x.cfg": "-march=native"}, "x86-64"),
        (
            "meson setup b --native-file n.ini",
            {"n.ini": "[built-in options]\nc_args = ['-O2', '-march=native']"},
            "native",
        ),
        ("meson setup b --cross-file=n.ini", {"n.ini": "[built-in options]\ncpp_args = '-march=native'"}, "native"),
        ("rustc @a.rsp a.rs", {"a.rsp": "-C\ntarget-cpu=native"}, "native"),
    ],
)
def test_files_of_options(line: str, files: dict[str, str], wanted: str) -> None:
    assert shown(invocation(line, files=files).effective("cpu", LINUX).value) == wanted


def test_a_spec_file_of_the_repository_may_say_anything() -> None:
    assert invocation("gcc -specs=my.specs a.c", files={"my.specs": "*cc1:\n+ -O2"}).effective("cpu", LINUX).missing
    assert invocation("gcc -specs=nano.specs a.c").effective("cpu", LINUX).missing is None


PROJECTS = [
    ("make -C rocksdb static_lib", "host"),
    ("make -C rocksdb PORTABLE=1 static_lib", "None"),
    ("PORTABLE=1 make -C rocksdb static_lib", "None"),
    ("make -C Stockfish/src build", "host"),
    ("make -C Stockfish/src build ARCH=x86-64-sse41-popcnt", "None"),
    ("make -C Stockfish/src build ARCH=native", "host"),
    ("make -C rocksdb PORTABLE=0 static_lib", "host"),
    ("make -C rocksdb PORTABLE= static_lib", "host"),
    ("PORTABLE= make -C rocksdb static_lib", "host"),
    ("make -C OpenBLAS-0.3.28", "host"),
    ("make -C OpenBLAS DYNAMIC_ARCH=1", "None"),
    ("cmake -S llama.cpp -B b", "host"),
    ("cmake -S llama.cpp -B b -DGGML_NATIVE=OFF", "generic"),
    ("cmake -B b third_party/whisper.cpp", "host"),
    ("pip install llama-cpp-python==0.3.2", "host"),
    ("CMAKE_ARGS=-DGGML_NATIVE=OFF pip install llama-cpp-python", "generic"),
    ("HNSWLIB_NO_NATIVE=1 pip install hnswlib", "generic"),
    ("pip install requests", "generic"),
    ("make -C sub", "None"),
]


@pytest.mark.parametrize(("line", "wanted"), PROJECTS)
def test_projects_that_are_tuned_to_the_host_when_told_nothing(line: str, wanted: str) -> None:
    assert str(cpu(line)) == wanted
