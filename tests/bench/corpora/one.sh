# one.sh [compiler argument]... NUMBER FILE: run.sh's work on one file, into $work/NUMBER.
set -u
eval "number=\${$(($# - 1))} file=\${$#}"
left=$(($# - 2))
while [ $left -gt 0 ]; do
    set -- "$@" "$1"
    shift
    left=$((left - 1))
done
shift 2
to=$work/$number
[ -z "$resume" ] || [ ! -f "$to/done" ] || exit 0
rm -rf "$to"
mkdir -p "$to/out"
ulimit -v 8388608
timeout "$limit" "$rkconvert" --no-cpu --out-dir "$to/out" --report json "$file" -- "$@" \
    >"$to/report.json" 2>"$to/err"
echo $? >"$to/status"
jq -e . "$to/report.json" >/dev/null 2>&1 ||
    jq -n --arg path "$file" '{files: [{path: $path, parsed: false, kernels: [], launches: [],
        outputs: []}], diagnostics: []}' >"$to/report.json"

# compiles SOURCE LOG FOLDER [compiler argument]...
compiles()
{
    source=$1 log=$2 folder=$3
    shift 3
    timeout "$limit" "$nvcc" -std=c++17 -arch=sm_80 -rdc=true -cubin -x cu "$source" -o "$to/cubin" -w \
        --expt-relaxed-constexpr --extended-lambda -I"$include" -I"$folder" "$@" >"$log" 2>&1
}

# instances: what the object holds of what the catalog lists.
instances()
{
    jq -r ".kernels[].rkernel.symbol // empty" "$to/out/catalog.json" >"$to/wanted"
    nm -C "$to/cubin" >"$to/held"
    awk -f "$here/symbols.awk" "$to/wanted" "$to/held"
}

# An output that does not compile counts only if the source it came from does.
if [ -n "$compile" ]; then
    jq -r '.files[].outputs[] | select(endswith(".rk.cu"))' "$to/report.json" |
        while read -r output; do
            if compiles "$output" "$to/nvcc.log" "$(dirname "$file")" "$@"; then
                echo "1 $output"
                instances >>"$to/symbols"
            elif compiles "$file" "$to/original.log" "$(dirname "$file")" "$@"; then
                echo "0 $output"
            else
                echo "- $output"
            fi
        done >"$to/compiled"
fi
touch "$to/done"
exit 0
