#include "convert/program/tree_facts.h"

#include "convert/facts/spin.h"
#include "convert/program/program_internal.h"
#include "convert/unit/sources.h"

static void print_loop(rk_str *out, rk_unit *unit, rk_ir_id loop, size_t function_end)
{
    static const char *const texts[] = {"does not wait", "may wait", "waits"};
    const rk_where at = rk_ir_where(rk_ir_at(unit->ir, loop)->expanded.begin);
    const rk_place place = rk_sources_place(unit, at.file, at.offset);
    rk_str_addf(out, "%s:%d: the loop %s\n", place.file, place.line,
                texts[rk_spin_look(unit, loop, function_end)]);
}

static void print_kernel(rk_str *out, const rk_unit *unit, const rk_kernel_facts *kernel)
{
    const rk_place place = rk_sources_place(unit, kernel->body.file, kernel->body.offset);
    rk_str_addf(out, "%s:%d: kernel %s(", place.file, place.line, kernel->name);
    for (size_t i = 0; i < kernel->params.count; i++)
        rk_str_addf(out, "%s%s", i ? ", " : "", kernel->params.items[i]);
    rk_str_addf(out, ")%s%s%s, reads", kernel->waits ? " waits" : "",
                kernel->grid_sync ? " for the grid" : "", kernel->has_scopes ? ", has scopes" : "");
    rk_builtin_names(out, kernel->reads);
    rk_str_addf(out, "%s, shared %s\n", kernel->helpers_read ? " and more in what it calls" : "",
                *kernel->shared ? kernel->shared : "none");
}

static void print_program(rk_str *out, rk_unit *unit)
{
    rk_program program = {.unit = unit};
    rk_program_split(&program);
    rk_program_read_facts(&program);
    for (size_t i = 0; i < program.kernels.count; i++)
        print_kernel(out, unit, &program.kernels.items[i]);
    for (size_t i = 0; i < program.references.count; i++) {
        const rk_kernel_reference *name = &program.references.items[i];
        const rk_place place = rk_sources_place(unit, name->name.file, name->name.offset);
        rk_str_addf(out, "%s:%d: names %s%s\n", place.file, place.line, name->kernel,
                    name->called ? ", which is called" : "");
    }
    for (size_t i = 0; i < program.symbols.count; i++)
        rk_str_addf(out, "symbol %s: %s\n", program.symbols.items[i].name,
                    program.symbols.items[i].kind);
}

void rk_tree_facts_print(rk_str *out, rk_unit *unit)
{
    const rk_ir *ir = unit->ir;
    print_program(out, unit);
    for (size_t i = 0; i < ir->roots.count; i++) {
        const rk_ir_node root = *rk_ir_at(ir, ir->roots.items[i]);
        for (rk_ir_id id = ir->roots.items[i]; id < root.end && root.expanded.at.file; id++)
            if (rk_ir_is_loop(rk_ir_kind_of(ir, id)))
                print_loop(out, unit, id, root.expanded.end.offset);
    }
}
