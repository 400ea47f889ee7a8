#!/bin/sh
# shipped.sh <emit_shipped> <ptx_check> <share folder>: every instance of the shipped
# kernels compiles as a vDevice without warnings for all three architectures, ptxas spills nothing, and
# the PTX keeps the protocol and has no non-coherent load. There is no code for the host in them. Two files at a
# time. $RK_NVCC_ARCHS narrows the architectures.
set -u
emit=$1 check=$2 share=$3
. "$(dirname "$0")/nvcc.sh"

# one <folder of the stem>: everything about one file; true when all is right
one() {
    stem=$(basename "$1")
    targets=
    for arch in ${RK_NVCC_ARCHS:-75 80 90}; do
        targets="$targets -gencode arch=compute_$arch,code=sm_$arch"
    done
    # shellcheck disable=SC2086
    if ! strict $targets -I"$share/include" -I"$share/catalog" --keep --keep-dir "$1" \
        -fatbin "$work/$stem.cu" -o "$1/object.fatbin" >"$1/log" 2>&1; then
        echo "$stem does not compile:"
        cat "$1/log"
        return 1
    fi
    good=0
    spills "$1/log" "$stem.cu" && good=1
    # nvcc keeps one file for each architecture, and leaves its name out where there is only one.
    for ptx in "$1"/*.ptx; do
        "$check" "$ptx" >"$1/report" || {
            echo "$(basename "$ptx"):"
            cat "$1/report"
            good=1
        }
    done
    return $good
}

"$emit" "$share/catalog/catalog.json" "$work" || exit 1
# half <remainder>: each second file
half() {
    count=0 result=0
    for file in "$work"/*.cu; do
        count=$((count + 1))
        [ $((count % 2)) -eq "$1" ] || continue
        stem=$(basename "$file" .cu)
        mkdir "$work/$stem"
        one "$work/$stem" || result=1
        rm -rf "${work:?}/$stem"
    done
    return $result
}
half 0 &
half 1 || failed=1
wait $! || failed=1
exit $failed
