# Stubs of wrapper programs: each starts the rest of its words in the way of the real one (its manual page), no more.
# A line that starts with "#:" names the programs that this file stands for. $name is the program that was called.
#: ccache sccache distcc sudo doas time setsid stdbuf ionice taskset linux32 setarch unbuffer chronic
#: uv poetry pixi pdm pipenv rye hatch conda micromamba mise bundle rustup npx xvfb-run
#: docker podman ssh su watch flock scl nix-shell parallel tox cibuildwheel

# Drop leading options: $1 is a list of those that take the next word; sets $skipped to the number of words.
skip() {
  valued=" $1 "; shift; skipped=0
  while [ $# -gt 0 ]; do
    case $1 in
      --) skipped=$((skipped + 1)); return ;;
      -*) case $valued in *" $1 "*) shift; skipped=$((skipped + 1)) ;; esac ;;
      *) return ;;
    esac
    shift; skipped=$((skipped + 1))
  done
}

case $name in
  ccache|sccache|distcc|unbuffer|chronic) exec "$@" ;;
  time) skip "-f -o --format --output" "$@"; shift $skipped; exec "$@" ;;
  setsid) skip "" "$@"; shift $skipped; exec "$@" ;;
  stdbuf) skip "-i -o -e --input --output --error" "$@"; shift $skipped; exec "$@" ;;
  ionice) skip "-c -n --class --classdata" "$@"; shift $skipped; exec "$@" ;;
  taskset) skip "" "$@"; shift $skipped; shift; exec "$@" ;;
  linux32) exec "$@" ;;
  setarch) case $1 in -*) ;; *) shift ;; esac; skip "" "$@"; shift $skipped; exec "$@" ;;
  xvfb-run) skip "-n -s -e -f -p --server-num --server-args" "$@"; shift $skipped; exec "$@" ;;
  sudo|doas)
    keep=no login=no
    for word do
      case $word in -E|--preserve-env) keep=yes ;; -*) ;; *) break ;; esac
    done
    skip "-u -g -h -p -C -T -r -t -D -R -U --user --group --host --prompt --chdir" "$@"; shift $skipped
    if [ $keep = yes ]; then exec env "$@"; fi
    exec env -i PATH="$PATH" HOME="$HOME" "$@" ;;
  uv|poetry|pixi|pdm|pipenv|rye|bundle)
    skip "--directory --project --config-file --cache-dir -C" "$@"; shift $skipped
    case $1 in run|exec) shift ;; *) exit 0 ;; esac
    skip "--with --python -p --extra --group --env-file --with-requirements --index-url --package -e --environment --manifest-path --frozen-at --only-group --no-group --directory --project" "$@"; shift $skipped
    exec "$@" ;;
  hatch) shift; exec "$@" ;;
  tox) shift; while [ "$1" != -- ]; do shift; done; shift; exec "$@" ;;
  mise) case $1 in exec|x) ;; *) exit 0 ;; esac; while [ "$1" != -- ]; do shift; done; shift; exec "$@" ;;
  rustup) [ "$1" = run ] || exit 0; shift; skip "" "$@"; shift $skipped; shift; exec "$@" ;;
  npx) skip "-p --package -c" "$@"; shift $skipped; exec "$@" ;;
  conda|micromamba)
    [ "$1" = run ] || exit 0; shift
    skip "-n --name -p --prefix --cwd -r --root-prefix -e --env" "$@"; shift $skipped; exec "$@" ;;
  flock)
    skip "-w --timeout -E" "$@"; shift $skipped; shift
    case $1 in -c|--command) exec sh -c "$2" ;; esac; exec "$@" ;;
  watch) skip "-n --interval" "$@"; shift $skipped; exec sh -c "$*" ;;
  scl) shift; while [ $# -gt 1 ] && [ "$1" != -- ]; do shift; done; [ "$1" = -- ] && { shift; exec "$@"; }; exec sh -c "$1" ;;
  nix-shell) while [ $# -gt 0 ]; do case $1 in --run|--command) exec sh -c "$2" ;; esac; shift; done ;;
  su)
    while [ $# -gt 0 ]; do case $1 in -c|--command) exec sh -c "$2" ;; esac; shift; done ;;
  ssh)
    skip "-p -i -o -l -F -J -L -R" "$@"; shift $skipped; shift
    [ $# -gt 0 ] || exit 0
    exec env -i PATH="$PATH" HOME="$HOME" sh -c "$*" ;;
  docker|podman)
    case $1 in run|exec) ;; *) exit 0 ;; esac
    shift; entry= passed=
    while [ $# -gt 0 ]; do
      case $1 in
        -e|--env) case $2 in *=*) passed="$passed ${2%%=*}"; export "$2" ;; *) passed="$passed $2" ;; esac; shift 2 ;;
        --env=*) v=${1#--env=}; case $v in *=*) passed="$passed ${v%%=*}"; export "$v" ;; *) passed="$passed $v" ;; esac; shift ;;
        -v|-w|-u|--volume|--workdir|--user|--name|--platform|--network|--mount|-p) shift 2 ;;
        --entrypoint) entry=$2; shift 2 ;;
        -*) shift ;;
        *) break ;;
      esac
    done
    shift
    [ -n "$entry" ] && set -- "$entry" "$@"
    [ $# -gt 0 ] || exit 0
    kept=
    for v in $passed; do eval "set -- \"\$@\" \"\$v=\${$v-}\""; kept=x$kept; done
    # The settings stand last now: turn the words round until they stand first.
    n=$(($# - ${#kept}))
    while [ $n -gt 0 ]; do first=$1; shift; set -- "$@" "$first"; n=$((n - 1)); done
    exec env -i PATH="$PATH" HOME="$HOME" "$@" ;;
  parallel)
    exit 0 ;;
esac
