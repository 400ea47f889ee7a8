# wheel.sh [BUILD [OUT]]: makes the Python package of a finished build, a wheel that holds librammer, what it needs, the
# catalog and the headers: by default of build/release, into BUILD/wheel. Python's own library does it; nothing is fetched.
#
#   sh tools/wheel.sh
#   python3 -m venv env && env/bin/pip install build/release/wheel/rammer-*.whl
set -e
cd "$(dirname "$0")/.."
build=${1:-build/release}
out=${2:-$build/wheel}
[ -s "$build/share/rammer/catalog/catalog.json" ] || {
    echo "wheel.sh: $build is no finished build: cmake --build $build" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/usr" --strip >"$work/log" || {
    cat "$work/log" >&2
    exit 1
}
package=$work/wheel/rammer
mkdir -p "$package/lib" "$package/share" "$package/include"
cp tools/python/rammer/*.py tools/python/rammer/py.typed "$package"
cp -R "$work/usr/share/rammer" "$package/share/rammer"
cp "$work/usr/include/rammer.h" "$package/include"
library=$(find "$work/usr" -name 'librammer.so.0')
cp -L "$library" "$package/lib"
# What is not of every Linux comes along.
ldd "$library" | awk '$1 ~ /^lib(cjson|xxhash)\./ { print $1, $3 }' | while read -r name path; do
    cp -L "$path" "$package/lib/$name"
done
mkdir -p "$out"
python3 tools/python/wheel.py "$work/wheel" "$out" "$(sed -n 's/^project(rammer VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"
