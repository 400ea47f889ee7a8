# The CPU's vDevice against the same rKernels one by one, over models: a table of ratios.
#
#   sh tests/bench/vdevice.sh [BUILD]     default: build/release
#
# One by one runs each node's rTasks on the same worker threads with a join after each node, as launches do.
# Both come from one process and one image; each is the best of several runs.
set -eu
build=$(cd "${1:-build/release}" && pwd)
rammer=$build/bin/rammer
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

value()
{
    grep -o "\"$2\": [^,}]*" "$1" | head -n 1 | sed 's/^[^:]*: //; s/"//g'
}

printf '%-34s %-10s %5s %8s %12s %12s %7s\n' model policy vEUs rTasks 'vDevice ms' 'by one ms' ratio
# model|parameters|repeats
while IFS='|' read -r model parameters repeats; do
    name=$(echo "$model$parameters" | tr -d ' ' | tr -- '--' '_')
    # shellcheck disable=SC2086
    "$rammer" zoo "$model" $parameters -o "$scratch/$name" >/dev/null
    for policy in base wavefront; do
        for veus in 1 2; do
            "$rammer" build "$scratch/$name/graph.json" --target cpu --policy $policy --veus $veus \
                -o "$scratch/built" --json >"$scratch/build.json"
            "$rammer" run "$scratch/built" --one-by-one --repeat "$repeats" --json >"$scratch/run.json"
            awk -v m="$model $parameters" -v p=$policy -v n="$(value "$scratch/build.json" rtasks)" \
                -v e="$(value "$scratch/build.json" veus)" \
                -v v="$(value "$scratch/run.json" seconds)" \
                -v o="$(value "$scratch/run.json" one_by_one_seconds)" 'BEGIN {
                    printf "%-34s %-10s %5d %8d %12.3f %12.3f %7.2f\n", m, p, e, n, v * 1e3, o * 1e3, v / o
                }'
        done
    done
done <<'EOF'
lstm|--layers 10 --steps 100 --hidden 256|3
lstm|--layers 8 --steps 8 --hidden 256|20
convnet||20
mlp||50
EOF
echo "ratio: vDevice over one by one, on $(nproc) processors of this CPU"
