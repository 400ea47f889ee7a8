#!/bin/sh
# planted_access.sh NAME EQUIVALENCE CATALOG BINDINGS DEVICES CASES
#
# Plants the wrong range NAME of plants_access.txt in a copy of the bindings, and passes when the
# equivalence test of the kernel then notices. The bindings without it must pass first.
set -eu

name=$1
equivalence=$2
catalog=$3
bindings=$4
devices=$5
cases=$6
here=$(cd "$(dirname "$0")" && pwd)

line=$(grep "^$name *|" "$here/plants_access.txt")
field() {
    printf '%s\n' "$line" | cut -d'|' -f"$1" | sed 's/^ *//; s/ *$//'
}
stem=$(field 2)
kernel=$(field 3)
script=$(printf '%s\n' "$line" | cut -d'|' -f4- | sed 's/^ *//; s/ *$//')

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$bindings"/*.bind.json "$work"
if ! "$equivalence" --kernel "$kernel" "$catalog" "$work" "$devices" "$cases" >"$work/log"; then
    cat "$work/log"
    echo "planted_access/$name: '$kernel' fails without the wrong range" >&2
    exit 1
fi
sed "$script" "$bindings/$stem.bind.json" >"$work/$stem.bind.json"
if cmp -s "$bindings/$stem.bind.json" "$work/$stem.bind.json"; then
    echo "planted_access/$name: the script changes nothing" >&2
    exit 1
fi
status=0
"$equivalence" --kernel "$kernel" "$catalog" "$work" "$devices" "$cases" >"$work/log" 2>&1 ||
    status=$?
cat "$work/log"
if [ $status -ne 1 ] || ! grep -q 'access: ' "$work/log"; then
    echo "planted_access/$name: not noticed" >&2
    exit 1
fi
echo "planted_access/$name: noticed"
