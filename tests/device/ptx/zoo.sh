#!/bin/sh
# zoo.sh <rammer> <source> <library folder> <model>[:<option>...]...: what `rammer build --target cuda` writes for small models gives the
# reference outputs on the PTX machine: in order, and on seeds of the weak mode with races looked for. In the first, counters
# that are added to without release are found.
set -u
rammer=$1 source=$2 libraries=$3
shift 3
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export RK_DEVICE="$source/sched/machine/devices/a100.json"
failed=0
first=yes
for entry; do
    model=${entry%%:*}
    options=$(printf '%s' "${entry#"$model"}" | tr ':=' '  ')
    cd "$work" || exit 2
    # shellcheck disable=SC2086
    "$rammer" zoo "$model" $options -o "$model" >log 2>&1 &&
        "$rammer" build "$model/graph.json" --target cuda --device a100 --veus 24 -o "$model-cuda" >log 2>&1 ||
        { echo "$model is not built:"; cat log; exit 1; }
    cd "$model-cuda" || exit 2
    sh "$here/link.sh" "$libraries" "$nvcc" run_test -I. -Iinclude -- "$model.cu" test.cu "${model}_tables.c" || exit 1
    RK_PTX_KEEP=good.ptx ./run_test . >log 2>&1 || { echo "$model, in order:"; cat log; failed=1; }
    for seed in ${RK_PTX_SEEDS:-1 2 3 4}; do
        RK_PTX_SEED=$seed RK_PTX_MODE=weak,races,known ./run_test . >log 2>&1 ||
            { echo "$model, seed $seed:"; cat log; failed=1; }
    done
    [ $first = yes ] || continue
    first=no
    # Counters and steps without a fence before them, waits without one behind them, no wait at all.
    for script in '/cp\.async\.wait_all/,/red\.relaxed/{/fence\.acq_rel/d;}' '/nanosleep/,/bar\.sync/{/fence\.acq_rel/d;}' '/ld\.relaxed\.gpu/,/bra/{/bra/d;}'; do
        sed "$script" good.ptx >bad.ptx
        cmp -s good.ptx bad.ptx && { echo "$script changes nothing"; failed=1; }
        RK_PTX_FILE=bad.ptx RK_PTX_SEED=1 RK_PTX_MODE=weak,races ./run_test . >log 2>&1 &&
            { echo "$script is not found"; failed=1; }
        grep -q 'a race' log || { echo "$script is not found as a race:"; tail -n 3 log; failed=1; }
    done
done
exit $failed
