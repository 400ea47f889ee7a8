# example.sh PYTHON NAME: runs docs/examples/NAME.py in an empty folder, and looks for what it must have said.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
case $2 in
onnx_model)
    [ -d /usr/share/libonnx-testdata ] || {
        echo "libonnx-testdata is not installed"
        exit 77
    }
    wanted='gemm'
    ;;
own_kernel)
    # v / (1 + exp(-1.5 v)) of 1, -2, 3 and 2.
    wanted='\[0.8176, -0.0949, 2.967, 1.9051\]'
    ;;
esac
"$1" "$RK_SOURCE/docs/examples/$2.py" >said 2>&1 || {
    cat said
    exit 1
}
grep -q "$wanted" said || {
    cat said
    exit 1
}
