# symbols.awk WANTED HELD: one line for each rKernel of a converted source, "HELD WANTED NAME": how many of
# the instances that the catalog lists (WANTED, a symbol a line) the compiled object holds (HELD, `nm -C` of
# it). The two write template arguments differently, so that a kernel's instances are counted.

# A name without template arguments and without the namespaces that a compiler makes up: of
# (anonymous namespace)::a<b>::c<d, e>, a::c.
function plain(name, out, depth, i, c)
{
    gsub(/_INTERNAL_[^:]*::|\(anonymous namespace\)::/, "", name)
    for (i = 1; i <= length(name); i++) {
        c = substr(name, i, 1)
        depth += c == "<"
        if (!depth)
            out = out c
        depth -= c == ">"
    }
    return out
}

FILENAME == ARGV[1] {
    wanted[plain($0)]++
    next
}

# 0000 W void rk__in_x::kernel<int, rk__::cuda_probe_context>(rk__::cuda_probe_context&, int*)
match($0, /rk__::cuda_probe_context>\(rk__::cuda_probe_context&/) {
    name = substr($0, 1, RSTART + 22)
    if (sub(/^[0-9a-f]+ [TtVvWw] void /, "", name))
        held[plain(name)]++
}

END {
    for (name in wanted)
        print held[name] + 0, wanted[name], name
}
