#!/bin/sh
# hours.sh [MINUTES [BUILD]]: what the suite does for seconds, for as long as asked: changed files before every reader,
# with one seed after the other; every call of the C library that can fail, once; commands killed, run two at once and
# on a full disk; the expressions and the older mutators. BUILD is build/release. Prints counts, and ends with 1
# when something is wrong. An hour: sh tests/soak/fuzz/hours.sh 60
set -u
minutes=${1:-60} build=$(cd "${2:-build/release}" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd)
RAMMER=$build/bin/rammer RKCONVERT=$build/bin/rkconvert CATALOG=$build/share/rammer/catalog
RK_SOURCE=$(cd "$here/../../.." && pwd)
VENDOR=$RK_SOURCE/vendor_kernels
export RAMMER RKCONVERT CATALOG RK_SOURCE VENDOR
wrong=0
end=$(($(date +%s) + minutes * 60))
if [ -e "$build/tests/faults.so" ]; then
    sh "$here/../faults/faults.sh" "$build/tests/faults.so" 1 || wrong=1
fi
sh "$here/../faults/attack.sh" $((minutes * 2)) 1 || wrong=1
seed=1
while [ "$(date +%s)" -lt $end ]; do
    sh "$here/readers.sh" "$build/tests/readers" 10000 $seed || wrong=1
    "$build/tests/fuzz" expr 1000000 $seed "$here/corpus/expr.txt" || wrong=1
    seed=$((seed + 1))
done
echo "$((seed - 1)) seeds of 10000 files for each reader"
exit $wrong
