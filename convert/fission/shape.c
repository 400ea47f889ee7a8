#include "convert/facts/system.h"
#include "convert/fission/fission_internal.h"

#include <string.h>

size_t rk_fission_begin(CXCursor cursor)
{
    unsigned begin, end;
    rk_ast_extent(cursor, &begin, &end);
    return begin;
}

size_t rk_fission_end(CXCursor cursor)
{
    unsigned begin, end;
    rk_ast_extent(cursor, &begin, &end);
    return end;
}

size_t rk_fission_part_at(const rk_fission *f, size_t offset)
{
    for (size_t i = 0; i < f->parts.count; i++) {
        const rk_token *last = &f->tokens->items[f->parts.items[i].last];
        if (offset >= f->tokens->items[f->parts.items[i].first].offset &&
            offset < last->offset + last->length)
            return i;
    }
    return RK_NONE;
}

static bool split_statement(rk_fission *f, CXCursor statement, size_t last);
static bool split_list(rk_fission *f, CXCursor list, size_t last);

static bool holds(const size_t *offsets, size_t count, CXCursor cursor)
{
    unsigned begin, end;
    rk_ast_extent(cursor, &begin, &end);
    for (size_t i = 0; i < count; i++)
        if (begin <= offsets[i] && offsets[i] < end)
            return true;
    return false;
}

static size_t first_token(const rk_fission *f, CXCursor cursor)
{
    return rk_tokens_at(f->tokens, rk_fission_begin(cursor));
}

/** The last token before token `i` that is no directive. */
static size_t before(const rk_fission *f, size_t i)
{
    do
        i--;
    while (f->tokens->items[i].kind == RK_TOKEN_DIRECTIVE);
    return i;
}

/* Barriers. */

static bool is_thread_block(CXCursor variable, rk_arena *arena)
{
    const CXCursor class =
        clang_getTypeDeclaration(clang_getCanonicalType(clang_getCursorType(variable)));
    return rk_system_in_namespace(class, RK_IN_GROUPS, arena) &&
           (rk_cuda_find(RK_IN_GROUPS, rk_ast_name(class, arena))->does & RK_DOES_BLOCK);
}

typedef struct {
    rk_arena *arena;
    bool good;
} group_check;

static enum CXChildVisitResult check_groups(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    group_check *check = data;
    const CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
        clang_getCursorKind(target) == CXCursor_VarDecl)
        check->good &= is_thread_block(target, check->arena);
    return CXChildVisit_Recurse;
}

/** After an optional qualification, the token of the name. */
static size_t skip_spaces(const rk_fission *f, size_t i)
{
    while (rk_token_is(f->tokens, i, "::") || rk_token_is(f->tokens, i + 1, "::"))
        i++;
    return i;
}

/** Whether the token is the name of a function of cooperative groups that does this. */
static bool is_of_groups(const rk_fission *f, size_t i, unsigned does)
{
    const rk_token *t = &f->tokens->items[i];
    return i < f->tokens->count && t->kind == RK_TOKEN_NAME &&
           (rk_cuda_find_text(RK_IN_COOPERATIVE, f->tokens->text + t->offset, t->length)->does &
            does);
}

/** `cg::this_thread_block()` or a variable's name from `i`; what follows it, or RK_NONE. */
static size_t skip_group(const rk_fission *f, size_t i)
{
    const rk_tokens *t = f->tokens;
    i = skip_spaces(f, i);
    if (is_of_groups(f, i, RK_DOES_BLOCK))
        return rk_token_is(t, i + 1, "(") && rk_token_is(t, i + 2, ")") ? i + 3 : RK_NONE;
    return t->items[i].kind == RK_TOKEN_NAME ? i + 1 : RK_NONE;
}

