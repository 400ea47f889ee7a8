#include "convert/program/program_internal.h"

#include "convert/clang/ast.h"

#include <string.h>

/** Tells the runtime the names of variables in device memory, before main. */
static void add_symbols(const rk_program *program, rk_str *out)
{
    if (program->symbols.count == 0)
        return;
    rk_str_add(out, "\nnamespace {\n[[maybe_unused]] const int rk__program_symbols = (\n");
    for (size_t i = 0; i < program->symbols.count; i++) {
        const rk_device_symbol *s = &program->symbols.items[i];
        const char *colons = strrchr(s->name, ':');
        rk_str_addf(out, "    rk_cpu_symbol_add(\"%s\", (void *)&::%s, sizeof ::%s, %s),\n",
                    colons ? colons + 1 : s->name, s->name, s->name, s->kind);
    }
    rk_str_add(out, "    0);\n} // namespace\n");
}

/* Entries. */

static bool is_entry(const rk_unit *unit, size_t index)
{
    const rk_function *f = unit->functions.items[index];
    if (!f->launches || f->kernel || f->device || f->is_template || f->method || f->special ||
        !f->slots || f->class_template || strcmp(f->name, "main") == 0)
        return false;
    for (size_t i = 0; i < unit->functions.count; i++)
        if (i != index && strcmp(unit->functions.items[i]->name, f->name) == 0)
            return false;
    return true;
}

static void add_entries(rk_unit *unit, rk_str *out)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (is_entry(unit, i))
            rk_str_addf(out,
                        "\nextern \"C\" void rk__legacy_%s(const ::std::uint64_t *rk__slots)\n{\n"
                        "    rk__::legacy_call(%s%s, rk__slots);\n}\n",
                        f->name, f->spaces_prefix, f->name);
    }
}

char *rk_program_tail(rk_program *program)
{
    rk_str out = {.arena = program->unit->arena};
    if (program->unit->options->target == RK_TARGET_CPU)
        add_symbols(program, &out);
    if (program->unit->options->entries)
        add_entries(program->unit, &out);
    return rk_arena_strdup(out.arena, rk_str_text(&out));
}
