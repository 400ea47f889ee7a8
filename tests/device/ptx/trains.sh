#!/bin/sh
# trains.sh <rammer> <source> <library folder>: operators whose rTasks run one behind another in one entry (graph: trains.json) give the
# outputs of the CPU on the PTX machine, as they do with an entry each: in order, and on seeds of the weak mode with races looked for. A train
# without the barrier between its rTasks, one whose second operator has the first's arguments, and waits for
# a step before its end are found.
set -u
rammer=$1 source=$2 libraries=$3
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export RK_DEVICE="$source/sched/machine/devices/a100.json"
cd "$work" || exit 2
failed=0
# built FOLDER POLICY VEUS: the model in FOLDER/run_test
built() {
    "$rammer" build "$here/trains.json" --target cuda --device a100 --veus "$3" --kernels depthwise_any --policy "$2" -o "$1" >log 2>&1 ||
        { cat log; exit 1; }
    (cd "$1" && sh "$here/link.sh" "$libraries" "$nvcc" run_test -I. -Iinclude -- planes.cu test.cu planes_tables.c) || exit 1
}
# runs FOLDER: as the reference says
runs() {
    (cd "$1" && ./run_test .) >log 2>&1 || { echo "$1, in order:"; tail -n 3 log; return 1; }
    for seed in 1 2 3; do
        (cd "$1" && RK_PTX_SEED=$seed RK_PTX_MODE=weak,races,known ./run_test .) >log 2>&1 ||
            { echo "$1, seed $seed:"; tail -n 3 log; return 1; }
    done
}
# planted NAME FILE SCRIPT: what the script makes of the file is found
planted() {
    cp -R trains "$1" && sed "$3" "trains/$2" >"$1/$2" || exit 2
    cmp -s "trains/$2" "$1/$2" && { echo "$1 changes nothing"; failed=1; }
    (cd "$1" && rm -f run_test && sh "$here/link.sh" "$libraries" "$nvcc" run_test -I. -Iinclude -- planes.cu test.cu planes_tables.c) ||
        exit 1
    runs "$1" >found && { echo "$1 is not found"; failed=1; }
    return 0
}
built trains list 12
built apart wavefront 2
[ "$(grep -c 'rTask ends' trains/planes.cu)" -eq 2 ] || { echo "no train of three:"; grep -n 'rTask ends' trains/planes.cu; failed=1; }
grep -q 'rTask ends' apart/planes.cu && { echo "trains where there should be none"; failed=1; }
runs trains || failed=1
runs apart || failed=1
planted no_barrier planes.cu '/rTask ends/{n;s/rk__::vdevice_barrier();//;}'
planted others_arguments planes.cu 's/arg\[5\], arg\[6\]/arg[0], arg[1]/'
planted no_step planes_tables.c '/_items\[\]/,/};/s/{\([0-3]\), 1}/{\1, 0}/'
exit $failed
