"""CMakeLists that CMake itself was asked about: what each command is called with (`cmake_recorded.json`).

Follows cmake-language(7) and cmake-commands(7), section by section. Each case is a project of its own; its commands are
those that CMake's `--trace-expand` names.
"""

CASES: dict[str, str] = {
    # cmake-language(7), "Command Arguments"
    "bracket": "message([[a ${B} \\n]] [=[x ]] y]=])\nmessage([[\nfirst line]])\n",
    "quoted": 'set(B v)\nmessage("a ${B} \\n" "x;y" "a\\;b" "")\n',
    "continued": 'message("a \\\nb")\n',
    "unquoted": "set(B v w)\nforeach(x a${B}b ${B} x;y a\\;b \"p;q\")\nmessage(\"<${x}>\")\nendforeach()\n",
    "legacy": 'message(-Da="b c" -Da=$(v) "a"b"c")\n',
    "escapes": 'message(a\\ b \\${B} \\"q\\" "\\@x \\#" \\(p\\))\n',
    "nested-reference": "set(A_x 1)\nset(n x)\nset(m n)\nmessage(${A_${n}} ${A_${${m}}})\n",
    "empty": 'set(E)\nmessage(a ${E} b "${E}" ${NEVER_SET} "${NEVER_SET}")\n',
    "empty-items": 'set(L "a;;b;")\nforeach(x ${L} "${L}" "")\nmessage("<${x}>")\nendforeach()\n',
    "brackets-in-lists": 'set(L "[a;b];c")\nset(M "[a;b" x)\nforeach(x ${L} ${M})\nmessage("<${x}>")\nendforeach()\n',
    "several-arguments": 'function(fg_n)\nmessage("${ARGC} ${ARGV0} ${ARGV1} ${ARGV2}")\nendfunction()\nset(E)\nset(L "a;;b")\n'
    'fg_n(${L} c)\nfg_n("${L}" ${E} "${E}")\nfg_n(x${E}y${L})\n',
    "escaped-semicolon": 'set(L "a\\;b;c")\nset(M a\\;b c)\nforeach(x ${L} ${M} "${M}")\nmessage("<${x}>")\nendforeach()\n',
    "comments": "message(a # b\n  #[[ c ]] d\n  e) # f\n#[==[\nmessage(no)\n]==]\n",
    "parentheses": "message((a) b (c d))\n",
    "case": "MESSAGE(a)\nMeSsAgE(b)\nSet(X y)\nmessage(${X})\n",
    "dollar": 'message("$x $ {y} $" $<CONFIG> "a$")\n',
    "at": 'set(V v)\nmessage("@V@")\n',
    # set, unset
    "set-list": "set(A a b c)\nset(B ${A} d)\nmessage(${B})\n",
    "set-cache": "set(C1 a CACHE STRING d)\nmessage(${C1})\nset(C1 b)\nmessage(${C1} $CACHE{C1})\n"
    "set(C1 c CACHE STRING d)\nmessage(${C1})\nunset(C1)\nmessage(${C1})\n",
    "set-force": "set(C2 a CACHE STRING d)\nset(C2 b CACHE STRING d FORCE)\nmessage(${C2})\n",
    "set-internal": "set(C3 a CACHE INTERNAL d)\nset(C3 b CACHE INTERNAL d)\nmessage(${C3})\n",
    "set-env": "set(ENV{FG_X} one)\nmessage($ENV{FG_X})\nunset(ENV{FG_X})\nmessage(a $ENV{FG_X} b)\n",
    "unset": "set(A a)\nunset(A)\nmessage(a ${A} b)\n",
    "option": "option(O1 d)\noption(O2 d ON)\nmessage(${O1} ${O2})\nset(O3 OFF)\noption(O3 d ON)\nmessage(${O3})\n",
    "option-old": "cmake_minimum_required(VERSION 3.5)\nset(O4 OFF)\noption(O4 d ON)\nmessage(${O4})\n",
    # if
    "if-constants": "".join(
        f'if({c})\nmessage("{c} yes")\nelse()\nmessage("{c} no")\nendif()\n'
        for c in "1 0 ON on OFF Yes NO Y N IGNORE NOTFOUND X-NOTFOUND 2 -1 0.0 a".split()
    ),
    "if-variable": "set(T ON)\nset(F OFF)\nset(S text)\nset(X NOTFOUND)\nforeach(v T F S X NEVER_SET)\nif(${v})\n"
    "message(${v} yes)\nendif()\nendforeach()\n",
    "if-quoted": 'set(T ON)\nif("T")\nmessage(no)\nelse()\nmessage(yes)\nendif()\nif("${T}")\nmessage(yes)\nendif()\n',
    "if-logic": "if(1 OR 0 AND 0)\nmessage(left)\nendif()\nif(NOT 0 AND (0 OR 1))\nmessage(b)\nendif()\n"
    "if(NOT (1 AND 0))\nmessage(c)\nendif()\n",
    "if-strequal": "set(A x)\nif(A STREQUAL x)\nmessage(a)\nendif()\nif(A STREQUAL \"A\")\nmessage(b)\nendif()\n"
    'if("A" STREQUAL "A")\nmessage(c)\nendif()\nif(${A} STREQUAL "x")\nmessage(d)\nendif()\n',
    "if-numbers": "if(1 LESS 2)\nmessage(a)\nendif()\nif(10 GREATER 9)\nmessage(b)\nendif()\nif(1.0 EQUAL 1)\nmessage(c)\n"
    "endif()\nif(a LESS 2)\nmessage(d)\nendif()\nif(3 LESS_EQUAL 3)\nmessage(e)\nendif()\n",
    "if-versions": "if(1.10 VERSION_GREATER 1.9)\nmessage(a)\nendif()\nif(1.0 VERSION_EQUAL 1)\nmessage(b)\nendif()\n"
    "if(3.25.1 VERSION_GREATER_EQUAL 3.25)\nmessage(c)\nendif()\nif(1.2a VERSION_LESS 1.3)\nmessage(d)\nendif()\n",
    "if-matches": 'set(A "x86_64")\nif(A MATCHES "^(x86|i.86)")\nmessage(${CMAKE_MATCH_1})\nendif()\n'
    'if("a-b" MATCHES "[a-z]-[^c]$")\nmessage(b)\nendif()\nif("ab" MATCHES "a\\\\.b")\nmessage(c)\nendif()\n',
    "if-in-list": "set(L a b)\nif(a IN_LIST L)\nmessage(a)\nendif()\nif(NOT c IN_LIST L)\nmessage(b)\nendif()\n",
    "if-defined": "set(A \"\")\nif(DEFINED A)\nmessage(a)\nendif()\nif(NOT DEFINED B9)\nmessage(b)\nendif()\n"
    "set(ENV{FG_D} 1)\nif(DEFINED ENV{FG_D})\nmessage(c)\nendif()\nset(C4 1 CACHE STRING d)\nif(DEFINED CACHE{C4})\n"
    "message(d)\nendif()\n",
    "if-platform": "if(UNIX AND NOT APPLE)\nmessage(a)\nendif()\nif(WIN32)\nmessage(b)\nendif()\n"
    'if(CMAKE_SYSTEM_NAME STREQUAL "Linux")\nmessage(c)\nendif()\nif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")\n'
    "message(d)\nendif()\nif(CMAKE_HOST_UNIX)\nmessage(e)\nendif()\n",
    "if-elseif": "set(A b)\nif(A STREQUAL a)\nmessage(a)\nelseif(A STREQUAL b)\nmessage(b)\nelseif(1)\nmessage(c)\nelse()\n"
    "message(d)\nendif()\n",
    "if-command": "function(fg_there)\nendfunction()\nif(COMMAND fg_there)\nmessage(a)\nendif()\n",
    "if-absolute": "if(IS_ABSOLUTE /a)\nmessage(a)\nendif()\nif(NOT IS_ABSOLUTE a)\nmessage(b)\nendif()\n",
    # loops
    "foreach": 'foreach(x a b;c "d;e")\nmessage(${x})\nendforeach()\nmessage(x${x}x)\n',
    "foreach-range": "foreach(x RANGE 3)\nmessage(${x})\nendforeach()\nforeach(x RANGE 2 8 3)\nmessage(${x})\nendforeach()\n"
    "foreach(x RANGE 3 1)\nmessage(${x})\nendforeach()\n",
    "foreach-lists": "set(A a b)\nset(B c)\nforeach(x IN LISTS A B ITEMS d e)\nmessage(${x})\nendforeach()\n",
    "foreach-zip": "set(A a b)\nset(B 1 2)\nforeach(x y IN ZIP_LISTS A B)\nmessage(${x} ${y})\nendforeach()\n"
    "foreach(z IN ZIP_LISTS A B)\nmessage(${z_0} ${z_1})\nendforeach()\n",
    "break": "foreach(x 1 2 3 4)\nif(x EQUAL 2)\ncontinue()\nendif()\nif(x EQUAL 4)\nbreak()\nendif()\nmessage(${x})\nendforeach()\n",
    "while": 'set(n 0)\nwhile(n LESS 3)\nmath(EXPR n "${n} + 1")\nmessage(${n})\nendwhile()\n',
    # functions
    "function": "function(fg_f a b)\nmessage(${a} ${b} ${ARGC} ${ARGN} ${ARGV1})\nset(out x PARENT_SCOPE)\nset(loc y)\n"
    "endfunction()\nfg_f(1 2 3 4)\nmessage(${out} ${loc})\nFG_F(a b)\n",
    "function-list": 'function(fg_g)\nmessage(${ARGC} "${ARGV}" "${ARGN}")\nendfunction()\nfg_g("a;b" c)\nset(L p q)\nfg_g(${L} "${L}")\n',
    "function-return": "function(fg_h)\nmessage(a)\nreturn()\nmessage(b)\nendfunction()\nfg_h()\nmessage(c)\n",
    "function-scope": "set(V 1)\nfunction(fg_i)\nset(V 2)\nmessage(${V})\nendfunction()\nfg_i()\nmessage(${V})\n",
    "function-nested": "function(fg_j x)\nfunction(fg_k y)\nmessage(${y})\nendfunction()\nfg_k(${x}1)\nendfunction()\nfg_j(a)\nfg_k(b)\n",
    "function-recursive": 'function(fg_l n)\nif(n GREATER 0)\nmath(EXPR m "${n} - 1")\nmessage(${n})\nfg_l(${m})\nendif()\nendfunction()\nfg_l(3)\n',
    "macro": "macro(fg_m a)\nset(V ${a})\nmessage(${ARGN} ${ARGC})\nendmacro()\nfg_m(x y z)\nmessage(${V})\n",
    "block": "set(V 1)\nblock()\nset(V 2)\nmessage(${V})\nendblock()\nmessage(${V})\n",
    "parse-arguments": "function(fg_p)\ncmake_parse_arguments(P \"A;B\" \"ONE\" \"MANY\" ${ARGN})\n"
    "message(${P_A} ${P_B} ${P_ONE})\nmessage(${P_MANY})\nmessage(${P_UNPARSED_ARGUMENTS})\nendfunction()\n"
    "fg_p(u A ONE x y MANY m n)\n",
    "parse-argv": 'function(fg_q a)\ncmake_parse_arguments(PARSE_ARGV 1 P "" "ONE" "MANY")\nmessage(${P_ONE} ${P_MANY})\n'
    "endfunction()\nfg_q(x ONE 1 MANY a b)\n",
    "language-call": "cmake_language(CALL message a b)\nset(C message)\ncmake_language(CALL ${C} c)\n",
    # list
    "list-append": "list(APPEND A a)\nlist(APPEND A b c)\nlist(PREPEND A z)\nmessage(${A})\n",
    "list-read": 'set(A a b c)\nlist(LENGTH A n)\nlist(GET A 0 -1 g)\nlist(FIND A c f)\nlist(SUBLIST A 1 2 s)\nlist(JOIN A "-" j)\n'
    'message(${n} ${g} ${f} ${j} "${s}")\n',
    "list-change": "set(A c a b a)\nlist(REMOVE_DUPLICATES A)\nmessage(${A})\nlist(REMOVE_ITEM A a)\nmessage(${A})\nlist(SORT A)\n"
    "message(${A})\nlist(REVERSE A)\nmessage(${A})\nlist(INSERT A 1 x)\nmessage(${A})\nlist(REMOVE_AT A 0)\nmessage(${A})\n",
    "list-filter": 'set(A ab cd ae)\nlist(FILTER A INCLUDE REGEX "^a")\nmessage(${A})\nlist(FILTER A EXCLUDE REGEX "b$")\nmessage(${A})\n',
    "list-pop": "set(A a b c)\nlist(POP_BACK A x)\nlist(POP_FRONT A y)\nmessage(${A} ${x} ${y})\n",
    "list-transform": "set(A a b)\nlist(TRANSFORM A PREPEND -D)\nlist(TRANSFORM A APPEND =1)\nmessage(${A})\n",
    # string
    "string-append": 'set(F "-O2")\nstring(APPEND F " -g" " -Wall")\nstring(PREPEND F "-x ")\nmessage("${F}")\n',
    "string-replace": 'set(F "-O2 -g -O2")\nstring(REPLACE "-O2" "-O3" G "${F}")\nmessage("${G}")\nstring(REPLACE " " ";" L "${F}")\nmessage(${L})\n',
    "string-regex": 'set(F "-O2 -march=native")\nstring(REGEX REPLACE " *-march=[a-z]+" "" G "${F}")\nmessage("${G}")\n'
    'string(REGEX REPLACE "-O([0-9])" "-Z\\\\1" H "${F}")\nmessage("${H}")\nstring(REGEX MATCH "-m[^ ]*" M "${F}")\nmessage(${M})\n'
    'string(REGEX MATCHALL "-[a-zA-Z]" A "${F}")\nmessage(${A})\n',
    "string-case": 'string(TOUPPER "abc" U)\nstring(TOLOWER "ABC" L)\nstring(STRIP "  x y " S)\nstring(LENGTH "abcd" N)\nmessage(${U} ${L} "${S}" ${N})\n',
    "string-parts": 'string(SUBSTRING "abcdef" 2 3 A)\nstring(SUBSTRING "abcdef" 2 -1 B)\nstring(FIND "abcabc" "c" C)\n'
    'string(FIND "abcabc" "c" D REVERSE)\nstring(REPEAT "ab" 3 E)\nstring(CONCAT F a "b;c")\nstring(JOIN "-" G a b c)\nmessage(${A} ${B} ${C} ${D} ${E} "${F}" ${G})\n',
    "separate": 'separate_arguments(A UNIX_COMMAND "-a \'b c\' d")\nmessage(${A})\nset(B "x y")\nseparate_arguments(B)\nmessage(${B})\n',
    "math": 'math(EXPR a "2 + 3 * 4")\nmath(EXPR b "10 - 2 - 3")\nmessage(${a} ${b})\n',
    "component": "get_filename_component(A /x/y.tar.gz NAME)\nget_filename_component(B /x/y.tar.gz NAME_WE)\n"
    "get_filename_component(C /x/y.tar.gz DIRECTORY)\nget_filename_component(D /x/y.tar.gz EXT)\nmessage(${A} ${B} ${C} ${D})\n",
    # flags
    "compile-options": 'set(M "native")\nadd_compile_options(-O2 "-march=${M}" $<$<CONFIG:Release>:-O3;-g>)\nadd_compile_options(-DX="y z")\n',
    "flags-variable": 'set(CMAKE_C_FLAGS "${CMAKE_C_FLAGS} -O2")\nset(CMAKE_C_FLAGS "${CMAKE_C_FLAGS} -g")\n'
    'string(APPEND CMAKE_CXX_FLAGS " -fPIC")\nmessage("${CMAKE_C_FLAGS}" "${CMAKE_CXX_FLAGS}")\n',
    "target": "add_library(fg_lib INTERFACE)\ntarget_compile_options(fg_lib INTERFACE -O2 -Wall)\n"
    "target_compile_definitions(fg_lib INTERFACE A=1 -DB)\nset_target_properties(fg_lib PROPERTIES INTERFACE_COMPILE_OPTIONS -g A b)\n"
    "set_property(TARGET fg_lib APPEND PROPERTY INTERFACE_COMPILE_OPTIONS -x -y)\n",
    "custom": "set(F -a -b)\nadd_custom_target(fg_t COMMAND gcc ${F} \"x y\" VERBATIM COMMAND ld -o a)\n"
    "add_custom_command(OUTPUT o COMMAND ${CMAKE_COMMAND} -E env A=1 cc -c DEPENDS d)\n",
    "dependent": "include(CMakeDependentOption)\noption(A1 d ON)\ncmake_dependent_option(D1 d ON \"A1\" OFF)\n"
    "cmake_dependent_option(D2 d ON \"NOT A1\" OFF)\nmessage(${D1} ${D2})\n",
}  # fmt: skip

