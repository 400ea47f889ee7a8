# Where output goes: a full one fails every command, devices and pipes are written to, links and rights are kept.
. "$(dirname "$0")/common.sh"

"$RAMMER" zoo mlp -o net >/dev/null || exit 1
cat >k.cu <<'CU'
__global__ void k(float *p) { p[threadIdx.x] = 1; }
void f(float *p) { k<<<1, 32>>>(p); }
CU
: >empty.c
convert="$RKCONVERT --builtin-cuda --no-cpu"
$convert k.cu --out-dir c >/dev/null || exit 1

# full COMMAND...: what it prints cannot be written.
full()
{
    "$@" >/dev/full 2>said </dev/null
    status=$?
    [ $status -eq 1 ] || [ $status -eq 2 ] || wrong "status $status with a full standard output: $*"
    grep -q 'RK-F003' said || wrong "no word of it: $*"
    "$@" >&- 2>said </dev/null
    status=$?
    [ $status -eq 1 ] || [ $status -eq 2 ] || wrong "status $status with no standard output: $*"
}
full "$RAMMER" --help
full "$RAMMER" --version
for c in build run check list zoo view compare profile; do
    full "$RAMMER" $c --help
done
full "$RAMMER" list policies
full "$RAMMER" zoo mlp -o net2
full "$RAMMER" check net/graph.json --policy base
full "$RAMMER" view net/graph.json --policy base
full "$RAMMER" compare net/graph.json --policy base
full "$RAMMER" build net/graph.json --policy base --dump=graph
full "$RAMMER" run net/graph.json --policy base
full "$RKCONVERT" --help
full "$RKCONVERT" --version
for c in convert merge cc verify graph; do
    full "$RKCONVERT" $c --help
done
full "$RKCONVERT" --allow list
full $convert k.cu --examine
full $convert k.cu --examine --report json
full $convert k.cu --dump kernels
full $convert k.cu -o /dev/stdout
full "$RKCONVERT" graph --builtin-cuda --no-cpu --examine k.cu --function f --set p=32
full "$RKCONVERT" cc -M empty.c

# Each command that writes one file writes it to standard output, too.
prints()
{
    pattern=$1
    shift
    "$@" >got 2>said </dev/null || { wrong "status $?: $*"; cat said; }
    grep -q "$pattern" got || wrong "standard output has not '$pattern': $*"
    "$@" 2>said </dev/null | cat >got
    grep -q "$pattern" got || wrong "a pipe has not '$pattern': $*"
}
prints 'threadIdx' $convert k.cu -o /dev/stdout
prints 'threadIdx' $convert k.cu -o /dev/fd/1
prints 'rammer.catalog/1' $convert k.cu -o k.rk.cu --catalog /dev/stdout
# and nothing else there
$convert k.cu -o k.rk.cu >/dev/null 2>said
$convert k.cu -o /dev/stdout 2>said | cmp -s - k.rk.cu || wrong "-o /dev/stdout has more than the output"
prints 'converted' $convert k.cu --examine --report text=/dev/stdout
prints '<html' $convert k.cu --examine --report html=/dev/stdout
prints 'rammer.catalog/1' "$RKCONVERT" merge c/catalog.json -o /dev/stdout
prints 'empty.c' "$RKCONVERT" cc -M empty.c -o /dev/stdout
prints 'ELF' "$RKCONVERT" cc -c empty.c -o /dev/stdout
prints '<html' "$RAMMER" view net/graph.json --policy base -o /dev/stdout
prints 'traceEvents' "$RAMMER" view net/graph.json --policy base --trace /dev/stdout
for folder in /dev/stdout /dev/null pipe; do
    [ -e pipe ] || mkfifo pipe
    refused RK-F004 "$RAMMER" zoo mlp -o $folder
    refused RK-F004 "$RAMMER" build net/graph.json --policy base -o $folder
    refused RK-F004 $convert k.cu --out-dir $folder
done

# Links are written through, rights kept, and what is no file stays what it is.
for kind in report catalog source object page; do
    rm -f real link
    echo old >real && chmod 600 real && ln -s real link
    case $kind in
    report) set -- $convert k.cu --examine --report ;;
    catalog) set -- $convert k.cu -o k.rk.cu --catalog ;;
    source) set -- $convert k.cu -o ;;
    object) set -- "$RKCONVERT" cc -c empty.c -o ;;
    page) set -- "$RAMMER" view net/graph.json --policy base -o ;;
    esac
    pre=
    [ $kind = report ] && pre=json=
    good "$@" ${pre}link
    [ -L link ] || wrong "$kind: the link was replaced"
    [ "$(cat real)" != old ] || wrong "$kind: nothing came through the link"
    [ "$(stat -c %a real)" = 600 ] || wrong "$kind: rights became $(stat -c %a real)"
    cat pipe >got &
    good "$@" ${pre}pipe
    wait
    [ -p pipe ] && [ -s got ] || wrong "$kind: the pipe was replaced, or nothing came through it"
    good "$@" ${pre}/dev/null
    [ -c /dev/null ] || exit 1
    refused RK-F003 "$@" ${pre}/dev/full
    refused RK-F003 "$@" ${pre}net
done
ls -- *.[0-9a-f]??????????? 2>/dev/null && wrong "something temporary is left"
exit $bad
