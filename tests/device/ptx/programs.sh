#!/bin/sh
# programs.sh <source> <library folder> <program>...: programs of tests/run/programs, compiled by nvcc, say `ok` on the PTX machine as they
# do on the CPU's runtime: in order, and on seeds of the weak mode. `all` stands for every one but those of programs.txt,
# which the machine does not run, and why.
set -u
source=$1 libraries=$2
shift 2
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset RK_DEVICE
if [ "$*" = all ]; then
    # shellcheck disable=SC2046
    set -- $(cd "$source/tests/run/programs" && ls ./*.cu | sed 's/^..//; s/\.cu$//')
fi
cd "$work" || exit 2
failed=0
for name; do
    seeds="0 ${RK_PTX_SEEDS:-1 2}"
    if grep -q "^$name | in order:" "$here/programs.txt"; then
        seeds=0
    elif grep -q "^$name |" "$here/programs.txt"; then
        continue
    fi
    file=$source/tests/run/programs/$name.cu
    flags=$(sed -n 's/^\/\/ flags: //p' "$file" | sed 's/\(^\| \)-l[a-z]*//g')
    # shellcheck disable=SC2086
    sh "$here/link.sh" "$libraries" "$nvcc" "$name" $flags -Xcudafe --diag_suppress=177 -- "$file" >log 2>&1 ||
        { echo "$name is not built:"; cat log; failed=1; continue; }
    for seed in $seeds; do
        mode=
        [ "$seed" = 0 ] || mode=weak
        RK_PTX_SEED=$seed RK_PTX_MODE=$mode timeout 300 ./"$name" >out 2>err && grep -q '^ok' out ||
            { echo "$name, seed $seed:"; tail -n 3 out; head -n 5 err; failed=1; }
    done
    rm -f "$name" ./*.o
done
exit $failed
