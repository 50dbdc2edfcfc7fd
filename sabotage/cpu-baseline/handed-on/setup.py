from setuptools import Extension, setup

FLAGS = ["-O3", "-march=x86-64-v2"]

setup(name="quill", ext_modules=[Extension("quill._core", ["src/core.c"], extra_compile_args=FLAGS)])
