#!/bin/sh
# attack.sh RUNS [SEED]: commands that are killed at a random time, two that write the same folder at once, and a disk
# without room. What stands afterwards is the old output or the new one, whole, and no temporary file. RAMMER and
# RKCONVERT name the commands.
set -u
runs=$1 seed=${2:-1}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir tmp in place
TMPDIR=$work/tmp
export TMPDIR XDG_CACHE_HOME="$work/cache"
failed=0

fail() {
    echo "FAILED: $*"
    failed=$((failed + 1))
}

random() { # 0 to $1 - 1
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    echo $((seed / 65536 % $1))
}

# Whether $1 has the same files as one of the other arguments.
is_one_of() {
    subject=$1
    shift
    for each; do
        diff -r "$subject" "$each" >/dev/null 2>&1 && return 0
    done
    return 1
}

# Nothing but these may be in the folder of the output or in TMPDIR; who cleans up has two seconds.
check_left() {
    for try in 1 2 3 4 5 6 7 8 9 10; do
        left=$(find tmp -mindepth 1 -maxdepth 1; find place -mindepth 1 -maxdepth 1 ! -name out)
        [ -z "$left" ] && return
        sleep 0.2
    done
    fail "$1 leaves $left"
    rm -rf tmp/* place/*
}

cat >in/one.json <<'END'
{"schema": "rammer.graph/1", "tensors": {"x": {"dtype": "f32", "shape": [8]}, "y": {}},
 "nodes": [{"name": "a", "op": "Relu", "inputs": ["x"], "outputs": ["y"]}], "inputs": ["x"], "outputs": ["y"]}
END
sed 's/Relu/Tanh/g; s/\[8\]/[9000]/' in/one.json >in/two.json
cat >in/a.cu <<'END'
__global__ void scale(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 2 * x[i];
}
void launch(float *x, int n) { scale<<<(n + 255) / 256, 256>>>(x, n); }
END
build() { "$RAMMER" build "in/$1.json" --policy base -o "$2"; }
build one old >/dev/null 2>&1 && build two new >/dev/null 2>&1 || { echo "cannot build"; exit 1; }
"$RKCONVERT" in/a.cu -o expected.cu --builtin-cuda >/dev/null 2>&1 || { echo "cannot convert"; exit 1; }

# Killed: over an old output, so that the new one takes its place.
ended=0 i=0
while [ $i -lt "$runs" ]; do
    i=$((i + 1))
    rm -rf place/out
    cp -r old place/out
    timeout -s KILL "0.$(printf %03d "$(random 250)")" "$RAMMER" build in/two.json --policy base -o place/out >/dev/null 2>&1 &&
        ended=$((ended + 1))
    check_left "a killed build"
    is_one_of place/out old new || fail "a killed build leaves neither the old folder nor the new one"
    rm -rf place/out
    echo old >place/out
    timeout -s KILL "0.$(printf %03d "$(random 700)")" "$RKCONVERT" in/a.cu -o place/out --builtin-cuda >/dev/null 2>&1 &&
        ended=$((ended + 1))
    check_left "a killed conversion"
    [ "$(cat place/out)" = old ] || cmp -s place/out expected.cu || fail "a killed conversion leaves a part of its output"
done
echo "$((2 * runs)) killed at random, $ended of them at their end"

# Two at once in one folder, with one cache.
i=0
while [ $i -lt "$runs" ]; do
    i=$((i + 1))
    rm -rf place/out
    build one place/out >/dev/null 2>one.err &
    build two place/out >/dev/null 2>two.err
    second=$?
    wait $!
    first=$?
    check_left "one of two builds"
    [ $first -gt 1 ] || [ $second -gt 1 ] && fail "of two builds at once one ends with $first, the other with $second"
    [ $first -eq 0 ] || [ $second -eq 0 ] || fail "of two builds at once none is good: $(cat one.err two.err)"
    is_one_of place/out old new || fail "two builds at once leave a mixture"
    rm -rf place/out cache
    "$RKCONVERT" in/a.cu --out-dir place/out --no-cpu --builtin-cuda --cache cache >/dev/null 2>one.err &
    "$RKCONVERT" in/a.cu --out-dir place/out --no-cpu --builtin-cuda --cache cache >/dev/null 2>two.err || fail "of two conversions at once one fails: $(cat two.err)"
    wait $! || fail "of two conversions at once one fails: $(cat one.err)"
    check_left "one of two conversions"
done
echo "$((2 * runs)) pairs at once"

# A disk without room: no file may be larger than so many half KB; and, where this user may mount one, a disk of a few pages.
full=0
for blocks in 0 1 2 4 8 16 32 64 128; do
    rm -rf place/out
    cp -r old place/out
    (ulimit -f $blocks; exec "$RAMMER" build in/two.json --policy base -o place/out) >/dev/null 2>err
    status=$?
    full=$((full + 1))
    check_left "a build on a full disk"
    [ $status -le 1 ] || fail "a build with files of at most $blocks blocks ends with $status"
    [ $status -eq 0 ] && { is_one_of place/out new || fail "a build on a full disk is good, and is not"; }
    [ $status -eq 0 ] || is_one_of place/out old || fail "a build on a full disk spoils the old folder"
    rm -rf place/out
    (ulimit -f $blocks; exec "$RKCONVERT" in/a.cu -o place/out --builtin-cuda) >/dev/null 2>err
    status=$?
    full=$((full + 1))
    check_left "a conversion on a full disk"
    [ $status -le 2 ] || fail "a conversion with files of at most $blocks blocks ends with $status"
    [ ! -e place/out ] || cmp -s place/out expected.cu || fail "a conversion on a full disk leaves a part of its output"
done
for pages in 1 2 4 8 16; do
    unshare -rm sh -c 'mount -t tmpfs -o size=$(($1 * 4096)) none place || exit 77
        "$RAMMER" build in/two.json --policy base -o place/out >/dev/null 2>err
        status=$?
        [ $status -le 1 ] || exit 2
        [ $status -eq 0 ] || [ -s err ] || exit 3
        [ $status -eq 0 ] || [ -z "$(ls -A place)" ] || exit 4' sh $pages 2>/dev/null
    case $? in
    0) full=$((full + 1)) ;;
    77 | 1) break ;;
    *) fail "a build on a disk of $pages pages" ;;
    esac
done
echo "$full times a full disk"
[ $failed -eq 0 ] && echo "nothing is wrong" || echo "$failed are wrong"
[ $failed -eq 0 ]
