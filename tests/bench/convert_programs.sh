# The processor time of rkconvert over `clang-19 -fsyntax-only` of the same sources with the same flags: sources of
# programs, with the headers that they include. CUDA's own headers are precompiled; the others are not in the column
# "first", and are in the column "again". Nothing comes from the cache of results. Each is the least of RUNS (1), which
# follow each other in turns, so that what else the machine does is the same for all.
#
#   RUNS=3 sh tests/bench/convert_programs.sh BUILD FILE... [-- ARGUMENTS]
set -eu
[ $# -ge 2 ] || {
    sed -n 's/^#   /usage: /p' "$0" >&2
    exit 2
}
build=$1
shift
rkconvert=$build/bin/rkconvert
parse=$build/share/rammer/parse
clang=$(command -v clang-19) && command -v /usr/bin/time >/dev/null || {
    echo 'clang-19 or GNU time is not installed: not measured'
    exit 0
}
toolkit=
for candidate in "${CUDA_PATH:-}" "${CUDA_HOME:-}" /usr/local/cuda /usr/lib/cuda /opt/cuda; do
    [ -z "$toolkit" ] && [ -f "$candidate/include/cuda_runtime.h" ] && toolkit=$candidate
done
[ -n "$toolkit" ] || {
    echo 'no CUDA toolkit: not measured'
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    files="$files $1"
    shift
done
[ $# -eq 0 ] || shift

# Milliseconds of processor time of a command, whatever its status.
cost()
{
    /usr/bin/time -o "$work/time" -f '%U %S' "$@" >"$work/log" 2>&1 || :
    awk 'END { printf "%d", ($1 + $2) * 1000 }' "$work/time"
}

check()
{
    cost "$clang" -fsyntax-only -xcuda --cuda-host-only -nocudalib -Wno-everything "--cuda-path=$toolkit" \
        -isystem "$parse/toolkit" -isystem "$toolkit/include/cccl" -isystem "$parse/check" \
        -include "$parse/prelude.h" "$@"
}

convert()
{
    cost "$rkconvert" --no-cpu --cache none --out-dir "$work/out" "$@"
}

export XDG_CACHE_HOME="$work/cache"
echo '__global__ void k() {}' >"$work/empty.cu"
"$rkconvert" --examine "$work/empty.cu" >"$work/log" 2>&1
mv "$work/cache" "$work/prelude"
printf '%-32s %10s %10s %10s %8s %8s\n' file 'clang ms' 'first ms' 'again ms' first again
clang_sum=0 first_sum=0 again_sum=0
row()
{
    awk -v n="$1" -v c="$2" -v f="$3" -v a="$4" \
        'BEGIN { printf "%-32s %10d %10d %10d %8.2f %8.2f\n", n, c, f, a, f / c, a / c }'
}
# least BEFORE NOW: the smaller one; BEFORE may be empty.
least()
{
    if [ -z "$1" ] || [ "$2" -lt "$1" ]; then echo "$2"; else echo "$1"; fi
}

for file in $files; do
    checked= first= again=
    for run in $(seq "${RUNS:-1}"); do
        rm -rf "$work/cache"
        cp -a "$work/prelude" "$work/cache"
        checked=$(least "$checked" "$(check "$@" "$file")")
        first=$(least "$first" "$(convert "$file" -- "$@")")
        again=$(least "$again" "$(convert "$file" -- "$@")")
    done
    row "$(basename "$file")" "$checked" "$first" "$again"
    clang_sum=$((clang_sum + checked)) first_sum=$((first_sum + first)) again_sum=$((again_sum + again))
done
row sum "$clang_sum" "$first_sum" "$again_sum"
