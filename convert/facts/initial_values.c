#include "convert/facts/initial_values.h"
#include "convert/cuda/builtins.h"
#include "convert/facts/system.h"
#include "convert/unit/problems.h"

#include <string.h>

bool rk_values_plain(const rk_unit *unit, rk_where at, const char *name)
{
    const rk_tokens *tokens = at.file == RK_NONE ? NULL : &unit->files.items[at.file]->tokens;
    const size_t i = tokens ? rk_tokens_at(tokens, at.offset) : 0;
    return tokens && rk_token_is(tokens, i, name) && tokens->items[i].offset == at.offset;
}

static rk_text_edit edit_of(const rk_cuda_name *builtin, rk_where at, rk_arena *arena)
{
    return (rk_text_edit){at.file, at.offset, strlen(builtin->name),
                          rk_arena_printf(arena, "rk__::ambient().%s", builtin->text)};
}

/** Whether it runs at the end of an object of a class inside the function, which may be behind a `return`. */
static bool is_local_end(const rk_walker *w)
{
    bool any = false;
    for (size_t i = 0; i < w->above.count && w->local_class; i++)
        any |= clang_getCursorKind(w->above.items[i]) == CXCursor_Destructor;
    return any;
}

void rk_values_use(rk_walker *w, const rk_cuda_name *builtin, CXCursor cursor)
{
    const rk_where at = rk_ast_spelling(w->unit, clang_getCursorLocation(cursor));
    w->f->value_uses |= builtin->use;
    if ((builtin->use & (RK_USE_BARRIERS | RK_USE_WARPS)) && is_local_end(w))
        rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V118", rk_walk_place(w, cursor),
                       "move the class out of the function",
                       "'%s' is in the destructor of a class inside a function", builtin->name);
    if (!rk_values_plain(w->unit, at, builtin->name))
        rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V118", rk_walk_place(w, cursor),
                       "write it without the macro",
                       "a macro names '%s' in an initial value, a default argument or a class "
                       "inside a function",
                       builtin->name);
    else if (!w->member)
        *rk_push(w->unit->arena, &w->f->value_edits) = edit_of(builtin, at, w->unit->arena);
}

static enum CXChildVisitResult find_builtins(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    rk_unit *unit = data;
    const CXCursor target = clang_getCursorReferenced(cursor);
    const char *name = clang_Cursor_isNull(target) ? "" : rk_ast_name(target, unit->arena);
    const rk_where at = rk_ast_spelling(unit, clang_getCursorLocation(cursor));
    if (*name && rk_walk_is_raw(target, name) && rk_builtin_find(name) &&
        rk_values_plain(unit, at, name))
        *rk_push(unit->arena, &unit->value_edits) = edit_of(rk_builtin_find(name), at, unit->arena);
    return CXChildVisit_Recurse;
}

void rk_values_field(rk_unit *unit, CXCursor field)
{
    const rk_cursors parts = rk_ast_children(field, unit->arena);
    for (size_t i = 0; i < parts.count; i++)
        if (clang_isExpression(clang_getCursorKind(parts.items[i]))) {
            find_builtins(parts.items[i], field, unit);
            clang_visitChildren(parts.items[i], find_builtins, unit);
        }
}
