#!/bin/sh
# planted.sh NAME
#
# Plants the bug NAME of plants.txt in the second forms of sums.cu, in the program as it is and in its drop-in, and
# passes when compare.sh then sees that results differ. Without it, compare.sh is a test of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
script=$(sed -n "s/^$1 *| *//p" "$here/plants.txt")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for way in legacy drop_in; do
    right=$RK_BUILD/programs/fission_sums/$way/sums.cpp
    sed "$script" "$right" >"$work/wrong.cpp"
    if cmp -s "$right" "$work/wrong.cpp"; then
        echo "planted/$1: the script changes nothing in $right"
        exit 1
    fi
    "$RKCONVERT" cc -O0 "$work/wrong.cpp" -o "$work/wrong"
    if sh "$here/compare.sh" $way "$here/sums.cu" "$work/wrong" >"$work/log"; then
        echo "planted/$1: not noticed"
        exit 1
    fi
    cat "$work/log"
    grep -Eq '(writes|prints) otherwise|by fission: status' "$work/log" || exit 1
done
