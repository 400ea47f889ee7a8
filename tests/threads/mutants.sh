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

flags="-std=gnu17 -D_GNU_SOURCE -g -O1 -fsanitize=thread -Wno-tsan -I$source -I$source/tests/threads"
if ! printf 'int main(void) { return 0; }\n' | $cc -fsanitize=thread -x c - -o "$work/probe" ||
    ! "$work/probe"; then
    echo "skipped: $cc makes no programs for ThreadSanitizer here"
    exit 77
fi

for file in fiber warp block veu executor_order; do
    $cc $flags -c "$source/rkernel_lib/cpu/$file.c" -o "$work/$file.o"
done
$cc $flags -c "$source/tests/threads/test_vdevice.c" -o "$work/test_vdevice.o"

# build <name> <sed script>: the test with the executor edited
build() {
    sed "$2" "$source/rkernel_lib/cpu/executor.c" > "$work/$1.c"
    $cc $flags "$work/$1.c" "$work"/*.o -lpthread -o "$work/$1"
}

failed=0
# mutant <name> <expected text, empty for any failure> <sed script>
mutant() {
    build "$1" "$3"
    if cmp -s "$work/$1.c" "$source/rkernel_lib/cpu/executor.c"; then
        echo "FAIL $1: the edit no longer applies"
        failed=1
    elif timeout 60 "$work/$1" > "$work/out" 2>&1; then
        echo "FAIL $1: nothing noticed it"
        failed=1
    elif ! grep -q "$2" "$work/out"; then
        echo "FAIL $1: something else failed"
        cat "$work/out"
        failed=1
    else
        echo "ok   $1"
    fi
}

build unchanged ''
if ! "$work/unchanged"; then
    echo "FAIL unchanged: the test fails as it is"
    exit 1
fi

mutant no-release 'data race' \
    '/^static void publish/,/^}/s/memory_order_release/memory_order_relaxed/'
mutant no-acquire 'data race' \
    '/^static bool has_reached/,/^}/s/memory_order_acquire/memory_order_relaxed/'
mutant step-before-rtask '' \
    '/^static bool advance/,/^}/s/^        if (has_failed(e) ||/        publish(\&steps[v->index], v->base + v->done + 1);\n&/'
mutant one-step-early '' \
    's/has_reached(&steps\[item->veu\], v->base + item->step)/has_reached(\&steps[item->veu], v->base + item->step - 1)/'
mutant unsigned-comparison '' \
    's/return (int32_t)(finished - step) >= 0;/return finished >= step;/'
mutant base-not-advanced '' \
    's/publish(&steps\[v->index\], v->base + total);/;/'
mutant no-join-between-programs '' \
    '/^static void run_programs/,/^}/s/join_workers(w->executor);/;/'
exit $failed
