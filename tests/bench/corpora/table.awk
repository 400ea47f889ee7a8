# The facts of a corpus as tables.

function row(what, count, of)
{
    if (of == "")
        printf "%-28s %6d\n", what, count
    else
        printf "%-28s %6d of %6d  %5.1f%%\n", what, count, of, of ? 100 * count / of : 100
}

function note(list, text)
{
    if (verbose)
        notes[list] = notes[list] "  " text "\n"
}

function rest(from, i, text)
{
    for (i = from; i <= NF; i++)
        text = text (i > from ? " " : "") $i
    return text
}

$1 == "file" {
    files++
    parsed[rest(3)] = $2 == "true"
    good += $2 == "true"
}
$1 == "late" { late++ }
$1 == "kernel" {
    kernels++
    outcome[$2]++
    sub(/:[0-9]*$/, "", $3)
    if ($2 == "refused")
        note("refused", rest(3))
}
$1 == "launch" {
    launches++
    resolved += $2 == "true"
    if ($2 != "true")
        note("unresolved", rest(3))
}
$1 == "output" {
    outputs++
    compiled += $2 == 1
    broken_before += $2 == "-"
    if ($2 == 0)
        note("not compiled", rest(3))
}
$1 == "symbols" {
    held += $2
    wanted += $3
    if ($2 != $3)
        note("instances missing", rest(2))
}
$1 == "code" {
    codes[$3]++
    severity[$3] = $2
    if ($2 == "error")
        note("errors", rest(3))
}
$1 == "text" {
    text_kernels += $2
    text_launches += $3
    if (parsed[rest(4)]) {
        seen_kernels += $2
        seen_launches += $3
    }
}
END {
    print name
    row("files that parse", good, files)
    if (late)
        row("files over the limit", late, files)
    row("kernels", kernels)
    row("  converted", outcome["converted"], kernels)
    row("  warned", outcome["warned"], kernels)
    row("  refused", outcome["refused"], kernels)
    row("launches resolved", resolved, launches)
    if (compile) {
        row("outputs that compile, sm_80", compiled, outputs - broken_before)
        row("  nor does the original", broken_before)
        row("instances in their objects", held, wanted)
    }
    row("by text: kernels", seen_kernels, text_kernels)
    row("by text: launches", seen_launches, text_launches)
    print "\nby text: of files that parse, of all files; reports count a header's once a source\n"
    for (code in codes)
        printf "%-8s %-10s %6d\n", code, severity[code], codes[code] | "LC_ALL=C sort"
    close("LC_ALL=C sort")
    for (list in notes)
        printf "\n%s:\n%s", list, notes[list]
}
