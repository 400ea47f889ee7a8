#!/bin/sh
# run.sh KERNELS SEED FIRST COUNT FORM...
#
# Makes COUNT random kernels with the program KERNELS (main.c), builds them in each form with $RKCONVERT and compares what
# they leave with what the interpreter got. A FORM is COMPILER:OPTIMISATION:WAY, as in g++:-O2:as-is; the WAYs are
#
#   as-is     as loops, by fission and by fibers, as the conversion chose; all by fibers; in a random order; in parallel
#   drop-in   on one vEU, on eight, and on three in a random order
#   catalog   the entries of the catalog's CPU library: as the conversion chose, all by fibers, in a vEU of more threads
#   nvcc      only compiled, by nvcc, as it is and as a drop-in; COMPILER and OPTIMISATION are nothing then
#
# Prints a line for each difference. RK_KEEP: a folder in which programs with differences are left. RK_LEAVE_OUT: numbers
# of statements to leave out. RK_PLANT: a sed script for the kernels.
set -eu
kernels=$1 seed=$2 first=$3 count=$4
shift 4
for form in "$@"; do
    [ "${form#:}" != "$form" ] || command -v "${form%%:*}" >/dev/null || exit 77
done
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# shellcheck disable=SC2086 # none or two words
"$kernels" --seed "$seed" --first "$first" --count "$count" ${RK_LEAVE_OUT:+--leave-out "$RK_LEAVE_OUT"} --source kernels.cu \
    --results results --entries entries.cpp
if [ -n "${RK_PLANT:-}" ]; then
    sed "$RK_PLANT" kernels.cu >planted.cu
    ! cmp -s planted.cu kernels.cu
    mv planted.cu kernels.cu
fi
failed=0

# try NAME=VALUE...: one run
try()
{
    status=0
    env "$@" timeout 300 ./program results >out 2>err || status=$?
    if [ $status -ne 0 ]; then
        failed=1
        echo "seed $seed: $form, $*: status $status"
        grep -v 'kernels, ' out | cut -c 1-200 | head -20
        head -5 err
    fi
}

compile_for_gpu()
{
    set -- -std=c++17 -arch=sm_80 -w -I"$here" -c -o kernels.o
    nvcc "$@" kernels.cu || failed=1
    "$RKCONVERT" --drop-in kernels.cu -o drop_in.cu -- -I"$here" >log 2>&1 || [ $? -eq 1 ] || { cat log; failed=1; }
    nvcc "$@" -I"$(dirname "$RKCONVERT")/../share/rammer/include" drop_in.cu || failed=1
}

# convert_for_catalog COMPILER OPTIMISATION: makes the library of a catalog, and the program that runs it
convert_for_catalog()
{
    CXX=$1 CXXFLAGS="$2 -w" RK_CPU_LEVELS=base "$RKCONVERT" kernels.cu --out-dir catalog -- -I"$here" >log 2>&1 || return
    jq -r --arg folder "$work/catalog" '.kernels[] | select(.cpu) | "\(.name) \($folder)/\(.cpu.library) \(.cpu.entry)"' \
        catalog/catalog.json >list
    # Lanes that exchange values by volatile memory have none.
    left=$(grep -c 'RK-V223' log) || true
    [ $(($(wc -l <list) + left)) -eq "$count" ] || { echo "error: $(wc -l <list) of $count kernels have an entry" >>log; return 1; }
    [ "$left" -eq 0 ] || echo "seed $seed: $form: $left kernels with volatile memory have no entry"
    CXX=$1 "$RKCONVERT" cc -O1 -w -I"$here" -I"$(dirname "$RKCONVERT")/../share/rammer/include" entries.cpp -o program >>log 2>&1
}

for form in "$@"; do
    way=${form##*:} rest=${form%:*}
    if [ "$way" = nvcc ]; then
        compile_for_gpu
        continue
    fi
    if [ "$way" = catalog ]; then
        if ! convert_for_catalog "${rest%%:*}" "${rest#*:}"; then
            echo "seed $seed: $form: does not build"
            grep -E 'error|RK-' log | head -5
            failed=1
            continue
        fi
        try KERNELS_ENTRIES=list
        try KERNELS_ENTRIES=list KERNELS_FIBERS=1
        try KERNELS_ENTRIES=list KERNELS_VEU_THREADS=75
        continue
    fi
    option=
    [ "$way" = as-is ] || option=--drop-in
    # shellcheck disable=SC2086 # none or one word
    if ! CXX=${rest%%:*} "$RKCONVERT" cc $option "${rest#*:}" -w -I"$here" kernels.cu -o program >log 2>&1; then
        echo "seed $seed: $form: does not build"
        grep -E 'error|RK-' log | head -5
        failed=1
        continue
    fi
    if [ "$way" = as-is ]; then
        try RK_WORKERS=1
        try RK_WORKERS=1 RK_FIBERS=1
        try RK_WORKERS=1 RK_SHUFFLE=$((seed + first + 1))
        try RK_WORKERS=3
    else
        try RK_WORKERS=1 RK_VEUS=1
        try RK_VEUS=8
        try RK_WORKERS=1 RK_VEUS=3 RK_SHUFFLE=$((seed + first + 1))
    fi
    if [ $failed -ne 0 ] && [ -n "${RK_KEEP:-}" ]; then
        mkdir -p "$RK_KEEP" && cp kernels.cu results program "$RK_KEEP"
    fi
done
[ $failed -ne 0 ] || echo "seed $seed: $count kernels from $first: the same in $# forms"
exit $failed
