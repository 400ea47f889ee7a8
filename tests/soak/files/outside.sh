# Names in catalogs, graphs and images stay in their folders, whatever they say: nothing is written or read elsewhere.
. "$(dirname "$0")/common.sh"

"$RAMMER" zoo mlp -o net >/dev/null || exit 1
mkdir in && cp -R "$CATALOG" in/catalog && chmod -R u+w in/catalog || exit 1
catalog=in/catalog/catalog.json
cp $catalog kept.json
cp in/catalog/gemm.rk.cu kept.cu
echo "do not touch" >victim
cp victim in/victim

lists=$(mktemp -d) || exit 1
trap 'rm -rf "$work" "$lists"' EXIT
list()
{
    find . -type f ! -name said ! -path './deep/*' -exec cksum {} + | sort
}

# build TARGET...: builds into deep/er/out; nothing else may change.
build()
{
    for target in "$@"; do
        rm -rf deep
        list >"$lists/before"
        refused "$code" "$RAMMER" build net/graph.json --catalog in/catalog --target "$target" --policy base -o deep/er/out
        list >"$lists/after"
        diff "$lists/before" "$lists/after" || wrong "something outside of -o changed: $what"
        [ -e deep/er/out ] && wrong "a part of the output is there: $what"
    done
}

change()
{
    what=$2
    code=$1
    sed "$2" kept.json >$catalog
    cmp -s kept.json $catalog && wrong "nothing changed by $2"
}

gemm='\("file": "\)\(gemm.rk.cu"\)'
change RK-C001 "s|$gemm|\\1../../../\\2|"; build cuda cpu
change RK-C001 "s|$gemm|\\1/tmp/\\2|"; build cuda
change RK-C001 "s|$gemm|\\1a/../\\2|"; build cuda
change RK-C001 's|"library": "cpu/|"library": "../../victim/|'; build cpu cuda
change RK-F006 "s|$gemm|\\1link/\\2|"; ln -s ../../in in/catalog/link; cp kept.cu in/gemm.rk.cu; build cuda
change RK-F006 's|"library": "cpu/|"library": "link/catalog/../cpu/|; s|/catalog/../|/|'; cp -R in/catalog/cpu in/cpu; build cpu
change RK-F006 "s|$gemm|\\1pipe/\\2|"; mkdir in/catalog/pipe; mkfifo in/catalog/pipe/gemm.rk.cu; build cuda
rm -r in/catalog/pipe in/catalog/link

# Headers that a converted file names.
cp kept.json $catalog
include()
{
    code=$1 what="#include $2"
    { echo "#include $2"; cat kept.cu; } >in/catalog/gemm.rk.cu
    build cuda
}
include RK-F006 '<rk/../../../victim>'
include RK-F006 '"rk/../../../victim"'
include RK-F006 '<rk//../../victim>'
include RK-F006 '"../victim"'
include RK-F006 "\"$work/victim\""
include RK-F006 '"sub/../../victim"'
what='headers that the output needs'
mkdir in/catalog/sub in/catalog/a..b
echo '#include "../far.cuh"' >in/catalog/sub/near.cuh
echo '#include "./a..b/last.cuh"' >in/catalog/far.cuh
echo '#define LAST 1' >in/catalog/a..b/last.cuh
{ echo '#include "sub/near.cuh"'; cat kept.cu; } >in/catalog/gemm.rk.cu
good "$RAMMER" build net/graph.json --catalog in/catalog --target cuda --policy base -o out
for file in sub/near.cuh far.cuh a..b/last.cuh; do
    [ -f "$(find out -path "*/$file")" ] || wrong "the output lacks $file"
done

# A graph's constants.
mkdir g w
cp net/weights.safetensors w/outer.safetensors
cp net/weights.safetensors g/inner.safetensors
ln -s ../w/outer.safetensors g/link.safetensors
mkfifo g/pipe.safetensors
graph()
{
    sed "s|weights.safetensors|$1|" net/graph.json >g/graph.json
}
for name in ../w/outer.safetensors "$work/w/outer.safetensors" link.safetensors sub/../inner.safetensors; do
    graph "$name"
    refused RK-F006 "$RAMMER" check g/graph.json
done
mkdir g/sub
for name in pipe.safetensors ../../../../../../../../dev/zero /dev/zero; do
    graph "$name"
    refused RK-F006 timeout 20 "$RAMMER" check g/graph.json
done
graph inner.safetensors
good "$RAMMER" check g/graph.json
for name in ../w/outer.safetensors link.safetensors sub/../inner.safetensors; do
    graph "$name"
    good "$RAMMER" check g/graph.json --constants-anywhere
done

# An image.
good "$RAMMER" build net/graph.json -o image --policy base
mv image/weights.bin elsewhere
ln -s ../elsewhere image/weights.bin
refused RK-F006 "$RAMMER" run image
rm image/weights.bin
mv elsewhere image/weights.bin
good "$RAMMER" run image --verify

# Catalogs without a folder above both: the files of each come along, and what is made is a catalog as any.
good "$RKCONVERT" merge "$CATALOG/catalog.json" -o merged/catalog.json
grep -q '"file": "[^"]*\.\./\|"library": "[^"]*\.\.' merged/catalog.json && wrong "merge writes names with .."
good "$RKCONVERT" merge "$CATALOG/catalog.json" -o merged/catalog.json
[ "$(ls merged | wc -l)" -eq 2 ] || wrong "merge does not write the same again: $(ls merged)"
mv merged moved
good "$RAMMER" build net/graph.json --catalog moved -o from-merged --policy base
good "$RAMMER" run from-merged --verify
good "$RAMMER" build net/graph.json --catalog moved --target cuda -o cuda-merged --policy base
exit $bad
