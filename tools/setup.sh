# Installs what Rammer needs to be built and tested on Debian 12, and nothing that is there already.
#
#   sh tools/setup.sh
#
# With everything installed it touches neither apt nor the network. Not root: it uses sudo.

# What is needed, and for what.
packages='
gcc             C compiler
g++             C++ compiler; rkconvert also runs it, to compile kernels for the CPU
libc6-dev       C library headers
cmake           build
ninja-build     build
pkg-config      finds the libraries below
libclang-19-dev parses CUDA; brings the headers that clang itself supplies
clang-19        compiles programs for the CPU; the bench compares with it
libclang-rt-19-dev libFuzzer
libcjson-dev    JSON
libxxhash-dev   content hashes
libopenblas-dev cuBLAS for programs that run on the CPU
libthrust-dev   Thrust for programs that run on the CPU
hipcc           compiles rKernels for AMD in the tests
libcriterion-dev unit tests
jq              reads reports in tests
libonnx-testdata tests of operators by the makers of ONNX, which judge the import
libonnx-dev     onnx.proto, against which the reader of models is held
python3-numpy   arrays of the Python package, in tests
spin            checks the model of the vDevice protocol
'

installed()
{
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "setup: this is no Debian; install the equivalents of these packages by hand:" >&2
    echo "$packages" >&2
    exit 1
fi

missing=$(echo "$packages" | while read -r package purpose; do
    if [ -n "$package" ] && ! installed "$package"; then
        echo "$package"
    fi
done)

if [ -z "$missing" ]; then
    echo "setup: all packages are installed"
    exit 0
fi

echo "setup: these packages are missing and will be installed with apt:"
echo "$packages" | while read -r package purpose; do
    if [ -n "$package" ] && ! installed "$package"; then
        printf '  %-17s %s\n' "$package" "$purpose"
    fi
done

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "setup: neither root nor sudo; run as root: apt-get install" $missing >&2
        exit 1
    fi
    as_root=sudo
fi

# shellcheck disable=SC2086 # one word for each package
$as_root apt-get update -q &&
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends $missing || {
    echo "setup: apt could not install:" $missing >&2
    exit 1
}
echo "setup: done"
