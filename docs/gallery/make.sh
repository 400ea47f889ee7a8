#!/bin/sh
# make.sh [BUILD]: makes the pictures of docs/gallery.md from runs, with the rammer of build/release or of BUILD.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rammer=$(cd "${1:-$here/../../build/release}" && pwd)/bin/rammer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$rammer" zoo lstm --layers 4 --steps 10 --hidden 256 -o lstm
"$rammer" zoo squeezenet --no-weights -o squeezenet
"$rammer" view lstm --target cuda --device h100 --policy base -o "$here/lstm_base.svg"
"$rammer" view lstm --target cuda --device h100 -o "$here/lstm.svg"
"$rammer" view squeezenet --target cuda --device h100 -o "$here/squeezenet.svg"
"$rammer" run lstm --repeat 20 --trace measured.json
"$rammer" view lstm --diff measured.json -o "$here/lstm_cpu.svg"
