# Shows the whole of Rammer on this machine: from CUDA kernels to a checked vDevice.
#
#   sh tools/quickstart.sh
#
# Installs what is missing, builds, converts vendor_kernels/, writes the LSTM of the Rammer paper's
# Table 1 (10 layers, 100 steps, hidden 256, batch 1) with seeded weights, builds it for cpu and cuda,
# runs it, compares all outputs with an independent reference, and ends with a table. May be run again
# at any time; everything it makes is under build/.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tools/common.sh
. tools/common.sh
rk_steps=6
out=build/quickstart
log=$out/log
rammer=build/release/bin/rammer
rkconvert=build/release/bin/rkconvert

fail()
{
    echo "quickstart: $1" >&2
    exit 1
}

# value FILE KEY: a number or text of a report in JSON.
value()
{
    grep -o "\"$2\": [^,}]*" "$1" | head -n 1 | sed 's/^[^:]*: //; s/"//g'
}

# row TEXT VALUE: a line of the table.
row()
{
    printf '  %-38s %s\n' "$1" "$2"
}

step "Setting up: packages with apt, where they are missing"
sh tools/setup.sh || exit 1

step "Building Rammer (preset release)"
build release || fail "the build failed"
mkdir -p "$out"

step "Converting vendor_kernels/ into a catalog"
resources=
if find_nvcc; then
    resources="--resources sm_90"
fi
# shellcheck disable=SC2086 # words
$rkconvert vendor_kernels --out-dir "$out/catalog" $resources || fail "rkconvert refused kernels"
catalog=$out/catalog/catalog.json

step "Writing the LSTM: 10 layers, 100 steps, hidden 256, batch 1"
$rammer zoo lstm --layers 10 --steps 100 --hidden 256 -o "$out/lstm" || fail "rammer zoo failed"

step "Building it for cpu and cuda"
for target in cpu cuda; do
    echo "rammer build $out/lstm/graph.json --target $target"
    $rammer build "$out/lstm/graph.json" --catalog "$catalog" --target $target \
        -o "$out/lstm-$target" --json >"$out/$target.json" ||
        fail "rammer build --target $target failed"
done

step "Running the vDevice on this CPU, and checking every output"
$rammer run "$out/lstm-cpu" --catalog "$catalog" --verify --one-by-one --repeat 3 --json \
    >"$out/run.json" || fail "the outputs are wrong"

compiled="nothing: no CUDA toolkit on this machine"
if find_nvcc; then
    echo "compiling the emitted CUDA with nvcc, and running it if there is a GPU"
    status=0
    sh tests/gpu/run.sh -o "$out/gpu.json" "$out/lstm-cuda" >"$log" 2>&1 || status=$?
    case $status in
    0)
        compiled="lstm-cuda; it ran on this GPU, see above"
        grep -v '^compiling' "$log"
        ;;
    3)
        compiled="lstm-cuda with its test and benchmark; not run, there is no GPU"
        ;;
    *)
        cat "$log"
        fail "nvcc did not compile the emitted CUDA, or an output is wrong"
        ;;
    esac
fi

vdevice=$(value "$out/run.json" seconds)
one_by_one=$(value "$out/run.json" one_by_one_seconds)
echo
echo "The LSTM on this machine's CPU, and for $(value "$out/cuda.json" device) as CUDA:"
echo
printf '  %-38s %12s %12s\n' "" cpu cuda
while read -r key label; do
    printf '  %-38s %12s %12s\n' "$label" "$(value "$out/cpu.json" "$key")" \
        "$(value "$out/cuda.json" "$key")"
done <<'EOF'
nodes nodes
rtasks rTasks
barrier_rtasks barrier-rTasks
waits waits left
rtask_edges waits, one for each pair of rTasks
rprograms rPrograms
veus vEUs
EOF
echo
row "largest error (allowed: 1e-4)" "$(value "$out/run.json" largest_error)"
row "vDevice on this CPU" "$(awk "BEGIN { printf \"%.1f ms\", $vdevice * 1000 }")"
row "the same rKernels one by one" \
    "$(awk "BEGIN { printf \"%.1f ms, %.2f times\", $one_by_one * 1000, $one_by_one / $vdevice }")"
row "compiled by nvcc" "$compiled"
echo
echo "Done in $(($(date +%s) - rk_started)) s. Look at $out/lstm-cuda, or run it on a GPU machine:"
echo "  sh tests/gpu/run.sh $out/lstm-cuda"
