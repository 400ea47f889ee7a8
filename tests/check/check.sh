#!/bin/sh
# check.sh <kernels.cpp> <include> <library folder> <case> <status> <place>...: runs a kernel under the
# checking modes race and init. Each place, the comment of a line, is to be among what is said; without one,
# nothing is to be said.
set -u

source=$1 include=$2 libraries=$3 name=$4 status=$5
shift 5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"${CXX:-c++}" -std=c++17 -g -O1 -fsanitize=thread -fno-builtin -Wall -Wextra -Werror -isystem "$include" \
    -isystem "$include/rk/shim" -c "$source" -o "$work/kernels.o" || exit 1
"${CXX:-c++}" "$work/kernels.o" -Wl,--start-group "$libraries/librk_check.a" \
    "$libraries/librk_rkernel.a" "$libraries/librk_cuda.a" "$libraries/librk_base.a" \
    -Wl,--end-group -lcjson -lxxhash -lpthread -ldl -lm -o "$work/kernels" || exit 1

"$work/kernels" "$name" > "$work/out" 2>&1
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
