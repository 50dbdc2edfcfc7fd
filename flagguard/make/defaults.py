"""What GNU make knows before it reads a makefile: variables, suffixes, built-in rules.

Data only, as `make -p -f /dev/null` of GNU make 4.3 prints it (manual: "Catalogue of Built-In Rules",
"Variables Used by Implicit Rules", "Other Special Variables").
"""

VARIABLES: dict[str, str] = {
    ".FEATURES": (
        "target-specific order-only second-expansion else-if shortest-stem undefine oneshell nocomment grouped-target "
        "extra-prereqs archives jobserver output-sync check-symlink load"
    ),
    ".LIBPATTERNS": "lib%.so lib%.a",
    "AR": "ar",
    "ARFLAGS": "rv",
    "AS": "as",
    "CC": "cc",
    "CHECKOUT,v": "+$(if $(wildcard $@),,$(CO) $(COFLAGS) $< $@)",
    "CO": "co",
    "COFLAGS": "",
    "COMPILE.C": "$(COMPILE.cc)",
    "COMPILE.F": "$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c",
    "COMPILE.S": "$(CC) $(ASFLAGS) $(CPPFLAGS) $(TARGET_MACH) -c",
    "COMPILE.c": "$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c",
    "COMPILE.cc": "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c",
    "COMPILE.cpp": "$(COMPILE.cc)",
    "COMPILE.def": "$(M2C) $(M2FLAGS) $(DEFFLAGS) $(TARGET_ARCH)",
    "COMPILE.f": "$(FC) $(FFLAGS) $(TARGET_ARCH) -c",
    "COMPILE.m": "$(OBJC) $(OBJCFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c",
    "COMPILE.mod": "$(M2C) $(M2FLAGS) $(MODFLAGS) $(TARGET_ARCH)",
    "COMPILE.p": "$(PC) $(PFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c",
    "COMPILE.r": "$(FC) $(FFLAGS) $(RFLAGS) $(TARGET_ARCH) -c",
    "COMPILE.s": "$(AS) $(ASFLAGS) $(TARGET_MACH)",
    "CPP": "$(CC) -E",
    "CTANGLE": "ctangle",
    "CWEAVE": "cweave",
    "CXX": "g++",
    "F77": "$(FC)",
    "F77FLAGS": "$(FFLAGS)",
    "FC": "f77",
    "GET": "get",
    "LD": "ld",
    "LEX": "lex",
    "LEX.l": "$(LEX) $(LFLAGS) -t",
    "LEX.m": "$(LEX) $(LFLAGS) -t",
    "LINK.C": "$(LINK.cc)",
    "LINK.F": "$(FC) $(FFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)",
    "LINK.S": "$(CC) $(ASFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_MACH)",
    "LINK.c": "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)",
    "LINK.cc": "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)",
    "LINK.cpp": "$(LINK.cc)",
    "LINK.f": "$(FC) $(FFLAGS) $(LDFLAGS) $(TARGET_ARCH)",
    "LINK.m": "$(OBJC) $(OBJCFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)",
    "LINK.o": "$(CC) $(LDFLAGS) $(TARGET_ARCH)",
    "LINK.p": "$(PC) $(PFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)",
    "LINK.r": "$(FC) $(FFLAGS) $(RFLAGS) $(LDFLAGS) $(TARGET_ARCH)",
    "LINK.s": "$(CC) $(ASFLAGS) $(LDFLAGS) $(TARGET_MACH)",
    "LINT": "lint",
    "LINT.c": "$(LINT) $(LINTFLAGS) $(CPPFLAGS) $(TARGET_ARCH)",
    "M2C": "m2c",
    "MAKE": "$(MAKE_COMMAND)",
    "MAKEINFO": "makeinfo",
    "MAKE_VERSION": "4.3",
    "OBJC": "cc",
    "OUTPUT_OPTION": "-o $@",
    "PC": "pc",
    "PREPROCESS.F": "$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -F",
    "PREPROCESS.S": "$(CC) -E $(CPPFLAGS)",
    "PREPROCESS.r": "$(FC) $(FFLAGS) $(RFLAGS) $(TARGET_ARCH) -F",
    "RM": "rm -f",
    "TANGLE": "tangle",
    "TEX": "tex",
    "TEXI2DVI": "texi2dvi",
    "WEAVE": "weave",
    "YACC": "yacc",
    "YACC.m": "$(YACC) $(YFLAGS)",
    "YACC.y": "$(YACC) $(YFLAGS)",
}

