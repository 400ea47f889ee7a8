#!/bin/sh
# folder.sh [option]... FOLDER
#
# Builds every CUDA program under FOLDER with `rkconvert cc` and runs it three ways on the CPU: as it is, and
# with its launches as vDevices on 1 vEU and on 8. Prints a line for each, pass, fail or unsupported with the
# reason, and the totals; FOLDER itself is only read. A program is a source with a main and the other sources
# of its folder and the folders below, or a source alone where a folder has several with a main. It passes
# when it ends with status 0 all three times and says nothing of a failure; how many launches of the second
# were vDevices is said then. Where it fails to build, or waives itself, for a feature that is not supported,
# that feature is the reason.
#
#   -r FILE   rules, a line each, # for comments (default: folders/<name of FOLDER>.rules beside this script):
#               run PROGRAM ARGUMENT...     a run of it; several lines are several runs
#               each PROGRAM ARGUMENT...    a run for each argument
#               edit SED-COMMAND            for the copy of every source: smaller sizes, fewer repeats
#               add PATH FILE               a source beside the rules that is put there in the copy
#               flags PROGRAM FLAG...       for rkconvert cc; PROGRAM is a shell pattern
#               data PROGRAM FILE COMMAND   FILE of its folder is what COMMAND writes; $picture is folders/picture.sh
#               unsupported PROGRAM REASON  not tried
#   -k REGEX  only programs whose path matches
#   -j N      programs at a time (default 2)
#   -t N      seconds that a run may take (default 60)
#   -o DIR    keep each program's builds and logs there
#
# RKCONVERT names the command (default: that of build/release). Exit status: 1 when a program fails, else 0.
set -u
here=$(cd "$(dirname "$0")" && pwd)

usage()
{
    sed -n '2,/^$/s/^# \{0,1\}//p' "$0" | sed '/^set /,$d' >&2
    exit 2
}

rules='' only=. jobs=2 limit=60 keep=''
while getopts r:k:j:t:o: option; do
    case $option in
    r) rules=$OPTARG ;;
    k) only=$OPTARG ;;
    j) jobs=$OPTARG ;;
    t) limit=$OPTARG ;;
    o) keep=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] && [ -d "$1" ] || usage
folder=$(cd "$1" && pwd)
RKCONVERT=${RKCONVERT:-$here/../../../build/release/bin/rkconvert}
[ -x "$RKCONVERT" ] || {
    echo "folder.sh: there is no $RKCONVERT; name it with RKCONVERT=..." >&2
    exit 2
}
: "${rules:=$here/folders/$(basename "$folder").rules}"
[ -f "$rules" ] && rules=$(realpath "$rules") || rules=/dev/null
work=$keep
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
work=$(cd "$work" && pwd)
picture="sh $here/folders/picture.sh"
export RKCONVERT rules limit work picture

# Lists the programs: path|folder|sources, the paths relative to FOLDER.
programs()
{
    cd "$work/tree" || exit 2
    find . -name '*.cu' -o -name '*.cpp' -o -name '*.cc' -o -name '*.c' | sed 's|^\./||' | sort >"$work/sources"
    tr '\n' '\0' <"$work/sources" |
        xargs -0 grep -lE '(^|[^A-Za-z_])main[[:space:]]*\(' 2>/dev/null | sort >"$work/mains"
    xargs -d '\n' -n 1 dirname <"$work/mains" | sort | uniq -c |
        while read -r count dir; do
            below=$dir/
            [ "$dir" = . ] && below=
            if [ "$count" -gt 1 ]; then
                grep -E "^$below[^/]*\$" "$work/mains" | while read -r main; do
                    echo "${main%.*}|$dir|${main#"$below"}"
                done
                continue
            fi
            # Other sources of this folder, but not of programs below it, nor what a source includes.
            awk -v below="$below" 'index($0, below) == 1 { print substr($0, length(below) + 1) }' \
                "$work/sources" | while read -r source; do
                owner=$(dirname "$below$source")
                while [ "$owner" != "$dir" ] && [ "$owner" != . ] &&
                    ! grep -qE "^$owner/[^/]*\$" "$work/mains"; do
                    owner=$(dirname "$owner")
                done
                [ "$owner" = "$dir" ] || continue
                grep -rqE "^[[:space:]]*#[[:space:]]*include.*[\"</]$(basename "$source" | sed 's/\./\\./g')[\">]" \
                    "$dir" || printf ' %s' "$source"
            done >"$work/own"
            echo "$dir|$dir|$(cat "$work/own")"
        done
}

