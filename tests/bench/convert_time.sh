# The time of rkconvert over `clang-19 -fsyntax-only` of the same file with the same flags: the best of
# several runs each. rkconvert keeps CUDA's headers precompiled from run to run; rows marked "empty cache" are
# without that. The last rows are the whole folder: one run of rkconvert over a run of clang for each file,
# without and with the compilation of the CPU library.
#
#   sh tests/bench/convert_time.sh [BUILD] [RUNS]     default: build/release 5
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/release}
runs=${2:-5}
rkconvert=$PWD/$build/bin/rkconvert
parse=$PWD/$build/share/rammer/parse
folder=$PWD/vendor_kernels
clang=$(command -v clang-19) || {
    echo 'clang-19 is not installed (package clang-19): not measured'
    exit 0
}
resources=$("$clang" -print-resource-dir)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

toolkit=
for candidate in "${CUDA_PATH:-}" "${CUDA_HOME:-}" /usr/local/cuda /usr/lib/cuda /opt/cuda; do
    [ -z "$toolkit" ] && [ -n "$candidate" ] && [ -f "$candidate/include/cuda_runtime.h" ] &&
        toolkit=$candidate
done
set -- -xcuda --cuda-host-only -nocudalib -Wno-everything -resource-dir "$resources"
if [ -n "$toolkit" ]; then
    set -- "$@" "--cuda-path=$toolkit" -isystem "$parse/toolkit"
else
    set -- "$@" -nocudainc -Xclang -target-sdk-version=12.0 -DRK_PARSE_BUILTIN -isystem "$parse/builtin"
fi
set -- "$@" -isystem "$parse/check" -include "$parse/prelude.h"

# best COMMAND...: the least time of the runs in milliseconds; a command that fails ends the benchmark.
best()
{
    least=
    for run in $(seq "$runs"); do
        start=$(date +%s%N)
        "$@" >"$work/log" 2>&1 || {
            echo "failed: $*" >&2
            cat "$work/log" >&2
            return 1
        }
        took=$((($(date +%s%N) - start) / 100000))
        [ -z "$least" ] || [ "$took" -lt "$least" ] || continue
        least=$took
    done
    echo "$least"
}

# Tenths of milliseconds as a table row.
row()
{
    awk -v name="$1" -v a="$2" -v b="$3" \
        'BEGIN { printf "%-32s %10.1f %12.1f %8.2f\n", name, a / 10, b / 10, b / a }'
}

# A refused kernel is no failure here.
convert()
{
    rm -rf "$work/out"
    "$rkconvert" --out-dir "$work/out" "$@" || [ $? -eq 1 ]
}

convert_cold()
{
    rm -rf "$work/cache"
    XDG_CACHE_HOME=$work/cache convert "$@"
}

printf '%-32s %10s %12s %8s\n' file 'clang ms' 'rkconvert ms' ratio
total=0
converted=0
for file in "$folder"/*.cu; do
    checked=$(best "$clang" -fsyntax-only "$@" "$file")
    written=$(best convert --no-cpu "$file")
    total=$((total + checked))
    converted=$((converted + written))
    row "$(basename "$file")" "$checked" "$written"
done
row 'sum of the files' "$total" "$converted"
file=$folder/gemm.cu
checked=$(best "$clang" -fsyntax-only "$@" "$file")
row 'gemm.cu, empty cache' "$checked" "$(best convert_cold --no-cpu "$file")"
row 'all in one run, empty cache' "$total" "$(best convert_cold --no-cpu "$folder")"
row 'all in one run' "$total" "$(best convert --no-cpu "$folder")"
row 'all, with the CPU library' "$total" "$(runs=1 best convert "$folder")"
