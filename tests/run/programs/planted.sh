# planted.sh NAME: a bug planted in planted/NAME.cu is found by each checking mode that the program names, at a
# line marked `// planted`; the program without it is not reported, and gives its results.
# A mode in a line `// silent: MODE` says nothing of it; the text of a line `// told: TEXT` is in what is said.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/planted"
source=$1.cu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "$source, --check=$mode: $1"
    shift
    cat "$@"
    exit 1
}

for mode in $(sed -n 's/^\/\/ check: //p' "$source"); do
    "$RKCONVERT" cc --check="$mode" -O0 -g "$source" -o "$work/right" >"$work/log" 2>&1 || fail 'does not build' "$work/log"
    "$work/right" >"$work/out" 2>"$work/err" || fail 'the right program fails' "$work/out" "$work/err"
    grep -q '^ok: ' "$work/out" || fail 'the right program prints' "$work/out"
    [ ! -s "$work/err" ] || fail 'the right program is reported' "$work/err"

    for other in $(sed -n "s/^\/\/ silent: //p" "$source"); do
        "$RKCONVERT" cc --check="$other" -O0 -g -DPLANTED "$source" -o "$work/silent" >"$work/log" 2>&1 ||
            fail "does not build with --check=$other" "$work/log"
        timeout 120 "$work/silent" >"$work/out" 2>"$work/err" || true
        [ ! -s "$work/err" ] || fail "is told with --check=$other" "$work/err"
    done

    "$RKCONVERT" cc --check="$mode" -O0 -g -DPLANTED "$source" -o "$work/planted" >"$work/log" 2>&1 ||
        fail 'does not build with the bug' "$work/log"
    status=0
    timeout 120 "$work/planted" >"$work/out" 2>"$work/err" || status=$?
    [ $status -ne 0 ] || fail 'the bug is not found' "$work/out" "$work/err"
    [ $status -ne 124 ] || fail 'the program with the bug does not end' "$work/err"
    told=$(sed -n 's/^\/\/ told: //p' "$source")
    grep -qF "$told" "$work/err" || fail "is told without '$told'" "$work/err"
    for line in $(grep -n '// planted' "$source" | cut -d : -f 1); do
        grep -qE "$source:$line([^0-9]|\$)" "$work/err" && continue 2
    done
    fail 'no marked line is named' "$work/err"
done
