#!/bin/sh
# compile.sh <emit_sample> <source folder>: everything emitted compiles with no warning for all three
# architectures, ptxas spills nothing, each barrier case has its instructions, and on a machine with
# no GPU the program says so. $RK_NVCC_ARCHS narrows the architectures.
set -u
emit=$1 source=$2
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

"$emit" "$source/tests/device/protocol/kernels" "$source/rkernel_lib/include" "$work/out" || exit 1
cd "$work/out" || exit 2
flags='-std=c++17 -O3 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror -Xptxas -v -I. -Iinclude'

for arch in ${RK_NVCC_ARCHS:-75 80 90}; do
    for file in sample test bench; do
        # shellcheck disable=SC2086
        if ! "$nvcc" $flags -arch=sm_"$arch" -c $file.cu -o $file.o >log 2>&1; then
            echo "sm_$arch: $file.cu does not compile:"
            cat log
            exit 1
        fi
        if grep 'bytes spill' log | grep -qv ' 0 bytes spill stores, 0 bytes spill loads'; then
            echo "sm_$arch: $file.cu spills:"
            grep -B 2 'bytes spill' log
            failed=1
        fi
    done
    echo "sm_$arch: compiled, $(grep -c 'bytes spill' log) kernels, no spills"
done

# count <what> <at least>: in the kernel of rProgram 0
"$nvcc" -std=c++17 -O3 -I. -Iinclude -arch=sm_80 -ptx sample.cu -o sample.ptx || exit 1
count() {
    found=$(awk '/\.entry/ { on = /sample_vdevice_0/ } on' sample.ptx | grep -c "$1")
    if [ "$found" -lt "$2" ]; then
        echo "barriers: $found times '$1', at least $2 expected"
        failed=1
    fi
}
count 'bar\.sync[ 	]*0;' 4                  # case 1: row_sum<128>
count 'bar\.sync 1, 64;' 3                   # case 2: row_sum<64>, transpose<8>, members
count 'bar\.warp\.sync[ 	]*16777215;' 2       # case 3: row_sum<24>
count 'barrier\.red\.and\.pred q, 2, p' 4  # case 4: row_sum<48>
count 'barrier\.red\.popc\.u32 .*, 2, p' 4 # case 4, reducing: count_above

cc=${CC:-cc}
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -c sample_tables.c || failed=1
printf '#include "sample.h"\nint main(void)\n{\n    return sample_input_count - 1;\n}\n' >api.c
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -I. -I"$(dirname "$nvcc")/../include" -c api.c ||
    { echo "the C API is no C"; failed=1; }
"$nvcc" test.o sample.o sample_tables.o -o test_sample || failed=1
if [ ! -e /dev/nvidia0 ]; then
    ./test_sample 2>error
    status=$?
    if [ $status -ne 2 ] || ! grep -q 'cannot find a GPU' error; then
        echo "with no GPU: status $status, $(cat error)"
        failed=1
    fi
fi
exit $failed
