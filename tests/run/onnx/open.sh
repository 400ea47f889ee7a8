#!/bin/sh
# open.sh PYTHON RAMMER: one build of a transformer's layer, from ONNX, for every length: what it gives is what numpy gives,
# and what a build for that length alone gives.
set -e
python=$1
rammer=$2
"$python" -c 'import numpy' 2>/dev/null || exit 77
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lengths="1 2 3 5 8 12"
PYTHONDONTWRITEBYTECODE=1 "$python" "$here/own.py" --layer "$work" $lengths
"$rammer" build "$work/layer.onnx" --dim n=1..12 --veus 2 -o "$work/family" >"$work/said"
grep 'proved for all 12 values' "$work/said"
for n in $lengths; do
    "$rammer" run "$work/family" --dim n=$n --input words="$work/words$n.npy" --output-dir "$work/family$n" >"$work/log"
    "$rammer" run "$work/layer.onnx" --dim n=$n --input words="$work/words$n.npy" --output-dir "$work/static$n" >"$work/log"
done
cd "$work"
"$python" - $lengths <<'END'
import sys
import numpy as np
for n in sys.argv[1:]:
    expected, family, static = (np.load(f) for f in (f"y{n}.npy", f"family{n}/y.npy", f"static{n}/y.npy"))
    assert family.shape == expected.shape, (family.shape, expected.shape)
    size = np.abs(expected).max()
    assert np.abs(family - expected).max() < 1e-5 * size, (n, np.abs(family - expected).max())
    assert np.abs(family - static).max() < 1e-5 * size, (n, np.abs(family - static).max())
END
# What is another graph at some values is refused, with the first of them; and so are ranges that cannot be tried.
! "$rammer" build layer.onnx --dim n=1..5000 -o none 2>said
grep -q 'RK-G018' said
