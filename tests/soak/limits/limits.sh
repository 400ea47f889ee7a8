#!/bin/sh
# limits.sh: inputs that once crashed the commands, or took memory and time without end. Each must end with
# the given status and words, within bounds of processor time and address space that are some times what it takes.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# bounded SECONDS MEGABYTES STATUS WORDS COMMAND...: addresses cannot be bounded under AddressSanitizer.
bounded() {
    seconds=$1 megabytes=$2 status=$3 words=$4
    shift 4
    (
        ulimit -t "$seconds"
        [ -n "${RK_SANITIZE:-}" ] || ulimit -v $((megabytes * 1024))
        exec "$@"
    ) >log 2>&1
    got=$?
    if [ $got -ne "$status" ] || ! grep -q -e "$words" log; then
        echo "FAILED: $*: status $got, not $status, or it does not say '$words':"
        cut -c1-300 log | head -n 5
        failed=1
    fi
}

# JSON: a member of the wrong type, many small values, a name in an expression for each of many.
echo '{"schema":"rammer.catalog/1","kernels":[{"rkernel":[0]}]}' >catalog.json
bounded 20 1000 1 'kernels\[0\].rkernel: error: expected an object' "$RAMMER" list kernels --catalog catalog.json
awk 'BEGIN { printf "{\"schema\": \"rammer.graph/1\", \"x\": [0"; for (i = 0; i < 3000000; i++) printf ",0"; print "]}" }' >many.json
bounded 20 400 1 RK-J005 env RK_JSON_MEMORY=128 "$RAMMER" check many.json
bounded 20 2000 1 'does not end' "$RAMMER" check /dev/zero
mkdir bindings
awk 'BEGIN { printf "{\"schema\": \"rammer.bindings/1\", \"bindings\": [{\"op\": \"MatMul\", \"kernel\": \"gemv_warp_row\", "
             printf "\"launcher\": \"launch_gemv_warp_row\", \"args\": {\"W\": \"A\", \"x\": \"B\", \"y\": \"Y\", \"m\": \"1\", \"k\": \"1\"}, "
             printf "\"access\": {\"W\": [[\"f(m"; for (i = 0; i < 60000; i++) printf ",a%d", i
             printf ")\"], [\"k\"]], \"y\": ["; for (i = 0; i < 60000; i++) printf "[\"m\"],"; print "[\"m\"]]}}]}" }' >bindings/x.bind.json
echo '{"schema":"rammer.graph/1","tensors":{"x":{"dtype":"f32","shape":[4]},"y":{}},"nodes":[{"name":"n","op":"Relu","inputs":["x"],"outputs":["y"]}],"inputs":["x"],"outputs":["y"]}' >graph.json
bounded 30 1000 1 RK-B005 "$RAMMER" check graph.json --bindings bindings

[ -x "$RKCONVERT" ] || exit $failed
end='
void launch(float *x, int n) { k<<<1, 32>>>(x, n); }'

# Headers: many, and each in the next.
mkdir wide deep
for kind in wide deep; do
    awk -v kind=$kind 'BEGIN { for (i = 0; i < (kind == "deep" ? 3000 : 6000); i++) {
        file = kind "/h" i ".h"
        if (kind == "deep" && i < 2999) print "#include \"h" i + 1 ".h\"" >file
        print "static const int v" i " = " i ";" >file
        close(file) } }'
    { [ $kind = deep ] && echo '#include "h0.h"' || awk 'BEGIN { for (i = 0; i < 6000; i++) print "#include \"h" i ".h\"" }'
      echo "__global__ void k(float *x, int n) { x[threadIdx.x] = v7 + n; }$end"; } >$kind/a.cu
done
bounded 20 9000 0 '1 converted' "$RKCONVERT" --builtin-cuda --examine wide/a.cu
bounded 20 9000 2 'nested too deeply' "$RKCONVERT" --builtin-cuda --examine deep/a.cu
bounded 20 9000 2 RK-V009 "$RKCONVERT" --builtin-cuda --examine --memory 1 wide/a.cu

# A header that is there and cannot be read is not left out.
{ echo '#include "/proc/self/mem"'; echo "__global__ void k(float *x, int n) { x[0] = n; }$end"; } >unread.cu
bounded 20 9000 2 RK-F002 "$RKCONVERT" --builtin-cuda --examine unread.cu

# Depth: choices and conditions in each other, sums that the parser takes the square of their length for, and a
# grid of as many terms as no expression of a catalog has.
awk 'BEGIN { printf "__global__ void k(float *x, int n) { x[0] = "; for (i = 0; i < 8000; i++) printf "n == %d ? %d : ", i, i; print "0; }" }' >choices.cu
awk 'BEGIN { printf "__global__ void k(float *x, int n) { x[0] = n"; for (i = 0; i < 50000; i++) printf "+n"; print "; }" }' >sum.cu
awk 'BEGIN { printf "__global__ void k(float *x, int n) { x[0] = n; }\nvoid f(float *x, int n) { k<<<n"; for (i = 0; i < 1000; i++) printf "+n"; print ", 32>>>(x, n); }" }' >grid.cu
echo "$end" >>choices.cu
echo "$end" >>sum.cu
bounded 60 9000 0 '1 converted' "$RKCONVERT" --builtin-cuda --examine choices.cu
bounded 60 9000 2 RK-V008 "$RKCONVERT" --builtin-cuda --examine --timeout 2 sum.cu
bounded 60 9000 0 '1 launches, 0 resolved' "$RKCONVERT" --builtin-cuda --no-cpu --out-dir out grid.cu
exit $failed
