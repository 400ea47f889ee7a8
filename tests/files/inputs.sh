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
ls -d out.* there.* 2>/dev/null && wrong "something temporary is left"
exit $bad
