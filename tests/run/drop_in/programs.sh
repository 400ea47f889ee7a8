printf '%s\n' ./*.cu ./separate/*.cu |#!/bin/sh
# programs.sh RKCONVERT INCLUDE
#
# The drop-ins of all tests/run/programs compile with nvcc as device code that is linked later, every other one for
# sm_80 and for sm_90, without a warning; that of several sources is linked, too. 77: there is no nvcc.
set -eu

rkconvert=$1
nvcc=${CUDA_PATH:-/usr/local/cuda}/bin/nvcc
[ -x "$nvcc" ] || { echo "no nvcc"; exit 77; }
cd "$(dirname "$0")/../programs"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export rkconvert nvcc work include="$2"

printf '%s\n' ./*.cu ./separate/*.cu |
    awk '{ print NR % 2 ? 80 : 90; print }' | tr '\n' '\0' | xargs -0 -n 2 -P 2 sh -c '
    arch=$1 source=$2
    case $source in ./separate/*) arch=80 ;; esac
    name=$(basename "$source" .cu)
    flags=$(sed -n "s/^\/\/ flags: //p" "$source" | sed "s/\(^\| \)-l[a-z]*$//; s/-rdc=true//")
    "$rkconvert" --drop-in "$source" -o "$work/$name.rk.cu" >"$work/$name.log" 2>&1 || [ $? -eq 1 ] || {
        cat "$work/$name.log"
        exit 1
    }
    "$nvcc" -std=c++17 -O1 -rdc=true -c "$work/$name.rk.cu" -o "$work/$name.o" $flags -I"$include" \
        -I"$(dirname "$source")" -I. -Xcudafe --diag_suppress=177 -Werror all-warnings \
        -gencode arch=compute_$arch,code=sm_$arch || {
        echo "the drop-in of $source does not compile"
        exit 1
    }' sh

"${CXX:-c++}" -c separate/steps.cpp -o "$work/steps.o"
"${CC:-cc}" -c separate/scale.c -o "$work/scale.o"
"$nvcc" -rdc=true -arch=sm_80 "$work/main.o" "$work/device.o" "$work/steps.o" "$work/scale.o" -o "$work/separate"
