#!/bin/sh
# readers.sh READERS RUNS SEED [READER]: makes a good file of each kind, and has READERS change them.
set -eu
readers=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
mkdir "$work/graph" "$work/catalog" "$work/bindings" "$work/device" "$work/profile" "$work/safetensors" "$work/npy" "$work/database" "$work/tree" "$work/onnx"
"$RAMMER" zoo lstm --layers 1 --steps 2 --hidden 16 -o "$work/zoo" >/dev/null
cp "$work/zoo/graph.json" "$work/zoo/"*.safetensors "$work/graph/"
cp "$work/graph/"*.safetensors "$work/safetensors/weights.safetensors"
cp "$(ls "$work/zoo/input/"*.npy | head -n 1)" "$work/npy/x.npy"
"$RAMMER" build "$work/zoo/graph.json" --policy base --no-reference -o "$work/image" >/dev/null
cp "$work/image/catalog.json" "$work/catalog/"
cp "$CATALOG/catalog.json" "$work/all.json"
cp "$VENDOR/gemv.bind.json" "$work/bindings/x.bind.json"
cp "$(find "$RK_SOURCE/sched" -name h100.json | head -n 1)" "$work/device/device.json"
# One of ONNX's own models, another one for each seed.
onnx=/usr/share/libonnx-testdata/data/node
models='test_lstm_with_peepholes test_scan9_sum test_gru_seq_length test_conv_with_strides_padding test_einsum_batch_diagonal
 test_sce_mean_expanded test_celu_expanded test_maxpool_2d_dilations test_qlinearmatmul_2D test_gathernd_example_int32
 test_layer_normalization_4d_axis1_expanded'
model=$(echo $models | tr ' ' '\n' | awk -v seed="$2" '{ m[n++] = $0 } END { print m[seed % n] }')
[ ! -e "$onnx/$model/model.onnx" ] || cp "$onnx/$model/model.onnx" "$work/onnx/"
cat >"$work/profile/profile.json" <<'END'
{"schema": "rammer.profile/1", "device": "h100", "device_hash": "0123456789abcdef", "machine": "a machine",
 "measured": "2026-01-01T00:00:00Z", "costs": {"launch_ns": 1500},
 "entries": [{"kernel": "k<1>", "hash": "0000000000000000", "grid": [4, 1, 1], "block": [128, 1, 1], "shared": 0,
              "args": "* * * 512 128 1", "residents": 2, "synchronises": false, "bytes": 4608, "flops": 1024,
              "padding": 1, "waits": 0, "busy_ns": 500, "alone_ns": 400}]}
END
echo '[{"directory": "/tmp", "file": "a.cu", "arguments": ["nvcc", "-Ix", "-c", "a.cu"]},
 {"directory": "/tmp", "file": "b.cu", "command": "nvcc -D\"X=1 2\" -c b.cu -o b.o", "output": "b.o"}]' >"$work/database/compile_commands.json"
[ ! -x "$RKCONVERT" ] || "$RKCONVERT" --builtin-cuda --dump ir "$RK_SOURCE/tests/golden/rkconvert/tree/in.cu" >"$work/tree/tree.ir"
"$readers" "$work" "$@" || { mkdir -p "${TMPDIR:-/tmp}/readers.broken" && cp "$work/broken" "${TMPDIR:-/tmp}/readers.broken/" 2>/dev/null; exit 1; }
