#!/bin/sh
# ptx.sh <emit_sample> <ptx_check> <source folder>: the emitted vDevice keeps the protocol in its PTX,
# and the check fails when any part of it is taken away.
set -u
emit=$1 check=$2 source=$3
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

"$emit" "$source/tests/device/protocol/kernels" "$source/rkernel_lib/include" "$work/good" || exit 1

# ptx <folder> <arch>: compiles, and says whether the check holds
ptx() {
    (cd "$work/$1" && "$nvcc" -std=c++17 -O3 -I. -Iinclude -arch=sm_"$2" -ptx sample.cu \
        -o sample.ptx) || { echo "$1: nvcc failed"; exit 1; }
    "$check" "$work/$1/sample.ptx" >"$work/$1/report"
}

# planted <name> <file under include/rk or kernels> <sed script> <what the check must say>
planted() {
    cp -R "$work/good" "$work/$1"
    sed "$3" "$work/good/$2" >"$work/$1/$2"
    if cmp -s "$work/good/$2" "$work/$1/$2"; then
        echo "$1: the edit no longer applies"
        failed=1
    elif ptx "$1" 80; then
        echo "$1: the check did not see it"
        failed=1
    elif ! grep -q "$4" "$work/$1/report"; then
        echo "$1: the check saw something else:"
        cat "$work/$1/report"
        failed=1
    else
        echo "$1: seen"
    fi
}

for arch in ${RK_NVCC_ARCHS:-75 80 90}; do
    if ptx good $arch; then
        echo "sm_$arch: $(tail -n 1 "$work/good/report")"
    else
        echo "sm_$arch:"
        cat "$work/good/report"
        failed=1
    fi
done

vdevice=include/rk/vdevice.cuh
planted no-barrier-before-step $vdevice '/rTask ends/{n;n;d;}' 'between an rTask and its step'
planted step-before-barrier $vdevice '/rTask ends/{n;n;h;d;}
/vdevice_publish(program, entry, step, done)/G' 'between an rTask and its step'
planted no-barrier-between-rtasks $vdevice '/rTask ends/{n;n;s/vdevice_barrier/__syncwarp/;}' \
    'between two rTasks'
planted no-barrier-after-poll $vdevice '/vdevice_await<V>(program/{n;d;}' 'between a poll and an rTask'
planted no-fence-after-poll $vdevice '/void vdevice_await(/,/^}/{/vdevice_fence();/d;}' 'no fence between a poll'
planted no-fence-before-step $vdevice '/void vdevice_publish(/,/^}/{/vdevice_fence();/d;}' 'no fence before'
planted fence-before-barrier $vdevice '/void vdevice_publish(/,/^}/{/vdevice_fence();/d;}
/rTask ends/{n;s/$/ vdevice_fence();/;}' 'no fence before'
planted step-of-block $vdevice 's/st\.relaxed\.gpu/st.relaxed.cta/' 'no step is stored at gpu scope'
planted poll-of-block $vdevice 's/ld\.relaxed\.gpu/ld.relaxed.cta/' 'nothing polls at gpu scope'
planted no-step $vdevice 's/vdevice_store_step(step, done)//' 'no step is stored after'
planted ldg include/rk/gpu/gpu_context.h 's/return \*address;/return __ldg(address);/' 'non-coherent'

exit $failed
