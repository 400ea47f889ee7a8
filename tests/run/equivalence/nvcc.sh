#!/bin/sh
# nvcc.sh INCLUDE FILE...
#
# Each file compiles with nvcc without warnings for sm_75, sm_80 and sm_90, and ptxas spills nothing. Skipped without a
# toolkit. $RK_NVCC_ARCHS narrows the architectures. All are compiled in one call (tests/together.sh), the code for the host by
# nvcc's own front end alone; each by itself where that does not compile, or spills, and with RK_TEST_FULL.
set -eu

include=$1
shift
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || {
    echo "no nvcc: skipped"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

targets=
for arch in ${RK_NVCC_ARCHS:-75 80 90}; do
    targets="$targets -gencode arch=compute_$arch,code=sm_$arch"
done

# compile WHAT FILE: whether it does; fails too where something spills, with what is said in $work/log
compile()
{
    # shellcheck disable=SC2086
    "$nvcc" -std=c++17 -O3 -fmad=false $targets -Werror all-warnings -Xptxas -v \
        -Xcompiler -Wall,-Wextra,-Werror -I"$include" -I"$(dirname "$2")" "$1" "$2" -o "$work/out" \
        >"$work/log" 2>&1 || return 1
    ! grep 'bytes spill' "$work/log" | grep -qv ' 0 bytes spill stores, 0 bytes spill loads' || return 2
}

if [ -z "${RK_TEST_FULL:-}" ]; then
    folder=$(dirname "$1")
    here=$(cd "$(dirname "$0")" && pwd)
    sh "$here/../../together.sh" "$@" >"$work/together.cu"
    cp "$folder"/*.cuh "$work" 2>/dev/null || : # found beside the source
    if compile -cuda "$work/together.cu"; then
        echo "$# files, in one call"
        exit
    fi
    echo "together they do not compile, or spill; one by one:"
fi
failed=0
for file in "$@"; do
    status=0
    compile -c "$file" || status=$?
    if [ $status -eq 1 ]; then
        echo "$file does not compile:"
        cat "$work/log"
        failed=1
    elif [ $status -eq 2 ]; then
        echo "$file spills:"
        grep -B 1 'bytes spill' "$work/log" | grep -v ' 0 bytes spill stores, 0 bytes'
        failed=1
    fi
done
echo "$# files"
exit $failed
