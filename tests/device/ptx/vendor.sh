#!/bin/sh
# vendor.sh <emit_vendor> <source> <share> <library folder> <stem>...: each vendor file's vDevices, as nvcc compiles them, give on the PTX
# machine what their definitions say, in all cases of tests/run/equivalence: in order, and on seeds of the weak mode.
set -u
emit=$1 source=$2 share=$3 libraries=$4
shift 4
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export RK_DEVICE="$source/sched/machine/devices/a100.json"
if [ "$*" = all ]; then
    # shellcheck disable=SC2046
    set -- $(cd "$source/vendor_kernels" && ls ./*.cu | sed 's/^..//; s/\.cu$//')
fi
failed=0
for stem; do
    cd "$work" || exit 2
    "$emit" "$share/catalog" "$source/vendor_kernels" "$source/sched/machine/devices" \
        "$source/tests/run/equivalence/cases.json" "$source/rkernel_lib/include" "$work/$stem" "$stem" || { failed=1; continue; }
    cd "$work/$stem" || exit 2
    cp "$here/vendor_test.cu" .
    sh "$here/link.sh" "$libraries" "$nvcc" run_test -I. -Iinclude -- vendor_test.cu vendor_tables.c >log 2>&1 ||
        { echo "$stem is not built:"; head -n 20 log; failed=1; continue; }
    for seed in 0 ${RK_PTX_SEEDS:-1}; do
        mode=known
        [ "$seed" = 0 ] || mode=weak,races,known
        RK_PTX_SEED=$seed RK_PTX_MODE=$mode ./run_test >log 2>&1 || { echo "$stem, seed $seed:"; tail -n 5 log; failed=1; }
    done
    rm -rf "${work:?}/$stem"
done
exit $failed
