# rkconvert over many files: kernels a second at -j 2, the most memory of one process at each count of files, and a
# warm second run over the cold one, in wall and in processor time. Files hold one kernel and one launch each.
#
#   sh tests/bench/convert_many.sh [BUILD [COUNT...]]     default: build/release 100 1000
set -eu
cd "$(dirname "$0")/../.."
rkconvert=$(cd "${1:-build/release}" && pwd)/bin/rkconvert
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 100 1000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v /usr/bin/time >/dev/null || {
    echo 'GNU time is not installed (package time): not measured'
    exit 0
}
run()
{
    /usr/bin/time -o "$work/time" -f '%e %U %S %M' "$rkconvert" --builtin-cuda --examine -j 2 --cache "$work/cache" \
        "$work/$1" >/dev/null
    cat "$work/time"
}
printf '%6s %8s %8s %9s %9s %12s %12s %9s\n' files 'cold s' 'warm s' 'cold cpu' 'warm cpu' 'kernels/s' \
    'k/s of cpu' 'memory MB'
for count; do
    mkdir "$work/$count"
    for i in $(seq "$count"); do
        printf '__global__ void k%d(float *x) { x[threadIdx.x] = %d; }\nvoid l(float *x) { k%d<<<1, 32>>>(x); }\n' \
            "$i" "$i" "$i" >"$work/$count/$i.cu"
    done
    cold=$(run "$count")
    warm=$(run "$count")
    echo "$count $cold $warm" | awk '{ cold = $3 + $4; warm = $7 + $8
        printf "%6d %8.2f %8.2f %9.2f %9.2f %12.1f %12.1f %9.1f   warm/cold %.2f%%, of cpu %.2f%%\n", $1, $2, $6,
            cold, warm, $1 / $2, $1 / cold, $5 / 1024, 100 * $6 / $2, 100 * warm / cold }'
done
