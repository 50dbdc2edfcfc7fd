# ruff: noqa: E501  (a case is a line)
"""PKGBUILDs whose functions run the program `rec`."""

HEAD = "pkgname=foo\npkgver=1.2\npkgrel=1\narch=(x86_64)\n"

CASES = [
    HEAD + "package() { rec p; }\n",
    HEAD + "prepare() { rec a; }\nbuild() {\n  rec b $pkgname-$pkgver\n}\ncheck() { rec c; }\npackage() { rec d; }\n",
    HEAD + 'build() { rec "$CARCH" "$pkgbase" "${pkgname[0]}"; }\npackage() { rec "${arch[@]}"; }\n',
    HEAD + "prepare() { x=1; export y=2; }\nbuild() { rec \"$x\" \"$y\"; }\npackage() { rec \"$x\" \"$y\"; }\n",
    "pkgbase=b\npkgname=(foo bar)\npkgver=1\npkgrel=1\narch=(any)\nbuild() { rec $pkgbase; }\npackage_foo() { rec f; }\npackage_bar() { rec g; }\n",
    HEAD + "_h() { rec h $1; }\nbuild() { _h one; _h two; }\npackage() { _h three; }\n",
    HEAD + "build() { false; rec no; }\npackage() { :; }\n",
    HEAD + "build() { false || rec yes; }\npackage() { rec p; }\n",
    HEAD + 'build() {\n  CFLAGS+=" -march=native"\n  rec $CFLAGS\n}\npackage() { rec $CFLAGS; }\n',
    HEAD + "options=(!buildflags)\nbuild() { rec x $CFLAGS; }\npackage() { rec p; }\n",
    HEAD + "_o=(-DA=1 '-DB=x y')\nif [[ $CARCH == x86_64 ]]; then _o+=(-DC=2); fi\nbuild() { rec \"${_o[@]}\"; }\npackage() { rec p; }\n",
    HEAD + "build() { rec \"${pkgver%.*}\" \"${pkgver//./_}\" \"v$pkgrel\"; }\npackage() { rec p; }\n",
    HEAD + "function build { rec f; }\npackage() { rec p; }\n",
    HEAD + "build()\n{\n  rec f\n}\npackage () {\n rec p\n}\n",
]  # fmt: skip
