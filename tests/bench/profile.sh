#!/bin/sh
# profile.sh [BUILD]: how well simulated times order what is measured on this CPU: Spearman's rank
# correlation over models and policies, with the analytic model and with a profile measured here.
# Environment: SECONDS_EACH (of a model's profile, 10), REPEAT (runs, 51), POLICIES.
set -e
build=${1:-build/release}
rammer=$(cd "$build" && pwd)/bin/rammer
policies=${POLICIES:-base,wavefront,ios,list,auto}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$rammer" zoo mlp -o mlp >/dev/null
"$rammer" zoo lstm --layers 2 --steps 4 --hidden 64 -o lstm >/dev/null
"$rammer" zoo lstm --layers 4 --steps 8 --hidden 128 -o lstm-large >/dev/null
"$rammer" zoo convnet -o convnet >/dev/null

# simulated GRAPH [options]: "policy us" lines.
simulated()
{
    graph=$1
    shift
    "$rammer" compare "$graph/graph.json" --policy "$policies" --json "$@" 2>/dev/null |
        awk -F'[:,"]+' '/"policy"/ {policy = $4} /"us"/ {print policy, $3 + 0}'
}

# measured GRAPH POLICY [options]: microseconds of the fastest run of the schedule that is simulated so, too:
# whatever else runs on this machine only ever adds time.
measured()
{
    graph=$1 policy=$2
    shift 2
    "$rammer" run "$graph/graph.json" --policy "$policy" --repeat "${REPEAT:-51}" --json "$@" |
        awk -F'[:,]' '/"least_seconds"/ {print $2 * 1e6; exit}'
}

# With a profile a policy may make another schedule, so that each simulation has its own run.
echo "model policy modelled_us measured_us profiled_us measured_us" >table
for model in mlp lstm lstm-large convnet; do
    "$rammer" profile $model/graph.json --seconds "${SECONDS_EACH:-10}" -o $model.json >/dev/null
    simulated $model >modelled
    simulated $model --profile $model.json >profiled
    for policy in $(echo "$policies" | tr , ' '); do
        echo "$model $policy" "$(awk -v p="$policy" '$1 == p {print $2}' modelled)" \
            "$(measured $model "$policy")" \
            "$(awk -v p="$policy" '$1 == p {print $2}' profiled)" \
            "$(measured $model "$policy" --profile $model.json)" >>table
    done
done
column -t table
# Ranks of each column, equal values sharing the mean of their places; then Pearson's correlation.
awk 'NR > 1 {n++; for (c = 3; c <= 6; c++) v[c, n] = $c}
function rank(c, i,    k, less, same) {
    for (k = 1; k <= n; k++) {
        less += v[c, k] + 0 < v[c, i] + 0
        same += v[c, k] + 0 == v[c, i] + 0
    }
    return less + (same + 1) / 2
}
function spearman(c, d,    i, a, b, aa, bb, ab) {
    for (i = 1; i <= n; i++) {
        a = rank(d, i) - (n + 1) / 2
        b = rank(c, i) - (n + 1) / 2
        aa += a * a; bb += b * b; ab += a * b
    }
    return aa && bb ? ab / sqrt(aa * bb) : 0
}
END {
    printf "rank correlation of measured and simulated times, %d rows\n", n
    printf "  by the analytic model  %.3f\n  by the profile         %.3f\n", spearman(3, 4), spearman(5, 6)
}' table