# Runs one program; a line for it goes to its file `result`.
cat >"$work/one.sh" <<'ONE'
IFS='|' read -r name dir sources
out=$work/results/$(echo "$name" | tr / %)
mkdir -p "$out"

result()
{
    printf '%s|%s|%s\n' "$1" "$name" "$2" >"$out/result"
    printf '%-12s %s%s\n' "$1" "$name" "${2:+: $2}"
    exit 0
}

# The words after `KIND PROGRAM` in each rule that names this program.
rule()
{
    while read -r kind pattern words; do
        # shellcheck disable=SC2254 # a pattern
        [ "$kind" = "$1" ] && case $name in
        $pattern) printf '%s\n' "$words" ;;
        esac
    done <"$rules"
}

reason=$(rule unsupported | head -n 1)
[ -z "$reason" ] || result unsupported "$reason"

cd "$work/tree/$dir" || exit 2

rule data | while read -r file command; do
    mkdir -p "$(dirname "$file")"
    eval "$command" >"$file"
done

# The program's own text.
own="$sources $(find . -name '*.h' -o -name '*.cuh' -o -name '*.hpp' | tr '\n' ' ')"

# The features that the sources use and that are not there for them, by what names them.
features()
{
    while IFS='|' read -r feature pattern; do
        grep -qE "$pattern" $own && printf '%s, ' "$feature"
    done <<'FEATURES' | sed 's/, $//'
graphics|include.*(GL/|GLFW|glut|helper_gl|EGL/|vulkan|d3d1|D3D|X11/)|nvscibuf
NVRTC|include.*nvrtc
the driver API|cuModuleLoad|cuLaunchKernel|cuMemMap|cuMemCreate|cuCtxCreate
cuFFT|include.*cufft
cuSOLVER|include.*cusolver
cuSPARSE|include.*cusparse
NPP|include.*(<npp|Exceptions.h|ImagesCPU)
nvJPEG|include.*nvjpeg
NvSci|include.*nvsci
nvJitLink|include.*nvJitLink
NCCL|include.*nccl
cuDNN|include.*cudnn
cuBLASLt|include.*cublasLt
cuBLASXt|include.*cublasXt
MPI|include.*mpi\.h
CUB|include.*<cub/
tensor cores|mma\.sync|wgmma
dynamic parallelism|cudaDeviceRuntime|cdp[A-Z]|cudaStreamFireAndForget
inter-process memory|cudaIpc
several GPUs|cudaDeviceEnablePeerAccess|cudaMemcpyPeer
virtual functions on the device|__device__ virtual|virtual __device__
surfaces|surf[123]D(write|read)|surfCubemap
conditional graph nodes|cudaGraphConditional
FEATURES
}

case $(features) in
*graphics*) result unsupported graphics ;;
esac

flags="-O2 $(rule flags | tr '\n' ' ')"
# What a Makefile would say.
uses()
{
    grep -qE "#[[:space:]]*include[[:space:]]*[<\"]$1" $own && flags="$flags $2"
}
uses cublas_v2.h -lcublas
uses curand.h -lcurand
uses omp.h -Xcompiler=-fopenmp
for include in . ../inc "$work"/tree/Common "$work"/tree/common "$work"/tree/include "$work"/tree/inc; do
    [ -d "$include" ] && flags="$flags -I$include"
done

# The first thing that a failed build says, in a line.
complaint()
{
    grep -E 'error|undefined reference|cannot find|refused|RK-V' "$1" | head -n 1 |
        sed "s|$work/tree/||g" | cut -c 1-160
}

