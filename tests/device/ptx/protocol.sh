#!/bin/sh
# protocol.sh <emit_sample> <source> <library folder> [plants]: the protocol's sample, every barrier case with waits between
# all vEUs, runs on the PTX machine as nvcc compiled it: right in order and on seeds of the weak mode; with `plants`, each
# error of plants.txt is found within three seeds.
set -u
emit=$1 source=$2 libraries=$3
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export RK_DEVICE="$source/sched/machine/devices/a100.json"
"$emit" "$source/tests/device/protocol/kernels" "$source/rkernel_lib/include" "$work/out" || exit 1
cd "$work/out" || exit 2
sh "$here/link.sh" "$libraries" "$nvcc" run_test -I. -Iinclude -- sample.cu test.cu sample_tables.c || exit 1

failed=0
RK_PTX_KEEP=good.ptx ./run_test . >log 2>&1 || { echo "in order:"; cat log; failed=1; }
for seed in 1 2 3 4 5 6 7 8; do
    RK_PTX_SEED=$seed RK_PTX_MODE=weak,races,known ./run_test . >log 2>&1 ||
        { echo "seed $seed:"; cat log; failed=1; }
done
[ "${4:-}" = plants ] || exit $failed

while IFS='|' read -r name rest; do
    case $name in '#'* | '') continue ;; esac
    # The text may hold \|, an alternative of grep: the script is behind the last bar that stands between spaces.
    name=${name% } script=${rest##* | }
    text=$(printf '%s' "${rest% | *}" | sed 's/^ *//')
    sed "$script" good.ptx >bad.ptx
    cmp -s good.ptx bad.ptx && { echo "$name changes nothing"; failed=1; continue; }
    found=
    for seed in 1 2 3; do
        RK_PTX_FILE=bad.ptx RK_PTX_SEED=$seed RK_PTX_MODE=weak,races timeout 120 ./run_test . >log 2>&1 && continue
        grep -q "$text" log && found=$seed && break
    done
    if [ "$found" ]; then
        echo "$name: seed $found"
    else
        echo "$name is not found, or not as '$text':"
        cat log
        failed=1
    fi
done <"$here/plants.txt"
exit $failed
