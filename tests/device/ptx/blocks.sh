#!/bin/sh
# blocks.sh <source> <library folder> <size>...: barriers of rTasks with blocks of these sizes (blocks.cu) are right on the PTX machine, in
# order and on seeds. `all`: 1 to 1024.
set -u
source=$1 libraries=$2
shift 2
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export RK_DEVICE="$source/sched/machine/devices/a100.json"
failed=0
# some <size>,...
some() {
    echo "#define SIZES $1" >sizes.h # nvcc takes the commas of -D apart
    sh "$here/link.sh" "$libraries" "$nvcc" blocks -include sizes.h -I"$source/rkernel_lib/include" -- "$here/blocks.cu" || exit 1
    for seed in 0 ${RK_PTX_SEEDS:-1 2}; do
        mode=known
        [ "$seed" = 0 ] || mode=weak,races,known
        RK_PTX_SEED=$seed RK_PTX_MODE=$mode ./blocks >log 2>&1 || { echo "seed $seed:"; head -n 5 log; failed=1; }
    done
}
if [ "$*" = all ]; then
    first=1
    while [ $first -le 1024 ]; do
        some "$(seq -s, $first $((first + 63)))"
        first=$((first + 64))
    done
else
    some "$(printf '%s,' "$@" | sed 's/,$//')"
fi
exit $failed
