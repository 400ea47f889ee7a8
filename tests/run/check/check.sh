#!/bin/sh
# check.sh <program> <its source> <case> <status> <place>...: runs a kernel under the checking modes race and
# init. Each place, the comment of a line, is to be among what is said; without one, nothing is to be said.
set -u

program=$1 source=$2 name=$3 status=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" "$name" > "$work/out" 2>&1
got=$?
cat "$work/out"
[ "$got" -eq "$status" ] || { echo "status $got, not $status"; exit 1; }
if [ $# -eq 0 ] && [ -s "$work/out" ]; then
    echo "said something"
    exit 1
fi
for place in "$@"; do
    grep -n "// $place" "$source" | cut -d: -f1 > "$work/lines"
    [ -s "$work/lines" ] || { echo "no line '// $place'"; exit 1; }
    while read -r line; do
        grep -q "kernels.cpp:$line\b" "$work/out" || { echo "nothing of line $line"; exit 1; }
    done < "$work/lines"
done
