#!/bin/sh
# spine.sh <source> <library folder> <runs>: the loop of a vDevice with open dimensions on the PTX machine, with numbers of rTasks that change
# from run to run (spine_test.cu): in order, and on seeds of the weak mode. Found are phrases without rTasks that do not count, that
# count before what they wait for has ended, additions without a fence before them and waits without one behind.
set -u
source=$1 libraries=$2 runs=$3
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export RK_DEVICE="$source/sched/machine/devices/a100.json"
cd "$work" || exit 2
failed=0
mkdir include && cp -R "$source/rkernel_lib/include/rk" include/rk || exit 2

# build NAME: with the headers of include/
build() {
    sh "$here/link.sh" "$libraries" "$nvcc" "$1" -Iinclude -- "$here/spine_test.cu" || exit 1
}

build spine
RK_PTX_KEEP=good.ptx ./spine "$runs" >log 2>&1 || { echo "in order:"; tail -n 3 log; failed=1; }
for seed in 1 2 3; do
    RK_PTX_SEED=$seed RK_PTX_MODE=weak,races ./spine "$runs" >log 2>&1 || { echo "seed $seed:"; tail -n 3 log; failed=1; }
done

# planted NAME SED: edits the loop's source
planted() {
    sed "$2" "$source/rkernel_lib/include/rk/vdevice.cuh" >include/rk/vdevice.cuh
    cmp -s include/rk/vdevice.cuh "$source/rkernel_lib/include/rk/vdevice.cuh" && { echo "$1 changes nothing"; failed=1; }
    build "$1"
    for seed in 1 2 3 4 5 6; do
        RK_PTX_LIMIT=1000000 RK_PTX_SEED=$seed RK_PTX_MODE=weak timeout 60 "./$1" "$runs" >log 2>&1 || return
    done
    echo "$1 is not found"
    failed=1
}
planted empty-is-silent 's/share.first < share.count || share.first == 0/share.first < share.count/'
planted empty-does-not-wait 's/if (following.rtask != phrase.rtask)/if (share.count \&\& following.rtask != phrase.rtask)/'

for script in '/cp\.async\.wait_all/,/red\.relaxed/{/fence\.acq_rel/d;}' '/nanosleep/,/bar\.sync/{/fence\.acq_rel/d;}' '/ld\.relaxed\.gpu/,/bra/{/bra/d;}'; do
    sed "$script" good.ptx >bad.ptx
    cmp -s good.ptx bad.ptx && { echo "$script changes nothing"; failed=1; }
    found=no
    for seed in 1 2 3; do
        RK_PTX_FILE=bad.ptx RK_PTX_SEED=$seed RK_PTX_MODE=weak,races ./spine "$runs" >log 2>&1 || found=yes
    done
    [ $found = yes ] || { echo "$script is not found"; failed=1; }
done
exit $failed
