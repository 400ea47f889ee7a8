#!/bin/sh
# overhead.sh <source> <library folder> <what>=<most>...: warp instructions of PTX that the vDevice's own loop runs for one rTask
# (overhead.cu), which are at most that many: printed, and the difference of two runs, so that begin and end do not count.
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
sh "$here/link.sh" "$libraries" "$nvcc" overhead -I"$source/rkernel_lib/include" -- "$here/overhead.cu" || exit 1
# issued <what> <n>
issued() {
    RK_PTX_STATS=1 ./overhead "$1" "$2" 2>&1 | sed -n 's/.*; \([0-9]*\) of warps.*/\1/p'
}
failed=0
for entry; do
    what=${entry%=*} most=${entry#*=}
    few=$(issued "$what" 10) many=$(issued "$what" 110)
    [ "$few" ] && [ "$many" ] || { echo "$what does not run"; exit 1; }
    count=$(((many - few) / 100))
    echo "$what: $count"
    [ "$count" -gt 0 ] && [ "$count" -le "$most" ] || { echo "$what: more than $most"; failed=1; }
done
exit $failed
