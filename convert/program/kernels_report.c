#include "convert/program/program_internal.h"

#include "convert/unit/sources.h"

/** Whether the parser has seen the kernel; where it has not parsed the source, the text alone tells. */
static bool is_seen(const rk_program *program, const rk_device_text *f)
{
    return f->kernel && f->name != RK_NONE &&
           (!program->parsed || rk_program_facts_of(program, f) != NULL);
}

static rk_convert_range range_of(const rk_unit *unit, rk_range text)
{
    const rk_place from = rk_sources_place(unit, text.file, text.begin);
    const rk_place to = rk_sources_place(unit, text.file, text.end);
    return (rk_convert_range){from.file, from.line, from.column, to.line, to.column};
}

static void add_kernel(rk_program *program, const rk_device_text *f)
{
    rk_unit *unit = program->unit;
    const rk_stretch *s = f->stretch;
    const rk_token *last = &s->tokens.items[f->body_end];
    const rk_range text = {s->file, s->base + s->tokens.items[f->name].offset,
                           s->base + last->offset + last->length};
    const rk_kernel_facts *facts = rk_program_facts_of(program, f);
    const rk_place place = rk_program_place(program, s, f->name);
    *rk_push(unit->arena, &unit->program_kernels) = (rk_convert_kernel){
        .name = facts ? facts->name : rk_token_text(&s->tokens, f->name, unit->arena),
        .line = place.line,
        .column = place.column,
        .range = range_of(unit, text),
        .outcome = RK_CONVERTED};
}

void rk_program_report(rk_program *program)
{
    rk_unit *unit = program->unit;
    for (size_t i = 0; i < program->functions.count; i++)
        if (is_seen(program, &program->functions.items[i]))
            add_kernel(program, &program->functions.items[i]);
    for (size_t i = 0; i < program->callees.count; i++) {
        const rk_range *callee = &program->callees.items[i];
        const char *text = unit->files.items[callee->file]->bytes.data;
        const rk_convert_range range = range_of(unit, *callee);
        *rk_push(unit->arena, &unit->launches) =
            (rk_convert_launch){.kernel = rk_arena_strndup(unit->arena, text + callee->begin,
                                                           callee->end - callee->begin),
                                .line = range.line,
                                .resolved = true,
                                .range = range};
    }
}
