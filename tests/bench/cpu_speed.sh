# CUDA on the CPU: kernels over loops written by hand, and whole programs over the same with a fiber for each
# thread of every kernel. Ratios of one run each.
#
#   sh tests/bench/cpu_speed.sh [BUILD]     default: build/release
set -eu
cd "$(dirname "$0")/../.."
build=$(cd "${1:-build/release}" && pwd)
cd tests/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$build/bin/rkconvert" cc -O3 cpu_kernels.cu cpu_loops.cpp -o "$work/kernels"
RK_WORKERS=1 "$work/kernels"

# best COMMAND...: the least time of five runs in tenths of milliseconds
best()
{
    least=
    for run in 1 2 3 4 5; do
        start=$(date +%s%N)
        "$@" >"$work/out"
        took=$((($(date +%s%N) - start) / 100000))
        [ -z "$least" ] || [ "$took" -lt "$least" ] || continue
        least=$took
    done
    echo "$least"
}

printf '\n%-40s %12s %12s %8s\n' program 'ms' 'fibers ms' ratio
for name in saxpy indices histogram stencil transpose gemm scan reduce bitonic breadth_first; do
    "$build/bin/rkconvert" cc -O2 "../programs/$name.cu" -o "$work/$name" 2>"$work/log" || {
        cat "$work/log"
        exit 1
    }
    usual=$(best "$work/$name")
    fibers=$(best env RK_FIBERS=1 "$work/$name")
    awk -v name="$name" -v a="$usual" -v b="$fibers" \
        'BEGIN { printf "%-40s %12.1f %12.1f %8.2f\n", name, a / 10, b / 10, a / b }'
done
