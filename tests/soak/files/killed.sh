# Commands that are interrupted or killed leave the old output or the new one, and nothing temporary; so do two that
# write to one place at once.
. "$(dirname "$0")/common.sh"

mkdir temporary
TMPDIR=$work/temporary
XDG_CACHE_HOME=$work/cache
export TMPDIR XDG_CACHE_HOME
"$RAMMER" zoo mlp -o net >/dev/null || exit 1
cat >k.cu <<'CU'
__global__ void k(float *p) { p[threadIdx.x] = 1; }
void f(float *p) { k<<<1, 32>>>(p); }
CU
cat >main.cpp <<'CPP'
int main(void) { return 0; }
CPP

# left NAME: the processes that clean up have ended in a while, and left nothing.
left()
{
    tries=0
    while :; do
        found=$(find . -name '*[.-][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]' ! -path './cache/*' 2>/dev/null)
        found=$found$(ls temporary)
        [ -z "$found" ] && return
        tries=$((tries + 1))
        [ $tries -gt 150 ] && break
        sleep 0.1
    done
    wrong "$1 leaves $found"
    rm -rf temporary
    mkdir temporary
}

# kill_at SIGNAL SECONDS COMMAND...
kill_at()
{
    signal=$1
    after=$2
    shift 2
    timeout -s "$signal" "$after" "$@" >/dev/null 2>&1 </dev/null
}

for signal in KILL INT TERM HUP; do
    for after in 0.02 0.05 0.1 0.2; do
        kill_at $signal $after "$RAMMER" build net/graph.json --policy base -o out
        left "build killed by $signal after $after"
        if [ -e out ]; then
            good "$RAMMER" run out --verify
            rm -r out
        fi
        kill_at $signal $after "$RKCONVERT" --builtin-cuda k.cu --out-dir c -j 1
        left "a conversion killed by $signal after $after"
        kill_at $signal $after "$RKCONVERT" cc main.cpp -o main
        left "cc killed by $signal after $after"
        if [ -e main ] && ! ./main; then
            wrong "main is torn"
        fi
    done
done
kill_at KILL 0.8 "$RKCONVERT" cc k.cu -c -o k.o
left "cc of a kernel"

# Two at once, one of them killed now and then.
for after in 0.05 0.15 5; do
    "$RAMMER" build net/graph.json --policy base --veus 2 -o out >one 2>&1 &
    kill_at KILL $after "$RAMMER" build net/graph.json --policy base --veus 3 -o out
    wait $! || { wrong "the other build failed"; cat one; }
    left "two builds at once"
    good "$RAMMER" run out --verify
done
exit $bad
