# Sets up, builds and runs the tests, and ends with the counts. May be run again at any time. docs/testing.md says more.
#
#   sh tools/test.sh [--full]
#
#   release  every test but those of labels `full` and `sanitized`, with nvcc for one architecture
#   asan     units, golden and equivalence tests under AddressSanitizer and UBSan, but slow ones; those of label
#            `sanitized` only here
#   tsan     the CPU vDevice under ThreadSanitizer
# Everything is looked at once. With --full all tests run, with each architecture and as many random cases as there are. What could not run is named at
# the end, with what is missing. With CI set, warnings are errors.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tools/common.sh
. tools/common.sh
rk_steps=4
passed=0
failed=0
skipped=0
case ${1:-} in
'')
    full=
    RK_NVCC_ARCHS=${RK_NVCC_ARCHS:-80}
    export RK_NVCC_ARCHS
    ;;
--full)
    full=yes
    RK_TEST_FULL=1
    export RK_TEST_FULL
    ;;
*)
    echo "usage: sh tools/test.sh [--full]" >&2
    exit 2
    ;;
esac

# attribute FILE NAME: a number of CTest's JUnit summary.
attribute()
{
    sed -n "s/^[[:space:]]*$2=\"\([0-9]*\)\".*/\1/p" "$1" | head -n 1
}

# not_run FILE PRESET: the tests of a JUnit summary that were skipped, each with the last thing that it said.
not_run()
{
    awk -v preset="$2" '
        /<testcase / { match($0, /name="[^"]*"/); name = substr($0, RSTART + 6, RLENGTH - 7); skipped = 0; said = "it does not say why" }
        /<skipped/ { skipped = 1 }
        /<system-out>/ { sub(/.*<system-out>/, ""); inside = 1 }
        inside {
            line = $0
            if (sub(/<\/system-out>.*/, "", line)) inside = 0
            if (line ~ /[^ \t]/) said = line
        }
        /<\/testcase>/ && skipped { print preset ": " name ": " said }' "$1"
}

# run_tests PRESET TARGETS [ctest option]...: builds and tests, and adds to the counts.
run_tests()
{
    preset=$1 targets=$2
    shift 2
    # shellcheck disable=SC2086 # targets and options are words
    if ! configure "$preset" -DRK_WERROR="${CI:+ON}" $options || ! build "$preset" --target $targets; then
        echo "the $preset build failed"
        failed=$((failed + 1))
        return
    fi
    junit=$PWD/build/$preset.xml
    rm -f "$junit"
    status=0
    [ -n "$full" ] || set -- "$@" -LE "^($unusual)\$"
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
    not_run "$junit" "$preset" >>build/skipped
    passed=$((passed + total - bad - not_run))
    failed=$((failed + bad))
    skipped=$((skipped + not_run))
}

step "Setting up"
sh tools/setup.sh || exit 1
find_nvcc || echo "no CUDA toolkit: tests that need nvcc are skipped"
mkdir -p build
: >build/skipped

unusual='full|sanitized'
step "Release: all tests"
# Tests run libraries for any processor; products/installed_level makes the one that it wants.
options="-DRK_CPU_LEVELS=base -DRK_DROP_IN_LEVEL=-O$([ -z "$full" ] && echo 0 || echo 1)"
# The build has made the programs: its fixtures, one call of Ninja for each, have nothing to do.
run_tests release "all ${full:+programs_full} programs" -FS '^program_' -E '^build/'
options=-DRK_RKCONVERT=$PWD/build/release/bin/rkconvert # makes their catalogs
unusual=full
step "AddressSanitizer and UndefinedBehaviorSanitizer"
run_tests asan sanitized -L '^(unit|golden|equivalence|asan)$'
step "ThreadSanitizer: the CPU vDevice"
run_tests tsan sanitized -R '^(threads/|golden/rammer/vdevice_(convnet|lstm|mlp)$)'

echo
times >build/times
echo "all tests, $(($(date +%s) - rk_started)) s; processor time, user and system: $(tail -n 1 build/times):"
# Each reason once, with the number of tests and one of them.
sed 's/: /\t/; s/: /\t/' build/skipped | awk -F '\t' '
    { key = $1 "\t" $3; count[key]++; if (!(key in first)) { first[key] = $2; order[++n] = key } }
    END {
        for (i = 1; i <= n; i++) {
            split(order[i], part, "\t")
            printf "not run, %s: %s%s: %s\n", part[1], first[order[i]], (count[order[i]] > 1 ? " and " count[order[i]] - 1 " more" : ""), part[2]
        }
    }'
echo "$passed passed, $failed failed, $skipped skipped (all are in build/skipped)"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
