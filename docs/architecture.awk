# architecture.awk: the folders of the build and what each may include, as an SVG. Reads lines "FOLDER USES...",
# as CMake writes them to arrows.txt. A folder stands above all that it uses; an arrow that follows from two
# others is left out. The same lines give the same bytes.

function depth(name,    i, most)
{
    if (name in level)
        return level[name]
    level[name] = -1 # a circle ends here, and is told below
    most = 0
    for (i = 1; i <= uses[name]; i++)
        if (depth(use[name, i]) + 1 > most)
            most = depth(use[name, i]) + 1
    return level[name] = most
}

# Whether `to` is reached from `from` by more than `steps` arrows.
function reaches(from, to, steps,    i)
{
    if (from == to)
        return steps < 0
    for (i = 1; i <= uses[from]; i++)
        if (level[use[from, i]] >= level[to] && reaches(use[from, i], to, steps - 1))
            return 1
    return 0
}

function colour(name)
{
    if (name ~ /^convert/)
        return "#f6d8c8"
    if (name ~ /^sched/)
        return "#cfe3f5"
    if (name ~ /^rkernel_lib/)
        return "#d5ecd0"
    if (name ~ /^tools/)
        return "#ffffff"
    return name ~ /^emit/ ? "#e6d9f2" : "#eeeeee"
}

{
    if (!($1 in uses))
        names[++count] = $1
    for (i = 2; i <= NF; i++) {
        use[$1, ++uses[$1]] = $i
    }
    uses[$1] += 0
}

END {
    width = 1560
    height = 30
    gap = 46
    top = 0
    for (n = 1; n <= count; n++) {
        name = names[n]
        if (depth(name) > top)
            top = level[name]
    }
    # From below: a folder stands over the middle of those that it uses.
    for (l = 0; l <= top; l++) {
        row = 0
        for (n = 1; n <= count; n++) {
            name = names[n]
            if (level[name] != l)
                continue
            middle = 0
            kept = 0
            for (i = 1; i <= uses[name]; i++) {
                other = use[name, i]
                skip = 0
                for (j = 1; j <= uses[name]; j++)
                    if (j != i && reaches(use[name, j], other, 0))
                        skip = 1
                if (skip)
                    continue
                arrows[name] = arrows[name] " " other
                middle += x[other]
                kept++
            }
            at = kept ? middle / kept : width / 2
            for (k = ++row; k > 1 && (place[k - 1] > at || (place[k - 1] == at && order[k - 1] > name)); k--) {
                place[k] = place[k - 1]
                order[k] = order[k - 1]
            }
            place[k] = at
            order[k] = name
        }
        for (k = 1; k <= row; k++) {
            x[order[k]] = int(width * (2 * k - 1) / (2 * row) + (l % 2 && row < 6 ? 40 : 0))
            y[order[k]] = (top - l) * (height + gap) + 20
        }
    }
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">\n", \
        width, top * (height + gap) + height + 40
    print "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#888\"/></marker></defs>"
    print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    for (n = 1; n <= count; n++) {
        m = split(arrows[names[n]], to, " ")
        for (i = 1; i <= m; i++)
            printf "<path d=\"M%d %dC%d %d %d %d %d %d\" fill=\"none\" stroke=\"#999\" marker-end=\"url(#a)\"/>\n", \
                x[names[n]], y[names[n]] + height, x[names[n]], y[names[n]] + height + 40, \
                x[to[i]], y[to[i]] - 40, x[to[i]], y[to[i]]
    }
    for (n = 1; n <= count; n++) {
        name = names[n]
        wide = length(name) * 7.4 + 16
        printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"%s\" stroke=\"#555\"/>", \
            x[name] - wide / 2, y[name], wide, height, colour(name)
        printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x[name], y[name] + 20, name
    }
    print "</svg>"
}
