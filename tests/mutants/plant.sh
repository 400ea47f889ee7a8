#!/bin/sh
# plant.sh NAME SOURCE OUT: a copy of SOURCE with the error NAME of plants.txt.
set -eu
script=$(grep "^$1 *|" "$(dirname "$0")/plants.txt" | cut -d'|' -f3- | sed 's/^ *//; s/ *$//')
sed "$script" "$2" >"$3"
if cmp -s "$2" "$3"; then
    rm -f "$3"
    echo "plants.txt: '$1' changes nothing" >&2
    exit 1
fi
