# check.sh CC [flag]...: installs into a folder of its own, builds a program against what is there with
# pkg-config, and runs it and the installed commands from another folder.
set -e
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
unset RAMMER_HOME
cmake --install "$RK_BUILD" --prefix "$prefix/usr" >"$prefix/log" || {
    cat "$prefix/log"
    exit 1
}
# Moved, to show that nothing remembers where it was.
mv "$prefix/usr" "$prefix/moved"
cd "$prefix"

for file in bin/rammer bin/rkconvert share/rammer/catalog/catalog.json \
    share/rammer/schemas/graph.schema.json share/rammer/devices/cpu.json \
    share/rammer/include/rk/rkernel.h share/rammer/parse/prelude.h \
    share/man/man1/rammer.1 share/man/man1/rkconvert.1; do
    [ -s "moved/$file" ] || {
        echo "not installed: $file"
        exit 1
    }
done
PKG_CONFIG_PATH=$(dirname "$(find "$prefix/moved" -name rammer.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # flags are words
"$@" -std=c17 "$RK_SOURCE/tests/meta/install/use.c" -o use $(pkg-config --cflags --libs rammer)
./use

moved/bin/rammer --version
moved/bin/rkconvert --version
moved/bin/rammer list kernels >kernels
[ "$(wc -l <kernels)" -gt 1 ]
moved/bin/rammer zoo lstm --layers 2 --steps 2 --hidden 32 -o lstm
moved/bin/rammer build lstm/graph.json -o built
moved/bin/rammer run built --verify
moved/bin/rammer build lstm/graph.json --target cuda -o cuda
