#include "convert/sequence/sequence_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rk_follow_stop(rk_follow *f, CXCursor call, const char *hint, const char *format, ...)
{
    if (f->stopped)
        return;
    va_list args;
    va_start(args, format);
    f->why = rk_arena_vprintf(f->arena, format, args);
    va_end(args);
    f->stopped = true;
    f->hint = hint;
    f->where = rk_ast_place(clang_getCursorLocation(call), f->arena);
}

/** What the innermost condition says, as text. */
static const char *condition_text(const rk_follow *f, const rk_hstate *state)
{
    return state->path ? rk_cexpr_print(state->path->condition, NULL, f->arena) : NULL;
}

bool rk_follow_certain(rk_follow *f, CXCursor call, const rk_hstate *state)
{
    if (f->stopped)
        return false;
    const char *condition = condition_text(f, state);
    if (condition)
        rk_follow_stop(f, call, "give the values that decide it: --set NAME=VALUE",
                       "whether this is reached depends on `%s`, which is known only at run time",
                       condition);
    else if (state->partial)
        rk_follow_stop(f, call,
                       "let a function of its own do what does not depend on it: --function",
                       "whether, or how often, this is reached is known only at run time");
    return !f->stopped;
}

static bool has_buffer(const rk_follow *f, const char *name)
{
    for (size_t i = 0; i < f->buffers.count; i++)
        if (strcmp(f->buffers.items[i].name, name) == 0)
            return true;
    return false;
}

const char *rk_follow_distinct(const rk_follow *f, const char *name)
{
    const char *out = name;
    for (int n = 2; has_buffer(f, out); n++)
        out = rk_arena_printf(f->arena, "%s.%d", name, n);
    return out;
}

const char *rk_follow_buffer(rk_follow *f, rk_buffer buffer)
{
    buffer.name = rk_follow_distinct(f, buffer.name);
    if (buffer.element < 1)
        buffer.element = 1;
    *rk_push(f->arena, &f->buffers) = buffer;
    return buffer.name;
}

rk_address rk_follow_address(const rk_follow *f, rk_hv value)
{
    rk_address none = {RK_SEQUENCE_NONE, 0};
    if (value.kind != RK_HV_POINTER || !value.name || value.sym->kind != RK_CEXPR_INT)
        return none;
    for (size_t i = 0; i < f->buffers.count; i++)
        if (strcmp(f->buffers.items[i].name, value.name) == 0)
            return (rk_address){i, value.sym->i * value.element};
    return none;
}

rk_step *rk_follow_step(rk_follow *f, CXCursor call, rk_step_kind kind)
{
    rk_step *step = rk_push(f->arena, &f->steps);
    *step = (rk_step){.kind = kind,
                      .place = rk_ast_place(clang_getCursorLocation(call), f->arena),
                      .function = rk_ast_name(f->frame->function, f->arena),
                      .to.buffer = RK_SEQUENCE_NONE,
                      .from.buffer = RK_SEQUENCE_NONE};
    return step;
}

/* Calls of the program's own functions. */
