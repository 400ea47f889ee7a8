# What a build reads is there after it, wherever the output goes.
. "$(dirname "$0")/common.sh"

"$RAMMER" zoo mlp -o net >/dev/null || exit 1
make()
{
    rm -rf out
    "$RAMMER" build net/graph.json --policy base -o out >/dev/null || exit 1
    input=$(ls net/input | head -n 1)
    cp "net/input/$input" out/mine.npy
    cp net/weights.safetensors out/w.safetensors
}
keeps()
{
    file=$1
    shift
    make
    refused "$@"
    [ -e "$file" ] || wrong "$file is gone"
    [ -e out/image.json ] || wrong "the old output is gone"
}
make
name=${input%.npy}
sed 's|weights.safetensors|out/w.safetensors|' net/graph.json >graph.json
keeps out/w.safetensors RK-F007 "$RAMMER" build graph.json --policy base -o out
keeps out/mine.npy RK-F007 "$RAMMER" build net/graph.json --policy base --input "$name=out/mine.npy" -o out
ln -s out there
keeps out/mine.npy RK-F007 "$RAMMER" build net/graph.json --policy base --input "$name=out/mine.npy" -o there/
keeps out/mine.npy RK-F007 "$RAMMER" build net/graph.json --policy base --input "$name=there/mine.npy" -o ./net/../out
keeps out/image.json RK-U005 "$RAMMER" build net/graph.json --catalog out -o out
ln -s "$work/net/weights.safetensors" out/link.safetensors
sed 's|weights.safetensors|out/link.safetensors|' net/graph.json >graph.json
make
ln -s "$work/net/weights.safetensors" out/link.safetensors
refused RK-F007 "$RAMMER" build graph.json --constants-anywhere --policy base -o out
[ -L out/link.safetensors ] || wrong "the link to the weights is gone"
make
good "$RAMMER" build net/graph.json --policy base -o out
[ -e out/mine.npy ] && wrong "the output was not replaced"

# Nor does a file that is written replace one that is read.
printf '__global__ void k(float *p) { p[threadIdx.x] = 1; }\n' >k.cu
echo 'int main(void) { return 0; }' >m.c
cp k.cu k.kept && cp m.c m.kept && cp net/graph.json graph.kept
ln -s k.cu link.cu
for to in k.cu ./net/../k.cu link.cu; do
    refused RK-F007 "$RKCONVERT" --builtin-cuda --no-cpu k.cu -o $to
    refused RK-F007 "$RKCONVERT" --builtin-cuda --no-cpu k.cu --examine --report json=$to
    refused RK-F007 "$RKCONVERT" --builtin-cuda --no-cpu link.cu -o k.rk.cu --catalog $to
done
refused RK-F007 "$RKCONVERT" cc -c m.c -o m.c
refused RK-F007 "$RAMMER" view net/graph.json --policy base -o net/graph.json
refused RK-F007 "$RAMMER" view net/graph.json --policy base --trace net/graph.json
for file in k.cu:k.kept m.c:m.kept net/graph.json:graph.kept; do
    cmp -s "${file%:*}" "${file#*:}" || wrong "${file%:*} was replaced"
done
good "$RKCONVERT" --builtin-cuda --no-cpu k.cu --in-place
ls -d out.* there.* 2>/dev/null && wrong "something temporary is left"
exit $bad
