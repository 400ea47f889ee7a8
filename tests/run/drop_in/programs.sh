#!/bin/sh
# programs.sh RKCONVERT INCLUDE ARCH PROGRAM
#
# The drop-ins of a program of tests/run/programs compile with nvcc for sm_ARCH, as device code that is linked later,
# without a warning; a program of several sources is linked. Of one source the code for the host is compiled by nvcc's
# own front end alone, with RK_TEST_FULL by the host's compiler, too. 77: there is no nvcc.
set -eu

rkconvert=$1 include=$2 arch=$3 program=$4
nvcc=${CUDA_PATH:-/usr/local/cuda}/bin/nvcc
[ -x "$nvcc" ] || { echo "no nvcc"; exit 77; }
cd "$(dirname "$0")/../programs"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
what=-cuda
if [ -d "$program" ]; then
    what=-c
    set -- "$program"/*.cu
else
    [ -z "${RK_TEST_FULL:-}" ] || what=-c
    set -- "$program.cu"
fi

for source; do
    name=$(basename "$source" .cu)
    flags=$(sed -n "s/^\/\/ flags: //p" "$source" | sed "s/\(^\| \)-l[a-z]*$//; s/-rdc=true//")
    # shellcheck disable=SC2086 # flags are words
    "$rkconvert" --drop-in "$source" -o "$work/$name.rk.cu" -- $flags >"$work/$name.log" 2>&1 || [ $? -eq 1 ] || {
        cat "$work/$name.log"
        exit 1
    }
    # shellcheck disable=SC2086 # flags are words
    "$nvcc" -std=c++17 -O1 -rdc=true $what "$work/$name.rk.cu" -o "$work/$name.o" $flags -I"$include" \
        -I"$(dirname "$source")" -I. -Xcudafe --diag_suppress=177 -Werror all-warnings \
        -gencode "arch=compute_$arch,code=sm_$arch" || {
        echo "the drop-in of $source does not compile"
        exit 1
    }
done
[ -d "$program" ] || exit 0
for source in "$program"/*.cpp "$program"/*.c; do
    [ -f "$source" ] || continue
    case $source in
    *.c) "${CC:-cc}" -c "$source" -o "$work/$(basename "$source").o" ;;
    *) "${CXX:-c++}" -c "$source" -o "$work/$(basename "$source").o" ;;
    esac
done
"$nvcc" -rdc=true -arch="sm_$arch" "$work"/*.o -o "$work/linked"
