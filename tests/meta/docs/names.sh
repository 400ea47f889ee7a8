# names.sh SOURCE: no two C or C++ files, the tests' too, have one name, but for the public header, and headers that stand in for
# CUDA's; and CONTRIBUTING names each folder of tests/ and what is in it.
cd "$1" || exit 1
bad=0
find base convert emit library sched tools rkernel_lib/catalog rkernel_lib/runtime tests \( -name '*.[ch]' -o -name '*.cpp' \) ! -path 'library/include/*' \
    ! -path '*/stub/*' ! -path 'tests/golden/*' |
    awk -F/ '{ n[$NF]++; all[$NF] = all[$NF] " " $0 }
             END { for (f in n) if (n[f] > 1) { print "one name for several files:" all[f]; bad = 1 }
                   exit bad }' || bad=1
for folder in tests/*/; do
    row=$(grep "^| \`${folder#tests/}\` |" CONTRIBUTING.md) || {
        echo "CONTRIBUTING.md has no row for $folder"
        bad=1
    }
    for inner in "$folder"*/CMakeLists.txt; do
        inner=${inner%/CMakeLists.txt}
        [ -d "$inner" ] || continue
        case $row in
        *"\`${inner##*/}/\`"*) ;;
        *)
            echo "CONTRIBUTING.md does not name $inner"
            bad=1
            ;;
        esac
    done
done
exit $bad