/** Whether tokens [first, last] are a barrier of the block, or weaker, and nothing else. */
static bool is_barrier(const rk_fission *f, CXCursor statement, size_t first, size_t last)
{
    const rk_tokens *t = f->tokens;
    if (!rk_token_is(t, last, ";"))
        return false;
    const rk_use use = rk_system_token(t, first)->use;
    if (use == RK_USE_SYNC)
        return last == first + 3 && rk_token_is(t, first + 1, "(") &&
               rk_token_is(t, first + 2, ")");
    if (use == RK_USE_SYNCWARP)
        return rk_token_is(t, first + 1, "(") && rk_token_is(t, last - 1, ")") &&
               (last == first + 3 ||
                (last == first + 4 && t->items[first + 2].kind == RK_TOKEN_NUMBER));
    group_check check = {f->arena, true};
    clang_visitChildren(statement, check_groups, &check);
    const size_t name = skip_spaces(f, first);
    size_t i = RK_NONE;
    if (is_of_groups(f, name, RK_DOES_MEET) && rk_token_is(t, name + 1, "(")) {
        i = skip_group(f, name + 2);
        return check.good && i != RK_NONE && rk_token_is(t, i, ")") && i + 1 == last;
    }
    i = skip_group(f, first);
    return check.good && i != RK_NONE && rk_token_is(t, i, ".") &&
           is_of_groups(f, i + 1, RK_DOES_MEET) && rk_token_is(t, i + 2, "(") &&
           rk_token_is(t, i + 3, ")") && i + 4 == last;
}

/** Whether a statement declares one thread_block of the block itself. */
static bool declares_group(const rk_fission *f, CXCursor statement)
{
    if (clang_getCursorKind(statement) != CXCursor_DeclStmt)
        return false;
    const rk_cursors all = rk_ast_children(statement, f->arena);
    return all.count == 1 && clang_getCursorKind(all.items[0]) == CXCursor_VarDecl &&
           is_thread_block(all.items[0], f->arena);
}

/* Parts. */

typedef struct {
    unsigned loops, switches;
    bool returns, escapes;
} jumps;

/** Finds a `return`, and a `break` or `continue` of a statement further out. */
static void find_jumps(jumps *j, CXCursor cursor, rk_arena *arena)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    const bool loop = kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt ||
                      kind == CXCursor_DoStmt || kind == CXCursor_CXXForRangeStmt;
    const bool choice = kind == CXCursor_SwitchStmt;
    j->returns |= kind == CXCursor_ReturnStmt;
    j->escapes |= kind == CXCursor_BreakStmt && j->loops == 0 && j->switches == 0;
    j->escapes |= kind == CXCursor_ContinueStmt && j->loops == 0;
    j->loops += loop;
    j->switches += choice;
    const rk_cursors children = rk_ast_children(cursor, arena);
    for (size_t i = 0; i < children.count; i++)
        find_jumps(j, children.items[i], arena);
    j->loops -= loop;
    j->switches -= choice;
}

static bool add_part(rk_fission *f, CXCursor statement, size_t last)
{
    const size_t first = first_token(f, statement);
    rk_part part = {
        .cursor = statement, .first = first, .last = last, .run = RK_NONE, .level = f->levels};
    const bool waits = holds(f->barriers.items, f->barriers.count, statement);
    if (waits && !is_barrier(f, statement, first, last))
        return rk_fission_refuse(f, statement, "a barrier that is no statement by itself");
    if (waits) {
        part.kind = RK_PART_BARRIER;
    } else if (holds(f->groups.items, f->groups.count, statement)) {
        if (!declares_group(f, statement))
            return rk_fission_refuse(f, statement, "it uses a group beyond barriers of the block");
        part.kind = RK_PART_GROUP;
    }
    if (first >= f->tokens->count ||
        f->tokens->items[first].offset != rk_fission_begin(statement) ||
        (!rk_token_is(f->tokens, last, ";") && !rk_token_is(f->tokens, last, "}")))
        return rk_fission_refuse(f, statement, "a statement that a macro begins or ends");
    *rk_push(f->arena, &f->parts) = part;
    return true;
}

