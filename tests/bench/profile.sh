#!/bin/sh
# profile.sh [BUILD]: how well simulated times order what is measured on this CPU: Spearman's rank
# correlation over models, policies and one and two vEUs, with the analytic model and with a profile measured
# here. All schedules are built first and then run by turns, so that whatever else this machine does meets all of
# them alike; of each the fastest run of all turns counts. Where the system allows, what is measured goes before
# all other work (chrt).
# Environment: MODELS (all of those below), TURNS (40), REPEAT (runs in a turn, 10), SECONDS_EACH (of a model's profile, 5), POLICIES.
set -e
build=${1:-build/release}
rammer=$(cd "$build" && pwd)/bin/rammer
first='chrt -f 1'
$first true 2>/dev/null || first=
policies=${POLICIES:-base,wavefront,ios,list,auto}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
zoo()
{
    dir=$1
    shift
    case " ${MODELS:-$dir} " in
    *" $dir "*) ;;
    *) return 0 ;;
    esac
    "$rammer" zoo "$@" -o "$dir" >/dev/null
    echo "$dir" >>models
}
zoo mlp mlp
zoo convnet convnet
zoo lstm lstm --layers 2 --steps 4 --hidden 64
zoo lstm-large lstm --layers 4 --steps 8 --hidden 128
zoo seq2seq seq2seq --hidden 64 --encoder-layers 2 --encoder-steps 6 --decoder-layers 2 --decoder-steps 4
zoo squeezenet squeezenet --divide 8 --size 32 --classes 10
zoo nasbench nasbench --size 8 --channels 8

# simulated GRAPH [options]: "policy us" lines.
simulated()
{
    "$rammer" compare "$@" --policy "$policies" --json 2>/dev/null |
        awk -F'[:,"]+' '/"policy"/ {policy = $4} /"us"/ {print policy, $3 + 0}'
}

# Rows "model policy vEUs how us"; each one's schedule is in the folder of that name.
for model in $(cat models); do
    $first "$rammer" profile "$model/graph.json" --seconds "${SECONDS_EACH:-5}" -o "$model.json" >/dev/null
    for veus in 1 2; do
        for how in model profile; do
            set -- "$model/graph.json" --veus $veus
            [ $how = model ] || set -- "$@" --profile "$model.json"
            simulated "$@" >times
            while read -r policy us; do
                row=$model-$policy-$veus-$how
                "$rammer" build "$@" --policy "$policy" --no-reference -o "$row" >/dev/null 2>&1
                echo "$model $policy $veus $how $us $row" >>rows
            done <times
        done
    done
done

turn=0
while [ $turn -lt "${TURNS:-40}" ]; do
    while read -r model policy veus how us row; do
        $first "$rammer" run "$row" --repeat "${REPEAT:-10}" --json |
            awk -v row="$row" -F'[:,]' '/"least_seconds"/ {print row, $2 * 1e6}'
    done <rows >>runs
    turn=$((turn + 1))
done

# Ranks of each column, equal values sharing the mean of their places; then Pearson's correlation.
awk 'FNR == NR {if (!($1 in least) || $2 < least[$1]) least[$1] = $2; next}
{
    key = $1 " " $2 " " $3
    if (!(key in place)) {place[key] = ++n; name[n] = key; model[n] = $1}
    c = $4 == "model" ? 1 : 3
    v[c, place[key]] = $5
    v[c + 1, place[key]] = least[$6]
}
function rank(c, i, of,    k, less, same) {
    for (k = 1; k <= n; k++)
        if (of == "" || model[k] == of) {
            less += v[c, k] + 0 < v[c, i] + 0
            same += v[c, k] + 0 == v[c, i] + 0
        }
    return less + (same + 1) / 2
}
function spearman(c, of,    i, m, a, b, aa, bb, ab) {
    for (i = 1; i <= n; i++)
        m += of == "" || model[i] == of
    for (i = 1; i <= n; i++)
        if (of == "" || model[i] == of) {
            a = rank(c, i, of) - (m + 1) / 2
            b = rank(c + 1, i, of) - (m + 1) / 2
            aa += a * a; bb += b * b; ab += a * b
        }
    return aa && bb ? ab / sqrt(aa * bb) : 0
}
function ratio(c,    i, logs) {
    for (i = 1; i <= n; i++)
        logs += log(v[c, i] / v[c + 1, i])
    return exp(logs / n)
}
function within(c,    i, seen, sum, count) {
    for (i = 1; i <= n; i++)
        if (!(model[i] in seen)) {
            seen[model[i]]
            sum += spearman(c, model[i])
            count++
        }
    return sum / count
}
END {
    print "| model | policy | vEUs | modelled us | measured | by a profile | measured |"
    print "| --- | --- | --- | --- | --- | --- | --- |"
    for (i = 1; i <= n; i++) {
        split(name[i], part, " ")
        printf "| %s | %s | %s | %.0f | %.0f | %.0f | %.0f |\n", part[1], part[2], part[3], v[1, i], v[2, i],
            v[3, i], v[4, i]
    }
    printf "\n| %d rows | by the analytic model | by a profile |\n| --- | --- | --- |\n", n
    printf "| rank correlation of simulated and measured times | %.3f | %.3f |\n", spearman(1, ""), spearman(3, "")
    printf "| within a model, mean | %.3f | %.3f |\n", within(1), within(3)
    printf "| simulated over measured, geometric mean | %.2f | %.2f |\n", ratio(1), ratio(3)
}' runs rows
