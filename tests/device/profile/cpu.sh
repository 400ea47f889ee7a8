# cpu.sh VALIDATE: a profile is measured here, is valid, prices a build, and is refused where it does not fit.
set -e
validate=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
say()
{
    echo "$*" >&2
    exit 1
}
# refused CODE COMMAND...: the command fails and says why.
refused()
{
    code=$1
    shift
    if "$@" >out 2>err; then
        say "not refused with $code: $*"
    fi
    grep -q "$code" err || say "no $code: $(cat err)"
}

"$RAMMER" zoo mlp -o mlp >/dev/null
"$RAMMER" zoo lstm --layers 1 --steps 2 --hidden 32 -o lstm >/dev/null
"$RAMMER" profile mlp/graph.json lstm/graph.json --seconds 0.5 -o cpu.json >out
grep -q 'written to cpu.json' out || say "no report: $(cat out)"
"$validate" "$RK_SOURCE/rkernel_lib/catalog/schemas/profile.schema.json" cpu.json

# Every kernel of both graphs is measured, of a graph that was not some or none.
for graph in mlp lstm; do
    "$RAMMER" build $graph/graph.json --profile cpu.json -o built | grep -q 'measured, of 0 modelled' ||
        say "$graph: something is modelled"
    "$RAMMER" run $graph/graph.json --profile cpu.json --verify >/dev/null
done
"$RAMMER" check lstm/graph.json --profile cpu.json | grep -q 'of 0 modelled' || say "check does not say"
"$RAMMER" view lstm/graph.json --profile cpu.json | grep -q 'of 0 modelled' || say "view does not say"
"$RAMMER" compare lstm/graph.json --policy base,wavefront --profile cpu.json --json |
    grep -c '"rtask_times"' | grep -qx 2 || say "compare does not say"
"$RAMMER" build lstm/graph.json --profile cpu.json --dump=candidates | grep -q '"measured"' ||
    say "no candidate is measured"
"$RAMMER" zoo lstm --layers 1 --steps 2 --hidden 96 -o other >/dev/null
"$RAMMER" check other/graph.json --profile cpu.json 2>err | grep -q 'of 0 nodes measured' ||
    say "another graph is measured"
grep -q RK-P004 err || say "no RK-P004: $(cat err)"

# The model against it.
"$RAMMER" profile compare cpu.json >out
grep -q '^all ' out && grep -q 'rank correlation' out && grep -q clock_ghz out ||
    say "no comparison: $(cat out)"

# What does not fit.
refused RK-P002 "$RAMMER" check mlp/graph.json --target cuda --device h100 --profile cpu.json
refused RK-P002 "$RAMMER" profile compare cpu.json --device h100
sed 's/"hash": "[0-9a-f]*"/"hash": "0000000000000000"/' cpu.json >changed.json
refused RK-P003 "$RAMMER" check mlp/graph.json --profile changed.json
sed 's/"busy_ns": .*,/"busy_ns": -1,/; s/"alone_ns": .*/"alone_ns": 0/' cpu.json >absurd.json
refused RK-P001 "$RAMMER" check mlp/graph.json --profile absurd.json
times=$(grep -c 'busy_ns' cpu.json)
[ "$(grep -c 'RK-P001' err)" = $((2 * times)) ] || say "not all absurd times are listed"
refused RK-F001 "$RAMMER" check mlp/graph.json --profile missing.json
refused RK-U002 "$RAMMER" profile mlp/graph.json --seconds 0 -o zero.json
refused RK-U003 "$RAMMER" profile mlp/graph.json
refused RK-U003 "$RAMMER" profile mlp/graph.json --emit dir
refused RK-U003 "$RAMMER" profile mlp/graph.json --target cuda -o gpu.json
refused RK-U003 "$RAMMER" profile compare
[ ! -e zero.json ] && [ ! -e dir ] || say "something was written"
