#!/bin/sh
# compare.sh SOURCE RKCONVERT [FLAG]...
# compare.sh --drop-in SOURCE RKCONVERT [FLAG]...
#
# Builds a program, runs it with a fiber for each thread and records what each launch wrote, and runs it as it is:
# by fission where a kernel allows it. Both must print the same and write the same bytes, also where blocks run in
# parallel when the program says nothing else. With --drop-in its launches are vDevices, of one vEU and of eight.
# In rules.cu, the names of kernels say how they are to run. RK_PLANT: a sed script for the converted program.
set -eu
form= veus=0
if [ "$1" = --drop-in ]; then
    form=--drop-in veus='1 8'
    shift
fi
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

# shellcheck disable=SC2086 # none or one word
"$rkconvert" --target cpu $form --dump kernels "$source" >"$work/kernels" 2>"$work/log" ||
    [ -n "$form" ] || fail "is not converted" "$work/log" # with 1 where a kernel is refused
case $source in
*/rules.cu)
    sed -n 's/.*: \([fr]_[a-z_]*\): \([a-z]*\).*/\1 \2/p' "$work/kernels" | grep -v ' no$' >"$work/forms"
    awk '($1 ~ /^f_/) != ($2 == "fission")' "$work/forms" >"$work/wrong"
    [ ! -s "$work/wrong" ] || fail "runs otherwise:" "$work/wrong"
    [ "$(grep -c ^f_ "$work/forms")" -gt 20 ] || fail "has few kernels:" "$work/kernels"
    ;;
*) grep -q ': fission$' "$work/kernels" || exit 77 ;;
esac

cd "$(dirname "$source")"
built=$source
if [ -n "${RK_PLANT:-}" ]; then
    # shellcheck disable=SC2086
    "$rkconvert" --target cpu $form "$source" -o "$work/right.cpp" 2>"$work/log" || [ -n "$form" ] ||
        fail "is not converted" "$work/log"
    sed "$RK_PLANT" "$work/right.cpp" >"$work/wrong.cpp"
    ! cmp -s "$work/right.cpp" "$work/wrong.cpp" || fail "has nothing that the script changes"
    built=$work/wrong.cpp form=
fi
# shellcheck disable=SC2046,SC2086 # words
"$rkconvert" cc $form -O2 "$@" $(sed -n '/^\/\//!q; s/^\/\/ flags[: ]*//p' "$source") "$built" -o "$work/program" \
    >"$work/log" 2>&1 || fail "does not build" "$work/log"

# both VEUS: the program by fibers and by fission
both()
{
    export RK_WORKERS=1 RK_VEUS="$1"
    rm -rf "$work/record" && mkdir "$work/record"
    status=0
    env RK_FIBERS=1 RK_RECORD="$work/record" timeout 120 "$work/program" >"$work/fibers" 2>&1 || status=$?
    [ $status -eq 0 ] || fail "by fibers: status $status" "$work/fibers"
    env RK_COMPARE="$work/record" RK_COMPARE_REPORT="$work/report" timeout 120 "$work/program" \
        >"$work/fission" 2>&1 || status=$?
    [ $status -eq 0 ] || fail "by fission: status $status" "$work/fission"
    diff "$work/fibers" "$work/fission" >"$work/diff" || fail "prints otherwise:" "$work/diff"
    grep -q '^end' "$work/report" || fail "was not compared to its end" "$work/report"
    if grep -E '^(differ|sequence)' "$work/report" >"$work/diff"; then
        fail "writes otherwise:" "$work/diff"
    fi
}
for count in $veus; do
    both "$count"
done
