#!/bin/sh
# planted.sh NAME RKCONVERT
#
# Plants the bug NAME of plants.txt in the second forms of sums.cu, in the program as it is and in its
# drop-in, and passes when compare.sh then sees that results differ.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
RK_PLANT=$(sed -n "s/^$1 *| *//p" "$here/plants.txt")
export RK_PLANT
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for form in '' --drop-in; do
    # shellcheck disable=SC2086 # none or one word
    if sh "$here/compare.sh" $form "$here/sums.cu" "$2" >"$log"; then
        echo "planted/$1: not noticed"
        exit 1
    fi
    cat "$log"
    grep -Eq '(writes|prints) otherwise|by fission: status' "$log" || exit 1
done
