# defined.sh: defined.cu with compilers and levels that run.sh does not take, as it is and as a drop-in; kernels with
# barriers by fission, then by fibers. RK_TEST_FULL=1: each compiler that there is, at each level, in each form.
set -eu
cd "$(dirname "$0")"
missing=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# built COMPILER LEVEL FORM
built()
{
    command -v "$1" >/dev/null || {
        missing="$missing $1"
        return 0
    }
    # shellcheck disable=SC2086 # none or one word
    CXX=$1 "$RKCONVERT" cc $2 $3 defined.cu -o "$work/defined" >"$work/log" 2>&1 || {
        echo "$1 $2 $3 does not build"
        cat "$work/log"
        exit 1
    }
    if grep RK-V221 "$work/log"; then
        echo "$1 $2 $3: not all is found"
        exit 1
    fi
    for fibers in 0 1; do
        RK_FIBERS=$fibers timeout 120 "$work/defined" >"$work/out" 2>&1 && grep -q '^ok: ' "$work/out" || {
            echo "$1 $2 $3, RK_FIBERS=$fibers:"
            cat "$work/out"
            exit 1
        }
    done
}

if [ -n "${RK_TEST_FULL:-}" ]; then
    for compiler in clang++ clang++-14 clang++-15 clang++-19 g++; do
        for level in -O0 -O1 -O2 -O3; do
            built $compiler $level ''
            built $compiler $level --drop-in
        done
    done
else
    built g++ -O3 ''
    built g++ -O0 --drop-in
    built clang++ -O0 ''
    built clang++ -O3 --drop-in
fi
[ -z "$missing" ] || {
    echo "no$missing"
    exit 77
}
