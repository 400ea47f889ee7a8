# The watchdog of launches: what goes on for ever is told, with kernel, block and line, and the program ends where all
# wait for each other or where that is asked for; a long computation is told and goes on.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/stuck"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "$1"
    cat "$work/out" "$work/err"
    exit 1
}

# run WAY STATUS KERNEL [NAME=VALUE]...
run()
{
    way=$1 wanted=$2 kernel=$3
    shift 3
    status=0
    env "$@" timeout 60 "$work/$way" "$kernel" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq "$wanted" ] || fail "$way $kernel, $*: status $status instead of $wanted"
    grep -q '^begins' "$work/out" || fail "$way $kernel, $*: what was printed is lost"
}

# says TEXT: stderr has it
says()
{
    grep -qF "$1" "$work/err" || fail "$way $kernel does not say: $1"
}

# says_places KERNEL: all of its lines that the source marks
says_places()
{
    for line in $(grep -n "// place: $1\$" stuck.cu | cut -d : -f 1); do
        says "at stuck.cu:$line"
    done
}

"$RKCONVERT" cc -O1 stuck.cu -o "$work/plain" >"$work/out" 2>"$work/err" || fail 'does not build'
"$RKCONVERT" cc --drop-in -O1 stuck.cu -o "$work/drop-in" >"$work/out" 2>"$work/err" || fail 'does not build'

run plain 134 flag RK_WATCHDOG=1
says 'no block ended or met a barrier for 1 s'
says 'kernel flag<<<(2, 1, 1), (64, 1, 1)>>>, block (1, 0, 0): 63 threads (thread 1 first) in barrier 0'
says_places flag
says 'every thread waits for another one: the program ends'
run drop-in 134 flag RK_WATCHDOG=1 RK_VEUS=1
says_places flag
run plain 134 vote RK_WATCHDOG=1 RK_WORKERS=1
says_places vote
for way in plain drop-in; do
    run $way 134 unseen RK_WATCHDOG=1,abort
    says 'kernel unseen<<<(1, 1, 1), (4, 1, 1)>>>, block (0, 0, 0): '
    says 'RK_WATCHDOG=abort: the program ends'
done
run plain 0 computes RK_WATCHDOG=1
says 'kernel computes<<<(1, 1, 1), (2, 1, 1)>>>, block (0, 0, 0): its threads run one after another'
! grep -q 'program ends' "$work/err" || fail 'a long computation is taken for a hang'
run plain 0 returns RK_WATCHDOG=soon
says 'RK_WATCHDOG=soon is none of'
