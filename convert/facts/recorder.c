#include "convert/facts/recorder.h"

#include "convert/clang/lower.h"
#include "convert/facts/reach.h"
#include "convert/facts/system.h"
#include "convert/unit/problems.h"

#include <string.h>

rk_place rk_walk_place(const rk_walker *w, CXCursor cursor)
{
    return rk_ast_place(clang_getCursorLocation(cursor), w->unit->arena);
}

/** The cursor's offset in the function's file, expansion side; 0 when it is in another file. */
size_t rk_walk_offset(const rk_walker *w, CXCursor cursor)
{
    const rk_where at =
        rk_ast_expansion(w->unit, clang_getCursorLocation(w->member ? *w->member : cursor));
    return at.file == w->f->definition.file ? at.offset : 0;
}

void rk_walk_uses(rk_walker *w, unsigned uses, CXCursor cursor, const char *name)
{
    w->f->uses |= uses;
    for (size_t i = 0; i < w->lambdas.count; i++)
        w->f->lambdas.items[w->lambdas.items[i]].uses |= uses;
    if (w->values)
        rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V118", rk_walk_place(w, cursor),
                       "use it in a function's own block",
                       "'%s' is used in an initial value, a default argument or a class inside a "
                       "function",
                       name);
}

void rk_walk_event(rk_walker *w, rk_event_kind kind, CXCursor cursor)
{
    rk_event event = {.kind = kind,
                      .at = rk_walk_offset(w, cursor),
                      .loop_begin = w->loop_begin,
                      .loop_end = w->loop_end};
    if (w->lambdas.count || w->local_class) { /* called from anywhere after it */
        event.loop_begin = w->f->definition.end;
        event.loop_end = w->f->end;
    }
    for (size_t i = 0; i < w->f->events.count; i++)
        if (w->f->events.items[i].kind == kind && w->f->events.items[i].at == event.at)
            return;
    *rk_push(w->unit->arena, &w->f->events) = event;
}

void rk_walk_edit(rk_walker *w, size_t file, size_t offset, size_t length, const char *text)
{
    for (size_t i = 0; i < w->f->edits.count; i++)
        if (w->f->edits.items[i].file == file && w->f->edits.items[i].offset == offset &&
            w->f->edits.items[i].length == length)
            return;
    *rk_push(w->unit->arena, &w->f->edits) =
        (rk_text_edit){file, offset, length, rk_arena_strdup(w->unit->arena, text)};
}

/** The tokens that hold `at`, those of its line where that is a directive; `*i` is the one there, `*from` what offsets count from. */
rk_tokens rk_walk_tokens(const rk_unit *unit, rk_where at, size_t *i, size_t *from)
{
    const rk_source_file *file = unit->files.items[at.file];
    *i = rk_tokens_at(&file->tokens, at.offset);
    *from = 0;
    if (*i == file->tokens.count || file->tokens.items[*i].kind != RK_TOKEN_DIRECTIVE)
        return file->tokens;
    const rk_token *line = &file->tokens.items[*i];
    const rk_tokens tokens =
        rk_lex_directive(file->bytes.data + line->offset, line->length, unit->arena);
    *from = line->offset;
    *i = rk_tokens_at(&tokens, at.offset - line->offset);
    return tokens;
}

/** Whether an argument list follows the name at `at`; `open` is where its `(` is. */
static bool call_text(const rk_unit *unit, rk_where at, size_t *open)
{
    size_t i, from;
    if (at.file == RK_NONE)
        return false;
    const rk_tokens tokens = rk_walk_tokens(unit, at, &i, &from);
    if (rk_token_is(&tokens, i, "operator") && rk_token_is(&tokens, i + 1, "("))
        i += 2; /* the `()` is its name */
    if (!rk_token_is(&tokens, i, "("))
        i++;
    if (rk_token_is(&tokens, i, "<"))
        i = rk_tokens_close(&tokens, i) + 1;
    if (!rk_token_is(&tokens, i, "("))
        return false;
    *open = from + tokens.items[i].offset;
    return true;
}

/** The function's template parameter that the name at `at` is, RK_NONE if it is none. */
static size_t own_parameter(const rk_walker *w, rk_where at)
{
    const rk_tokens *tokens = at.file == RK_NONE ? NULL : &w->unit->files.items[at.file]->tokens;
    for (size_t i = 0; tokens && i < w->f->params.count; i++)
        if (rk_token_is(tokens, rk_tokens_at(tokens, at.offset), w->f->params.items[i].name))
            return i;
    return RK_NONE;
}

/** Whether the name at `at` is in the argument list of a template, and in no call inside of it. */
static bool is_template_argument(const rk_unit *unit, rk_where at)
{
    const rk_tokens *tokens = at.file == RK_NONE ? NULL : &unit->files.items[at.file]->tokens;
    const size_t name = tokens ? rk_tokens_at(tokens, at.offset) : 0;
    for (size_t i = name; i-- > 1;) {
        if (rk_token_is(tokens, i, "<") && tokens->items[i - 1].kind == RK_TOKEN_NAME)
            return rk_tokens_close(tokens, i) > name && rk_tokens_close(tokens, i) < tokens->count;
        if (rk_token_is(tokens, i, "(") || rk_token_is(tokens, i, ")") ||
            rk_token_is(tokens, i, ";") || rk_token_is(tokens, i, "{"))
            return false;
    }
    return false;
}

