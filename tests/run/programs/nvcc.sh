# nvcc.sh: nvcc takes every program of this folder, one after the other for sm_80 and for sm_90: with RK_TEST_FULL whole,
# else its device code; the drop-ins' test compiles the same host code. A program whose first comment says `of CUDA 12: why` is
# left out, since that nvcc is not asked for: its drop-in compiles all the same.
set -eu
cd "$(dirname "$0")"
nvcc=${NVCC:-$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")}
[ -x "$nvcc" ] || {
    echo 'there is no nvcc'
    exit 77
}
what=-ptx
[ -z "${RK_TEST_FULL:-}" ] || what=-c
export nvcc what
find . -name '*.cu' | sort | awk '{ print NR % 2 ? 80 : 90; print }' | tr '\n' '\0' | xargs -0 -n 2 -P 2 sh -c '
    ! grep "^// of CUDA 12: " "$2" || exit 0
    flags=$(sed -n "s/^\/\/ flags: //p" "$2" | sed "s/\(^\| \)-l[a-z]*$//")
    "$nvcc" -std=c++17 -rdc=true $what "$2" -o /dev/null $flags -Xcudafe --diag_suppress=177 -Werror all-warnings \
        -arch=sm_$1 || {
        echo "$2 does not compile"
        exit 1
    }' sh
