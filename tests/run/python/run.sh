# run.sh PYTHON CLASS: the tests of a class of test_rammer.py; 77 when all of them are skipped.
out=$("$1" "$RK_SOURCE/tests/run/python/test_rammer.py" "$2" 2>&1)
status=$?
echo "$out"
[ $status = 0 ] || exit 1
echo "$out" | grep -q '^Ran [1-9]' || exit 1
case $out in
*"OK (skipped="*)
    echo "$out" | sed -n "s/.*skipped '\(.*\)'/\1/p" | tail -n 1
    exit 77
    ;;
esac
