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
rk_steps=7
out=build/quickstart
log=$out/log
rammer=build/release/bin/rammer

fail()
{
    echo "quickstart: $1" >&2
    exit 1
}

# run FILE COMMAND...: says what it runs; the output goes to FILE.
run()
{
    to=$1
    shift
    echo "$*"
    "$@" >"$to"
}

# value FILE KEY: a number or text of a report in JSON.
value()
{
    grep -o "\"$2\": [^,}]*" "$1" | head -n 1 | sed 's/^[^:]*: //; s/"//g'
}

# number FORMAT EXPRESSION
number()
{
    awk "BEGIN { printf \"$1\", $2 }"
}

# row TEXT VALUE: a line of the table.
row()
{
    printf '  %-38s %s\n' "$1" "$2"
}

step "Setting up: packages with apt, where they are missing"
sh tools/setup.sh || exit 1
mkdir -p "$out"

step "Building the commands (preset release)"
configure release || fail "cmake could not configure the build"
build release --target rammer rkconvert || fail "the build failed"

step "Converting vendor_kernels/ into a catalog with rkconvert"
cmake --build build/release --target catalog || fail "rkconvert refused kernels"

step "Writing the LSTM: 10 layers, 100 steps, hidden 256, batch 1"
run "$log" $rammer zoo lstm --layers 10 --steps 100 --hidden 256 -o "$out/lstm" ||
    fail "rammer zoo failed"

step "Building it for cpu and cuda"
for target in cpu cuda; do
    run "$out/$target.json" $rammer build "$out/lstm/graph.json" --target $target \
        -o "$out/lstm-$target" --json || fail "rammer build --target $target failed"
done

step "Running the vDevice on this CPU, checking every output; then the same rKernels one by one"
run "$out/run.json" $rammer run "$out/lstm-cpu" --verify --one-by-one --repeat 3 --json ||
    fail "the outputs are wrong"

step "Compiling the emitted CUDA with nvcc, and running it where there is a GPU"
compiled="nothing: there is no CUDA toolkit on this machine"
if find_nvcc; then
    status=0
    run "$log" sh tests/device/gpu/run.sh -o "$out/gpu.json" "$out/lstm-cuda" 2>&1 || status=$?
    case $status in
    0) compiled="lstm-cuda, and run on this machine's GPU" ;;
    3) compiled="lstm-cuda with its test and benchmark; there is no GPU to run it" ;;
    *) fail "nvcc did not compile the emitted CUDA, or an output is wrong: see $log" ;;
    esac
    cat "$log"
else
    echo "left out: there is no CUDA toolkit on this machine"
fi

vdevice=$(value "$out/run.json" seconds)
one_by_one=$(value "$out/run.json" one_by_one_seconds)
echo
printf '  %-38s %12s %12s\n' "The LSTM" cpu cuda
while read -r key label; do
    printf '  %-38s %12s %12s\n' "$label" "$(value "$out/cpu.json" "$key")" \
        "$(value "$out/cuda.json" "$key")"
done <<'EOF'
device planned for
nodes nodes
rtasks rTasks
barrier_rtasks barrier-rTasks
waits waits left
rtask_edges waits, one for each pair of rTasks
rprograms rPrograms
veus vEUs
EOF
echo
row "largest error (1e-4 is allowed)" "$(number %.2g "$(value "$out/run.json" largest_error)")"
row "vDevice on this CPU" "$(number '%.0f ms' "$vdevice * 1000")"
row "the same rKernels one by one, here" \
    "$(number '%.0f ms, ' "$one_by_one * 1000")$(number '%.2f times' "$one_by_one / $vdevice")"
row "compiled by nvcc" "$compiled"
echo
echo "Done in $(($(date +%s) - rk_started)) s. The CUDA program is in $out/lstm-cuda; on a GPU machine:"
echo "  sh tests/device/gpu/run.sh $out/lstm-cuda"
