# run.sh RKCONVERT: builds the extension with a main of its own for the CPU, as it is and as a drop-in, and runs both.
set -eu
rkconvert=$1
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
"$rkconvert" cc -O1 extension.cu -o "$work/run"
"$work/run"
"$rkconvert" cc -O1 --drop-in --veus 2 extension.cu -o "$work/drop_in"
"$work/drop_in"
