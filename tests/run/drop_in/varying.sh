#!/bin/sh
# varying.sh RKCONVERT
#
# What a launch writes depends on the order of its blocks, so that the original's own runs differ in it. `rkconvert verify`
# says the same of the right program; a value that only the drop-in gets wrong, and one that only another compiler does,
# are named all the same.
set -eu

rkconvert=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >slots.cu <<'END'
#include <cuda_runtime.h>
#if defined(IN_DROP_IN) || (defined(IN_ANOTHER) && !defined(__OPTIMIZE__))
#define STEP 2
#else
#define STEP 1
#endif
__global__ void fill(const int *x, int *y, int *used, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const int at = atomicAdd(used, 1);
        y[at] = x[i] * 3 + at * STEP;
    }
}
int main()
{
    const int n = 1000;
    int *x, *y, *used, host[n];
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&y, sizeof host);
    cudaMalloc(&used, 4);
    for (int i = 0; i < n; i++)
        host[i] = i * 7;
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(used, 0, 4);
    fill<<<8, 128>>>(x, y, used, n);
    return cudaDeviceSynchronize();
}
END

# expect STATUS TEXT OPTION...
expect()
{
    wanted=$1 text=$2 status=0
    shift 2
    "$rkconvert" verify --veus 2 --timeout 60 "$@" slots.cu >log 2>&1 || status=$?
    [ $status -eq "$wanted" ] && grep -q -e "$text" log && return
    cat log
    echo "varying: status $status of $wanted, or not said: $text" >&2
    exit 1
}
expect 0 'in order, 1 vEU: the same' -O1 --one-compiler
"$rkconvert" cc --drop-in -O1 -DIN_DROP_IN slots.cu -o wrong
expect 1 "buffer 'y'.*index 1: 22 in the original, 23 in the drop-in" -O1 --one-compiler --with ./wrong
expect 1 '-O0, in order, as it is: DIFFERENT' -O1 -DIN_ANOTHER
