#!/bin/sh
# ordered.sh <folder of commands> <source> <library folder>: chained scans, whose rTasks wait for lower-numbered ones, as one persistent kernel:
# the vDevice that is emitted for the graph of golden/rkconvert/graph_ordered ends with the right sums on the PTX machine, in order
# and on seeds of the weak mode.
set -u
commands=$1 source=$2 libraries=$3
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cp "$source/tests/golden/rkconvert/graph_ordered/in.cu" .
{ "$commands/rkconvert" cc -O1 in.cu -o program && ./program && "$commands/rkconvert" graph in.cu --out-dir model; } >log 2>&1 ||
    { cat log; exit 1; }
header=$(printf '%-117s' "{'descr': '<i4', 'fortran_order': False, 'shape': (997,), }")
npy() { printf '\223NUMPY\001\000\166\000%s\n' "$header"; cat "$1"; }
mkdir model/input model/expected
npy input.bin >model/input/in.npy
npy result.bin >model/expected/out.npy
"$commands/rammer" build model/graph.json --catalog model --no-shipped --target cuda --device a100 --veus 6 -o made >log 2>&1 ||
    { cat log; exit 1; }
cd made || exit 1
export RK_DEVICE="$source/sched/machine/devices/a100.json"
sh "$here/link.sh" "$libraries" "$nvcc" run_test -I. -Iinclude -- in.cu test.cu in_tables.c || exit 1
failed=0
./run_test . >log 2>&1 || { echo "in order:"; cat log; failed=1; }
for seed in ${RK_PTX_SEEDS:-1 2}; do
    RK_PTX_SEED=$seed RK_PTX_MODE=weak,races,known ./run_test . >log 2>&1 || { echo "seed $seed:"; cat log; failed=1; }
done
exit $failed
