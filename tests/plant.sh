#!/bin/sh
# plant.sh TABLE NAME SOURCE OUT: a copy of SOURCE with the error NAME of TABLE, whose lines end in the sed script
# that makes it: name | ... | script.
set -eu
script=$(grep "^$2 *|" "$1" | cut -d'|' -f3- | sed 's/^ *//; s/ *$//')
sed "$script" "$3" >"$4"
if cmp -s "$3" "$4"; then
    rm -f "$4"
    echo "$1: '$2' changes nothing" >&2
    exit 1
fi
