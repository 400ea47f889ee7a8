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
rm -rf "$to"
mkdir -p "$to/out"
ulimit -v 8388608
timeout "$limit" "$rkconvert" --no-cpu --out-dir "$to/out" --report json "$file" -- "$@" \
    >"$to/report.json" 2>"$to/err"
echo $? >"$to/status"
jq -e . "$to/report.json" >/dev/null 2>&1 ||
    jq -n --arg path "$file" '{files: [{path: $path, parsed: false, kernels: [], launches: [],
        outputs: []}], diagnostics: []}' >"$to/report.json"
if [ -n "$compile" ]; then
    jq -r '.files[].outputs[] | select(endswith(".rk.cu"))' "$to/report.json" |
        while read -r output; do
            ok=1
            timeout "$limit" "$nvcc" -std=c++17 -arch=sm_80 -cubin "$output" -o "$to/cubin" -w \
                --expt-relaxed-constexpr --extended-lambda -I"$include" -I"$(dirname "$file")" "$@" \
                >"$to/nvcc.log" 2>&1 || ok=0
            echo "$ok $output"
        done >"$to/compiled"
fi
exit 0
