# rKernels for AMD: hipcc compiles what `rkconvert --target hip` makes of the vendor's kernels, and the
# context over launch configurations that it takes; what it must not take does not compile.
#
#   sh tests/device/hip/compile.sh BUILD
set -u
build=$1
here=$(cd "$(dirname "$0")" && pwd)
command -v hipcc >/dev/null || { echo "hipcc is not installed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# compile FILE [option]...: for a wavefront of 64 lanes, device code only; hipcc's search for GPUs is silenced.
compile()
{
    file=$1
    shift
    hipcc -x hip -std=c++17 -Wall -Werror --offload-arch=gfx90a --offload-device-only -c "$file" \
        -I"$build/share/rammer/include" -I"$build/share/rammer/include/rk/hip" "$@" \
        -o "$work/out.o" >"$work/log" 2>&1
}

"$build/bin/rkconvert" "$here/../../../vendor_kernels" --target hip --no-cpu --out-dir "$work/kernels" \
    --report json >"$work/report.json" 2>"$work/err"
[ $? -le 1 ] || { cat "$work/err"; exit 1; }
# All in one source, as a vDevice has them, since the headers take longer than the kernels; with RK_TEST_FULL, and where that
# does not compile, each by itself.
printf '#include "%s"\n' "$work"/kernels/*.rk.cu >"$work/together.cu"
[ -z "${RK_TEST_FULL:-}" ] && compile "$work/together.cu" || for file in "$work"/kernels/*.rk.cu; do
    compile "$file" || {
        echo "$(basename "$file") does not compile:"
        grep -A3 'error' "$work/log" | head -n 12
        exit 1
    }
done
kernels=$(cat "$work"/kernels/*.rk.cu | grep -c '^template __attribute__((used)) __device__ void')
echo "$kernels instances compile"
[ "$kernels" -ge 20 ] || { echo "hardly anything is converted"; exit 1; }

compile "$here/context.cu" || { cat "$work/log"; exit 1; }
for wrong in TOO_MANY_WAVEFRONTS EARLY_RETURN WARP NO_WHOLE_WAVEFRONT; do
    compile "$here/context.cu" -D$wrong && { echo "the context takes $wrong"; exit 1; }
    grep -q 'static' "$work/log" || { echo "$wrong: another error"; cat "$work/log"; exit 1; }
done
echo "the context compiles, and refuses four configurations"
