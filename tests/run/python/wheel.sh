# wheel.sh PYTHON: makes the wheel twice, which gives the same bytes, and runs it in a venv, away from build and source. It is
# unpacked as pip does, whose own start takes longer than all the rest.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$RK_SOURCE/tools/wheel.sh" "$RK_BUILD" "$work/first" >"$work/said"
sh "$RK_SOURCE/tools/wheel.sh" "$RK_BUILD" "$work/second" >/dev/null
wheel=$(cat "$work/said")
cmp "$wheel" "$work/second/${wheel##*/}"
"$1" -m venv --without-pip "$work/env"
"$1" -m zipfile -e "$wheel" "$(echo "$work"/env/lib/python3*/site-packages)"
"$RAMMER" zoo lstm --layers 1 --steps 2 --hidden 32 -o "$work/lstm" >/dev/null
unset RAMMER_LIBRARY RAMMER_HOME PYTHONPATH
cd "$work"
env/bin/python - <<'EOF'
import base64, hashlib, pathlib, sys
site = next(p for p in map(pathlib.Path, sys.path) if p.name == "site-packages")
rows = [row.rsplit(",", 2) for row in next(site.glob("rammer-*.dist-info/RECORD")).read_text().splitlines()]
for name, digest, size in rows:
    data = (site / name).read_bytes()
    found = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert name.endswith("/RECORD") or (found, str(len(data))) == (digest, size), name
assert len(rows) == sum(p.is_file() for p in site.rglob("*") if "__pycache__" not in str(p))

import rammer
model = rammer.compile("lstm/graph.json")
print(model, model.profile(), sep="\n")
assert rammer.__file__.endswith("site-packages/rammer/__init__.py")
from importlib.metadata import entry_points
names = entry_points()
chosen = names.select(group="torch_dynamo_backends") if hasattr(names, "select") else names["torch_dynamo_backends"]
assert [e.load() for e in chosen] == [rammer._backend]
EOF