SIMPLE: dict[str, str] = {
    ".SHELLFLAGS": "-c",
    ".RECIPEPREFIX": "",
    "MAKE_COMMAND": "make",
    "MAKEFLAGS": "",
    "MFLAGS": "",
    "MAKEOVERRIDES": "",
    "MAKELEVEL": "0",
    "MAKEFILES": "",
    "MAKE_RESTARTS": "",
    "MAKE_TERMOUT": "",
    "MAKE_TERMERR": "",
    ".LIBPATTERNS": "lib%.so lib%.a",
    "SHELL": "/bin/sh",
    "-*-command-variables-*-": "",
}
"""Simple variables; `MAKEFLAGS` as it is when make is called without options."""

# fmt: off
SUFFIXES: tuple[str, ...] = (
    ".out", ".a", ".ln", ".o", ".c", ".cc", ".C", ".cpp", ".p", ".f", ".F", ".m", ".r", ".y", ".l", ".ym", ".yl", ".s",
    ".S", ".mod", ".sym", ".def", ".h", ".info", ".dvi", ".tex", ".texinfo", ".texi", ".txinfo", ".w", ".ch", ".web",
    ".sh", ".elc", ".el",
)
# fmt: on

SUFFIX_RULES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("%", "%.o", ("$(LINK.o) $^ $(LOADLIBES) $(LDLIBS) -o $@",)),
    ("%", "%.c", ("$(LINK.c) $^ $(LOADLIBES) $(LDLIBS) -o $@",)),
    ("%.ln", "%.c", ("$(LINT.c) -C$* $<",)),
    ("%.o", "%.c", ("$(COMPILE.c) $(OUTPUT_OPTION) $<",)),
    ("%", "%.cc", ("$(LINK.cc) $^ $(LOADLIBES) $(LDLIBS) -o $@",)),
    ("%.o", "%.cc", ("$(COMPILE.cc) $(OUTPUT_OPTION) $<",)),
    ("%", "%.C", ("$(LINK.C) $^ $(LOADLIBES) $(LDLIBS) -o $@",)),
    ("%.o", "%.C", ("$(COMPILE.C) $(OUTPUT_OPTION) $<",)),
    ("%", "%.cpp", ("$(LINK.cpp) $^ $(LOADLIBES) $(LDLIBS) -o $@",)),
    ("%.o", "%.cpp", ("$(COMPILE.cpp) $(OUTPUT_OPTION) $<",)),
    ("%", "%.p", ("$(LINK.p) $^ $(LOADLIBES) $(LDLIBS) -o $@",)),
    ("%.o", "%.p", ("$(COMPILE.p) $(OUTPUT_OPTION) $<",)),
    ("%", "%.f", ("$(LINK.f) $^ $(LOADLIBES) $(LDLIBS) -o $@",)),
    ("%.o", "%.f", ("$(COMPILE.f) $(OUTPUT_OPTION) $<",)),
    ("%", "%.F", ("$(LINK.F) $^ $(LOADLIBES) $(LDLIBS) -o $@",)),
    ("%.o", "%.F", ("$(COMPILE.F) $(OUTPUT_OPTION) $<",)),
    ("%.f", "%.F", ("$(PREPROCESS.F) $(OUTPUT_OPTION) $<",)),
    ("%", "%.m", ("$(LINK.m) $^ $(LOADLIBES) $(LDLIBS) -o $@",)),
    ("%.o", "%.m", ("$(COMPILE.m) $(OUTPUT_OPTION) $<",)),
    ("%", "%.r", ("$(LINK.r) $^ $(LOADLIBES) $(LDLIBS) -o $@",)),
    ("%.o", "%.r", ("$(COMPILE.r) $(OUTPUT_OPTION) $<",)),
    ("%.f", "%.r", ("$(PREPROCESS.r) $(OUTPUT_OPTION) $<",)),
    (
        "%.ln",
        "%.y",
        (
            "$(YACC.y) $<",
            "$(LINT.c) -C$* y.tab.c",
            "$(RM) y.tab.c",
        ),
    ),
    (
        "%.c",
        "%.y",
        (
            "$(YACC.y) $<",
            "mv -f y.tab.c $@",
        ),
    ),
    (
        "%.ln",
        "%.l",
        (
            "@$(RM) $*.c",
            "$(LEX.l) $< > $*.c",
            "$(LINT.c) -i $*.c -o $@",
            "$(RM) $*.c",
        ),
    ),
    (
        "%.c",
        "%.l",
        (
            "@$(RM) $@",
            "$(LEX.l) $< > $@",
        ),
    ),
    (
        "%.r",
        "%.l",
        (
            "$(LEX.l) $< > $@",
            "mv -f lex.yy.r $@",
        ),
    ),
    (
        "%.m",
        "%.ym",
        (
            "$(YACC.m) $<",
            "mv -f y.tab.c $@",
        ),
    ),
    ("%", "%.s", ("$(LINK.s) $^ $(LOADLIBES) $(LDLIBS) -o $@",)),
    ("%.o", "%.s", ("$(COMPILE.s) -o $@ $<",)),
    ("%", "%.S", ("$(LINK.S) $^ $(LOADLIBES) $(LDLIBS) -o $@",)),
    ("%.o", "%.S", ("$(COMPILE.S) -o $@ $<",)),
    ("%.s", "%.S", ("$(PREPROCESS.S) $< > $@",)),
    ("%", "%.mod", ("$(COMPILE.mod) -o $@ -e $@ $^",)),
    ("%.o", "%.mod", ("$(COMPILE.mod) -o $@ $<",)),
    ("%.sym", "%.def", ("$(COMPILE.def) -o $@ $<",)),
    ("%.dvi", "%.tex", ("$(TEX) $<",)),
    ("%.info", "%.texinfo", ("$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@",)),
    ("%.dvi", "%.texinfo", ("$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<",)),
    ("%.info", "%.texi", ("$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@",)),
    ("%.dvi", "%.texi", ("$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<",)),
    ("%.info", "%.txinfo", ("$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@",)),
    ("%.dvi", "%.txinfo", ("$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<",)),
    ("%.c", "%.w", ("$(CTANGLE) $< - $@",)),
    ("%.tex", "%.w", ("$(CWEAVE) $< - $@",)),
    ("%.p", "%.web", ("$(TANGLE) $<",)),
    ("%.tex", "%.web", ("$(WEAVE) $<",)),
    (
        "%",
        "%.sh",
        (
            "cat $< >$@",
            "chmod a+x $@",
        ),
    ),
)
"""Target pattern, prerequisite patterns, recipe lines, in make's order; each only while its suffixes are known."""