/* Statements around barriers. */

/** The child that begins in tokens (from, to); null when none does. */
static CXCursor child_between(const rk_fission *f, CXCursor statement, size_t from, size_t to)
{
    const rk_cursors children = rk_ast_children(statement, f->arena);
    for (size_t i = 0; i < children.count; i++) {
        const size_t first = first_token(f, children.items[i]);
        if (from < first && first < to)
            return children.items[i];
    }
    return clang_getNullCursor();
}

/** The statement that begins at token `first`, as one of its own level. */
static bool split_below(rk_fission *f, CXCursor around, size_t first, size_t last)
{
    const CXCursor statement = child_between(f, around, first - 1, first + 1);
    if (clang_Cursor_isNull(statement))
        return rk_fission_refuse(f, around, "a statement that a macro begins or ends");
    if (clang_getCursorKind(statement) == CXCursor_CompoundStmt)
        return split_list(f, statement, last);
    f->levels++;
    const bool good = split_statement(f, statement, last);
    f->levels++;
    return good;
}

static bool split_if(rk_fission *f, CXCursor statement, size_t first, size_t last)
{
    const rk_tokens *t = f->tokens;
    const size_t open = first + (rk_token_is(t, first + 1, "constexpr") ? 2 : 1);
    const size_t close = rk_tokens_close(t, open);
    if (!rk_token_is(t, open, "(") || close >= last)
        return rk_fission_refuse(f, statement, "a statement that a macro begins or ends");
    for (size_t i = open; i < close; i++)
        if (rk_token_is(t, i, ";"))
            return rk_fission_refuse(f, statement, "an if with a declaration");
    *rk_push(f->arena, &f->heads) = (rk_head){.statement = statement,
                                              .condition = child_between(f, statement, open, close),
                                              .init = clang_getNullCursor(),
                                              .step = clang_getNullCursor()};
    const rk_cursors children = rk_ast_children(statement, f->arena);
    const CXCursor other = children.items[children.count - 1];
    const size_t other_first = first_token(f, other);
    if (other_first == close + 1)
        return split_below(f, statement, close + 1, last);
    if (!rk_token_is(t, other_first - 1, "else"))
        return rk_fission_refuse(f, statement, "a statement that a macro begins or ends");
    return split_below(f, statement, close + 1, before(f, other_first - 1)) &&
           split_below(f, statement, other_first, last);
}

static size_t find_semicolon(const rk_tokens *t, size_t i, size_t end)
{
    for (; i < end && !rk_token_is(t, i, ";"); i++)
        if (rk_token_is(t, i, "(") || rk_token_is(t, i, "[") || rk_token_is(t, i, "{"))
            i = rk_tokens_close(t, i);
    return i;
}

static bool split_for(rk_fission *f, CXCursor statement, size_t first, size_t last)
{
    const rk_tokens *t = f->tokens;
    const size_t open = first + 1, close = rk_tokens_close(t, open);
    const size_t one = find_semicolon(t, open + 1, close);
    const size_t two = find_semicolon(t, one + 1, close);
    if (!rk_token_is(t, open, "(") || close >= last || two >= close)
        return rk_fission_refuse(f, statement, "a statement that a macro begins or ends");
    *rk_push(f->arena, &f->heads) = (rk_head){.statement = statement,
                                              .init = child_between(f, statement, open, one),
                                              .condition = child_between(f, statement, one, two),
                                              .step = child_between(f, statement, two, close)};
    if (one + 1 != two && clang_Cursor_isNull(f->heads.items[f->heads.count - 1].condition))
        return rk_fission_refuse(f, statement, "a condition that is not understood");
    return split_below(f, statement, close + 1, last);
}

