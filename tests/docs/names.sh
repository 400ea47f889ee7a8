# names.sh SOURCE: no two files of the libraries have one name, but for headers that stand in for CUDA's; and
# CONTRIBUTING names each folder of tests/.
cd "$1" || exit 1
bad=0
find base convert emit sched tools rkernel_lib/catalog rkernel_lib/runtime -name '*.[ch]' ! -path '*/stub/*' |
    awk -F/ '{ n[$NF]++; all[$NF] = all[$NF] " " $0 }
             END { for (f in n) if (n[f] > 1) { print "one name for several files:" all[f]; bad = 1 }
                   exit bad }' || bad=1
for folder in tests/*/; do
    folder=${folder#tests/}
    grep -q "^| .*\`$folder\`" CONTRIBUTING.md || {
        echo "CONTRIBUTING.md does not name tests/$folder"
        bad=1
    }
done
exit $bad
