#!/bin/sh
# watchdog.sh <rammer> <source> <library folder>: a vDevice built with -DRK_WATCHDOG and -DRK_TRACE runs as any other on the PTX machine,
# says whom it waits for when a step is not stored, or a counter not added to, and writes when each entry began and ended:
# the rTasks of the simulated trace, in each vEU one after another.
set -u
rammer=$1 source=$2 libraries=$3
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export RK_DEVICE="$source/sched/machine/devices/a100.json"
"$rammer" zoo layers --nodes 12 --width 3 --tasks 3 --seed 1 -o graph >log 2>&1 &&
    "$rammer" build graph/graph.json --target cuda --device a100 --veus 5 --policy wavefront -o out >log 2>&1 ||
    { cat log; exit 1; }
cd out || exit 2
sh "$here/link.sh" "$libraries" "$nvcc" watched -DMODEL=layers -DRK_WATCHDOG=100000 -DRK_TRACE -I. -Iinclude -- \
    "$here/stress_test.cu" layers_tables.c || exit 1
failed=0
RK_PTX_KEEP=good.ptx ./watched >log 2>&1 || { echo "in order:"; cat log; failed=1; }
RK_PTX_SEED=1 RK_PTX_MODE=weak,races ./watched >log 2>&1 || { echo "seed 1:"; cat log; failed=1; }
"$rammer" view ../graph/graph.json --target cuda --device a100 --veus 5 --policy wavefront --trace simulated.json >log 2>&1 ||
    { cat log; exit 1; }
python3 "$here/traces.py" trace.json simulated.json || failed=1
"$rammer" view ../graph/graph.json --target cuda --device a100 --veus 5 --policy wavefront --diff trace.json >log 2>&1 &&
    grep -q '^measured on ' log || { cat log; failed=1; }
# planted <sed script> <what is said>
planted() {
    sed "$1" good.ptx >bad.ptx
    cmp -s good.ptx bad.ptx && { echo "$1 changes nothing"; failed=1; }
    RK_PTX_FILE=bad.ptx timeout 120 ./watched >log 2>&1 && { echo "$1 is not found"; failed=1; }
    grep -q "$2" log || { echo "$1 is not told as '$2':"; tail -n 3 log; failed=1; }
}
planted '/cp\.async\.wait_all/,/st\.relaxed/s/st\.relaxed\.gpu\.u32.*//' \
    "overdue: rProgram 0, vEU [0-9]*, entry [0-9]*, before an rTask of 'n\.[0-9]*': waits for vEU [0-9]*'s rTask [0-9]* of 'n\.[0-9]*', step 1, and saw step 0"
planted '/red\.relaxed/d' "waits for all rTasks of 'n\.[0-9]*', step [0-9]*, and saw step 0"
exit $failed
