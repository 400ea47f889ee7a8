#!/bin/sh
# Plants edits in copies of the CPU vDevice's sources and expects the vDevice's test to notice each:
# ThreadSanitizer a missing release or acquire, the results a step that comes too early.
# RK_SOURCE: the source folder. CC: the compiler, default cc.
set -eu

source=$(cd "${RK_SOURCE:?}" && pwd)
cc=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"

flags="-std=gnu17 -D_GNU_SOURCE -g -O1 -fsanitize=thread -Wno-tsan -I$source -I$source/tests/proof/threads"
if ! printf 'int main(void) { return 0; }\n' | $cc -fsanitize=thread -x c - -o "$work/probe" ||
    ! "$work/probe"; then
    echo "skipped: $cc makes no programs for ThreadSanitizer here"
    exit 77
fi

for file in fiber warp block block_report veu settings executor_order executor_place fault divide watchdog pool; do
    $cc $flags -c "$source/rkernel_lib/runtime/cpu/$file.c" -o "$work/$file.o"
done
$cc $flags -c "$source/tests/proof/threads/test_vdevice.c" -o "$work/test_vdevice.o"

# build <name> <sed script>: the test with the executor edited
build() {
    sed "$2" "$source/rkernel_lib/runtime/cpu/executor.c" > "$work/$1.c"
    $cc $flags "$work/$1.c" "$work"/*.o -lpthread -o "$work/$1"
}

failed=0
# mutant <name> <pattern> <may hang: yes or no> <sed script>
# The test with the edit must fail with a line that matches, or, where it may hang, not end in time.
mutant() {
    build "$1" "$4"
    if cmp -s "$work/$1.c" "$source/rkernel_lib/runtime/cpu/executor.c"; then
        echo "FAIL $1: the edit no longer applies"
        failed=1
        return
    fi
    status=0
    timeout "$limit" "$work/$1" > "$work/out" 2>&1 || status=$?
    if [ "$status" -eq 0 ]; then
        echo "FAIL $1: nothing noticed it"
        failed=1
    elif [ "$status" -eq 124 ] && [ "$3" = yes ]; then
        echo "ok   $1: it never ends"
    elif grep -qE "$2" "$work/out"; then
        echo "ok   $1: $(grep -oE "$2" "$work/out" | head -n 1)"
    else
        echo "FAIL $1: something else failed, status $status"
        cat "$work/out"
        failed=1
    fi
}

build unchanged ''
begin=$(date +%s)
if ! "$work/unchanged"; then
    echo "FAIL unchanged: the test fails as it is"
    exit 1
fi
# What is slow only because the machine is busy must not count as a hang.
limit=$((20 + 5 * ($(date +%s) - begin)))

mutant no-release 'data race' no \
    '/^static void publish/,/^}/s/memory_order_release/memory_order_relaxed/'
mutant no-acquire 'data race' no \
    '/^static bool has_reached/,/^}/s/memory_order_acquire/memory_order_relaxed/'
mutant step-before-rtask 'data race|wrong values' no \
    '/^static bool advance/,/^}/s/^        if (!run_rtask(/        publish(\&steps[v->index], v->base + v->done + 1);\n&/'
mutant one-step-early 'data race|wrong values' no \
    's/has_reached(&steps\[item->veu\], v->base + item->step)/has_reached(\&steps[item->veu], v->base + item->step - 1)/'
mutant unsigned-comparison 'data race|wrong values' yes \
    's/return (int32_t)(finished - step) >= 0;/return finished >= step;/'
mutant base-not-advanced 'data race|wrong values' yes \
    's/publish(&steps\[v->index\], v->base + total);/;/'
mutant no-join-between-programs 'data race|wrong values' no \
    '/^static void run_programs/,/^}/s/join_workers(w->executor);/;/'
exit $failed
