#!/bin/sh
# verify.sh NAME RKCONVERT [OPTION]
#
# The program NAME of tests/programs, with the flags that its first comment gives, is the same as a drop-in on
# 1, 2 and 8 vEUs.
set -eu

cd "$(dirname "$0")/../programs"
if [ -d "$1" ]; then
    main=$1/main.cu
    sources=$(find "$1" -name '*.cu' -o -name '*.cpp' -o -name '*.c' | sort)
else
    main=$1.cu
    sources=$main
fi
flags=$(sed -n '/^\/\//!q; s/^\/\/ flags: *//p' "$main")
# shellcheck disable=SC2086 # sources and flags are words
exec "$2" verify ${3:-} --veus 1,2,8 --timeout 120 -O1 $sources $flags
