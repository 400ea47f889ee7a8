#!/bin/sh
# check.sh <emit_sample> <source folder>: run.sh does what it says: with no GPU it compiles all and
# says that there is none; with one it runs all; where a run fails, so does it.
set -u
emit=$1 source=$2
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
run=$source/tests/device/gpu/run.sh
failed=0
"$emit" "$source/tests/device/protocol/kernels" "$source/rkernel_lib/include" "$work/sample" || exit 1
cd "$work" || exit 2

# expect <status> <text that it prints> <arguments>...
expect() {
    wanted=$1 text=$2
    shift 2
    sh "$run" "$@" >log 2>&1
    got=$?
    if [ $got -ne "$wanted" ] || ! grep -q "$text" log; then
        echo "run.sh $*: status $got instead of $wanted, or no '$text':"
        cat log
        failed=1
    fi
}

expect 2 'Exit status:'
expect 2 'is no folder that rammer emitted' "$work"
if [ -e /dev/nvidia0 ]; then
    expect 0 '^sample .* good ' -o gpu.json sample
    exit $failed
fi
expect 3 'has no NVIDIA GPU' sample
[ -e rammer-gpu.json ] && { echo "a report was written although nothing ran"; failed=1; }

# A machine that claims a GPU, whose runs then fail.
mkdir bin
printf '#!/bin/sh\ncase $1 in *name) echo "A \\"B\\"";; *cap) echo 8.0;; *) echo 1.2;; esac\n' \
    >bin/nvidia-smi
chmod +x bin/nvidia-smi
PATH=$work/bin:$PATH
expect 1 '^sample .* WRONG ' -o gpu.json sample
grep -q '"device": "A \\"B\\""' gpu.json && grep -q '"check": "wrong"' gpu.json ||
    { echo "the report is wrong:"; cat gpu.json; failed=1; }
exit $failed
