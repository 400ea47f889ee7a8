#!/bin/sh
# addresses.sh RKCONVERT INCLUDE
#
# The host code of a drop-in for CUDA, built by nvcc and run: each launch of host/addresses.cu by an address reaches the
# launcher of its kernel. That is seen without a GPU, too, where launchers say that the launch has an error.
set -eu

command -v nvcc >/dev/null || { echo "no nvcc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/host/addresses.cu" "$work"
cd "$work"
"$1" --drop-in addresses.cu -o drop_in.cu -- -std=c++17 >log 2>&1 || { cat log; exit 1; }
nvcc -std=c++17 -arch=sm_80 -I "$2" drop_in.cu -o drop_in
RK_DROP_IN_REPORT=1 ./drop_in >out 2>&1 || [ $? -eq 3 ]
cat out
grep -q '^rk: plain .*: 7 launches ' out
grep -q '^rk: add .*: 6 launches ' out
grep -q ' of 13 launches ran as vDevices$' out
