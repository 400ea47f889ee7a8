#!/bin/sh
# hours.sh [MINUTES [BUILD [SEED]]]: what the suite does for seconds, for as long as asked, and not much longer: for two
# fifths of the time calls of the C library that fail, each call site once if there is time; for one fifth commands that are
# killed, run two at once and on a full disk; then changed files before every reader, with one seed after the other from
# SEED, and the expressions. BUILD is build/release. Prints counts, and ends with 1 when something is wrong. An hour:
# sh tests/soak/fuzz/hours.sh 60
set -u
minutes=${1:-60} build=$(cd "${2:-build/release}" && pwd) || exit 2
first=${3:-1}
here=$(cd "$(dirname "$0")" && pwd)
RAMMER=$build/bin/rammer RKCONVERT=$build/bin/rkconvert CATALOG=$build/share/rammer/catalog
RK_SOURCE=$(cd "$here/../../.." && pwd)
VENDOR=$RK_SOURCE/vendor_kernels
export RAMMER RKCONVERT CATALOG RK_SOURCE VENDOR
wrong=0 began=$(date +%s)
end=$((began + minutes * 60))
if [ -e "$build/tests/faults.so" ]; then
    sh "$here/../faults/faults.sh" "$build/tests/faults.so" 1 $((minutes * 24)) "$first" || wrong=1
fi
rounds=0
until=$(($(date +%s) + minutes * 12))
while [ "$(date +%s)" -lt $until ]; do
    sh "$here/../faults/attack.sh" 3 $((first + rounds)) || wrong=1
    rounds=$((rounds + 1))
done
seed=$first
while [ "$(date +%s)" -lt $end ]; do
    sh "$here/readers.sh" "$build/tests/readers" 500 $seed || wrong=1
    "$build/tests/fuzz" expr 50000 $seed "$here/corpus/expr.txt" || wrong=1
    seed=$((seed + 1))
done
echo "$rounds rounds of attacks, $((seed - first)) seeds of 500 files for each reader, $(($(date +%s) - began)) s"
exit $wrong
