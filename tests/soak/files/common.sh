# What the tests of this folder share: a folder that is removed at the end, and how they say what failed.
set -u
work=$(mktemp -d) || exit 1
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
bad=0

wrong()
{
    echo "WRONG: $*"
    bad=1
}

# refused CODE COMMAND...: it fails with a status of its own, and names the code.
refused()
{
    code=$1
    shift
    "$@" >said 2>&1 </dev/null
    status=$?
    [ $status -eq 1 ] || [ $status -eq 2 ] || wrong "status $status: $*"
    grep -q "\[$code\]" said || { wrong "no $code: $*"; cat said; }
}

# good COMMAND...
good()
{
    "$@" >said 2>&1 </dev/null || { wrong "status $?: $*"; cat said; }
}
