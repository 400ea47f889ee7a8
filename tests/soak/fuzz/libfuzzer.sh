# libFuzzer over one target, for as many runs as the tests can wait for (more where RK_TEST_FULL is set), always the
# same ones.
#
#   sh tests/soak/fuzz/libfuzzer.sh expr|rewrite BUILD [RUNS]
#
# BUILD is a build folder of its own, made with the preset `fuzz`. Samples are tests/soak/fuzz/corpus and the
# sources of the golden cases. What breaks is left in BUILD/<target>.broken.
set -u
target=$1
mkdir -p "$2" || exit 1
build=$(cd "$2" && pwd)
source=$(cd "$(dirname "$0")/../../.." && pwd)
command -v clang-19 >/dev/null || { echo "clang-19 is not installed"; exit 77; }
printf 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }\n' >"$build/probe.c"
clang-19 -fsanitize=fuzzer,address "$build/probe.c" -o "$build/probe" 2>"$build/probe.log" ||
    { echo "clang-19 has no libFuzzer: install libclang-rt-19-dev"; exit 77; }

(cd "$source" && cmake --preset fuzz -B "$build") >"$build/log" 2>&1 &&
    cmake --build "$build" --target "fuzz_$target" >>"$build/log" 2>&1 || { tail -n 30 "$build/log"; exit 1; }

samples=$build/$target.samples
broken=$build/$target.broken
rm -rf "$samples" "$broken"
mkdir -p "$samples" "$broken"
case $target in
expr)
    n=0
    while IFS= read -r line; do
        n=$((n + 1))
        printf '%s' "$line" >"$samples/$n"
    done <"$source/tests/soak/fuzz/corpus/expr.txt"
    options="-max_len=400 -runs=${3:-200000}"
    ;;
rewrite)
    # The golden cases run each of them under the same sanitizers: some are enough to start from.
    n=0
    for file in "$source"/tests/golden/rkconvert/*/*.cu; do
        n=$((n + 1))
        [ -n "${RK_TEST_FULL:-}" ] || [ $((n % 5)) -eq 0 ] || continue
        cp "$file" "$samples/$(basename "$(dirname "$file")").$(basename "$file")"
    done
    options="-max_len=6000 -len_control=0 -runs=${3:-$([ -n "${RK_TEST_FULL:-}" ] && echo 400 || echo 80)}"
    ;;
esac
# libclang keeps what it interns: leaks are gated by the golden cases under asan.
RAMMER_HOME=$build/share/rammer ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
    "$build/bin/fuzz_$target" $options -seed=1 -timeout=120 -rss_limit_mb=4096 \
    -print_final_stats=1 -artifact_prefix="$broken/" "$samples" >"$build/$target.log" 2>&1
status=$?
grep -E '^stat::(number_of_executed_units|peak_rss_mb)|^SUMMARY|^#[0-9]+.*DONE' "$build/$target.log"
[ $status -eq 0 ] || tail -n 40 "$build/$target.log"
exit $status