PATTERN_RULES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("(%)", "%", ("$(AR) $(ARFLAGS) $@ $<",)),
    ("%.out", "%", ("@rm -f $@", "cp $< $@")),
    ("%.c", "%.w %.ch", ("$(CTANGLE) $^ $@",)),
    ("%.tex", "%.w %.ch", ("$(CWEAVE) $^ $@",)),
)

_GET = "$(GET) $(GFLAGS) $(SCCS_OUTPUT_OPTION) $<"
VERSION_CONTROL_RULES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("%", "%,v", ("$(CHECKOUT,v)",)),
    ("%", "RCS/%,v", ("$(CHECKOUT,v)",)),
    ("%", "RCS/%", ("$(CHECKOUT,v)",)),
    ("%", "s.%", (_GET,)),
    ("%", "SCCS/s.%", (_GET,)),
)
"""Terminal rules: files under RCS or SCCS."""

POSIX_VARIABLES: dict[str, str] = {
    ".SHELLFLAGS": "-ec",
    "ARFLAGS": "-rv",
    "CC": "c99",
    "CFLAGS": "-O1",
    "FC": "fort77",
    "FFLAGS": "-O1",
    "SCCSGETFLAGS": "-s",
}
"""What `.POSIX` makes of the defaults (make's read.c; Debian's has `ARFLAGS = -rvU`)."""
