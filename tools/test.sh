# Sets up, builds and runs all tests, and ends with the counts. May be run again at any time.
#
#   sh tools/test.sh
#
#   release  every test
#   asan     units, golden and equivalence tests under AddressSanitizer and UBSan
#   tsan     the CPU vDevice under ThreadSanitizer
# What needs nvcc is skipped where there is no CUDA toolkit. With CI set, warnings are errors.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tools/common.sh
. tools/common.sh
rk_steps=4
passed=0
failed=0
skipped=0

# attribute FILE NAME: a number of CTest's JUnit summary.
attribute()
{
    sed -n "s/^[[:space:]]*$2=\"\([0-9]*\)\".*/\1/p" "$1" | head -n 1
}

# run_tests PRESET [ctest option]...: builds and tests, and adds to the counts.
run_tests()
{
    preset=$1
    shift
    if ! configure "$preset" -DRK_WERROR="${CI:+ON}" || ! build "$preset"; then
        echo "the $preset build failed"
        failed=$((failed + 1))
        return
    fi
    junit=$PWD/build/$preset.xml
    rm -f "$junit"
    status=0
    ctest --test-dir "build/$preset" --no-tests=error --output-on-failure --progress -j 2 \
        --output-junit "$junit" "$@" || status=$?
    total=0
    [ -s "$junit" ] && total=$(attribute "$junit" tests)
    if [ "$total" -eq 0 ]; then
        echo "no $preset test ran"
        failed=$((failed + 1))
        return
    fi
    bad=$(attribute "$junit" failures)
    not_run=$(($(attribute "$junit" skipped) + $(attribute "$junit" disabled)))
    # A test whose program is missing is a failure to ctest, and skipped in its summary.
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=$not_run
        not_run=0
    fi
    echo "$preset: $((total - bad - not_run)) passed, $bad failed, $not_run skipped"
    passed=$((passed + total - bad - not_run))
    failed=$((failed + bad))
    skipped=$((skipped + not_run))
}

step "Setting up"
sh tools/setup.sh || exit 1
find_nvcc || echo "no CUDA toolkit: tests that need nvcc are skipped"

step "Release: all tests"
run_tests release
step "AddressSanitizer and UndefinedBehaviorSanitizer"
run_tests asan -L '^(unit|golden|equivalence)$'
step "ThreadSanitizer: the CPU vDevice"
run_tests tsan -R '^(threads/|golden/rammer/vdevice_)'

echo
echo "all tests, $(($(date +%s) - rk_started)) s:"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
