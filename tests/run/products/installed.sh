# installed.sh blas|level: what a user's machine takes and no other test does: the installed BLAS in place of the stand-in of
# run.sh, and a kernel's library for this processor's level. 77: the machine has none.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
say()
{
    echo "$*" >&2
    exit 1
}
mkdir rows
cat >rows/graph.json <<EOF
{"schema": "rammer.graph/1", "name": "rows",
 "tensors": {"W": {"dtype": "f32", "shape": [515, 70]}, "x": {"dtype": "f32", "shape": [70]}, "y": {}},
 "nodes": [{"name": "product", "op": "MatMul", "inputs": ["W", "x"], "outputs": ["y"]}],
 "inputs": ["W", "x"], "outputs": ["y"]}
EOF

# verified OPTION...: run and compared with the definition
verified()
{
    "$RAMMER" run rows/graph.json "$@" --verify >out 2>err || say "$*: $(cat out err)"
    ! grep -q OTHER out || say "$*: $(cat out)"
}

case $1 in
blas)
    unset RK_BLAS
    "$RAMMER" build rows/graph.json -o rows-cpu >/dev/null
    grep -q '"kernel": *"sgemv_rows<' rows-cpu/image.json || {
        echo 'no BLAS library is installed'
        exit 77
    }
    verified
    ;;
level)
    RK_CPU_LEVELS=native "$RKCONVERT" "$VENDOR/gemv.cu" --out-dir catalog >log 2>&1 || say "$(cat log)"
    grep -q '"levels"' catalog/catalog.json || {
        echo 'there is no level for this processor'
        exit 77
    }
    mkdir bind
    cp "$VENDOR/gemv.bind.json" bind
    set -- --no-shipped --catalog catalog --bindings bind
    verified "$@"
    # It is the one that runs: without the other libraries all is well, and without it nothing.
    mkdir other level
    for file in catalog/cpu/*.so; do
        case $file in
        *.*-*.so) mv "$file" level ;;
        *) mv "$file" other ;;
        esac
    done
    cp level/* catalog/cpu
    verified "$@"
    rm catalog/cpu/*
    cp other/* catalog/cpu
    if "$RAMMER" run rows/graph.json "$@" >out 2>&1; then
        say "the library for this processor's level is not what runs"
    fi
    ;;
esac