GENERATOR = {
    "plain": "-O2", "config": "$<$<CONFIG:Release>:-O3>", "config-other": "$<$<CONFIG:Debug>:-g>",
    "config-case": "$<$<CONFIG:RELEASE>:a>", "config-list": "$<$<CONFIG:Debug,Release>:a>", "config-name": "$<CONFIG>",
    "not": "$<$<NOT:$<CONFIG:Debug>>:a>", "and": "$<$<AND:$<CONFIG:Release>,1>:a>", "or": "$<$<OR:0,$<CONFIG:Release>>:a>",
    "if": "$<IF:$<CONFIG:Release>,yes,no>", "if-not": "$<IF:$<BOOL:OFF>,yes,no>", "bool": "$<BOOL:x>$<BOOL:0>$<BOOL:>",
    "zero": "$<0:a>", "one": "$<1:a,b>", "one-list": "$<1:a;b>", "platform": "$<$<PLATFORM_ID:Linux>:l>$<$<PLATFORM_ID:Windows>:w>",
    "platform-list": "$<$<PLATFORM_ID:Darwin,Linux>:u>", "platform-name": "$<PLATFORM_ID>", "equal": "$<STREQUAL:a,a>$<STREQUAL:a,b>",
    "number": "$<EQUAL:1,01>", "version": "$<VERSION_LESS:1.9,1.10>$<VERSION_GREATER_EQUAL:2,2.0>", "in-list": "$<IN_LIST:b,a;b>",
    "join": "$<JOIN:a;b;c,->", "case": "$<UPPER_CASE:ab>$<LOWER_CASE:CD>", "signs": "a$<COMMA>b$<ANGLE-R>$<SEMICOLON>c",
    "build": "$<BUILD_INTERFACE:a>$<INSTALL_INTERFACE:b>", "nested": "$<$<AND:$<NOT:$<CONFIG:Debug>>,$<BOOL:1>>:-a$<$<CONFIG:Release>:-b>>",
    "filter": "$<FILTER:a;b;ab,INCLUDE,^a>", "duplicates": "$<REMOVE_DUPLICATES:a;b;a>", "inner": "x$<1:y>z", "empty": "$<1:>",
    "identifier": "$<MAKE_C_IDENTIFIER:a-b>", "or-none": "$<OR:0,0>", "genex-eval": "$<GENEX_EVAL:a$<1:b>>",
}  # fmt: skip
"""Generator expressions; `CMAKE_BUILD_TYPE` is Release."""
