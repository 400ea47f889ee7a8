#!/bin/sh
# planted.sh NAME RKCONVERT
#
# Plants the bug NAME of plants.txt in its program's drop-in, and passes when `rkconvert verify` then finds a
# difference and names it. That it finds none without the bug is drop_in/verify's test.
set -eu

name=$1
rkconvert=$2
here=$(cd "$(dirname "$0")" && pwd)
line=$(grep "^$name *|" "$here/plants.txt")
expected=$(printf '%s\n' "$line" | cut -d'|' -f3 | sed 's/^ *//; s/ *$//')
source=$(printf '%s\n' "$line" | cut -d'|' -f2 | tr -d ' ').cu
script=$(printf '%s\n' "$line" | cut -d'|' -f4- | sed 's/^ *//')

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/$source" "$work"
cd "$work"

"$rkconvert" --drop-in --target cpu $source -o right.cpp >log 2>&1 || { cat log; exit 1; }
sed "$script" right.cpp >wrong.cpp
if cmp -s right.cpp wrong.cpp; then
    echo "planted/$name: the script changes nothing" >&2
    exit 1
fi
"$rkconvert" cc wrong.cpp -o wrong
status=0
"$rkconvert" verify --one-compiler --veus 2 --timeout 60 --original "$RK_BUILD/programs/drop_in_${source%.cu}/legacy/run" \
    --with "$work/wrong" $source >log 2>&1 || status=$?
cat log
if [ $status -ne 1 ] || ! grep -q "$expected" log; then
    echo "planted/$name: not named: status $status, expected $expected" >&2
    exit 1
fi
