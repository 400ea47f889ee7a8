#!/bin/sh
# exports.sh CATALOG
#
# A catalog's libraries give their entries and no other symbol: what a host program has of the same name, this test's own
# program has all of the runtime's inline functions, is not taken in place of theirs, nor a library's data for another's.
set -eu
count=0
for library in "$1"/cpu/*.so; do
    others=$(nm -D --defined-only "$library" | awk '$NF !~ /^rk__entry_/ { print $NF }')
    [ -z "$others" ] || { echo "$library gives $others"; exit 1; }
    [ -n "$(nm -D --defined-only "$library")" ] || { echo "$library gives nothing"; exit 1; }
    count=$((count + 1))
done
[ $count -gt 0 ] || { echo "$1 has no library"; exit 1; }
echo "$count libraries give their entries alone"
