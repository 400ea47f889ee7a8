# run.sh NAME [memory|check]: runs the program of this folder that the build has made in $RK_BUILD/programs/NAME
#
#   as it is, as it is in random legal orders, with its launches as vDevices on 1 vEU and on 8, and those in a
#   random order; with `memory`, both builds find errors of memory instead, and run once each and as it is in a random
#   order; with `check`, races and reads of unwritten shared memory are looked for, and none is found.
#
# Each run must end with status 0 and print the lines of NAME.out or, where there is none, one that begins with
# "ok: ". The program's first comment may hold lines that say more:
#
#   // flags: ...                    for rkconvert cc
#   // vdevice: M of N, since ...   launches that run as vDevices, of all (default: all of them)
#   // unordered                     no random orders: what it prints depends on them
#   // unchecked: why               its races are meant: there is no test with `check`
set -eu
here=$(cd "$(dirname "$0")" && pwd)
name=$1
mode=${2:-}
cd "$here"
main=$name.cu
[ -f "$main" ] || main=$name/main.cu
built=$RK_BUILD/programs/$name
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "$name: $1"
    shift
    [ $# -eq 0 ] || cat "$@"
    exit 1
}

# said WORD: the rest of the line of the first comment that begins with it.
said()
{
    sed -n "/^\/\//!q; s/^\/\/ $1[: ]*//p" "$main"
}

is_unordered()
{
    grep -q '^// unordered' "$main"
}

# run WAY [NAME=VALUE]...: checks status and output
run()
{
    way=$1
    shift
    status=0
    # The program may close its own output; AddressSanitizer tells what it finds all the same.
    env ASAN_OPTIONS="log_path=$work/asan-log" "$@" timeout 120 "$built/$way/run" >"$work/out" 2>"$work/err" || status=$?
    touch "$work/asan-log"
    [ $status -eq 0 ] || fail "$way, $*: status $status" "$work/out" "$work/err" "$work"/asan-log*
    if [ -f "$name.out" ]; then
        diff "$name.out" "$work/out" >"$work/diff" || fail "$way, $*: output differs" "$work/diff"
    else
        grep -q '^ok: ' "$work/out" || fail "$way, $*: printed" "$work/out"
        [ "$(wc -l <"$work/out")" -eq 1 ] || fail "$way, $*: printed more" "$work/out"
    fi
}

if [ "$mode" = memory ]; then
    run memory RK_WORKERS=2
    is_unordered || run memory RK_SHUFFLE=5
    run memory_drop_in RK_VEUS=3
    exit 0
fi
if [ "$mode" = check ]; then
    run check RK_WORKERS=2
    exit 0
fi

mkdir "$work/record"
run legacy RK_WORKERS=2 RK_RECORD="$work/record"
run drop_in RK_VEUS=1 RK_COMPARE="$work/record" RK_COMPARE_REPORT="$work/report"
run drop_in RK_VEUS=8
if ! is_unordered; then
    for seed in 1 2 3; do
        run legacy RK_SHUFFLE=$seed
    done
    run drop_in RK_VEUS=3 RK_SHUFFLE=4
fi

# How many launches ran as vDevices, of how many.
counted=$(awk -F '\t' '$1 == "launch" { all++; vdevice += $6 } END { print vdevice + 0 " of " all + 0 }' "$work/report")
wanted=$(said vdevice | sed "s/,.*//")
[ "$counted" = "${wanted:-${counted#* of } of ${counted#* of }}" ] ||
    fail "$counted launches ran as vDevices, instead of ${wanted:-all}" "$work/report"
