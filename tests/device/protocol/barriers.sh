#!/bin/sh
# barriers.sh <source>: the barriers that `rkconvert --barrier` asks for compile for sm_80 and sm_90, and are made
# of the instructions that docs/vdevice.md names, and of no others; what cannot be made does not compile.
set -u
source=$1
. "$(dirname "$0")/nvcc.sh"
here=$(cd "$(dirname "$0")" && pwd)

# body <kernel>: its PTX
body() {
    awk -v name="$1(" 'index($0, ".entry " name) {on = 1} on {print} /^}/ {on = 0}' "$work/barriers.ptx"
}
# has <kernel> <pattern>..., hasnt <kernel> <pattern>...
has() {
    kernel=$1
    shift
    for pattern; do
        body "$kernel" | grep -q "$pattern" || fail "$kernel has no $pattern"
    done
}
hasnt() {
    kernel=$1
    shift
    for pattern; do
        body "$kernel" | grep -q "$pattern" && fail "$kernel has $pattern"
    done
}
fail() {
    echo "sm_$arch: $1"
    failed=1
}
# refused <message> <n, v, form, reduce, early>
refused() {
    echo "#define WRONG $2" >"$work/wrong.h"
    strict -arch=sm_80 -I"$source/rkernel_lib/include" -include "$work/wrong.h" -ptx \
        -o "$work/wrong.ptx" "$here/barriers.cu" >"$work/log" 2>&1 && fail "$2 compiles"
    grep -q "$1" "$work/log" || fail "$2 is not refused by name"
}

for arch in ${RK_NVCC_ARCHS:-80 90}; do
    strict -arch=sm_$arch -I"$source/rkernel_lib/include" -ptx -o "$work/barriers.ptx" \
        "$here/barriers.cu" || exit 1
    has auto_whole 'bar[a-z.]*sync[ 	]*0'
    has auto_warps 'bar.sync 1, 96'
    has auto_lanes 'bar.warp.sync'
    has auto_count 'barrier.red.and.pred q, 2, p'

    has named_whole 'bar.sync 1, 128'
    has named_warps 'bar.sync 1, 96' 'bar.red.popc.u32 [^,]*, 1, 96'
    has named_warp 'bar.sync 1, 32'
    has named_lanes 'barrier.red.and.pred q, 2, p'
    has named_early 'barrier.red.and.pred q, 2, p' 'barrier.red.popc.u32 [^,]*, 2, p'
    for kernel in whole warps warp lanes early; do
        hasnt named_$kernel 'bar.warp.sync' 'bar[a-z.]*sync[ 	]*0;'
    done

    has cg_whole 'bar[a-z.]*sync[ 	]*0;'
    has cg_lanes 'bar.warp.sync'
    has cg_warp 'bar.warp.sync'
    has cg_warps 'reserved_smem_offset' 'atom.or.acq_rel.cta'
    has cg_most 'reserved_smem_offset' 'atom.or.acq_rel.cta'
    hasnt cg_lanes 'bar[a-z.]*sync[ 	]*0;'
    for kernel in whole lanes warp warps most; do
        hasnt cg_$kernel 'bar.sync 1,' 'barrier.red'
    done
done
refused 'neither a tile nor the whole vEU' '96, 128, cg, false, false'
refused 'neither counts nor' '128, 128, cg, true, false'
refused 'neither counts nor' '128, 128, cg, false, true'
refused 'neither a tile nor the whole vEU' '1024 - 32, 1024, cg, false, false'
exit ${failed:-0}
