# Runs one golden case and compares what it did with what the case's folder says.
#
#   sh tests/golden/run.sh tests/golden/<tool>/<case>
#
# `cmd` is run by sh in a copy of the folder, with RKCONVERT, RAMMER, VENDOR (vendor_kernels) and
# CATALOG (folder of the built catalog) set. Compared are
#   out, err  what it printed; no file: nothing. Folders outside the case come out as $VENDOR, ...
#   status    its exit status; no file: 0
#   files     files that it left behind, where the file exists or the command failed; no file: none
# RK_UPDATE=1 writes these files instead. A command that exits 77 is a skipped case. By hand, the tools
# are those of build/debug, or of $RK_BUILD.
set -u
case_dir=$(cd "$1" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
RK_SOURCE=${RK_SOURCE:-$(cd "$here/../.." && pwd)}
RK_BUILD=${RK_BUILD:-$RK_SOURCE/build/debug}
RKCONVERT=${RKCONVERT:-$RK_BUILD/bin/rkconvert}
RAMMER=${RAMMER:-$RK_BUILD/bin/rammer}
VENDOR=${VENDOR:-$RK_SOURCE/vendor_kernels}
CATALOG=${CATALOG:-$RK_BUILD/share/rammer/catalog}
[ -z "${RK_KEEP:-}" ] || {
    rm -rf "$RK_KEEP" # for what a later test looks at: see rkconvert/show.sh
    mkdir -p "$(dirname "$RK_KEEP")"
}
export RK_SOURCE RK_BUILD RKCONVERT RAMMER VENDOR CATALOG
unset RAMMER_HOME
LC_ALL=C
export LC_ALL

work=$(mktemp -d) || exit 1
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/case" "$work/got"
cp -RL "$case_dir/." "$work/case"
(cd "$work/case" && rm -f out err status files slow && find . -type f | sort) >"$work/before"

(cd "$work/case" && exec sh ./cmd) >"$work/out" 2>"$work/err" </dev/null
status=$?
[ $status -eq 77 ] && {
    cat "$work/out" "$work/err"
    exit 77
}

# Folders differ between machines; what is said about them does not.
neutral()
{
    sed -e "s|$work/case|\$CASE|g" -e "s|$CATALOG|\$CATALOG|g" -e "s|$VENDOR|\$VENDOR|g" \
        -e "s|$RK_BUILD|\$BUILD|g" -e "s|$RK_SOURCE|\$SOURCE|g" "$1"
}
neutral "$work/out" >"$work/got/out"
# A line of progress is on stderr where the machine is slow; cases about it look at it themselves.
neutral "$work/err" | sed '/^\[[0-9]*\/[0-9]*\] [0-9]* s\(, [0-9]* s left\)\{0,1\}$/d' >"$work/got/err"
: >"$work/got/status"
[ $status -ne 0 ] && echo $status >"$work/got/status"
: >"$work/got/files"
if [ $status -ne 0 ] || [ -f "$case_dir/files" ]; then
    (cd "$work/case" && find . -type f | sort) | comm -13 "$work/before" - >"$work/got/files"
fi

good=0
for part in out err status files; do
    if [ "${RK_UPDATE:-0}" = 1 ]; then
        rm -f "$case_dir/$part"
        [ -s "$work/got/$part" ] && cp "$work/got/$part" "$case_dir/$part"
        continue
    fi
    expected=$case_dir/$part
    [ -f "$expected" ] || expected=/dev/null
    if ! diff -u "$expected" "$work/got/$part" >"$work/diff"; then
        echo "$case_dir: $part differs (expected -, got +):"
        cat "$work/diff"
        good=1
    fi
done
exit $good
