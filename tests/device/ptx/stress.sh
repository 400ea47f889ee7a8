#!/bin/sh
# stress.sh <rammer> <source> <library folder> <runs> <graph>...: random graphs (the zoo's `layers` from seed <graph>) by three policies run back
# to back on the PTX machine (stress_test.cu), in order and on seeds of the weak mode, with steps that wrap round in the first run. In the
# graph of seed 1, vEUs that do not store base + S at their end are found.
set -u
rammer=$1 source=$2 libraries=$3 runs=$4
shift 4
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export RK_DEVICE="$source/sched/machine/devices/a100.json"
failed=0
for graph; do
    cd "$work" || exit 2
    case $((graph % 3)) in 0) policy=wavefront ;; 1) policy=auto ;; *) policy=base ;; esac
    "$rammer" zoo layers --nodes $((10 + graph % 30)) --width $((2 + graph % 7)) --tasks $((1 + graph % 5)) --seed "$graph" \
        -o "graph$graph" >log 2>&1 &&
        "$rammer" build "graph$graph/graph.json" --target cuda --device a100 --veus $((2 + graph % 11)) --policy $policy \
            -o "out$graph" >log 2>&1 || { echo "graph $graph is not built:"; cat log; exit 1; }
    cd "out$graph" || exit 2
    sh "$here/link.sh" "$libraries" "$nvcc" stress -DMODEL=layers -I. -Iinclude -- "$here/stress_test.cu" layers_tables.c || exit 1
    RK_PTX_KEEP=good.ptx ./stress "$runs" >log 2>&1 || { echo "graph $graph, $policy, in order:"; tail -n 3 log; failed=1; }
    for seed in ${RK_PTX_SEEDS:-1 2}; do
        RK_PTX_SEED=$seed RK_PTX_MODE=weak,races,known ./stress 6 >log 2>&1 ||
            { echo "graph $graph, $policy, seed $seed:"; tail -n 3 log; failed=1; }
    done
    if [ "$graph" = 1 ]; then
        sed "$(grep -n 'st\.relaxed\.gpu' good.ptx | tail -n 1 | cut -d: -f1)d" good.ptx >bad.ptx
        cmp -s good.ptx bad.ptx && { echo "there is no last step"; failed=1; }
        RK_PTX_FILE=bad.ptx timeout 60 ./stress 6 >log 2>&1 && { echo "a last step that is not stored is not found"; failed=1; }
    fi
    rm -rf "${work:?}/out$graph" "${work:?}/graph$graph"
done
exit $failed
