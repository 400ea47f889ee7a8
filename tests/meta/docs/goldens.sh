# goldens.sh SOURCE: every code of docs/codes/convert.md is in what some golden case expects. A code that no
# input brings about stands below, with its reason.
cd "$1" || exit 1
without="
RK-V003 a bug of ours: edits that overlap, or rounds without an end
RK-V123 a bug of ours: text that we made does not compile
"
bad=0
for code in $(sed -n 's/^| *\(RK-[A-Z][0-9]*\) *|.*/\1/p' docs/codes/convert.md); do
    found=$(grep -rl "$code" tests/golden --include=out --include=err | head -n 1)
    case "$without" in
    *"
$code "*)
        [ -z "$found" ] || { echo "$code is in $found: take it off the list in $0" && bad=1; }
        ;;
    *)
        [ -n "$found" ] || { echo "$code is in no golden case" && bad=1; }
        ;;
    esac
done
exit $bad
