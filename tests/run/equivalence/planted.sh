#!/bin/sh
# planted.sh NAME EQUIVALENCE CATALOG BINDINGS DEVICES CASES
#
# Plants the bug NAME of plants.txt in a copy of a converted kernel, or of the runtime it is compiled
# against, and passes when the equivalence test of the kernel then finds a difference, by a fiber for each thread or
# as the kernel runs usually. The copy without the bug must pass first, both ways.
set -eu

name=$1
equivalence=$2
shift 2
catalog=$1
here=$(cd "$(dirname "$0")" && pwd)
runtime=${RK_SOURCE:-$here/../../..}/rkernel_lib/include

line=$(grep "^$name *|" "$here/plants.txt")
field() {
    printf '%s\n' "$line" | cut -d'|' -f"$1" | sed 's/^ *//; s/ *$//'
}
stem=$(field 2)
kernel=$(field 3)
file=$(field 4)
script=$(printf '%s\n' "$line" | cut -d'|' -f5- | sed 's/^ *//; s/ *$//')

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/out"
cp "$catalog"/*.cu "$catalog"/*.cpp "$catalog"/*.cuh "$work/out"
cp -R "$runtime" "$work/include"

# As rkconvert links a catalog's: the test has the runtime in it, too, for the legacy kernels.
sanitize=${RK_SANITIZE:+-fsanitize=$RK_SANITIZE}
build() {
    # shellcheck disable=SC2086
    ${CXX:-c++} -std=c++17 -O0 -fPIC -shared -Wl,--version-script="$runtime/rk/cpu_library.map" -ffp-contract=off -fno-fast-math -w $sanitize \
        -I"$work/include" -I"$work/include/rk/shim" "$work/out/$stem.rk.cpu.cpp" -o "$1"
}

# try FIBERS LIBRARY ARGUMENT...: runs the test; its status is in $status
try()
{
    status=0
    RK_FIBERS=$1 library=$2
    export RK_FIBERS
    shift 2
    "$equivalence" --library "$library" --kernel "$kernel" "$@" >"$work/log" 2>&1 || status=$?
}

build "$work/right.so"
for fibers in 0 1; do
    try $fibers "$work/right.so" "$@"
    if [ $status -ne 0 ]; then
        cat "$work/log"
        echo "planted/$name: '$kernel' fails without the bug" >&2
        exit 1
    fi
done

cp "$work/$file" "$work/before"
sed "$script" "$work/before" >"$work/$file"
if cmp -s "$work/before" "$work/$file"; then
    echo "planted/$name: the script changes nothing in $file" >&2
    exit 1
fi
build "$work/wrong.so"
try 0 "$work/wrong.so" "$@"
[ $status -ne 0 ] || try 1 "$work/wrong.so" "$@"
cat "$work/log"
case $status in
0)
    echo "planted/$name: not noticed" >&2
    exit 1
    ;;
2)
    echo "planted/$name: the test broke instead of failing" >&2
    exit 1
    ;;
esac
echo "planted/$name: noticed"
