#!/bin/sh
# run.sh [-j N] [-t SECONDS] [-n] [-v] [-o DIR] [-r] RKCONVERT INCLUDE FOLDER [-- compiler arguments]
#
# Converts every .cu file of a folder of CUDA programs, each by a process of its own, and prints what
# became of them: files parsed, kernels by outcome, launches resolved, outputs that nvcc compiles for
# sm_80, diagnostics by code. Beside these stands a count of kernels and launches by the text of the
# sources alone (count.awk), so that what the parser lost shows. INCLUDE is the folder of rk/rk.h.
#
# -j N        files at a time (2)                -n   do not compile the outputs
# -t SECONDS  limit of each step of a file (60)  -v   also name what is unresolved, refused or lost
# -o DIR      keep reports, outputs and logs there   -r   go on where a run into DIR was ended
#
# 0 whatever the corpus gives, 2 for wrong usage. FOLDER is only read.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
usage()
{
    sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

jobs=2 limit=60 compile=1 verbose= work= resume=
while getopts j:t:o:nrv option; do
    case $option in
    j) jobs=$OPTARG ;;
    t) limit=$OPTARG ;;
    o) work=$OPTARG ;;
    n) compile= ;;
    r) resume=1 ;;
    v) verbose=1 ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 3 ] || usage
rkconvert=$1 include=$2 folder=${3%/}
shift 3
[ "${1-}" != -- ] || shift
command -v jq >/dev/null || {
    echo 'run.sh needs jq' >&2
    exit 2
}
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
work=$(cd "$work" && pwd)
nvcc=${CUDA_PATH:-/usr/local/cuda}/bin/nvcc
[ -x "$nvcc" ] || compile=
export here rkconvert include limit compile nvcc work resume

find "$folder" -name '*.cu' ! -name '*.rk.cu' | LC_ALL=C sort >"$work/files"
awk '{ printf "%d%c%s%c", NR, 0, $0, 0 }' "$work/files" |
    xargs -0 -r -n 2 -P "$jobs" sh "$here/one.sh" "$@"

# What the reports say, as lines "KIND ..." for the table.
tr '\n' '\0' <"$work/files" | xargs -0 -r awk -f "$here/count.awk" >"$work/text"
number=0
while read -r path; do
    number=$((number + 1))
    jq -r --arg path "${path#"$folder"/}" -f "$here/facts.jq" "$work/$number/report.json"
    case $(cat "$work/$number/status") in
    124 | 137) echo "late $path" ;;
    esac
    [ ! -f "$work/$number/compiled" ] || sed "s|^|output |; s| $work/| |" "$work/$number/compiled"
    [ ! -f "$work/$number/symbols" ] || sed "s|^|symbols |; s|\$| ${path#"$folder"/}|" "$work/$number/symbols"
done <"$work/files" >"$work/facts"
sed "s|^|text |; s| $folder/| |" "$work/text" | cat "$work/facts" - |
    awk -v verbose="$verbose" -v compile="$compile" -v name="$folder" -f "$here/table.awk"
