#include "convert/facts/walk.h"

#include <string.h>

/*
 * A loop with nothing to do but to look at memory waits for another thread. What it may do besides: to keep what it saw
 * in a variable that no later look depends on, to leave, to sleep and to fence. A loop that takes a lock is none.
 */

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/** A loop that may do nothing but look. */
typedef struct {
    const rk_unit *unit;
    const rk_function *f; /**< that it is in */
    CXCursor loop;
    rk_cursors kept;  /**< variables that what was seen is kept in */
    rk_cursors shown; /**< expressions whose values are kept */
} idle;

/** Tokens of a file. */
typedef struct {
    const rk_tokens *tokens;
    size_t first, end;
} words;

/** An expression's own text, without `&` and parentheses around it; nothing where its file is not one of ours. */
static words words_of(const rk_unit *unit, CXCursor expression)
{
    unsigned begin, end;
    rk_ast_extent(expression, &begin, &end);
    const rk_where at = rk_ast_expansion(unit, clang_getCursorLocation(expression));
    if (at.file == RK_NONE)
        return (words){0};
    const rk_tokens *tokens = &unit->files.items[at.file]->tokens;
    words w = {tokens, rk_tokens_at(tokens, begin), rk_tokens_at(tokens, end)};
    while (w.first < w.end && rk_token_is(tokens, w.first, "&"))
        w.first++;
    while (w.first + 1 < w.end && rk_token_is(tokens, w.first, "(") &&
           rk_token_is(tokens, w.end - 1, ")")) {
        w.first++;
        w.end--;
    }
    return w;
}

/** Whether tokens from `at` on are those of `w`. */
static bool are_words(const rk_tokens *tokens, size_t at, const words *w)
{
    const size_t count = w->end - w->first;
    for (size_t i = 0; i < count; i++) {
        const rk_token *a = &w->tokens->items[w->first + i];
        if (at + i >= tokens->count || tokens->items[at + i].length != a->length ||
            memcmp(tokens->text + tokens->items[at + i].offset, w->tokens->text + a->offset,
                   a->length) != 0)
            return false;
    }
    return count > 0;
}

/** Whether what the call changes is named behind the loop in the same function, as a lock is to be given back. */
static bool is_given_back(const idle *s, CXCursor call)
{
    const words lock = words_of(s->unit, clang_Cursor_getArgument(call, 0));
    if (!lock.tokens)
        return false;
    unsigned begin, behind;
    rk_ast_extent(s->loop, &begin, &behind);
    const size_t end = rk_tokens_at(lock.tokens, s->f->end);
    for (size_t i = rk_tokens_at(lock.tokens, behind); i < end; i++)
        if (are_words(lock.tokens, i, &lock))
            return true;
    return false;
}

/**
 * Whether an exchange waits for what another thread writes. One that takes a lock, which the function gives back
 * later, waits for a thread that has it, and so runs; one of equal values only reads.
 */
static bool is_look_exchange(const idle *s, CXCursor call)
{
    if (clang_Cursor_getNumArguments(call) == 3) {
        const words compared = words_of(s->unit, clang_Cursor_getArgument(call, 1));
        const words value = words_of(s->unit, clang_Cursor_getArgument(call, 2));
        if (compared.tokens && compared.end - compared.first == value.end - value.first &&
            are_words(compared.tokens, compared.first, &value))
            return true;
    }
    return !is_given_back(s, call);
}

/** A call that reads memory which another thread may write: CUDA's atomics, and loads of a library's. */
static bool is_look_call(const idle *s, CXCursor call)
{
    static const char *const loads[] = {"load", "test", "test_and_set"};
    const char *name = rk_ast_name(call, s->unit->arena);
    if (rk_str_starts(name, "atomicCAS") || rk_str_starts(name, "atomicExch"))
        return is_look_exchange(s, call);
    return rk_str_starts(name, "atomic") || (is_among(name, loads, sizeof loads / sizeof *loads) &&
                                             rk_ast_is_system(clang_getCursorReferenced(call)));
}

/** An assembly statement with a load that is ordered, or volatile. */
static bool is_look_assembly(const rk_unit *unit, CXCursor statement)
{
    static const char *const orders[] = {".acquire", ".relaxed", ".volatile"};
    unsigned begin, end;
    rk_ast_extent(statement, &begin, &end);
    const rk_where at = rk_ast_spelling(unit, clang_getCursorLocation(statement));
    if (at.file == RK_NONE || end > unit->files.items[at.file]->bytes.size || begin > end)
        return false;
    const char *text =
        rk_arena_strndup(unit->arena, unit->files.items[at.file]->bytes.data + begin, end - begin);
    bool ordered = false;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        ordered |= strstr(text, orders[i]) != NULL;
    return ordered && strstr(text, "ld.");
}

/** Whether memory is looked at anywhere in it, a part of the loop. */
static bool looks(const idle *s, CXCursor cursor)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if ((clang_isExpression(kind) && clang_isVolatileQualifiedType(clang_getCursorType(cursor))) ||
        (kind == CXCursor_CallExpr && is_look_call(s, cursor)) ||
        (kind == CXCursor_GCCAsmStmt && is_look_assembly(s->unit, cursor)))
        return true;
    const rk_cursors children = rk_ast_children(cursor, s->unit->arena);
    for (size_t i = 0; i < children.count; i++)
        if (looks(s, children.items[i]))
            return true;
    return false;
}

