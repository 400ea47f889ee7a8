#!/bin/sh
# run.sh [--count N] [--seed S] [--build BUILD]: the checker against the explorer on a million mutants,
# or as many as asked for, in BUILD (build/release); prints the kill rate of each class.
set -eu
cd "$(dirname "$0")/../../.."
build=build/release count=1000000 seed=1
while [ $# -gt 1 ]; do
    case $1 in
    --count) count=$2 ;;
    --seed) seed=$2 ;;
    --build) build=$2 ;;
    *) echo "usage: run.sh [--count N] [--seed S] [--build BUILD]" >&2; exit 2 ;;
    esac
    shift 2
done
[ $# -eq 0 ] || { echo "run.sh: what is '$1'?" >&2; exit 2; }
exec "$build/tests/mutants" --count "$count" --seed "$seed"
