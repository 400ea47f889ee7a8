#!/bin/sh
# run.sh [-o FILE] <emitted folder>...
#
# For a machine with nvcc and an NVIDIA GPU, and nothing else of ours: compiles what `rammer build
# --target cuda` wrote, checks its outputs against the reference beside it, and times the vDevice
# against the same rKernels launched one by one, and against those launches in a CUDA graph. Prints a
# table and writes FILE (rammer-gpu.json): device, driver, date, and a record for each folder.
#
# NVCC names another compiler, RK_ARCH another architecture ("90"), RK_NVCC_FLAGS more flags.
# Exit status: 0 all right; 1 an output is wrong or a run failed; 2 usage, or something does not
# compile; 3 compiled, but there is no GPU.
set -u

say() {
    printf '%s\n' "$*" >&2
}

json=rammer-gpu.json
if [ "${1:-}" = -o ] && [ $# -ge 2 ]; then
    json=$2
    shift 2
fi
case ${1:-} in
'' | -*)
    sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

nvcc=${NVCC:-$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")}
if [ ! -x "$nvcc" ]; then
    say "run.sh: there is no nvcc; install the CUDA toolkit, or name the compiler with NVCC=..."
    exit 2
fi

query() {
    nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1
}
gpu=yes device=$(query name) driver=$(query driver_version)
capability=$(query compute_cap | tr -d . | tr -cd 0-9)
[ -n "$device" ] && [ -n "$capability" ] || gpu=no
arch=${RK_ARCH:-${capability:-80}}

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
: >"$work/records"
status=0

# The name that everything in the folder is called by.
name_of() {
    for tables in "$1"/*_tables.c; do
        [ -f "$tables" ] && basename "$tables" _tables.c
    done | head -n 1
}

# build <folder> <name> <to>
build() {
    mkdir -p "$3"
    # shellcheck disable=SC2086
    for unit in "$2.cu" test.cu bench.cu; do
        say "compiling $1/$unit for sm_$arch"
        "$nvcc" -std=c++17 -O3 -arch=sm_"$arch" -Xcompiler -Wall,-Wextra ${RK_NVCC_FLAGS:-} \
            -I"$1" -I"$1/include" -c "$1/$unit" -o "$3/${unit%.cu}.o" || return 1
    done
    "$nvcc" -I"$1" -c "$1/$2_tables.c" -o "$3/tables.o" &&
        "$nvcc" "$3/test.o" "$3/$2.o" "$3/tables.o" -o "$3/run_test" &&
        "$nvcc" "$3/bench.o" "$3/tables.o" -o "$3/run_bench"
}

# A vDevice that hangs must not take the machine with it.
bounded() {
    if command -v timeout >/dev/null; then
        timeout -k 5 "${RK_TIMEOUT:-120}" "$@"
    else
        "$@"
    fi
}

# number <name> <file>: a line of the benchmark, null when it is not there
number() {
    awk -v name="$1" '$1 == name { value = $2 } END { print value == "" ? "null" : value }' "$2"
}

quote() {
    printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"
}

# run <folder> <name> <built>: a record for the table and the JSON
run() {
    check=none same=null
    if [ -d "$1/reference" ]; then
        check=good
        bounded "$3/run_test" "$1" >"$3/test.log" 2>&1 || check=WRONG
        cat "$3/test.log" >&2
    fi
    bounded "$3/run_bench" "$1" >"$3/bench.log" 2>"$3/bench.err" || {
        say "$2: the benchmark failed: $(cat "$3/bench.err")"
        status=1
    }
    [ "$check" = WRONG ] && status=1
    [ "$(number same_bytes "$3/bench.log")" = yes ] && same=true
    [ "$(number same_bytes "$3/bench.log")" = no ] && same=false
    printf '%s %s %s %s %s %s %s %s %s\n' "$2" "$check" "$same" "$(number nodes "$3/bench.log")" \
        "$(number rprograms "$3/bench.log")" "$(number veus "$3/bench.log")" \
        "$(number vdevice_us "$3/bench.log")" "$(number one_by_one_us "$3/bench.log")" \
        "$(number graph_us "$3/bench.log")" >>"$work/records"
}

index=0
for folder; do
    name=$(name_of "$folder")
    if [ -z "$name" ]; then
        say "run.sh: $folder is no folder that rammer emitted for cuda"
        exit 2
    fi
    index=$((index + 1))
    if ! build "$folder" "$name" "$work/$index"; then
        say "run.sh: $folder does not compile"
        exit 2
    fi
    [ $gpu = yes ] && run "$folder" "$name" "$work/$index"
done

if [ $gpu = no ]; then
    say "run.sh: all folders compile for sm_$arch, but this machine has no NVIDIA GPU (nvidia-smi" \
        "finds none), so nothing was run"
    exit 3
fi

printf '%s, driver %s\n' "$device" "$driver"
awk 'BEGIN {
    row = "%-24s %6s %8s %5s %6s %12s %12s %8s %12s %8s\n"
    printf row, "model", "nodes", "programs", "vEUs", "check", "vDevice us", "one by one", "ratio",
        "CUDA graph", "ratio"
}
function ratio(a, b) { return b + 0 > 0 ? sprintf("%.2f", a / b) : "-" }
{ printf row, $1, $4, $5, $6, $2, $7, $8, ratio($8, $7), $9, ratio($9, $7) }' "$work/records"

{
    printf '{\n  "schema": "rammer.gpu-run/1",\n'
    printf '  "device": %s,\n  "driver": %s,\n' "$(quote "$device")" "$(quote "$driver")"
    printf '  "date": "%s",\n  "arch": "sm_%s",\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$arch"
    printf '  "nvcc": %s,\n  "results": [' "$(quote "$("$nvcc" --version | tail -n 1)")"
    awk '{
        printf "%s\n    {\"model\": \"%s\", \"check\": \"%s\", \"same_bytes\": %s, \"nodes\": %s, ",
            (NR > 1 ? "," : ""), $1, tolower($2), $3, $4
        printf "\"rprograms\": %s, \"veus\": %s, \"vdevice_us\": %s, ", $5, $6, $7
        printf "\"one_by_one_us\": %s, \"graph_us\": %s}", $8, $9
    }' "$work/records"
    printf '\n  ]\n}\n'
} >"$work/json" && cp "$work/json" "$json" && say "wrote $json"
exit $status
