#include "convert/program/drop_in_internal.h"

#include "convert/clang/ast.h"
#include "convert/facts/undefined.h"
#include "convert/program/program_internal.h"
#include "convert/rkernel/rewrite.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <string.h>

/** Operators, and what a loop over a range calls: its copy is an overload. */
static bool keeps_name(const rk_function *f)
{
    return f->special + f->method > 0 &&
           (strncmp(f->name, "operator", 8) == 0 || strcmp(f->name, "begin") == 0 ||
            strcmp(f->name, "end") == 0);
}

const char *rk_drop_in_name(const rk_unit *unit, size_t function)
{
    const rk_function *f = unit->functions.items[function];
    return keeps_name(f) ? f->name : rk_arena_printf(unit->arena, "%s_rk__", f->own_name);
}

/** Adds the new name at a place that has the old one; false when it has another text. */
static bool rename_at(rk_unit *unit, size_t function, size_t file, size_t offset)
{
    const rk_function *f = unit->functions.items[function];
    if (keeps_name(f))
        return true;
    rk_source_file *source = unit->files.items[file];
    const size_t length = strlen(f->name);
    if (offset + length > source->bytes.size ||
        strncmp(source->bytes.data + offset, f->name, length) != 0)
        return false;
    rk_edits_add(&source->edits, offset, length, rk_drop_in_name(unit, function));
    return true;
}

static bool rename_calls(rk_unit *unit, const rk_function *f)
{
    bool ok = true;
    for (size_t i = 0; i < f->calls.count; i++) {
        const rk_call *call = &f->calls.items[i];
        const rk_function *to = unit->functions.items[call->callee];
        if (to->needs_context && !to->kernel && call->editable)
            ok &= rename_at(unit, call->callee, call->name.file, call->name.offset);
    }
    return ok;
}

/* The edits of one function, taken out of the files' lists. */

typedef struct {
    size_t file, token; /**< a #define */
    rk_edits edits;
} macro_copy;

typedef struct {
    rk_unit *unit;
    size_t file, begin, end;
    rk_edits edits; /**< of the function's text, by offsets in it */
    RK_VEC(macro_copy) macros;
    bool stray; /**< an edit is in neither */
} extract;

static macro_copy *find_macro(extract *x, size_t file, size_t token)
{
    for (size_t i = 0; i < x->macros.count; i++)
        if (x->macros.items[i].file == file && x->macros.items[i].token == token)
            return &x->macros.items[i];
    macro_copy *macro = rk_push(x->unit->arena, &x->macros);
    *macro = (macro_copy){.file = file, .token = token, .edits = {.arena = x->unit->arena}};
    return macro;
}

/** An edit outside of the function: in a macro's definition, or of an `extern "C"` in front of it. */
static void take_outside(extract *x, size_t file, const rk_edit *edit)
{
    const rk_tokens *tokens = &x->unit->files.items[file]->tokens;
    const size_t i = rk_tokens_at(tokens, edit->offset);
    if (i < tokens->count && tokens->items[i].kind == RK_TOKEN_DIRECTIVE &&
        strcmp(rk_directive_of(tokens, i, x->unit->arena).name, "define") == 0) {
        rk_edits *edits = &find_macro(x, file, i)->edits;
        rk_edit *taken = rk_push(x->unit->arena, &edits->list);
        *taken = *edit;
        taken->offset -= tokens->items[i].offset;
    } else if (!rk_token_is(tokens, i, "extern")) {
        x->stray = true;
    }
}

static void take_edits(extract *x)
{
    for (size_t f = 0; f < x->unit->files.count; f++) {
        rk_edits *all = &x->unit->files.items[f]->edits;
        for (size_t i = 0; i < all->list.count; i++) {
            const rk_edit *edit = &all->list.items[i];
            if (f == x->file && edit->offset >= x->begin && edit->offset + edit->length <= x->end) {
                rk_edit *taken = rk_push(x->unit->arena, &x->edits.list);
                *taken = *edit;
                taken->offset -= x->begin;
            } else {
                take_outside(x, f, edit);
            }
        }
        all->list.count = 0;
    }
}

static const char *apply(rk_edits *edits, const char *text, size_t size)
{
    size_t conflict[2], length;
    return rk_edits_apply(edits, text, size, &length, conflict);
}

static const char *macro_name(const rk_unit *unit, const macro_copy *macro)
{
    const rk_directive d =
        rk_directive_of(&unit->files.items[macro->file]->tokens, macro->token, unit->arena);
    return rk_arena_strndup(unit->arena, d.rest, strcspn(d.rest, " \t(\\\n"));
}

/** The edited text, with the macros that it needs in another form defined around it. */
static const char *put_together(extract *x)
{
    rk_arena *arena = x->unit->arena;
    rk_str out = {.arena = arena};
    for (size_t i = 0; i < x->macros.count; i++) {
        macro_copy *macro = &x->macros.items[i];
        const rk_tokens *tokens = &x->unit->files.items[macro->file]->tokens;
        const rk_token *token = &tokens->items[macro->token];
        const char *text = apply(&macro->edits, tokens->text + token->offset, token->length);
        const char *name = macro_name(x->unit, macro);
        if (!text)
            return NULL;
        rk_str_addf(&out, "#pragma push_macro(\"%s\")\n#undef %s\n%s\n", name, name, text);
    }
    const rk_source_file *file = x->unit->files.items[x->file];
    const char *body = apply(&x->edits, file->bytes.data + x->begin, x->end - x->begin);
    if (!body)
        return NULL;
    rk_str_addf(&out, "#line %d \"%s\"\n%s\n", rk_sources_place(x->unit, x->file, x->begin).line,
                file->path, body);
    for (size_t i = x->macros.count; i-- > 0;)
        rk_str_addf(&out, "#pragma pop_macro(\"%s\")\n", macro_name(x->unit, &x->macros.items[i]));
    return rk_arena_strdup(arena, rk_str_text(&out));
}

static const char *finish_copy(rk_unit *unit, size_t function, const rk_declaration *d, size_t end,
                               bool renamed)
{
    extract x = {.unit = unit,
                 .file = d->file,
                 .begin = d->begin,
                 .end = end,
                 .edits = {.arena = unit->arena}};
    take_edits(&x);
    const char *text = renamed && !x.stray ? put_together(&x) : NULL;
    if (!text)
        rk_problem_add(unit, function, RK_REFUSED, "RK-V115",
                       unit->functions.items[function]->place, "write the function out",
                       "text outside of '%s' would have to be edited",
                       unit->functions.items[function]->name);
    return text;
}

const char *rk_drop_in_copy(rk_unit *unit, size_t function, bool cpu)
{
    rk_function *f = unit->functions.items[function];
    rk_rewrite_definition(unit, f);
    bool renamed = rename_at(unit, function, f->definition.file, f->definition.name);
    renamed &= rename_calls(unit, f);
    if (cpu)
        rk_program_edit_steps(unit, f->definition.file, f->definition.begin, f->end);
    if (cpu)
        rk_undefined_edit(unit, &unit->files.items[f->definition.file]->edits, f->definition.file,
                          f->definition.begin, f->end);
    f->split = cpu && rk_rewrite_split(unit, f, true);
    return finish_copy(unit, function, &f->definition, f->end, renamed);
}

const char *rk_drop_in_copy_declaration(rk_unit *unit, size_t function, const rk_declaration *d)
{
    const rk_function *f = unit->functions.items[function];
    rk_rewrite_declaration(unit, f, d);
    const bool renamed = rename_at(unit, function, d->file, d->name);
    return finish_copy(unit, function, d, d->end + 1, renamed);
}
