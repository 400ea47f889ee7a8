# written.sh VALIDATE: what the commands write is valid under the published schemas.
set -e
validate=$1
schemas=$RK_SOURCE/rkernel_lib/catalog/schemas
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$RAMMER" zoo lstm --layers 2 --steps 2 --hidden 32 -o lstm >/dev/null
"$RAMMER" build lstm/graph.json --policy wavefront --dump=schedule >wavefront.json
"$RAMMER" build lstm/graph.json --policy base --dump=schedule >base.json
"$RAMMER" build lstm/graph.json --dump=graph >graph.json
"$validate" "$schemas/graph.schema.json" lstm/graph.json graph.json
"$validate" "$schemas/schedule.schema.json" wavefront.json base.json
