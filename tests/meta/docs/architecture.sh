# architecture.sh SOURCE BUILD: there is no circle among the build's folders, docs/architecture.svg shows what
# they may include, and each file that docs/architecture.md names is there. RK_UPDATE=1 draws it again.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
# tsort names the members of a circle.
awk '{ print $1, $1; for (i = 2; i <= NF; i++) print $1, $i }' "$2/arrows.txt" |
    tsort >"$work/order" 2>"$work/circle" || {
    echo "a circle among the build's folders:"
    cat "$work/circle"
    exit 1
}
awk -f "$1/docs/architecture.awk" "$2/arrows.txt" >"$work/svg" || exit 1
[ "${RK_UPDATE:-}" ] && cp "$work/svg" "$1/docs/architecture.svg"
cmp -s "$work/svg" "$1/docs/architecture.svg" || {
    echo "docs/architecture.svg shows other arrows than the build has: RK_UPDATE=1 draws it again"
    bad=1
}
grep -oE '\]\([^)#]+' "$1/docs/architecture.md" | sed 's/..//' | while read -r path; do
    [ -e "$1/docs/$path" ] || echo "docs/architecture.md names $path, which is not there"
done >"$work/missing"
[ -s "$work/missing" ] && cat "$work/missing" && bad=1
exit $bad