static void add_call(rk_walker *w, CXCursor cursor, size_t callee, rk_where name)
{
    rk_call call = {.callee = callee,
                    .at = rk_walk_offset(w, cursor),
                    .loop_begin = w->lambdas.count ? w->f->definition.end : w->loop_begin,
                    .loop_end = w->lambdas.count ? w->f->end : w->loop_end,
                    .name = name,
                    .param = own_parameter(w, name)};
    call.value = rk_values_outside(w, cursor);
    call.editable = !w->member && call_text(w->unit, name, &call.open);
    call.argument = !call.editable && is_template_argument(w->unit, name);
    for (size_t i = 0; i < w->lambdas.count; i++)
        *rk_push(w->unit->arena, &w->f->lambdas.items[w->lambdas.items[i]].callees) = callee;
    for (size_t i = 0; i < w->f->calls.count; i++) {
        const rk_call *old = &w->f->calls.items[i];
        if (old->callee == callee && old->name.offset == name.offset &&
            old->name.file == name.file && old->at == call.at)
            return;
    }
    *rk_push(w->unit->arena, &w->f->calls) = call;
}

/** A project function inside another's text: a lambda's or a local class's own operator. */
static bool inside_function(const rk_walker *w, CXCursor definition)
{
    const rk_where at = rk_ast_expansion(w->unit, clang_getCursorLocation(definition));
    for (size_t i = 0; i < w->unit->functions.count; i++) {
        const rk_function *f = w->unit->functions.items[i];
        if (f->definition.file == at.file && at.offset > f->definition.name && at.offset < f->end)
            return true;
    }
    return false;
}

bool rk_walk_in_device_code(const rk_walker *w)
{
    return w->f->kernel || w->f->device;
}

const char *rk_walk_library(const rk_walker *w, CXCursor function)
{
    rk_ir *ir = rk_ir_of(w->unit);
    const rk_effects all = rk_reach_raw(w->unit, rk_lower_declaration(ir, function));
    return all.raw ? all.raw : all.word;
}

/**
 * The template whose body an instance has that is not made, since decltype() alone names it; null for others, explicit
 * specialisations among them, whose place is their own.
 */
static CXCursor unmade_body(CXCursor target)
{
    const CXCursor template = clang_getSpecializedCursorTemplate(target);
    const CXCursor body = clang_getCursorDefinition(template);
    const CXCursor places[] = {template, body, clang_getCanonicalCursor(template)};
    for (size_t i = 0; i < sizeof places / sizeof *places && !clang_Cursor_isNull(body); i++)
        if (clang_equalLocations(clang_getCursorLocation(target),
                                 clang_getCursorLocation(places[i])))
            return body;
    return clang_getNullCursor();
}

void rk_walk_use(rk_walker *w, CXCursor cursor, CXCursor target, rk_where name, bool overloaded)
{
    CXCursor definition = clang_getCursorDefinition(target);
    if (clang_Cursor_isNull(definition))
        definition = unmade_body(target);
    if (clang_Cursor_isNull(definition)) {
        /* of a template that is only declared, the instances tell whether they are specialised; what overrides a pure
         * virtual function is looked at in indirect.c */
        if (!overloaded && rk_walk_in_device_code(w) && !clang_CXXMethod_isPureVirtual(target) &&
            clang_getCursorKind(target) != CXCursor_FunctionTemplate &&
            rk_ast_has_attribute(target, CXCursor_CUDADeviceAttr, NULL))
            rk_problem_add(
                w->unit, w->function, RK_REFUSED, "RK-V110", rk_walk_place(w, cursor),
                "convert a file that includes both sources; or, where it reads no built-ins and "
                "does not synchronise, say so: --allow RK-V110",
                "the body of '%s' cannot be seen from here", rk_ast_name(target, w->unit->arena));
        return;
    }
    const size_t callee = rk_analysis_function(w->analysis, definition);
    if (callee == RK_NONE) {
        if (rk_walk_in_device_code(w) && !inside_function(w, definition) &&
            rk_walk_library(w, target))
            rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V121", rk_walk_place(w, cursor),
                           "write the operation out, so that it can be given the rTask's threads",
                           "'%s' uses the thread's index or barriers by itself",
                           rk_ast_name(target, w->unit->arena));
        return;
    }
    add_call(w, cursor, callee, name);
    if (!overloaded) {
        const size_t from = w->body;
        const size_t body = rk_analysis_body(w->analysis, definition, callee);
        *rk_push(w->unit->arena, &w->analysis->bodies.items[from].callees) = body;
        const size_t param = own_parameter(w, name);
        if (param != RK_NONE)
            *rk_push(w->unit->arena, &w->analysis->bodies.items[from].by_param) =
                (rk_call){.callee = callee, .param = param};
    }
}

void rk_walk_call(rk_walker *w, CXCursor cursor, CXCursor target)
{
    rk_walk_use(w, cursor, target, (rk_where){RK_NONE, 0}, false);
}

bool rk_values_outside(const rk_walker *w, CXCursor cursor)
{
    const rk_where at = rk_ast_expansion(w->unit, clang_getCursorLocation(cursor));
    return w->values > 0 ||
           (at.file == w->f->definition.file && at.offset >= w->f->definition.begin &&
            at.offset < w->f->definition.end);
}
