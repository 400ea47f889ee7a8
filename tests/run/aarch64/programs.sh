# programs.sh: programs of tests/run/programs for AArch64, run by an emulator: as they choose, and with a fiber for each
# thread, in order and in a random order. Then one whose threads need more stack than they have.
set -eu
cc=${RK_AARCH64_CC:-aarch64-linux-gnu-gcc}
cxx=${RK_AARCH64_CXX:-aarch64-linux-gnu-g++}
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
for tool in "$cc" "$cxx" "${qemu:-qemu-aarch64}"; do
    command -v "$tool" >/dev/null || {
        echo "there is no $tool"
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$RK_SOURCE"

objects=
for source in rkernel_lib/runtime/cpu/*.c rkernel_lib/runtime/cuda/*.c; do
    object=$work/$(basename "$(dirname "$source")").$(basename "$source" .c).o
    objects="$objects $object"
    echo "$source $object"
done >"$work/sources"
objects=$(cut -d ' ' -f 2 "$work/sources")
xargs -P 2 -n 2 sh -c '"$0" -std=gnu17 -O1 -D_GNU_SOURCE -Wall -Wextra -Werror \
    -I"$RK_BUILD/include/rkernel_lib" -Irkernel_lib/include -c "$1" -o "$2"' "$cc" <"$work/sources"

# build SOURCE: makes $work/program
build()
{
    CXX=$cxx "$RKCONVERT" cc -O1 -c "$1" -o "$work/program.o" >"$work/log" 2>&1 || {
        cat "$work/log"
        exit 1
    }
    # shellcheck disable=SC2086 # words
    "$cxx" -static "$work/program.o" $objects -pthread -o "$work/program" 2>"$work/log" || {
        cat "$work/log"
        exit 1
    }
}

for name in scan shuffles named_barriers groups grid_sync pipelines messages atomics; do
    build "tests/run/programs/$name.cu"
    for how in RK_FIBERS=0 RK_FIBERS=1 RK_SHUFFLE=3; do
        status=0
        env RK_WORKERS=2 $how timeout 300 "$qemu" "$work/program" >"$work/out" 2>&1 || status=$?
        if [ $status -ne 0 ] || ! grep -q '^ok: ' "$work/out"; then
            echo "$name, $how: status $status"
            cat "$work/out"
            exit 1
        fi
    done
done

# Registers that calls keep, floating-point ones too, stay a thread's own across its waits.
cat >"$work/registers.cu" <<'C'
#include <cstdio>
__global__ void kept(double *out)
{
    double a[8], x = threadIdx.x;
    for (int i = 0; i < 8; i++)
        a[i] = x + i;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 8; i++)
            a[i] = a[i] * 1.5 - a[(i + 1) % 8] * 0.5;
        __syncthreads();
        x += __shfl_xor_sync(0xffffffffu, a[round % 8], 1) * 0.001;
    }
    for (int i = 0; i < 8; i++)
        x += a[i];
    out[threadIdx.x] = x;
}
static double wanted[64];
static void by_hand()
{
    static double a[64][8], x[64];
    for (int t = 0; t < 64; t++)
        for (int i = 0; i < 8; i++)
            x[t] = t, a[t][i] = x[t] + i;
    for (int round = 0; round < 20; round++) {
        for (int t = 0; t < 64; t++)
            for (int i = 0; i < 8; i++)
                a[t][i] = a[t][i] * 1.5 - a[t][(i + 1) % 8] * 0.5;
        for (int t = 0; t < 64; t++)
            x[t] += a[t ^ 1][round % 8] * 0.001;
    }
    for (int t = 0; t < 64; t++) {
        for (int i = 0; i < 8; i++)
            x[t] += a[t][i];
        wanted[t] = x[t];
    }
}
int main()
{
    double *out;
    cudaMallocManaged(&out, sizeof wanted);
    kept<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    by_hand();
    for (int t = 0; t < 64; t++)
        if (out[t] != wanted[t])
            return printf("thread %d: %g instead of %g\n", t, out[t], wanted[t]), 1;
    puts("ok: registers");
}
C
build "$work/registers.cu"
"$qemu" "$work/program" >"$work/out" 2>&1 || {
    cat "$work/out"
    exit 1
}
