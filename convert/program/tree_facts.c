#include "convert/program/tree_facts.h"

#include "convert/facts/spin.h"
#include "convert/unit/sources.h"

static void print_loop(rk_str *out, rk_unit *unit, rk_ir_id loop, size_t function_end)
{
    static const char *const texts[] = {"does not wait", "may wait", "waits"};
    const rk_where at = rk_ir_where(rk_ir_at(unit->ir, loop)->expanded.begin);
    const rk_place place = rk_sources_place(unit, at.file, at.offset);
    rk_str_addf(out, "%s:%d: the loop %s\n", place.file, place.line,
                texts[rk_spin_look(unit, loop, function_end)]);
}

void rk_tree_facts_print(rk_str *out, rk_unit *unit)
{
    const rk_ir *ir = unit->ir;
    for (size_t i = 0; i < ir->roots.count; i++) {
        const rk_ir_node root = *rk_ir_at(ir, ir->roots.items[i]);
        for (rk_ir_id id = ir->roots.items[i]; id < root.end && root.expanded.at.file; id++)
            if (rk_ir_is_loop(rk_ir_kind_of(ir, id)))
                print_loop(out, unit, id, root.expanded.end.offset);
    }
}
