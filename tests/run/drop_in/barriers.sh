#!/bin/sh
# barriers.sh RKCONVERT INCLUDE
#
# The barriers in the PTX of the vDevices of barriers.cu are those of their cases, and there are no others:
#
#   bar.sync 0                the whole vEU: N = V, and the end of each rTask
#   bar.sync 1, n             whole warps of it
#   bar.warp.sync             at most one warp
#   barrier.red.and.pred 2    the counting barrier, of all threads of the vEU, also of those that left
#
# 77: there is no nvcc.
set -eu

nvcc=${CUDA_PATH:-/usr/local/cuda}/bin/nvcc
[ -x "$nvcc" ] || { echo "no nvcc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" --drop-in "$(dirname "$0")/barriers.cu" -o "$work/drop_in.cu" >/dev/null
"$nvcc" -std=c++17 -O1 -I"$2" -arch=compute_80 -ptx "$work/drop_in.cu" -o "$work/ptx"

awk '/\.entry/ { name = $0; sub(/.*_Z[0-9]+/, "", name); sub(/_rk__vdevice.*/, "", name); ours = /_rk__vdevice/ }
    ours && /bar(rier)?\./ {
        gsub(/%[a-z]+[0-9]+/, "%"); gsub(/[\t ;]+/, " "); sub(/^ /, ""); sub(/ $/, "")
        print name ": " $0
    }' "$work/ptx" | sort -u >"$work/found"
cat >"$work/wanted" <<'END'
counted: bar.red.popc.u32 %, 0, %
counted: bar.red.popc.u32 %, 1, %, p
counted: bar.sync 0
counted: bar.warp.sync %
counted: barrier.red.and.pred q, 2, p
counted: barrier.red.popc.u32 %, 2, p
early: bar.sync 0
early: barrier.red.and.pred q, 2, p
plain: bar.sync 0
plain: bar.sync 1, %
plain: bar.warp.sync %
plain: barrier.red.and.pred q, 2, p
END
diff "$work/wanted" "$work/found"
