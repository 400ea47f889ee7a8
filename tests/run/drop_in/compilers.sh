#!/bin/sh
# compilers.sh NAME RKCONVERT
#
# The program NAME of this folder or of tests/run/programs is the same as a drop-in on 1, 2 and 8 vEUs, also where another
# compiler builds both.
set -eu

cd "$(dirname "$0")"
source=$1.cu
[ -f "$source" ] || source=../programs/$1.cu
exec "$2" verify --veus 1,2,8 --timeout 120 -O1 "$source"
