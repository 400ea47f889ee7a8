# Does a unit as the next free of two workers, each with a home, a cache and a temporary folder of its own.
for try in $(seq 3000); do
    for w in first second; do
        mkdir "$w.busy" 2>/dev/null || continue
        mkdir -p "$w/home" "$w/tmp"
        env -i PATH="$PATH" HOME="$PWD/$w/home" TMPDIR="$PWD/$w/tmp" "$@"
        status=$?
        echo unit >>"$w/done"
        rmdir "$w.busy"
        exit $status
    done
    sleep 0.01
done
exit 9
