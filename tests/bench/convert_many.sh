# rkconvert over many files: kernels a second at -j 2, the most memory of one process at 100 and 1,000 files, and a
# warm second run over the cold one. Files hold one kernel and one launch each.
#
#   sh tests/bench/convert_many.sh [BUILD]     default: build/release
set -eu
cd "$(dirname "$0")/../.."
rkconvert=$PWD/${1:-build/release}/bin/rkconvert
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v /usr/bin/time >/dev/null || {
    echo 'GNU time is not installed (package time): not measured'
    exit 0
}
run()
{
    /usr/bin/time -o "$work/time" -f '%e %M' "$rkconvert" --builtin-cuda --examine -j 2 --cache "$work/cache" \
        "$work/$1" >/dev/null
    cat "$work/time"
}
printf '%6s %10s %10s %10s %12s %10s\n' files 'cold s' 'warm s' warm/cold kernels/s 'memory MB'
for count in 100 1000; do
    mkdir "$work/$count"
    for i in $(seq "$count"); do
        printf '__global__ void k%d(float *x) { x[threadIdx.x] = %d; }\nvoid l(float *x) { k%d<<<1, 32>>>(x); }\n' \
            "$i" "$i" "$i" >"$work/$count/$i.cu"
    done
    cold=$(run "$count")
    warm=$(run "$count")
    echo "$count $cold $warm" |
        awk '{ printf "%6d %10.2f %10.2f %10.3f %12.1f %10.1f\n", $1, $2, $4, $4 / $2, $1 / $2, $3 / 1024 }'
done
