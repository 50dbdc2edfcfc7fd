from setuptools import Extension, setup

FLAGS = ["-O3", "-march=x86-64"]

setup(
    name="quill",
    ext_modules=[
        Extension("quill._core", ["src/core.c"], extra_compile_args=FLAGS),
        Extension("quill._more", ["src/more.c"], extra_compile_args=["-O2", "-march=x86-64"]),
    ],
)
