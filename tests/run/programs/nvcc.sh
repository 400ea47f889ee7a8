# nvcc.sh: nvcc takes every program of this folder, every other one for sm_80 and for sm_90: with RK_TEST_FULL whole and each
# by itself, else its device code, in one call for each (tests/together.sh); the drop-ins' test compiles the same host code.
# A program whose first comment says `of CUDA 12: why` is left out, since that nvcc is not asked for: its drop-in compiles
# all the same.
set -eu
cd "$(dirname "$0")"
nvcc=${NVCC:-$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")}
[ -x "$nvcc" ] || {
    echo 'there is no nvcc'
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
what=-ptx
[ -z "${RK_TEST_FULL:-}" ] || what=-c
export nvcc what work

# Those with flags of their own, and of several sources, are each by itself; the others in lists by architecture.
arch=80
find . -name '*.cu' | sort >"$work/all"
while read -r source; do
    ! grep "^// of CUDA 12: " "$source" || continue
    flags=$(sed -n "s/^\/\/ flags: //p" "$source" | sed "s/\(^\| \)-l[a-z]*$//")
    if [ "$what" = -ptx ] && [ -z "$flags" ] && [ "$(dirname "$source")" = . ]; then
        echo "$source" >>"$work/list.$arch"
    else
        echo "$arch $source" >>"$work/alone"
    fi
    arch=$((170 - arch))
done <"$work/all"
for arch in 80 90; do
    [ -f "$work/list.$arch" ] || continue
    # shellcheck disable=SC2046 # names without spaces
    sh ../../together.sh $(cat "$work/list.$arch") >"$work/together.$arch.cu"
    "$nvcc" -std=c++17 -rdc=true -ptx "$work/together.$arch.cu" -o "$work/$arch.ptx" -I. -Xcudafe --diag_suppress=177 \
        -Werror all-warnings -arch=sm_$arch >"$work/log" 2>&1 && continue
    grep -m 5 error "$work/log" || cat "$work/log"
    echo "together they do not compile; one by one:"
    sed "s/^/$arch /" "$work/list.$arch" >>"$work/alone"
done
tr ' \n' '\0\0' <"$work/alone" | xargs -0 -n 2 -P 2 sh -c '
    flags=$(sed -n "s/^\/\/ flags: //p" "$2" | sed "s/\(^\| \)-l[a-z]*$//")
    "$nvcc" -std=c++17 -rdc=true $what "$2" -o /dev/null $flags -Xcudafe --diag_suppress=177 -Werror all-warnings \
        -arch=sm_$1 || {
        echo "$2 does not compile"
        exit 1
    }' sh
