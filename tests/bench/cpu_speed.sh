# CUDA on the CPU, on one thread and in time of the processor, so that what runs beside it counts little: kernels
# over loops written by hand, with each compiler there is, as they are and as drop-ins on one vEU; the same with a fiber
# for each thread; whole programs over the same. The least of several runs; ratios are of one run of this script.
#
#   sh tests/bench/cpu_speed.sh [BUILD]     default: build/release
set -eu
cd "$(dirname "$0")/../.."
build=$(cd "${1:-build/release}" && pwd)
cd tests/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RK_WORKERS=1

by_fibers='s/^a block of 256 threads with 9 barriers/the same by fibers                     /p'
for compiler in clang++ g++; do
    command -v $compiler >/dev/null || continue
    for form in '' --drop-in; do
        # shellcheck disable=SC2086 # none or one word
        CXX=$compiler "$build/bin/rkconvert" cc $form -O3 cpu_kernels.cu cpu_loops.cpp -o "$work/kernels"
        echo "$compiler $form"
        RK_VEUS=1 "$work/kernels"
        RK_VEUS=1 RK_FIBERS=1 "$work/kernels" | sed -n "$by_fibers"
        echo
    done
done

# worked: seconds of the processor that this shell's children have taken, in $seconds
worked()
{
    times >"$work/times"
    seconds=$(awk 'NR == 2 { split($1 "m" $2, t, /[ms]+/); print 60 * t[1] + t[2] + 60 * t[3] + t[4] }' "$work/times")
}

# best COMMAND...: milliseconds of a run, of 20 in a row, the least of three times, in $least
best()
{
    least=
    for turn in 1 2 3; do
        worked
        before=$seconds
        for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            "$@" >"$work/out"
        done
        worked
        least=$(awk -v least="$least" -v before="$before" -v after="$seconds" 'BEGIN {
            took = 1000 * (after - before) / 20
            print least == "" || took < least ? took : least
        }')
    done
}

printf '%-40s %12s %12s %8s\n' program 'ms' 'fibers ms' ratio
for name in saxpy indices histogram stencil transpose gemm scan reduce bitonic breadth_first; do
    "$build/bin/rkconvert" cc -O2 "../run/programs/$name.cu" -o "$work/$name" 2>"$work/log" || {
        cat "$work/log"
        exit 1
    }
    best "$work/$name"
    usual=$least
    best env RK_FIBERS=1 "$work/$name"
    awk -v name="$name" -v a="$usual" -v b="$least" \
        'BEGIN { printf "%-40s %12.1f %12.1f %8.2f\n", name, a, b, a / b }'
done
