# run.sh BLAS PLANTED: tiles of a library's product are planned, run and checked as any other instance; BLAS is a library
# with the right products, PLANTED one with wrong ones.
set -e
blas=$1
planted=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
say()
{
    echo "$*" >&2
    exit 1
}
# graph NAME OP ATTRIBUTES SHAPE...: OP of inputs a, b, c of these shapes.
graph()
{
    name=$1 op=$2 attributes=$3 inputs= tensors=
    shift 3
    for input in a b c; do
        [ $# -gt 0 ] || break
        inputs="$inputs${inputs:+, }\"$input\""
        tensors="$tensors\"$input\": {\"dtype\": \"f32\", \"shape\": $1}, "
        shift
    done
    mkdir -p "$name"
    cat >"$name/graph.json" <<EOF
{"schema": "rammer.graph/1", "name": "$name", "tensors": {$tensors"y": {}},
 "nodes": [{"name": "product", "op": "$op", "attrs": {$attributes}, "inputs": [$inputs], "outputs": ["y"]}],
 "inputs": [$inputs], "outputs": ["y"]}
EOF
}
graph gemm MatMul '' '[131, 40]' '[40, 777]'
graph batch MatMul '' '[3, 33, 20]' '[3, 20, 129]'
graph row MatMul '' '[2, 1, 20]' '[2, 20, 129]'
graph rows MatMul '' '[1030, 70]' '[70]'
graph cols MatMul '' '[70]' '[70, 1030]'
graph plain Gemm '' '[131, 40]' '[40, 777]'
graph turned Gemm '"transA": 1, "transB": 1, "alpha": 0.5, "beta": 2' '[40, 131]' '[777, 40]' '[777]'
graph linear Gemm '"transB": 1' '[1, 40]' '[777, 40]' '[1, 777]'
graph column Gemm '"transA": 1' '[40, 1]' '[40, 777]' '[1, 1]'
graph conv Conv '"pads": [1, 1, 1, 1], "activation": "relu"' '[2, 19, 36, 37]' '[70, 19, 3, 3]' '[70]'
graph steps Conv '"strides": [2, 3], "pads": [3, 2, 3, 2], "dilations": [2, 1]' '[1, 3, 41, 47]' '[5, 3, 4, 5]'
graph groups Conv '"group": 3, "pads": [0, 3, 0, 3]' '[2, 9, 9, 2]' '[15, 3, 3, 3]' '[15]'
graph point Conv '' '[2, 40, 17, 18]' '[260, 40, 1, 1]' '[260]'
graph deep Conv '"pads": [1, 1, 1, 1]' '[1, 130, 16, 16]' '[4, 130, 3, 3]'

for one in gemm:sgemm_tile batch:sgemm_tile row:sgemm_tile rows:sgemv_rows cols:sgevm_cols \
    plain:sgemm_ex turned:sgemm_ex linear:sgemm_ex column:sgemm_ex \
    conv:sconv_tile steps:sconv_tile groups:sconv_tile point:sconv_tile deep:sconv_tile; do
    name=${one%:*}
    kernel=${one#*:}
    # Each tile, of which the last ones are cut off; then the one that the policy takes.
    for tile in $(grep -o "\"$kernel<[0-9, ]*>\"" "$RK_BUILD/share/rammer/products/catalog.json" | tr -d '" '); do
        id=$(echo "$tile" | sed 's/,/, /')
        RK_BLAS=$blas "$RAMMER" build "$name/graph.json" --kernels "$id" -o "$name-cpu" >/dev/null
        grep -q "\"kernel\": *\"$id\"" "$name-cpu/image.json" || say "$name: $id is not planned"
        RK_BLAS=$blas "$RAMMER" run "$name/graph.json" --kernels "$id" --verify --one-by-one >out ||
            say "$name, $id: $(cat out)"
        ! grep -q OTHER out || say "$name, $id: $(cat out)"
    done
    RK_BLAS=$blas "$RAMMER" build "$name/graph.json" -o "$name-cpu" >/dev/null
    grep -q "\"kernel\": *\"$kernel<" "$name-cpu/image.json" || say "$name: no library's product is planned"
    if RK_BLAS=$planted "$RAMMER" run "$name/graph.json" --verify >out; then
        say "$name: wrong products are not noticed"
    fi
    # Without the library, and for exact bytes, there are none.
    for way in 'RK_BLAS=' "RK_BLAS=$blas --exact" "RK_BLAS=$blas --target cuda --device a100"; do
        env "${way%% *}" sh -c '"$RAMMER" build "$0" $1 -o other >/dev/null' "$name/graph.json" \
            "$(echo "$way " | cut -d' ' -f2-)"
        ! grep -q "\"kernel\": *\"$kernel<" other/image.json 2>/dev/null || say "$name: planned with $way"
    done
done

# refused CODE COMMAND...
refused()
{
    code=$1
    shift
    if "$@" >out 2>err; then
        say "not refused with $code: $*"
    fi
    grep -q "$code" err || say "no $code: $(cat err)"
}
refused RK-M106 env RK_BLAS= "$RAMMER" run rows-cpu
grep -q 'no BLAS library' err || say "why is not said: $(cat err)"
refused RK-M109 env RK_BLAS="$blas" "$RAMMER" run rows-cpu --exact