static bool split_while(rk_fission *f, CXCursor statement, size_t first, size_t last)
{
    const size_t open = first + 1, close = rk_tokens_close(f->tokens, open);
    if (!rk_token_is(f->tokens, open, "(") || close >= last)
        return rk_fission_refuse(f, statement, "a statement that a macro begins or ends");
    *rk_push(f->arena, &f->heads) = (rk_head){.statement = statement,
                                              .condition = child_between(f, statement, open, close),
                                              .init = clang_getNullCursor(),
                                              .step = clang_getNullCursor()};
    return split_below(f, statement, close + 1, last);
}

/** `do { ... } while (condition);` */
static bool split_do(rk_fission *f, CXCursor statement, size_t first, size_t last)
{
    const rk_tokens *t = f->tokens;
    const size_t end = rk_token_is(t, first + 1, "{") ? rk_tokens_close(t, first + 1) : last;
    const size_t open = end + 2;
    if (open >= last || !rk_token_is(t, end + 1, "while") || !rk_token_is(t, open, "(") ||
        rk_tokens_close(t, open) + 1 != last)
        return rk_fission_refuse(f, statement, "a do that is not understood");
    *rk_push(f->arena, &f->heads) =
        (rk_head){.statement = statement,
                  .condition = child_between(f, statement, open, last - 1),
                  .init = clang_getNullCursor(),
                  .step = clang_getNullCursor()};
    return split_below(f, statement, first + 1, end);
}

/** `last`: the statement's last token. */
static bool split_statement(rk_fission *f, CXCursor statement, size_t last)
{
    if (!holds(f->barriers.items, f->barriers.count, statement))
        return add_part(f, statement, last);
    const size_t first = first_token(f, statement);
    if (rk_token_is(f->tokens, first, "if"))
        return split_if(f, statement, first, last);
    if (rk_token_is(f->tokens, first, "for"))
        return split_for(f, statement, first, last);
    if (rk_token_is(f->tokens, first, "while"))
        return split_while(f, statement, first, last);
    if (rk_token_is(f->tokens, first, "do"))
        return split_do(f, statement, first, last);
    if (rk_token_is(f->tokens, first, "{"))
        return split_list(f, statement, last);
    if (rk_token_is(f->tokens, first, "switch"))
        return rk_fission_refuse(f, statement, "a barrier in a switch");
    return add_part(f, statement, last);
}

/** A statement without what `#pragma unroll` puts around it. */
static CXCursor unwrap(const rk_fission *f, CXCursor statement)
{
    while (clang_getCursorKind(statement) == CXCursor_UnexposedStmt) {
        const rk_cursors all = rk_ast_children(statement, f->arena);
        if (all.count == 0)
            break;
        statement = all.items[all.count - 1];
    }
    return statement;
}

/** `last`: the token of the list's `}`. */
static bool split_list(rk_fission *f, CXCursor list, size_t last)
{
    const rk_cursors all = rk_ast_children(list, f->arena);
    for (size_t i = 0; i < all.count; i++)
        all.items[i] = unwrap(f, all.items[i]);
    if (!rk_token_is(f->tokens, last, "}") ||
        rk_tokens_close(f->tokens, first_token(f, list)) != last)
        return rk_fission_refuse(f, list, "a statement that a macro begins or ends");
    f->levels++;
    for (size_t i = 0; i < all.count; i++) {
        const size_t next = i + 1 < all.count ? first_token(f, all.items[i + 1]) : last;
        if (next <= first_token(f, all.items[i]))
            return rk_fission_refuse(f, all.items[i], "a macro that is several statements");
        if (!split_statement(f, all.items[i], before(f, next)))
            return false;
    }
    f->levels++;
    return true;
}

bool rk_fission_split(rk_fission *f)
{
    if (!split_list(f, f->body, f->close))
        return false;
    for (size_t i = 0; i < f->parts.count; i++) {
        jumps j = {0};
        find_jumps(&j, f->parts.items[i].cursor, f->arena);
        f->parts.items[i].returns = j.returns;
        if (j.escapes)
            f->parts.items[i].kind = RK_PART_OUTSIDE; /* or refused, when it is decided */
    }
    return true;
}
