#!/bin/sh
# sweep.sh KERNELS SEED FILES [all]
#
# FILES sources of 200 kernels, numbers SEED, SEED + 1, ... as seeds: each in one form of all compilers that are there, taken
# in turn, every other one at -O0, which takes a third of the time of the others, or with `all` in each of -O0 and -O2. Says at the end how many kernels ran in how many forms, and how long it took.
set -eu
kernels=$1 seed=$2 files=$3 all=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
forms=
levels='-O0 -O1 -O0 -O2 -O0 -O3'
[ -z "$all" ] || levels='-O0 -O2'
for compiler in g++ clang++-14 clang++-19; do
    command -v $compiler >/dev/null || continue
    for optimisation in $levels; do
        forms="$forms $compiler:$optimisation:as-is $compiler:$optimisation:drop-in $compiler:$optimisation:catalog"
    done
done
[ -z "$all" ] || ! command -v nvcc >/dev/null || forms="$forms ::nvcc"
# shellcheck disable=SC2086 # words
set -- $forms
ran=0 differing=0 built=0 began=$(date +%s)
while [ $ran -lt "$files" ]; do
    if [ -z "$all" ]; then
        # A step that has no divisor in common with the number of forms.
        form=$(echo "$forms" | cut -d ' ' -f $(((seed * 7 + 3) % $# + 2)))
    else
        form=$forms
    fi
    # shellcheck disable=SC2086 # words
    sh "$here/run.sh" "$kernels" "$seed" 0 200 $form || differing=$((differing + 1))
    built=$((built + $(echo "$form" | wc -w)))
    ran=$((ran + 1)) seed=$((seed + 1))
done
echo "$((ran * 200)) kernels, $((built * 200)) builds of a kernel in a form, $differing of $ran files differ," \
    "$(($(date +%s) - began)) s, processor time:"
times | tail -1
[ $differing -eq 0 ]
