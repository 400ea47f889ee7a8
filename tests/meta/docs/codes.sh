# codes.sh SOURCE: every code that the sources diagnose has one line in docs/codes/, every line's code is
# diagnosed somewhere, and docs/codes.md links every page.
cd "$1" || exit 1
folders="base rkernel_lib convert sched emit library tools"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
grep -rhoE '"RK-[A-Z][0-9]{3}"' --include='*.c' --include='*.h' $folders | tr -d '"' | sort -u >"$work/used"
sed -n 's/^| *`\{0,1\}\(RK-[A-Z][0-9][0-9][0-9]\)`\{0,1\} *|.*/\1/p' docs/codes/*.md | sort >"$work/listed"
# The checker makes its codes from numbers.
grep -o 'RK-K[0-9]*' sched/check/check_schedule.h | sort -u >>"$work/used"
sort -u -o "$work/used" "$work/used"

bad=0
say()
{
    [ -s "$work/found" ] && {
        echo "$1"
        sed 's/^/  /' "$work/found"
        bad=1
    }
}
comm -23 "$work/used" "$work/listed" | uniq >"$work/found"
say "diagnosed, but in no page of docs/codes/:"
comm -13 "$work/used" "$work/listed" | uniq >"$work/found"
say "in docs/codes/, but never diagnosed:"
uniq -d "$work/listed" >"$work/found"
say "listed more than once:"
for page in docs/codes/*.md; do
    grep -q "(codes/${page##*/})" docs/codes.md || echo "$page"
done >"$work/found"
say "not linked from docs/codes.md:"
exit $bad
