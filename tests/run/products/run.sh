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
# graph NAME A B: the product of inputs of these shapes.
graph()
{
    mkdir -p "$1"
    cat >"$1/graph.json" <<EOF
{"schema": "rammer.graph/1", "name": "$1",
 "tensors": {"A": {"dtype": "f32", "shape": $2}, "B": {"dtype": "f32", "shape": $3}, "Y": {}},
 "nodes": [{"name": "product", "op": "MatMul", "inputs": ["A", "B"], "outputs": ["Y"]}],
 "inputs": ["A", "B"], "outputs": ["Y"]}
EOF
}
graph gemm '[131, 40]' '[40, 777]'
graph batch '[3, 33, 20]' '[3, 20, 129]'
graph rows '[1030, 70]' '[70]'
graph cols '[70]' '[70, 1030]'

for one in gemm:sgemm_tile batch:sgemm_tile rows:sgemv_rows cols:sgevm_cols; do
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
