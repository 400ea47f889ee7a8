#!/bin/sh
# compilers.sh RKCONVERT ARGUMENT...
#
# The program that `rkconvert cc -O1 ARGUMENT...` builds is the same as a drop-in on 1, 2 and 8 vEUs, also where another
# compiler builds both.
set -eu

rkconvert=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$rkconvert" verify --veus 1,2,8 --timeout 120 -O1 "$@"
