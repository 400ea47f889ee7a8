# run.sh CHECK PROGRAM: the launches that were harvested from a program are those that it makes on the CPU
set -eu
check=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=$(sed -n '/^\/\//!q; s/^\/\/ flags[: ]*//p' "$program")
mkdir "$work/record"
"$RKCONVERT" cc "$program" -o "$work/program" $flags >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
(cd "$work" && RK_WORKERS=1 RK_RECORD=record RK_RECORD_LIMIT=0 ./program >out 2>&1) || {
    cat "$work/out"
    exit 1
}
"$RKCONVERT" --no-cpu --report json --out-dir "$work/catalog" "$program" -- $flags >"$work/report" 2>"$work/log" || [ $? -eq 1 ] || {
    cat "$work/log"
    exit 1
}
unknown=$(jq "([.files[].launches[] | select(.resolved | not)] + [.diagnostics[] | select(.code == \"RK-V120\")]) | length" "$work/report")
"$check" "$work/catalog/catalog.json" "$work/record/configurations" "$unknown"
