#!/bin/sh
# build.sh <folder>: compiles the kernels of test_cpu_entry.c and test_cpu_launch.c into <folder>:
# rkernels.so as rkconvert compiles a catalog's, legacy.so and launch.so with the CPU runtime inside. What is
# newer than its sources is kept; several may run at once.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)

exec 9> "$out/lock"
flock 9

fresh() {
    [ -f "$1" ] && [ -z "$(find "$here" "$source/rkernel_lib/runtime/cpu" "$source/rkernel_lib/runtime/cuda" \
        "$source/rkernel_lib/include" -type f -newer "$1" | head -n 1)" ]
}

# kernels <name> <objects>...
kernels() {
    name=$1
    shift
    ${CXX:-c++} -std=c++17 -O2 -fPIC -shared -ffp-contract=off -Wall -Wextra -Werror -Wno-sign-compare \
        -I"$source/rkernel_lib/include" -I"$source/rkernel_lib/include/rk/shim" \
        "$here/$name.cpp" "$@" -o "$out/$name.new"
    mv "$out/$name.new" "$out/$name.so"
}

fresh "$out/rkernels.so" || kernels rkernels
if ! fresh "$out/legacy.so" || ! fresh "$out/launch.so"; then
    objects=
    for file in "$source"/rkernel_lib/runtime/cuda/*.c "$source"/rkernel_lib/runtime/cpu/*.c; do
        case $file in */executor*) continue ;; esac
        object=$out/$(basename "$(dirname "$file")")_$(basename "$file" .c).o
        ${CC:-cc} -std=gnu17 -D_GNU_SOURCE -O1 -fPIC -I"$source" -c "$file" -o "$object"
        objects="$objects $object"
    done
    kernels legacy $objects -lpthread
    kernels launch $objects -lpthread
fi
