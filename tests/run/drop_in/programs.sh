#!/bin/sh
# programs.sh RKCONVERT INCLUDE ARCH PROGRAM...
#
# The drop-ins of programs of tests/run/programs compile with nvcc for sm_ARCH, as device code that is linked later, without
# a warning; a program of several sources is linked. Those of one source are compiled in one call (tests/together.sh), the code
# for the host by nvcc's own front end alone; where that does not compile, and with RK_TEST_FULL by the host's compiler,
# too, each is by itself. 77: there is no nvcc.
set -eu

rkconvert=$1 include=$2 arch=$3
shift 3
nvcc=${CUDA_PATH:-/usr/local/cuda}/bin/nvcc
[ -x "$nvcc" ] || { echo "no nvcc"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../programs"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# flags_of SOURCE: its flags for the compiler
flags_of()
{
    sed -n 's/^\/\/ flags: //p' "$1" | sed 's/\(^\| \)-l[a-z]*$//; s/-rdc=true//'
}

# convert SOURCE: into $work
convert()
{
    # shellcheck disable=SC2046 # flags are words
    "$rkconvert" --drop-in "$1" -o "$work/$(basename "$1" .cu).rk.cu" -- $(flags_of "$1") >"$work/log" 2>&1 || [ $? -eq 1 ] || {
        cat "$work/log"
        exit 1
    }
}

# compile WHAT SOURCE OUT [option]...
compile()
{
    as=$1 from=$2 to=$3
    shift 3
    "$nvcc" -std=c++17 -O1 -rdc=true "$as" "$from" -o "$to" "$@" -I"$include" -I. -Xcudafe --diag_suppress=177 \
        -Werror all-warnings -gencode "arch=compute_$arch,code=sm_$arch"
}

# alone SOURCE WHAT: what convert made of it
alone()
{
    # shellcheck disable=SC2046 # flags are words
    compile "$2" "$work/$(basename "$1" .cu).rk.cu" "$work/$(basename "$1" .cu).o" $(flags_of "$1") -I"$(dirname "$1")" || {
        echo "the drop-in of $1 does not compile"
        exit 1
    }
}

# folder PROGRAM: several sources, linked
folder()
{
    rm -f "$work"/*.o
    for source in "$1"/*.cu; do
        convert "$source"
        alone "$source" -c
    done
    for source in "$1"/*.cpp "$1"/*.c; do
        [ -f "$source" ] || continue
        case $source in
        *.c) "${CC:-cc}" -c "$source" -o "$work/$(basename "$source").o" ;;
        *) "${CXX:-c++}" -c "$source" -o "$work/$(basename "$source").o" ;;
        esac
    done
    "$nvcc" -rdc=true -arch="sm_$arch" "$work"/*.o -o "$work/linked"
}

what=-cuda
[ -z "${RK_TEST_FULL:-}" ] || what=-c
files=
sources=
lambda=
for program; do
    if [ -d "$program" ]; then
        folder "$program"
        continue
    fi
    convert "$program.cu"
    case " $(flags_of "$program.cu")" in
    *" -D"*)
        alone "$program.cu" "$what"
        continue
        ;;
    *" --extended-lambda"*) lambda=--extended-lambda ;;
    esac
    files="$files $program.rk.cu"
    sources="$sources $program.cu"
done
if [ -z "${RK_TEST_FULL:-}" ]; then
    # shellcheck disable=SC2086 # names without spaces
    (cd "$work" && sh "$here/../../together.sh" $files >together.cu)
    # shellcheck disable=SC2086
    compile -cuda "$work/together.cu" "$work/together.ii" $lambda >"$work/log" 2>&1 && exit
    grep -m 5 error "$work/log" || cat "$work/log"
    echo "together they do not compile; one by one:"
fi
for source in $sources; do
    alone "$source" "$what"
done
