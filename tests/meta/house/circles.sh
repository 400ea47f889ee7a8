# circles.sh BUILD SOURCE: files do not call each other in a circle, drawn from what the build's objects define and want, and
# headers do not include each other in one. What is meant to be recursive is in recursion.txt, one circle a line; a line that is
# none fails, too. Left out are tables that the build makes, which list what registers itself, weak symbols, which are hooks, and
# what libc.c stands in for.
set -eu
build=$1 source=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$build"

# "calls D FILE SYMBOL" and "calls U FILE SYMBOL", FILE as in the source folder
find . -path ./tests -prune -o -path ./programs -prune -o -path '*/CMakeFiles/*.dir/*.c.o' -print | sed 's|^\./||' | sort >"$work/objects"
xargs nm -A -g <"$work/objects" 2>/dev/null | sed 's|CMakeFiles/[^/]*\.dir/||; s|\.c\.o:|.c |' | awk -v source="$source" '
    function is_source(file) {
        if (!(file in known)) {
            known[file] = (getline line < (source "/" file)) > 0
            close(source "/" file)
        }
        return known[file]
    }
    { file = $1; symbol = $NF; kind = $(NF - 1) }
    !is_source(file) { next }
    kind == "U" { print "U", file, symbol }
    kind ~ /[TDBRVWC]/ && !(file ~ /libc\.c$/ && symbol !~ /^rk_/) { print "D", file, symbol }' | sort -u >"$work/symbols"
awk '$1 == "D" { times[$3]++; file[$3] = times[$3] > 1 ? "" : $2 }
     $1 == "U" { wants[++n] = $2 " " $3 }
     END { for (i = 1; i <= n; i++) {
               split(wants[i], w, " ")
               if (times[w[2]] == 1 && file[w[2]] != w[1]) print w[1], file[w[2]], w[2]
           } }' "$work/symbols" | sort -u >"$work/calls"
[ "$(wc -l <"$work/calls")" -gt 1000 ] || {
    echo 'hardly anything calls anything: the build has no objects'
    exit 1
}

# circles CALLS: the lines of CALLS within its circles; each round leaves out what nothing comes from or leads to.
circles()
{
    cp "$1" "$work/left"
    while :; do
        awk 'NR == FNR { from[$1]; to[$2]; next } ($1 in to) && ($2 in from)' "$work/left" "$work/left" >"$work/next"
        cmp -s "$work/left" "$work/next" && break
        mv "$work/next" "$work/left"
    done
    cat "$work/left"
}

bad=0
grep -v '^#' "$here/recursion.txt" >"$work/recursion" || :
while IFS=: read -r files why; do
    [ -n "$files" ] || continue
    echo "$files" | tr ' ' '\n' >"$work/group"
    awk 'NR == FNR { group[$1]; next } ($1 in group) && ($2 in group)' "$work/group" "$work/calls" >"$work/inside"
    circles "$work/inside" | tr ' ' '\n' | grep '\.c$' | sort -u >"$work/found"
    sort -u "$work/group" | comm -23 - "$work/found" >"$work/stale"
    if [ -s "$work/stale" ]; then
        echo "recursion.txt: these call none of their circle any more ($why):"
        cat "$work/stale"
        bad=1
    fi
done <"$work/recursion"

# Each of those circles counts as one file.
awk -F: 'NR == FNR { n = split($1, f, " "); for (i = 1; i <= n; i++) one[f[i]] = f[1]; next }
         { split($0, c, " "); a = (c[1] in one) ? one[c[1]] : c[1]; b = (c[2] in one) ? one[c[2]] : c[2]; if (a != b) print a, b, c[3] }' \
    "$work/recursion" "$work/calls" >"$work/drawn"
cut -d ' ' -f 1,2 "$work/drawn" | tsort >/dev/null 2>"$work/loops" || :
if [ -s "$work/loops" ]; then
    echo 'files call each other in a circle; move what one takes from the other to where both may take it:'
    circles "$work/drawn"
    bad=1
fi

cd "$source"
find base convert rkernel_lib sched emit library tools -name '*.h' | xargs grep -H '^#include "' |
    sed 's/:#include "/ /; s/".*//' | awk '$1 != $2' >"$work/includes"
tsort <"$work/includes" >/dev/null 2>"$work/loops" || :
if [ -s "$work/loops" ]; then
    echo 'headers include each other in a circle:'
    sed 's/^tsort: //' "$work/loops"
    bad=1
fi
exit $bad
