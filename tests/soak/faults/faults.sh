#!/bin/sh
# faults.sh LIBRARY [EVERY [SECONDS [SEED]]]: runs commands, and again for each call site of an allocation, a write, a
# rename, a fork and the like with that call failing; with EVERY, for one site in so many. However it fails, a command must
# end by itself: with what it makes without the fault, or with a sentence and nothing half written; and no temporary
# file may stay. LIBRARY is faults.c as a shared library; RAMMER and RKCONVERT name the commands. With SECONDS, not 0, no more
# than that is taken, in equal parts by the commands that are left: sites in an order of SEED, and it is said how many of all.
set -u
library=$1 every=${2:-1} seconds=${3:-0} seed=${4:-1}
end=$(($(date +%s) + seconds)) commands=8
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir tmp
TMPDIR=$work/tmp
export TMPDIR XDG_CACHE_HOME="$work/cache"
sites=0 refused=0 unharmed=0 failed=0

fault() {
    echo "FAILED: $name, at '$1': $2"
    head -n 3 err | cut -c1-200
    failed=$((failed + 1))
}

# Whether every file of $1 is in $2 with the same bytes.
part_of() {
    (cd "$1" && find . -type f) | while read -r file; do
        cmp -s "$1/$file" "$2/$file" || { echo "$file"; break; }
    done
}

# inject NAME WHOLE COMMAND...: the command writes `out`; WHOLE is yes where that is all or nothing.
inject() {
    name=$1 whole=$2
    shift 2
    rm -rf out expected list cache
    now=$(date +%s)
    FAULT_SITES=$work/list LD_PRELOAD=$library "$@" >stdout 2>err || { fault - "it fails without a fault"; return; }
    [ -e out ] && mv out expected
    limit=$((60 + 20 * ($(date +%s) - now))) # of a machine that others use, too
    sort -u list | awk -v n="$every" 'NR % n == int(n / 2)' |
        awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort -n | cut -f 2- >chosen
    now=$(date +%s)
    stop=$((now + (end - now) / commands)) commands=$((commands - 1)) before=$sites
    while read -r site; do
        [ "$seconds" -eq 0 ] || [ "$(date +%s)" -lt $stop ] || break
        rm -rf out cache
        FAULT_AT=$site LD_PRELOAD=$library timeout $limit "$@" >stdout 2>err </dev/null
        status=$?
        sites=$((sites + 1))
        if [ $status -ge 124 ]; then
            fault "$site" "status $status"
        elif [ $status -eq 0 ]; then
            unharmed=$((unharmed + 1))
            [ ! -e expected ] || diff -r out expected >/dev/null 2>&1 || fault "$site" "good, with another output"
        else
            refused=$((refused + 1))
            [ -s err ] || fault "$site" "status $status without a word"
            [ $whole = no ] || [ ! -e out ] || diff -r out expected >/dev/null 2>&1 ||
                fault "$site" "status $status, and a part of the output"
            [ ! -d out ] || [ -z "$(part_of out expected)" ] || fault "$site" "half written: $(part_of out expected)"
        fi
        left=$(find tmp -mindepth 1 -maxdepth 1; ls -A | grep -v -x -E 'tmp|out|expected|list|chosen|cache|stdout|err|in')
        [ -z "$left" ] || { fault "$site" "it leaves $left"; rm -rf tmp; mkdir tmp; echo "$left" | (cd "$work" && xargs rm -rf); }
    done <chosen
    [ "$every" -gt 1 ] || echo "$name: $((sites - before)) of $(wc -l <chosen) sites"
}

mkdir in
cat >in/graph.json <<'END'
{"schema": "rammer.graph/1", "tensors": {"x": {"dtype": "f32", "shape": [8]}, "W": {"dtype": "f32", "shape": [8, 8]}, "h": {}, "y": {}},
 "nodes": [{"name": "a", "op": "MatMul", "inputs": ["W", "x"], "outputs": ["h"]},
           {"name": "b", "op": "Relu", "inputs": ["h"], "outputs": ["y"]}], "inputs": ["x", "W"], "outputs": ["y"]}
END
cat >in/a.cu <<'END'
#include "a.h"
__global__ void scale(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = twice(x[i]);
}
void launch(float *x, int n) { scale<<<(n + 255) / 256, 256>>>(x, n); }
END
echo '__device__ inline float twice(float x) { return 2 * x; }' >in/a.h
sed 's/scale/other/' in/a.cu >in/b.cu
"$RAMMER" build in/graph.json -o in/built >/dev/null 2>&1 || { echo "cannot build"; exit 1; }
"$RAMMER" build in/graph.json --dump=schedule >in/schedule.json 2>/dev/null

inject zoo yes "$RAMMER" zoo lstm --layers 1 --steps 2 --hidden 16 -o out
inject build yes "$RAMMER" build in/graph.json --policy base -o out
inject run no "$RAMMER" run in/graph.json --verify
inject check no "$RAMMER" check in/schedule.json --graph in/graph.json
inject list no "$RAMMER" list kernels
if [ -x "$RKCONVERT" ]; then
    "$RKCONVERT" in/a.cu --out-dir in/one --no-cpu --builtin-cuda >/dev/null 2>&1
    "$RKCONVERT" in/b.cu --out-dir in/two --no-cpu --builtin-cuda >/dev/null 2>&1
    inject merge yes "$RKCONVERT" merge in/one/catalog.json in/two/catalog.json -o out
    inject convert no "$RKCONVERT" in/a.cu --out-dir out --no-cpu --builtin-cuda
    inject cc no "$RKCONVERT" cc -c in/a.cu -o out
fi
echo "$sites faults: $refused ended with a sentence, $unharmed did no harm, $failed are wrong"
[ $failed -eq 0 ]
