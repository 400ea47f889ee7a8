#!/bin/sh
# spin.sh <source folder>: the model of the vDevice protocol holds, and fails when any part of the
# protocol is taken away.
set -u
model=$1/tests/device/protocol/vdevice.pml
command -v spin >/dev/null || { echo "no spin: skipped"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0

# holds [<define>]: explores all states; true when no error was found
holds() {
    rm -f pan.* pan
    spin ${1:+-D$1} -a "$model" >spin.log 2>&1 && "${CC:-cc}" -O1 -DSAFETY -DCOLLAPSE -o pan pan.c 2>cc.log ||
        { cat spin.log cc.log; echo "the model does not compile"; exit 1; }
    ./pan -m200000 >pan.log 2>&1
    if grep -q 'max search depth too small\|out of memory' pan.log || ! grep -q 'errors:' pan.log; then
        cat pan.log
        echo "the search was not complete"
        exit 1
    fi
    grep -q 'errors: 0' pan.log
}

if holds; then
    echo "holds: $(grep -o '[0-9.e+]* states, stored' pan.log)"
else
    echo "the model fails:"
    cat pan.log
    spin -t -p "$model" | tail -n 60
    failed=1
fi

# taken away <define> <what is found>
without() {
    if holds "$1"; then
        echo "without $1: nothing was found"
        failed=1
    elif ! grep -q "$2" pan.log; then
        echo "without $1: something else was found:"
        head -n 5 pan.log
        failed=1
    else
        echo "without $1: $(head -n 1 pan.log)"
    fi
}
without STEP_BEFORE_BARRIER 'assertion violated'
without NO_BARRIER_BETWEEN 'assertion violated'
without NO_BARRIER_AFTER_POLL 'assertion violated'
without NO_FENCE_AFTER_POLL 'assertion violated'
without NO_FENCE_BEFORE_STEP 'assertion violated'
without NO_END_STORE 'assertion violated\|invalid end state (at'
without NO_FENCE_BEFORE_COUNT 'assertion violated'
without NOT_AWAITED 'invalid end state (at'
without NO_COUNTER_CHAIN 'assertion violated'
without COUNTER_BY_ONE 'invalid end state (at'

exit $failed
