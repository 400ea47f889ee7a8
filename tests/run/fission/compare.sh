#!/bin/sh
# compare.sh legacy|drop_in SOURCE PROGRAM
#
# Runs PROGRAM, which is SOURCE made for the CPU, with a fiber for each thread and records what each launch wrote, and
# runs it as it is: by fission where a kernel allows it. Both must print the same and write the same bytes. As a drop-in
# its launches are vDevices, of one vEU and of eight. In rules.cu, the names of kernels say how they are to run.
set -eu
way=$1 source=$2 program=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "$source: $1"
    shift
    [ $# -eq 0 ] || cat "$@"
    exit 1
}

case $way,$source in
legacy,*/rules.cu)
    "$RKCONVERT" --target cpu --dump kernels "$source" >"$work/kernels" 2>"$work/log" ||
        fail "is not converted" "$work/log"
    sed -n 's/.*: \([fr]_[a-z_]*\): \([a-z]*\).*/\1 \2/p' "$work/kernels" | grep -v ' no$' >"$work/forms"
    awk '($1 ~ /^f_/) != ($2 == "fission")' "$work/forms" >"$work/wrong"
    [ ! -s "$work/wrong" ] || fail "runs otherwise:" "$work/wrong"
    [ "$(grep -c ^f_ "$work/forms")" -gt 20 ] || fail "has few kernels:" "$work/kernels"
    ;;
esac

# both VEUS: the program by fibers and by fission
both()
{
    export RK_WORKERS=1 RK_VEUS="$1"
    rm -rf "$work/record" && mkdir "$work/record"
    status=0
    env RK_FIBERS=1 RK_RECORD="$work/record" timeout 120 "$program" >"$work/fibers" 2>&1 || status=$?
    [ $status -eq 0 ] || fail "by fibers: status $status" "$work/fibers"
    env RK_COMPARE="$work/record" RK_COMPARE_REPORT="$work/report" timeout 120 "$program" \
        >"$work/fission" 2>&1 || status=$?
    [ $status -eq 0 ] || fail "by fission: status $status" "$work/fission"
    diff "$work/fibers" "$work/fission" >"$work/diff" || fail "prints otherwise:" "$work/diff"
    grep -q '^end' "$work/report" || fail "was not compared to its end" "$work/report"
    if grep -E '^(differ|sequence)' "$work/report" >"$work/diff"; then
        fail "writes otherwise:" "$work/diff"
    fi
}
cd "$(dirname "$source")"
case $way in
legacy) both 0 ;;
drop_in)
    both 1
    both 8
    ;;
esac
