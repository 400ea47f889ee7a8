#!/bin/sh
# compiles.sh cpu|gpu|vdevice CASE
#
# What the golden case CASE left in $RK_BUILD/goldens compiles: rKernels for the CPU with the host compiler, for a GPU
# with nvcc for each of $RK_NVCC_ARCHS, where the object must hold each instance of the catalog; and vDevices, each a
# folder, with nvcc for the one that its project names.
set -eu
folder=$RK_BUILD/goldens/$2
[ -d "$folder" ] || {
    echo "golden/$2 has left nothing in $folder"
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$folder/." "$work"
cd "$work"
include=$RK_SOURCE/rkernel_lib/include
flags="-I$include"
[ "$1" = vdevice ] || flags="$(cat flags) $flags"
bad=0
seen=0
bad()
{
    echo "$@"
    bad=1
}

if [ "$1" = cpu ]; then
    for file in ./*.cpu.cpp; do
        [ -f "$file" ] || continue
        seen=1
        ${CXX:-c++} $flags -I"$include/rk/shim" -idirafter "$include/rk/torch" -w -fsyntax-only "$file" || bad "$file does not compile for the CPU"
    done
    [ $seen = 1 ] || bad 'there is nothing to compile'
    exit $bad
fi

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo 'no nvcc'; exit 77; }
if [ "$1" = vdevice ]; then
    for project in ./*/CMakeLists.txt; do
        arch=$(sed -n 's/.*CUDA_ARCHITECTURES \([0-9]*\)).*/\1/p' "$project")
        for file in "$(dirname "$project")"/*.cu; do
            case $file in */test.cu | */bench.cu) continue ;; esac
            "$nvcc" -std=c++17 -I"$(dirname "$project")/include" -arch=sm_"$arch" -ptx -o vdevice.ptx "$file" ||
                bad "$file does not compile for sm_$arch"
        done
    done
    [ -f vdevice.ptx ] || bad 'there is no vDevice'
    exit $bad
fi
sed -n 's/^ *"symbol": "\(.*\)",\{0,1\}$/\1/p' catalog.json >wanted
for arch in ${RK_NVCC_ARCHS:-80 90}; do
    for file in ./*.rk.cu; do
        [ -f "$file" ] || continue
        seen=1
        "$nvcc" $flags -isystem "$include/rk/torch" -arch=sm_$arch -rdc=true -cubin -o probe.cubin "$file" 2>log || {
            cat log
            bad "$file does not compile for sm_$arch"
            continue
        }
        nm -C probe.cubin >held
        awk -f "$RK_SOURCE/tests/bench/corpora/symbols.awk" wanted held >lines
        while read -r has wants name; do
            [ "$has" = "$wants" ] || bad "sm_$arch: $has of $wants instances of $name"
        done <lines
    done
done
[ $seen = 1 ] || bad 'there is nothing to compile'
exit $bad
