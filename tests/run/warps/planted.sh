# planted.sh SOURCE SCRIPT: builds meet.cpp with rk/gpu/cuda_warp.cuh as it is, which must pass, or as the sed
# SCRIPT leaves it, which must not.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/gpu" "$work/kernel"
cp "$1/rkernel_lib/include/rk/kernel/warp_returns.h" "$work/kernel"
sed "$2" "$1/rkernel_lib/include/rk/gpu/cuda_warp.cuh" >"$work/gpu/cuda_warp.cuh"
${CXX:-c++} -std=c++17 -O1 -w -pthread -I"$work/gpu" "$1/tests/run/warps/meet.cpp" -o "$work/meet"
if [ -z "$2" ]; then
    exec "$work/meet"
fi
if cmp -s "$work/gpu/cuda_warp.cuh" "$1/rkernel_lib/include/rk/gpu/cuda_warp.cuh"; then
    echo "the script changes nothing" >&2
    exit 1
fi
if "$work/meet"; then
    echo "not noticed: $2" >&2
    exit 1
fi
