# Converts in.cu (or what RK_IN names), shows the rKernels, and compiles them with what is there: the host
# compiler for the CPU, nvcc for sm_80 and sm_90, where the object must hold each instance of the catalog.
# Arguments go to rkconvert, RK_HEADERS in place of --builtin-cuda; RK_STD is the language, c++17.
in=${RK_IN:-in.cu}
"$RKCONVERT" $in ${RK_HEADERS---builtin-cuda} --no-cpu --out-dir out "$@" >report
status=$?
grep "^$in" report
[ $status -le 1 ] || exit $status
for file in out/*; do
    case $file in
    *.cpu.cpp | *catalog.json) continue ;;
    esac
    [ "$file" = "out/$(basename "$in" .cu).rk.cu" ] || echo "--- $file"
    grep -v '^#pragma p[uo][sp]h*_macro\|^#undef' "$file"
done
include=$RK_SOURCE/rkernel_lib/include
flags="-std=${RK_STD:-c++17} -I$include"
for file in out/*.cpu.cpp; do
    [ -f "$file" ] && ! ${CXX:-c++} $flags -I"$include/rk/shim" -w -fsyntax-only "$file" &&
        echo "$file does not compile for the CPU"
done
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] && [ -z "${RK_NO_NVCC:-}" ] || exit $status
sed -n 's/^ *"symbol": "\(.*\)",\{0,1\}$/\1/p' out/catalog.json >wanted
for arch in 80 90; do
    for file in out/*.rk.cu; do
        "$nvcc" $flags -arch=sm_$arch -rdc=true -cubin -o probe.cubin "$file" 2>log || {
            cat log
            echo "$file does not compile for sm_$arch"
            continue
        }
        nm -C probe.cubin >held
        awk -f "$RK_SOURCE/tests/corpora/symbols.awk" wanted held | while read -r has wants name; do
            [ "$has" = "$wants" ] || echo "sm_$arch: $has of $wants instances of $name"
        done
    done
done
rm -f probe.cubin log wanted held
exit $status
