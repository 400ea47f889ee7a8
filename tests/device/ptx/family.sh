#!/bin/sh
# family.sh <rammer> <source> <library folder>: one compiled kernel of a layer of attention with an open number of rows gives the CPU's
# outputs at twenty of them, one after another in one context, on the PTX machine: in order, and on seeds of the weak mode with
# races looked for.
set -u
rammer=$1 source=$2 libraries=$3
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export RK_DEVICE="$source/sched/machine/devices/a100.json"
cd "$work" || exit 2
lengths='1 2 3 5 7 8 9 13 15 16 17 19 23 24 25 31 32 33 39 40'
references=
for n in $lengths; do
    references="$references --reference n=$n"
done
# shellcheck disable=SC2086
"$rammer" build "$source/tests/golden/rammer/family/graph.json" --dim n=1..40 --target cuda --device a100 --veus 6 $references \
    -o built >log 2>&1 || { cat log; exit 1; }
cd built || exit 2
sh "$here/link.sh" "$libraries" "$nvcc" run_test -I. -Iinclude -- attention.cu test.cu attention_tables.c || exit 1
failed=0
for seed in 0 1 2 3; do
    mode=weak,races,known
    [ $seed = 0 ] && mode=
    RK_PTX_SEED=$seed RK_PTX_MODE=$mode ./run_test . >log 2>&1 || { echo "seed $seed:"; tail -n 3 log; failed=1; }
    [ "$(grep -c ': good' log)" -eq 40 ] || { echo "seed $seed: not all of twenty members ran twice"; failed=1; }
done
# One argument that is a row short.
mv attention.cu good.cu
sed '0,/= (dim_n)\.bits(4)/s//= (dim_n - 1).bits(4)/' good.cu >attention.cu
cmp -s good.cu attention.cu && { echo "no argument is the number of rows"; failed=1; }
sh "$here/link.sh" "$libraries" "$nvcc" run_test -I. -Iinclude -- attention.cu test.cu attention_tables.c || exit 1
./run_test . >log 2>&1 && { echo "an argument that is short by one is not found"; failed=1; }
exit $failed
