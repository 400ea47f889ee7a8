#!/bin/sh
# reduce.sh KERNELS SEED KERNEL FORM
#
# Leaves out of a kernel that differs in a form of run.sh, or of which a build or run fails, every statement without which it
# still does, and prints the rest. The interpreter refuses what leaves the kernel undefined.
set -eu
kernels=$1 seed=$2 kernel=$3 form=$4
here=$(cd "$(dirname "$0")" && pwd)
statements=$("$kernels" --seed "$seed" --first "$kernel" --count 1 --statements)
out=

# differs [N,...]: without these statements
differs()
{
    ! RK_LEAVE_OUT=$1 sh "$here/run.sh" "$kernels" "$seed" "$kernel" 1 "$form" >log 2>&1 && ! grep -q 'not defined' log
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
differs "" || { echo "kernel $kernel of seed $seed does not differ in $form" >&2; exit 1; }
# A large statement first: those with others in them have lower numbers.
for n in $(seq 0 $((statements - 1))); do
    if differs "$out$n"; then
        out=$out$n,
    fi
done
differs "$out"
cat log
"$kernels" --seed "$seed" --first "$kernel" --count 1 --leave-out "${out:-9999}" --source kernel.cu --results results
echo "left out: $out"
cat kernel.cu
