#!/bin/sh
# The tables of docs/model.md are what bench_model prints, within 2%; and they notice a cache that is twice as large, and
# launches that are free.
#   sh tests/meta/model/table.sh SOURCE BENCH_MODEL SHARE
# Without ptxas the catalog has no resources, and occupancy is another: nothing to compare then.
set -e
source=$1 bench=$2 share=$3
grep -q '"sm_75"' "$share/catalog/catalog.json" || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the rows of the first file that the second, where it has a row of that name, has otherwise.
differences()
{
    awk -F'|' 'function other(a, b) {
                   if (a + 0 == 0 || b + 0 == 0) return a != b
                   return a / b > 1.02 || b / a > 1.02
               }
               NF < 4 || $3 !~ /[0-9]/ { next }
               NR == FNR { said[$2] = $0; next }
               $2 in said {
                   split(said[$2], is)
                   for (i = 3; i < NF; i++) if (other(is[i], $i)) { print "said: " said[$2] "\n is:  " $0; next }
                   seen[$2] = 1; next
               }
               { print "not said: " $0 }' "$1" "$2"
}

"$bench" --share "$share" > "$work/is"
differences "$source/docs/model.md" "$work/is" > "$work/found"
if [ -s "$work/found" ]; then
    echo "docs/model.md does not have what bench_model prints:"
    cat "$work/found"
    exit 1
fi

# plant WHAT PATTERN: a descriptor with that error gives another table.
plant()
{
    rm -rf "$work/devices"
    cp -rL "$share/devices" "$work/devices"
    sed -i "$2" "$work/devices/v100.json"
    cmp -s "$work/devices/v100.json" "$share/devices/v100.json" && { echo "$1: nothing was planted"; exit 1; }
    "$bench" --share "$share" --devices "$work/devices" --record > "$work/planted"
    differences "$source/docs/model.md" "$work/planted" > "$work/found"
    [ -s "$work/found" ] || { echo "$1: the table does not notice"; exit 1; }
}
plant "a cache twice as large" 's/"l2_bytes": 6291456/"l2_bytes": 12582912/'
plant "launches free" 's/"launch_ns": 900/"launch_ns": 1/'
