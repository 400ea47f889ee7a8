# order.sh LIBRARY
#
# What takes the place of an old output is on its disk before it does: each file is given to fsync before it, or the folder that it
# is in, is renamed, and the folder that has the new name after.
set -eu
library=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
work=$(pwd -P)
printf '__global__ void k(float *x) { x[threadIdx.x] = 1; }\nvoid f(float *x) { k<<<1, 32>>>(x); }\n' >in.cu
FAULT_ORDER=$work/order LD_PRELOAD=$library "$RKCONVERT" --builtin-cuda in.cu -o out.rk.cu >/dev/null
"$RAMMER" zoo lstm --layers 1 --steps 2 --hidden 4 -o lstm >/dev/null
FAULT_ORDER=$work/order LD_PRELOAD=$library "$RAMMER" build lstm/graph.json -o built >/dev/null
awk -v work="$work" '
    function absolute(path) { return path ~ /^\// ? path : work "/" path }
    $1 == "fsync" { synced[$2] = NR; next }
    {
        from = absolute($2)
        to = absolute($3)
        if (to !~ "^" work "/[^/]*$")
            next # caches
        renamed++
        last[to] = NR
        command = "find \"" to "\" -type f"
        files = 0
        while ((command | getline file) > 0) {
            files++
            was = from substr(file, length(to) + 1)
            if (!(was in synced)) { print was ": renamed to " to " and never synced"; bad = 1 }
        }
        close(command)
        if (!files) { print to ": there is no file"; bad = 1 }
    }
    END {
        for (to in last)
            if (!(work in synced) || synced[work] < last[to]) { print to ": its folder is not synced"; bad = 1 }
        if (renamed < 2) { print renamed + 0 " outputs are renamed, not 2"; bad = 1 }
        exit bad
    }' order
