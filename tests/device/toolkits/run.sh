#!/bin/sh
# run.sh [FOLDER...]: reads our own CUDA with each toolkit that $RK_TOOLKITS names: "DIR DIR ...".
#
# What the folders hold, by default the inputs of rkconvert's golden tests and vendor_kernels, is converted with
# the toolkit of the machine and with each of those. What becomes of every kernel and launch must be the same,
# but for the inputs that `newer` lists; and each output must compile for sm_80, if the source that it came from
# does. nvcc compiles where the folder has one, else clang with the folder's headers, libdevice and ptxas. A
# folder may be laid out of PyPI's wheels.
#
# 0 all is the same and compiles, 1 something differs, 77 there are no toolkits to try.
set -u
here=$(cd "$(dirname "$0")" && pwd)
source=${RK_SOURCE:-$(cd "$here/../../.." && pwd)}
rkconvert=${RKCONVERT:-${RK_BUILD:-$source/build/debug}/bin/rkconvert}
machine=${CUDA_PATH:-/usr/local/cuda}
skip()
{
    echo "$1"
    exit 77
}
[ $# -gt 0 ] || set -- "$source/tests/golden/rkconvert" "$source/vendor_kernels"
[ -n "${RK_TOOLKITS-}" ] || skip 'RK_TOOLKITS names no toolkits'
[ -f "$machine/include/cuda_runtime.h" ] || skip 'this machine has no toolkit to compare with'
command -v jq >/dev/null || skip 'jq is not installed'
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0

# version FOLDER: 11.8
version()
{
    sed -n 's/^#define CUDA_VERSION  *//p' "$1/include/cuda.h" | awk '{ printf "%d.%d", $1 / 1000, $1 % 1000 / 10 }'
}

# older VERSION THAN
older()
{
    awk -v a="$1" -v b="$2" 'BEGIN { split(a, x, "."); split(b, y, "."); exit !(x[1] * 100 + x[2] < y[1] * 100 + y[2]) }'
}

# convert TOOLKIT NAME FOLDER...: outputs in $work/NAME, what became of each kernel and launch in $work/NAME.facts
convert()
{
    path=$1 name=$2
    shift 2
    "$rkconvert" --cuda-path "$path" --no-cpu --cache none --out-dir "$work/$name" \
        --report json="$work/$name.json" "$@" 2>"$work/$name.err" >/dev/null
    [ -s "$work/$name.json" ] || {
        cat "$work/$name.err"
        exit 1
    }
    jq -r --arg root "$source/" '.files[] | (.path | ltrimstr($root)) as $path
        | "\($path) parsed \(.parsed)",
          (.kernels[] | "\($path) kernel \(.name) \(.line) \(.outcome) \(.codes | join(" "))"),
          (.launches[] | "\($path) launch \(.kernel) \(.line) \(.resolved)")' "$work/$name.json" >"$work/$name.facts"
}

# compile TOOLKIT SOURCE FOLDER
compile()
{
    if [ -x "$1/bin/nvcc" ]; then
        timeout 120 "$1/bin/nvcc" -std=c++17 -arch=sm_80 -rdc=true -cubin -w -x cu "$2" -o "$work/object" \
            -I "$source/rkernel_lib/include" -I "$3" 2>"$work/log"
    else
        timeout 120 clang++-19 -x cuda "--cuda-path=$1" --cuda-gpu-arch=sm_80 --cuda-device-only -std=c++17 -c -w \
            -Wno-unknown-cuda-version -isystem "$1/include" -isystem "$1/include/cccl" \
            -I "$source/rkernel_lib/include" -I "$3" "$2" -o "$work/object" 2>"$work/log"
    fi
}

# compile_all TOOLKIT NAME: sets compiled, neither, outputs
compile_all()
{
    compiled=0 neither=0 outputs=0
    jq -r '.files[] | .path as $path | .outputs[] | select(endswith(".rk.cu")) | "\(.) \($path)"' \
        "$work/$2.json" >"$work/outputs"
    while read -r output path; do
        outputs=$((outputs + 1))
        if compile "$1" "$output" "$work/$2"; then
            compiled=$((compiled + 1))
        else
            mv "$work/log" "$work/first"
            if compile "$1" "$path" "$(dirname "$path")"; then
                echo "$2: what becomes of ${path#"$source"/} does not compile: $(grep -m 1 error "$work/first")"
                failed=1
            else
                neither=$((neither + 1))
            fi
        fi
    done <"$work/outputs"
}

convert "$machine" machine "$@"
echo '| toolkit | sources | parse | kernels and launches | as with the machine'"'"'s | outputs | compile | nor does the source |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
for toolkit in $RK_TOOLKITS; do
    name=$(version "$toolkit")
    [ -n "$name" ] || {
        echo "$toolkit has no include/cuda.h that says a version"
        exit 1
    }
    convert "$toolkit" "$name" "$@"
    : >"$work/left_out"
    while read -r since path; do
        case $since in
        '#'* | '') ;;
        *) older "$name" "$since" && echo "^$path " >>"$work/left_out" ;;
        esac
    done <"$here/newer"
    for who in machine "$name"; do
        grep -v -f "$work/left_out" "$work/$who.facts" >"$work/$who.kept"
    done
    if ! diff "$work/machine.kept" "$work/$name.kept" >"$work/differ"; then
        cat "$work/differ"
        failed=1
    fi
    compile_all "$toolkit" "$name"
    echo "| $name | $(grep -c ' parsed ' "$work/$name.facts") | $(grep -c ' parsed true' "$work/$name.facts")" \
        "| $(grep -vc ' parsed ' "$work/$name.facts")" \
        "| $(grep -v ' parsed ' "$work/$name.facts" | grep -xFc -f "$work/machine.facts") | $outputs | $compiled | $neither |"
done
exit $failed
