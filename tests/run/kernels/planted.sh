#!/bin/sh
# planted.sh KERNELS FORM
#
# What is wrong is seen: in kernels of which operators are other ones run.sh finds differences, and the interpreter refuses
# kernels that have lost a barrier or a condition that they need.
set -eu
kernels=$1 form=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if RK_PLANT='s/ ^ / | /; s/ < / <= /' sh "$here/run.sh" "$kernels" 7 0 10 "$form" >"$work/log" 2>&1; then
    cat "$work/log"
    echo "an operator that is another one is not seen" >&2
    exit 1
fi
grep -q 'kernel [0-9]*: thread, slot' "$work/log"

# Each statement of some kernels left out.
for kernel in $(seq 0 29); do
    count=$("$kernels" --seed 7 --first "$kernel" --count 1 --statements)
    for n in $(seq 0 $((count - 1))); do
        "$kernels" --seed 7 --first "$kernel" --count 1 --leave-out "$n" --source "$work/k.cu" --results "$work/r" \
            2>>"$work/refused" || true
    done
done
for fault in 'a race' 'a condition is undefined'; do
    grep -q "not defined: $fault" "$work/refused" || { echo "never refused: $fault" >&2; exit 1; }
done
