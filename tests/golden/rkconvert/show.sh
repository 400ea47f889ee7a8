# Converts in.cu (or what RK_IN names) and shows the rKernels. Arguments go to rkconvert, RK_HEADERS in place of
# --builtin-cuda; RK_STD is the language, c++17. What was made stays in $RK_KEEP, where the test compiles/<case> of the
# suite looks whether compilers take it.
in=${RK_IN:-in.cu}
"$RKCONVERT" $in ${RK_HEADERS---builtin-cuda} --no-cpu --out-dir out "$@" >report
status=$?
grep "^$in" report
[ $status -le 1 ] || exit $status
for file in out/*; do
    case $file in
    *.cpu.cpp | *catalog.json) continue ;;
    esac
    [ "$file" = "out/$(basename "$in" .cu).rk.cu" ] || echo "--- $file"
    grep -v '^#pragma p[uo][sp]h*_macro\|^#undef' "$file"
done
[ -z "${RK_KEEP:-}" ] || {
    cp -R out "$RK_KEEP" && echo "-std=${RK_STD:-c++17}" >"$RK_KEEP/flags"
}
exit $status
