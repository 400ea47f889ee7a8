# planted_runtime.sh NAME: the error NAME of runtime_plants.txt, in the runtime's headers or in a program of this
# folder, is noticed by what the program checks: it says so, and fails. Without it the program is run by run.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
name=$1
line=$(grep "^$name *|" "$here/runtime_plants.txt")
field()
{
    printf '%s\n' "$line" | cut -d'|' -f"$1" | sed 's/^ *//; s/ *$//'
}
program=$(field 2) file=$(field 3) expected=$(field 4) script=$(field 5-)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "planted/$name: $1"
    shift
    [ $# -eq 0 ] || cat "$@"
    exit 1
}

cp -RL "$RK_SOURCE/rkernel_lib/include" "$work/include"
cp "$here/$program.cu" "$here/check.h" "$work"
case $file in
*.cu) place=$work/$file ;;
*) place=$work/include/rk/$file ;;
esac
cp "$place" "$work/before"
sed "$script" "$work/before" >"$place"
cmp -s "$work/before" "$place" && fail "the script changes nothing in $file"

# The folders of the runtime come after those of -I, of which one with cuda_runtime.h is left out, as a toolkit's.
mkdir "$work/include/rk/first"
cp "$work/include/rk/shim/mma.h" "$work/include/rk/first"
flags=$(sed -n 's/^\/\/ flags: //p' "$work/$program.cu")
# shellcheck disable=SC2086 # words
"$RKCONVERT" cc -O0 -isystem "$work/include" -isystem "$work/include/rk/first" $flags "$work/$program.cu" -o "$work/program" \
    >"$work/log" 2>&1 || fail 'does not build' "$work/log"
status=0
timeout 120 "$work/program" >"$work/out" 2>&1 || status=$?
[ $status -ne 0 ] && [ $status -lt 124 ] || fail "not noticed: status $status" "$work/out"
grep -qE "$expected" "$work/out" || fail "something else is noticed" "$work/out"