static bool names_variable(CXCursor cursor, CXCursor variable, rk_arena *arena)
{
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
        clang_equalCursors(clang_getCursorReferenced(cursor), variable))
        return true;
    const rk_cursors children = rk_ast_children(cursor, arena);
    for (size_t i = 0; i < children.count; i++)
        if (names_variable(children.items[i], variable, arena))
            return true;
    return false;
}

/** `v = look`. */
static bool keeps(idle *s, CXCursor assignment)
{
    rk_arena *arena = s->unit->arena;
    const rk_cursors sides = rk_ast_children(assignment, arena);
    if (sides.count != 2 ||
        clang_getCursorBinaryOperatorKind(assignment) != CXBinaryOperator_Assign ||
        clang_getCursorKind(sides.items[0]) != CXCursor_DeclRefExpr || !looks(s, sides.items[1]))
        return false;
    *rk_push(arena, &s->kept) = clang_getCursorReferenced(sides.items[0]);
    *rk_push(arena, &s->shown) = sides.items[1];
    return true;
}

/** `T v = look;`, and variables without a first value. */
static bool declares(idle *s, CXCursor statement)
{
    const rk_cursors variables = rk_ast_children(statement, s->unit->arena);
    for (size_t i = 0; i < variables.count; i++) {
        const CXCursor value = clang_Cursor_getVarDeclInitializer(variables.items[i]);
        if (clang_getCursorKind(variables.items[i]) != CXCursor_VarDecl ||
            (!clang_Cursor_isNull(value) && !looks(s, value)))
            return false;
        if (!clang_Cursor_isNull(value))
            *rk_push(s->unit->arena, &s->shown) = value;
    }
    return true;
}

static bool is_idle(idle *s, CXCursor statement)
{
    static const char *const pauses[] = {
        "__nanosleep", "__threadfence",        "__threadfence_block", "__syncwarp",
        "nanosleep",   "__threadfence_system", "atomic_thread_fence"};
    rk_arena *arena = s->unit->arena;
    const rk_cursors children = rk_ast_children(statement, arena);
    switch ((int)clang_getCursorKind(statement)) {
    case CXCursor_NullStmt:
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
        return true;
    case CXCursor_CompoundStmt:
        for (size_t i = 0; i < children.count; i++)
            if (!is_idle(s, children.items[i]))
                return false;
        return true;
    case CXCursor_IfStmt:
        for (size_t i = 1; i < children.count; i++)
            if (!is_idle(s, children.items[i]))
                return false;
        return true;
    case CXCursor_DeclStmt:
        return declares(s, statement);
    case CXCursor_BinaryOperator:
        return keeps(s, statement);
    case CXCursor_GCCAsmStmt:
        return is_look_assembly(s->unit, statement);
    case CXCursor_CallExpr:
        return is_among(rk_ast_name(statement, arena), pauses, sizeof pauses / sizeof *pauses);
    case CXCursor_UnexposedExpr:
        return children.count == 1 && is_idle(s, children.items[0]);
    default:
        return false;
    }
}

static bool is_empty(CXCursor statement, rk_arena *arena)
{
    const enum CXCursorKind kind = clang_getCursorKind(statement);
    return kind == CXCursor_NullStmt ||
           (kind == CXCursor_CompoundStmt && rk_ast_children(statement, arena).count == 0);
}

/** Whether a compare-and-swap goes on from what was seen, and so is tried again and not waited for. */
static bool tries_again(const idle *s, CXCursor cursor)
{
    rk_arena *arena = s->unit->arena;
    if (clang_getCursorKind(cursor) == CXCursor_CallExpr &&
        rk_str_starts(rk_ast_name(cursor, arena), "atomicCAS"))
        for (size_t k = 0; k < s->kept.count; k++)
            if (names_variable(clang_Cursor_getArgument(cursor, 1), s->kept.items[k], arena))
                return true;
    const rk_cursors children = rk_ast_children(cursor, arena);
    for (size_t i = 0; i < children.count; i++)
        if (tries_again(s, children.items[i]))
            return true;
    return false;
}

bool rk_spin_waits(const rk_unit *unit, const rk_function *f, CXCursor loop)
{
    const rk_cursors children = rk_ast_children(loop, unit->arena);
    const enum CXCursorKind kind = clang_getCursorKind(loop);
    idle s = {.unit = unit, .f = f, .loop = loop};
    bool empty = false;
    for (size_t i = 0; i < children.count; i++)
        empty |= is_empty(children.items[i], unit->arena);
    bool only = empty;
    if (!empty && kind != CXCursor_ForStmt) /* what is between its parentheses may count */
        only = children.count >= 2 &&
               is_idle(&s, children.items[kind == CXCursor_WhileStmt ? children.count - 1 : 0]);
    for (size_t i = 0; i < s.shown.count; i++)
        for (size_t k = 0; k < s.kept.count; k++)
            only &= !names_variable(s.shown.items[i], s.kept.items[k], unit->arena);
    return only && !tries_again(&s, loop) && looks(&s, loop);
}
