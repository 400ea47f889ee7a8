# nvcc.sh: every program of this folder compiles with nvcc for sm_80 and sm_90.
set -eu
cd "$(dirname "$0")"
nvcc=${NVCC:-$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")}
[ -x "$nvcc" ] || {
    echo 'there is no nvcc'
    exit 77
}
export nvcc
find . -name '*.cu' | sort | tr '\n' '\0' | xargs -0 -n 1 -P 2 sh -c '
    flags=$(sed -n "s/^\/\/ flags: //p" "$1" | sed "s/-l[a-z]*$//")
    "$nvcc" -std=c++17 -rdc=true -c "$1" -o /dev/null $flags -Xcudafe --diag_suppress=177 -Werror all-warnings \
        -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 || {
        echo "$1 does not compile"
        exit 1
    }' sh
