#!/bin/sh
# models.sh <rammer> <ptx_check>: what `rammer build` writes for cuda of whole models compiles without
# warnings for the device's architecture, ptxas spills nothing, and the PTX keeps the protocol; with RK_TEST_FULL
# tests/device/gpu/run.sh, with no GPU, compiles it and says that there is none. $RK_NVCC_ARCHS narrows the devices.
set -u
rammer=$1 check=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/nvcc.sh"
cd "$work" || exit 2

# one <model> <device> <policy> <arch>
one() {
    to=$1-$2-$3
    if ! "$rammer" build "$1/graph.json" --target cuda --device "$2" --policy "$3" --no-reference \
        -o "$to" >"$to.log" 2>&1; then
        echo "$to is not built:"
        cat "$to.log"
        return 1
    fi
    result=0
    mkdir "$to/keep"
    for unit in "$1" test bench; do
        if ! strict -arch=sm_"$4" -I"$to" -I"$to/include" --keep --keep-dir "$to/keep" \
            -c "$to/$unit.cu" -o "$to/$unit.o" >"$to.log" 2>&1; then
            echo "$to/$unit.cu does not compile:"
            cat "$to.log"
            return 1
        fi
        [ "$unit" = test ] || { spills "$to.log" "$to/$unit.cu" && result=1; }
    done
    for unit in "$1" bench; do
        "$check" "$to/keep/$unit.ptx" >"$to.log" || {
            echo "$to/$unit.cu:"
            cat "$to.log"
            result=1
        }
    done
    [ $result -eq 0 ] && echo "$to: $(tail -n 1 "$to.log")"
    return $result
}

# all <line>...: one after another
all() {
    worst=0
    for line; do
        case " ${RK_NVCC_ARCHS:-75 80 90} " in
        *" ${line##* } "*) ;;
        *) continue ;;
        esac
        # shellcheck disable=SC2086
        one $line || worst=1
    done
    return $worst
}

for model in lstm mlp convnet; do
    "$rammer" zoo $model -o $model >log || { cat log; exit 1; }
done
all 'lstm h100 wavefront 90' 'mlp t4 wavefront 75' 'mlp h100 base 90' 'mlp a100 wavefront 80' \
    'convnet t4 wavefront 75' 'lstm t4 base 75' &
all 'lstm a100 wavefront 80' 'lstm t4 wavefront 75' 'convnet h100 wavefront 90' \
    'convnet a100 base 80' 'mlp h100 wavefront 90' 'convnet a100 wavefront 80' || failed=1
wait $! || failed=1

# run.sh compiles all over again; without RK_TEST_FULL it does so for gpu/run's sample alone.
if [ ! -e /dev/nvidia0 ] && [ $failed -eq 0 ] && [ -n "${RK_TEST_FULL:-}" ]; then
    # shellcheck disable=SC2046 # folders of models, whose names are words
    sh "$here/../gpu/run.sh" $(ls -d lstm-*-wavefront convnet-*-wavefront | head -n 2) >log 2>&1
    status=$?
    if [ $status -ne 3 ] || ! grep -q 'has no NVIDIA GPU' log; then
        echo "run.sh: status $status:"
        cat log
        failed=1
    fi
fi
exit $failed
