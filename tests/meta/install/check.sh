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
"$@" -std=c17 "$RK_SOURCE/tests/meta/install/use.c" -o use $(pkg-config --cflags --libs rammer-parts)
./use
# Each installed header has all that it includes.
headers=$(pkg-config --variable=includedir rammer-parts)/rammer
(cd "$headers" && find . -name '*.h' | sed 's|.*|#include "&"|') >all.c
[ "$(wc -l <all.c)" -gt 40 ]
# shellcheck disable=SC2046 # flags are words
"$@" -std=c17 -fsyntax-only -I"$headers" $(pkg-config --cflags rammer-parts) all.c

moved/bin/rammer --version
moved/bin/rkconvert --version
moved/bin/rammer list kernels >kernels
[ "$(wc -l <kernels)" -gt 1 ]
moved/bin/rammer zoo lstm --layers 2 --steps 2 --hidden 32 -o lstm
moved/bin/rammer build lstm/graph.json -o built
moved/bin/rammer run built --verify
moved/bin/rammer build lstm/graph.json --target cuda -o cuda

# librammer: by pkg-config, and by CMake both shared and static. Each runs the model, and a graph that it refuses. The
# program is C and C++, for which the header must do.
example=$RK_SOURCE/docs/examples/run_model.c
lib=$(dirname "$(find "$prefix/moved" -name librammer.so)")
# shellcheck disable=SC2046 # flags are words
"$@" -std=c17 -Wall -Wextra -Werror -pedantic "$example" -o shared $(pkg-config --cflags --libs rammer) -Wl,-rpath,"$lib"
printf '#include <rammer.h>\nint main() { return rammer_version() == nullptr; }\n' >header.cpp
# shellcheck disable=SC2046
"$CXX" -Wall -Wextra -Werror -pedantic header.cpp -o header $(pkg-config --cflags --libs rammer) -Wl,-rpath,"$lib"
mkdir consumer
cat >consumer/CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.25)
project(consumer C)
find_package(rammer 0.1 REQUIRED)
add_executable(of_cmake $example)
target_link_libraries(of_cmake PRIVATE rammer::rammer)
add_executable(static $example)
target_link_libraries(static PRIVATE rammer::static)
EOF
shift
cmake -S consumer -B consumer/build -DCMAKE_PREFIX_PATH="$prefix/moved" -DCMAKE_C_FLAGS="$*" >log
cmake --build consumer/build >>log || {
    cat log
    exit 1
}
RAMMER_HOME=$prefix/moved/share/rammer
[ -z "$RK_SANITIZE" ] && ./header
for program in ./shared consumer/build/of_cmake consumer/build/static; do
    # The libraries know their place; a program that holds them in itself is told.
    if [ $program = consumer/build/static ]; then export RAMMER_HOME; fi
    $program lstm/graph.json >out
    grep -q '^ran on' out
    status=0
    $program nothing.onnx 2>out || status=$?
    [ $status = 1 ] && grep -q 'RK-F001' out
done

# What the shared library shows is what rammer.h declares, under one version.
nm -D --defined-only "$lib/librammer.so" | awk '$2 == "T" { print $3 }' | sort >shown
grep -o 'rammer_[a-z_]*(' "$RK_SOURCE/library/include/rammer.h" | tr -d '(' | sort -u | sed 's/$/@@RAMMER_0.1/' >declared
diff declared shown
