#!/bin/sh
# nvcc.sh SOURCE RKCONVERT INCLUDE
#
# The drop-in compiles with nvcc for sm_80 and sm_90, or $RK_NVCC_ARCHS, without a warning, and the barriers that its rKernels need
# are in the PTX: those of the whole vEU, of whole warps and the counting one. The code for the host is compiled by nvcc's own
# front end, with RK_TEST_FULL by the host's compiler, too. 77: there is no nvcc.
set -eu

source=$1
nvcc=${CUDA_PATH:-/usr/local/cuda}/bin/nvcc
[ -x "$nvcc" ] || { echo "no nvcc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2" --drop-in "$source" -o "$work/drop_in.cu" >"$work/report" 2>&1 || [ $? -eq 1 ]
what=-cuda
[ -z "${RK_TEST_FULL:-}" ] || what=-c
for arch in ${RK_NVCC_ARCHS:-80 90}; do
    mkdir "$work/$arch"
    "$nvcc" -std=c++17 -I"$3" -Werror all-warnings -Xcompiler -Wall,-Wextra -arch=sm_$arch --keep \
        --keep-dir "$work/$arch" "$what" "$work/drop_in.cu" -o "$work/drop_in.o"
    for barrier in 'bar.sync.*1, %r\|barrier.sync.*1, %r' 'barrier.red.and.pred' 'cp.async.wait_all'; do
        grep -q "$barrier" "$work/$arch/drop_in.ptx" || {
            echo "no $barrier in the PTX of $source for sm_$arch" >&2
            exit 1
        }
    done
done
