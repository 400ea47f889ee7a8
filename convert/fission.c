#include "convert/fission_internal.h"

#include "convert/sources.h"

bool rk_fission_refuse(rk_fission *f, CXCursor at, const char *why)
{
    if (!f->why) {
        f->why = why;
        f->line = rk_ast_place(clang_getCursorLocation(at), f->arena).line;
    }
    return false;
}

static bool find_body(CXCursor *out, CXCursor kernel, rk_arena *arena)
{
    const rk_cursors children = rk_ast_children(kernel, arena);
    for (size_t i = children.count; i-- > 0;)
        if (clang_getCursorKind(children.items[i]) == CXCursor_CompoundStmt) {
            *out = children.items[i];
            return true;
        }
    return false;
}

/** Reasons that the text alone gives. */
static bool check_text(rk_fission *f)
{
    const rk_kernel_facts *facts = f->facts;
    const CXCursor kernel = facts->cursor;
    if (f->text->stretch->macro || f->text->macro_head)
        return rk_fission_refuse(f, kernel, "the kernel comes from a macro");
    if (facts->grid_sync)
        return rk_fission_refuse(f, kernel, "it waits for other blocks");
    if (facts->has_scopes)
        return rk_fission_refuse(f, kernel, "it has lambdas or classes of its own");
    for (size_t i = 0; i < facts->params.count; i++)
        if (rk_str_ends(facts->params.items[i], "..."))
            return rk_fission_refuse(f, kernel, "it has a pack of parameters");
    for (size_t i = f->text->body; i < f->text->body_end; i++) {
        if (rk_token_is(f->tokens, i, "_Pragma"))
            return rk_fission_refuse(f, kernel, "_Pragma in its body");
        if (f->tokens->items[i].kind == RK_TOKEN_DIRECTIVE &&
            !rk_str_starts(rk_directive_of(f->tokens, i, f->arena).name, "pragma"))
            return rk_fission_refuse(f, kernel, "a preprocessor directive in its body");
    }
    return true;
}

static void try(rk_program *program, const rk_device_text *text, rk_kernel_facts *facts)
{
    rk_fission f = {.program = program,
                    .arena = program->unit->arena,
                    .text = text,
                    .facts = facts,
                    .tokens = &text->stretch->tokens};
    if (!facts->waits)
        return;
    facts->fission = check_text(&f) && find_body(&f.body, facts->cursor, f.arena) &&
                     rk_fission_look(&f) && rk_fission_split(&f) && rk_fission_find_variables(&f) &&
                     rk_fission_decide(&f) && rk_fission_write(&f);
    facts->why_fibers = f.why;
    facts->why_line = f.line;
}

void rk_fission_edit(rk_program *program)
{
    if (!program->parsed)
        return;
    for (size_t i = 0; i < program->functions.count; i++) {
        const rk_device_text *text = &program->functions.items[i];
        rk_kernel_facts *facts = text->kernel ? rk_program_facts_of(program, text) : NULL;
        if (facts)
            try(program, text, facts);
    }
}

void rk_fission_print(const rk_program *program, rk_str *out)
{
    for (size_t i = 0; i < program->kernels.count; i++) {
        const rk_kernel_facts *k = &program->kernels.items[i];
        const rk_place place = rk_sources_place(program->unit, k->body.file, k->body.offset);
        rk_str_addf(out, "%s:%d: %s: ", place.file, place.line, k->name);
        if (!k->waits)
            rk_str_add(out, "loop\n");
        else if (k->fission)
            rk_str_add(out, "fission\n");
        else if (k->why_fibers)
            rk_str_addf(out, "fibers: line %d: %s\n", k->why_line, k->why_fibers);
        else
            rk_str_add(out, "fibers: the source has errors, or becomes a drop-in\n");
    }
}
