# run.sh CHECK NAME SOURCE: the launches that were harvested from the program NAME, which the build has made of SOURCE, are
# those that it makes on the CPU
set -eu
check=$1 name=$2 source=$3
cd "$(dirname "$source")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=$(sed -n '/^\/\//!q; s/^\/\/ flags[: ]*//p' "$source")
mkdir "$work/record"
RK_WORKERS=1 RK_RECORD=$work/record RK_RECORD_LIMIT=0 "$RK_BUILD/programs/$name/legacy/run" >"$work/out" 2>&1 || {
    cat "$work/out"
    exit 1
}
"$RKCONVERT" --no-cpu --report json --out-dir "$work/catalog" "$source" -- $flags >"$work/report" 2>"$work/log" || [ $? -eq 1 ] || {
    cat "$work/log"
    exit 1
}
unknown=$(jq "([.files[].launches[] | select(.resolved | not)]) | length" "$work/report")
"$check" "$work/catalog/catalog.json" "$work/record/configurations" "$unknown"