# build WAY [option]...
build()
{
    way=$1
    shift
    # shellcheck disable=SC2086 # flags and sources are words
    timeout 600 "$RKCONVERT" cc "$@" $sources -o "$out/$way" $flags >"$out/$way.build" 2>&1 && return
    uses=$(features)
    [ -n "$uses" ] && result unsupported "$uses ($(complaint "$out/$way.build"))"
    result fail "$way: does not build: $(complaint "$out/$way.build")"
}

# What a program says of its own results when they are wrong, and what only looks like it.
failure='(test|result|verif|check|self)[^=]*(fail|wrong|mismatch|incorrect)|failed|mismatch'
no_failure='(^|[^0-9.])0 (fail|mismatch|error)|as expected|failed: *0|assert'

# run WAY PROGRAM [argument]...
run()
{
    way=$1 program=$2
    shift 2
    timeout -k 5 "$limit" "$program" "$@" >"$out/$way.out" 2>"$out/$way.err" </dev/null
    status=$?
    case $status in
    0) ;;
    2) grep -qiE 'waiv|not supported|requires|need' "$out/$way.out" &&
        result unsupported "waives itself: $(grep -iE 'waiv|not supported|requires|need' "$out/$way.out" | head -n 1 | cut -c 1-120)" ;;
    124 | 137) result fail "$way: takes more than $limit s" ;;
    esac
    missing=$(cat "$out/$way.out" "$out/$way.err" | grep -aiE "file .*not found|could not locate|cannot open|no such file" | head -n 1)
    [ $status -eq 0 ] || [ -z "$missing" ] || result unsupported "its data is not there: $missing"
    [ $status -eq 0 ] ||
        result fail "$way: status $status: $(cat "$out/$way.out" "$out/$way.err" | tail -n 1 | tr -d '\000-\010' | cut -c 1-120)"
    wrong=$(grep -aiE "$failure" "$out/$way.out" | grep -aiE -v "$no_failure" | head -n 1)
    [ -z "$wrong" ] || result fail "$way: $(echo "$wrong" | cut -c 1-120)"
}

build legacy
build drop-in --drop-in
{
    rule run
    rule each | tr ' ' '\n'
} >"$out/runs"
[ -s "$out/runs" ] || echo >"$out/runs"
while read -r arguments; do
    # shellcheck disable=SC2086 # arguments are words
    {
        run 'as is' "$out/legacy" $arguments
        RK_VEUS=1 RK_LAUNCHES="$out/launches" run '1 vEU' "$out/drop-in" $arguments
        RK_VEUS=8 run '8 vEUs' "$out/drop-in" $arguments
    }
    tail -n 1 "$out/launches" >>"$out/launched" 2>/dev/null
done <"$out/runs"
result pass "$(awk -F '\t' '{ v += $2; n += $3 } END { printf "%d of %d launches as vDevices", v, n }' "$out/launched")"
ONE

# A copy, since programs write beside themselves.
rm -rf "$work/tree"
cp -rL "$folder" "$work/tree"
sed -n 's/^edit //p' "$rules" >"$work/edits"
[ ! -s "$work/edits" ] || find "$work/tree" -type f \( -name '*.cu' -o -name '*.c*' -o -name '*.h*' \) \
    -exec sed -i -f "$work/edits" {} +
sed -n 's/^add //p' "$rules" | while read -r path file; do
    cp "$(dirname "$rules")/$file" "$work/tree/$path"
done
programs | awk -F '|' -v only="$only" '$1 ~ only' >"$work/programs"
rm -rf "$work/results"
mkdir -p "$work/results"
tr '\n' '\0' <"$work/programs" | xargs -0 -r -n 1 -P "$jobs" sh -c 'printf "%s\n" "$1" | sh "$work/one.sh"' sh
echo
cat "$work"/results/*/result | sort >"$work/summary"
awk -F '|' '{ count[$1]++; n++ } END {
    printf "%d programs: %d pass, %d fail, %d unsupported\n", n, count["pass"], count["fail"], count["unsupported"]
    tried = count["pass"] + count["fail"]
    if (tried) printf "%.1f%% of those that are supported pass all three ways\n", 100 * count["pass"] / tried
}' "$work/summary"
! grep -q '^fail' "$work/summary"
