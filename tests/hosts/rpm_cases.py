# ruff: noqa: E501  (a case is a line)
"""Spec files: what stands before their sections, and what is in %build."""

HEAD = "Name: foo\nVersion: 1.2\nRelease: 3\nSummary: x\nLicense: x\nSource0: http://h/a/foo-%{version}.tar.gz\nSource1: b.conf\nPatch7: p.patch\n"

CASES = [
    # the preamble, %build
    ("", "echo %{name} %name-%{version} %{NAME}x%{release}"),
    ("", "echo %% %d %5 100%% %Y%m%d 'a%sb' %{undefined_one} %undefined_two"),
    ("%global a one\n%define b two %a\n", "echo %a %{a} %b %{b}"),
    ("%define later %late\n%global now %late\n%global late x\n", "echo %later %now"),
    ("%define m \\\n a \\\n b\n", "echo %m"),
    ("", "echo %{?name} %{?name:yes} %{!?name:no} %{?nothing}. %{?nothing:x}. %{!?nothing:y} %?name %{?name:%{version}}"),
    ("%define p() one=%1 two=%2 all=%* n=%#\n", "%p a b\necho %{p x y} %{p:x y}"),
    ("%define p(xo:) %{-x:X} %{-x} %{-o:O} %{-o*} %{!-x:noX} rest=%*\n", "%p -x a\n%p -o v b c\n%p a"),
    ("%define p() %{expand:%%define q_%1 <%1>}\n%p a\n", "echo %q_a"),
    ("%global x 1\n%undefine x\n", "echo %{?x}. %x"),
    ("%{!?y:%global y 5}\n%{!?y:%global y 6}\n", "echo %y"),
    ("", "%if 1\necho a\n%else\necho b\n%endif\n%if 0\necho c\n%endif"),
    ("", "%if 1 && (0 || ! 0)\necho a\n%endif\n%if 2 * 3 - 6\necho b\n%else\necho c\n%endif"),
    ("%global v 7\n", "%if %v >= 7\necho a\n%elif %v == 6\necho b\n%else\necho c\n%endif\n%if %v < 7\necho d\n%elif %v == 7\necho e\n%else\necho f\n%endif"),
    ("%global s one\n", '%if "%s" == "one"\necho a\n%endif\n%if "%{s}" != "two"\necho b\n%endif\n%if "%{?no}" == ""\necho c\n%endif'),
    ("", "%ifarch x86_64\necho a\n%endif\n%ifarch %{ix86} aarch64\necho b\n%else\necho c\n%endif\n%ifnarch ppc64le s390x\necho d\n%endif"),
    ("", "%ifos linux\necho a\n%endif\n%ifnos linux\necho b\n%endif"),
    ("", "%if 1\n%if 0\necho a\n%else\necho b\n%endif\n%else\n%if 1\necho c\n%endif\n%endif"),
    ("", "%ifarch aarch64\necho a\n%elifarch x86_64\necho b\n%else\necho c\n%endif"),
    ("%bcond_with a\n%bcond_without b\n", "echo %{with a} %{with b} %{without a} %{?with_a:A} %{?with_b:B}\n%if %{with b}\necho b\n%endif\n%if %{without b}\necho nob\n%endif"),
    ("", "echo %[1 + 2 * 3] %[1 ? \"yes\" : \"no\"] %[0 ? \"yes\" : \"no\"] %[\"a\" == \"a\"]"),
    ("", "echo %{defined name} %{undefined name} %{defined nothing}"),
    ("", "echo %{basename:/a/b.c} %{dirname:/a/b.c} %{suffix:a.b.c} %{shrink:  a   b }"),
    ("%define m one\\\ntwo\n", "# a comment with %m\necho x"),
    ("%if 0\n%global z 1\n%else\n%global z 2\n%endif\n", "echo %z"),
    ("%global flags -O2 -g\n%global more %{flags} -march=native\n", "make CFLAGS='%{more}'"),
    ("", "make \\\n  %{?nothing:a} \\\n  %{?name:B=%{name}} \\\n  c"),
    ("%define nest() [%1 %{inner %1}]\n%define inner() (%1)\n", "echo %{nest q}"),
    ("%global t %{expand:a %%name}\n", "echo %t"),
]  # fmt: skip
