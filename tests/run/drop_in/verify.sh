#!/bin/sh
# verify.sh NAME SOURCE RKCONVERT
#
# `rkconvert verify` finds that the program NAME, which the build has made of SOURCE, is the same as a drop-in on 1, 2 and
# 8 vEUs.
set -eu

cd "$(dirname "$2")"
exec "$3" verify --one-compiler --veus 1,2,8 --timeout 120 --original "$RK_BUILD/programs/$1/legacy/run" \
    --with "$RK_BUILD/programs/$1/drop_in/run" "$(basename "$2")"
