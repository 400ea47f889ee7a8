# cuda.sh: the program that measures on a GPU is written, and nvcc compiles all of it without a warning.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PATH=$PATH:/usr/local/cuda/bin
say()
{
    echo "$*" >&2
    exit 1
}
"$RAMMER" zoo mlp -o mlp >/dev/null
"$RAMMER" zoo lstm --layers 1 --steps 2 --hidden 32 -o lstm >/dev/null
for device in a100 h100; do
    "$RAMMER" profile mlp/graph.json lstm/graph.json --target cuda --device $device --emit $device >out
    grep -q "written to $device" out || say "no report: $(cat out)"
    [ -f $device/CMakeLists.txt ] || say "no project"
done
# Again over what rammer wrote, the same bytes.
cp -r h100 first
"$RAMMER" profile mlp/graph.json lstm/graph.json --target cuda --device h100 --emit h100 >/dev/null
diff -r first h100
mkdir own && touch own/file
! "$RAMMER" profile mlp/graph.json --target cuda --emit own 2>err
grep -q RK-U005 err || say "a folder of somebody else is replaced"
command -v nvcc >/dev/null || { echo "no nvcc"; exit 77; }
for one in a100:80 h100:90; do
    case " ${RK_NVCC_ARCHS:-80 90} " in
    *" ${one#*:} "*) ;;
    *) continue ;;
    esac
    cd "${one%:*}"
    for source in *.cu; do
        nvcc -std=c++17 -arch=sm_"${one#*:}" -Xcompiler=-Wall,-Wextra -I. -Iinclude -c "$source" \
            -o "${source%.cu}.o" 2>err || say "$source: $(cat err)"
        [ ! -s err ] || say "$source: $(cat err)"
    done
    nvcc -arch=sm_"${one#*:}" ./*.o -o measure
    cd ..
done
