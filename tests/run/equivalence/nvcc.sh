#!/bin/sh
# nvcc.sh INCLUDE FILE...
#
# Each file compiles with nvcc without warnings for sm_75, sm_80 and sm_90, and ptxas spills nothing.
# Skipped without a toolkit. $RK_NVCC_ARCHS narrows the architectures.
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

failed=0
for file in "$@"; do
    # shellcheck disable=SC2086
    if ! "$nvcc" -std=c++17 -O3 -fmad=false $targets -Werror all-warnings -Xptxas -v \
        -Xcompiler -Wall,-Wextra,-Werror -I"$include" -c "$file" -o "$work/out.o" \
        >"$work/log" 2>&1; then
        echo "$file does not compile:"
        cat "$work/log"
        failed=1
    elif grep 'bytes spill' "$work/log" | grep -qv ' 0 bytes spill stores, 0 bytes spill loads'; then
        echo "$file spills:"
        grep -B 1 'bytes spill' "$work/log" | grep -v ' 0 bytes spill stores, 0 bytes'
        failed=1
    fi
done
echo "$# files"
exit $failed
