#!/bin/sh
# build.sh <kernels.cpp> <include> <library folder> <output>: builds the kernels for the checking modes.
set -eu
"${CXX:-c++}" -std=c++17 -g -O1 -fsanitize=thread -fno-builtin -Wall -Wextra -Werror -isystem "$2" \
    -isystem "$2/rk/shim" -c "$1" -o "$4.o"
"${CXX:-c++}" "$4.o" -Wl,--start-group "$3/librk_check.a" "$3/librk_rkernel.a" "$3/librk_cuda.a" \
    -Wl,--end-group -lpthread -ldl -lm -o "$4"
