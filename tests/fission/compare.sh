#!/bin/sh
# compare.sh SOURCE RKCONVERT [FLAG]...
#
# Builds a program, runs it with a fiber for each thread and records what each launch wrote, and runs it as it is:
# by fission where a kernel allows it. Both must print the same and write the same bytes, also where blocks run in
# parallel when the program says nothing else. In rules.cu, the names of kernels say how they are to run.
set -eu
source=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
rkconvert=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "$source: $1"
    shift
    [ $# -eq 0 ] || cat "$@"
    exit 1
}

"$rkconvert" --target cpu --dump kernels "$source" >"$work/kernels" || fail "is not converted"
case $source in
*/rules.cu)
    sed -n 's/.*: \([fr]_[a-z_]*\): \([a-z]*\).*/\1 \2/p' "$work/kernels" |
        awk '($1 ~ /^f_/) != ($2 == "fission")' >"$work/wrong"
    [ ! -s "$work/wrong" ] || fail "runs otherwise:" "$work/wrong"
    ;;
*) grep -q ': fission$' "$work/kernels" || exit 77 ;;
esac

cd "$(dirname "$source")"
# shellcheck disable=SC2046 # words
"$rkconvert" cc -O2 "$@" $(sed -n '/^\/\//!q; s/^\/\/ flags[: ]*//p' "$source") "$source" -o "$work/program" \
    >"$work/log" 2>&1 || fail "does not build" "$work/log"
mkdir "$work/record"
status=0
env RK_WORKERS=1 RK_FIBERS=1 RK_RECORD="$work/record" timeout 120 "$work/program" >"$work/fibers" 2>&1 || status=$?
[ $status -eq 0 ] || fail "by fibers: status $status" "$work/fibers"
env RK_WORKERS=1 RK_COMPARE="$work/record" RK_COMPARE_REPORT="$work/report" timeout 120 "$work/program" \
    >"$work/fission" 2>&1 || status=$?
[ $status -eq 0 ] || fail "by fission: status $status" "$work/fission"
diff "$work/fibers" "$work/fission" >"$work/diff" || fail "prints otherwise:" "$work/diff"
grep -q '^end' "$work/report" || fail "was not compared to its end" "$work/report"
if grep -E '^(differ|sequence)' "$work/report" >"$work/diff"; then
    fail "writes otherwise:" "$work/diff"
fi
