#include "convert/facts/spin.h"

#include "convert/clang/ast.h"
#include "convert/facts/system.h"

#include <string.h>

/*
 * A loop waits for another thread when some way through it changes nothing that the conditions on that way depend on,
 * and looks at memory that others write: taken once, it is taken for ever. Such a way may keep what it saw, work out
 * more from that, count, sleep, fence and meet others; functions that are called are followed. One that takes a lock
 * looks for nothing, since who has the lock runs; nor does one that tries again with what it saw.
 */

enum { MOST_DEPTH = 6, MOST_CHOICES = 24, MOST_WAYS = 256 };

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/** `variable` gets a value that is made of `value`; NULL cursors of memory alone. */
typedef struct {
    CXCursor variable, value;
    bool counts; /**< and of what it was */
} change;

/** One way through a loop, as far as it is followed. */
typedef struct {
    const rk_unit *unit;
    size_t end; /**< of the function's text around it */
    CXCursor loop;
    RK_VEC(change) changes;
    rk_cursors conditions;
    rk_cursors compared;        /**< what is exchanged if it is still there */
    rk_cursors open;            /**< functions that are being followed */
    bool choices[MOST_CHOICES]; /**< at each `if` on the way: whether it goes on in `else` */
    size_t chosen, choice_count;
    bool looks; /**< at memory, as only who waits for others does */
    bool reads; /**< other memory */
    bool locks; /**< takes a lock */
    bool pauses;
    bool timed; /**< and so ends some time */
    bool inner; /**< the statements are those of a loop inside it */
} way;

/** How a way goes on behind a statement. */
typedef enum {
    FALLS,  /**< with the next one */
    AGAIN,  /**< with the loop's next round; behind the call, in a function that is followed */
    LEAVES, /**< behind the loop */
    WORKS   /**< not at all: something is changed that others see */
} outcome;

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

/** Whether what the call changes is named elsewhere in the same function, as a lock is to be given back. */
static bool is_given_back(const way *s, CXCursor call)
{
    const words lock = words_of(s->unit, clang_Cursor_getArgument(call, 0));
    if (!lock.tokens)
        return false;
    unsigned begin, behind;
    rk_ast_extent(call, &begin, &behind);
    const size_t end = rk_tokens_at(lock.tokens, s->end);
    for (size_t i = rk_tokens_at(lock.tokens, behind); i < end; i++)
        if (are_words(lock.tokens, i, &lock))
            return true;
    return false;
}

/** What follows the atomic's name; NULL for another function. "Add_block" for atomicAdd_block. */
static const char *atomic_of(const char *name)
{
    return rk_str_starts(name, "atomic") && name[6] >= 'A' && name[6] <= 'Z' ? name + 6 : NULL;
}

static bool is_zero(CXCursor expression)
{
    CXEvalResult value = clang_Cursor_Evaluate(expression);
    if (!value)
        return false;
    const CXEvalResultKind kind = clang_EvalResult_getKind(value);
    const bool zero = (kind == CXEval_Int && clang_EvalResult_getAsLongLong(value) == 0) ||
                      (kind == CXEval_Float && clang_EvalResult_getAsDouble(value) == 0);
    clang_EvalResult_dispose(value);
    return zero;
}

static bool same_words(const rk_unit *unit, CXCursor a, CXCursor b)
{
    const words left = words_of(unit, a), right = words_of(unit, b);
    return left.tokens && left.end - left.first == right.end - right.first &&
           are_words(left.tokens, left.first, &right);
}

/**
 * CUDA's atomics: an exchange waits for what another thread writes, unless it takes a lock, which the function gives
 * back later, so that who has it runs. One of equal values only reads.
 */
static bool follow_atomic(way *s, CXCursor call, const char *what)
{
    const bool compares = rk_str_starts(what, "CAS");
    const CXCursor value = clang_Cursor_getArgument(call, 1);
    if (rk_str_starts(what, "Inc") || rk_str_starts(what, "Dec") ||
        ((rk_str_starts(what, "Add") || rk_str_starts(what, "Sub")) && !is_zero(value)))
        return false;
    if (compares)
        *rk_push(s->unit->arena, &s->compared) = value;
    const bool equal = compares && same_words(s->unit, value, clang_Cursor_getArgument(call, 2));
    if ((compares || rk_str_starts(what, "Exch")) && !equal && is_given_back(s, call))
        s->locks = true;
    else
        s->looks = true;
    return true;
}

static void add_change(way *s, CXCursor variable, CXCursor value, bool counts)
{
    *rk_push(s->unit->arena, &s->changes) = (change){variable, value, counts};
}

/** The variable, member or shared array that an assignment's left side is of; a null cursor for other memory. */
static CXCursor target_of(const rk_unit *unit, CXCursor left)
{
    const rk_cursors children = rk_ast_children(left, unit->arena);
    const CXCursor target = clang_getCursorReferenced(left);
    switch ((int)clang_getCursorKind(left)) {
    case CXCursor_DeclRefExpr: {
        const bool local =
            rk_ast_is_function(clang_getCursorKind(clang_getCursorSemanticParent(target)));
        return local || rk_ast_has_attribute(target, CXCursor_CUDASharedAttr, NULL)
                   ? target
                   : clang_getNullCursor();
    }
    case CXCursor_MemberRefExpr: /* of this, or of an object that is named */
        if (children.count == 0 || clang_getCursorKind(children.items[0]) == CXCursor_CXXThisExpr)
            return target;
        return clang_Cursor_isNull(target_of(unit, children.items[0])) ? clang_getNullCursor()
                                                                       : target;
    case CXCursor_ArraySubscriptExpr: {
        const CXCursor array =
            children.count ? target_of(unit, children.items[0]) : clang_getNullCursor();
        return rk_ast_has_attribute(array, CXCursor_CUDASharedAttr, NULL) ? array
                                                                          : clang_getNullCursor();
    }
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
        return children.count == 1 ? target_of(unit, children.items[0]) : clang_getNullCursor();
    default:
        return clang_getNullCursor();
    }
}

static bool follow(way *s, CXCursor expression);
static outcome pass(way *s, CXCursor statement);

static bool follow_all(way *s, const rk_cursors *parts, size_t first)
{
    bool idle = true;
    for (size_t i = first; i < parts->count; i++)
        idle &= follow(s, parts->items[i]);
    return idle;
}

static bool follow_assignment(way *s, const rk_cursors *sides, bool counts)
{
    const CXCursor variable = target_of(s->unit, sides->items[0]);
    if (clang_Cursor_isNull(variable) || !follow_all(s, sides, 1))
        return false;
    add_change(s, variable, sides->count > 1 ? sides->items[1] : clang_getNullCursor(), counts);
    return true;
}

/** A function's text: its ways end where it returns. */
static bool follow_function(way *s, CXCursor call, CXCursor function)
{
    rk_arena *arena = s->unit->arena;
    const CXCursor definition = clang_getCursorDefinition(function);
    if (clang_Cursor_isNull(definition) || s->open.count == MOST_DEPTH ||
        clang_CXXMethod_isVirtual(function))
        return false;
    for (size_t i = 0; i < s->open.count; i++)
        if (clang_equalCursors(s->open.items[i], definition))
            return false;
    const rk_cursors parts = rk_ast_children(definition, arena);
    CXCursor body = clang_getNullCursor();
    size_t next = 0;
    for (size_t i = 0; i < parts.count; i++) {
        if (clang_getCursorKind(parts.items[i]) == CXCursor_CompoundStmt)
            body = parts.items[i];
        if (clang_getCursorKind(parts.items[i]) != CXCursor_ParmDecl)
            continue;
        const CXCursor argument = clang_Cursor_getArgument(call, (unsigned)next++);
        const CXType type = clang_getCanonicalType(clang_getCursorType(parts.items[i]));
        const CXCursor variable =
            clang_Cursor_isNull(argument) ? argument : target_of(s->unit, argument);
        add_change(s, parts.items[i], argument, false);
        if (type.kind == CXType_LValueReference && !clang_Cursor_isNull(variable) &&
            !clang_isConstQualifiedType(clang_getPointeeType(type)))
            add_change(s, variable, body, false);
    }
    if (clang_Cursor_isNull(body))
        return false;
    const bool inner = s->inner;
    s->inner = false;
    *rk_push(arena, &s->open) = definition;
    const outcome e = pass(s, body);
    s->open.count--;
    s->inner = inner;
    add_change(s, function, body, false);
    return e == FALLS || e == AGAIN;
}

/** A function of CUDA's or of another library without a text to follow. */
static bool follow_system(way *s, CXCursor call, CXCursor function, const char *name)
{
    static const char *const pauses[] = {
        "__nanosleep", "__threadfence",        "__threadfence_block", "__syncwarp",
        "nanosleep",   "__threadfence_system", "atomic_thread_fence"};
    static const char *const loads[] = {"load", "test", "test_and_set", "__ldcg", "__ldcv"};
    const char *atomic = atomic_of(name);
    if (atomic)
        return follow_atomic(s, call, atomic);
    s->pauses |= is_among(name, pauses, sizeof pauses / sizeof *pauses);
    s->timed |= strstr(name, "clock") || strstr(name, "globaltimer");
    const bool of_cuda = rk_system_in_namespace(function, "cuda", s->unit->arena) ||
                         rk_system_in_namespace(function, "std", s->unit->arena);
    const bool looks = is_among(name, loads, sizeof loads / sizeof *loads) ||
                       (of_cuda && rk_str_starts(name, "operator ") &&
                        clang_getCursorKind(function) == CXCursor_ConversionFunction);
    s->looks |= looks;
    if (looks || rk_str_starts(name, "__ld") ||
        clang_getCursorKind(function) == CXCursor_Constructor)
        return true;
    if (rk_system_in_namespace(function, "cooperative_groups", s->unit->arena))
        return true;
    if (of_cuda && clang_getCursorKind(function) == CXCursor_CXXMethod)
        return clang_CXXMethod_isConst(function) && strcmp(name, "arrive") != 0 &&
               !rk_str_starts(name, "fetch_") && strcmp(name, "store") != 0 &&
               !rk_str_starts(name, "compare_") && strcmp(name, "exchange") != 0 &&
               !rk_str_starts(name, "operator");
    const int count = clang_Cursor_getNumArguments(function);
    for (int i = 0; i < count; i++) {
        const CXType type = clang_getCanonicalType(
            clang_getCursorType(clang_Cursor_getArgument(function, (unsigned)i)));
        if ((type.kind == CXType_Pointer || type.kind == CXType_LValueReference) &&
            !clang_isConstQualifiedType(clang_getPointeeType(type)))
            return false;
    }
    return true;
}

/** The function that a call names, the only candidate of a call in a template among them. */
static CXCursor callee_of(const rk_unit *unit, CXCursor call)
{
    CXCursor target = clang_getCursorReferenced(call);
    const rk_cursors children = rk_ast_children(call, unit->arena);
    if (!rk_ast_is_function(clang_getCursorKind(target)) && children.count)
        target = clang_getCursorReferenced(children.items[0]);
    if (clang_getCursorKind(target) == CXCursor_OverloadedDeclRef &&
        clang_getNumOverloadedDecls(target) == 1)
        target = clang_getOverloadedDecl(target, 0);
    return target;
}

/** The operator that a call in a template may mean, of types that depend on its arguments: "<"; NULL for none. */
static const char *operator_of(const rk_unit *unit, const rk_cursors *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        const CXCursor target = clang_getCursorReferenced(parts->items[i]);
        const char *name = rk_ast_name(target, unit->arena);
        if (clang_getCursorKind(target) == CXCursor_OverloadedDeclRef &&
            rk_str_starts(name, "operator"))
            return name + strlen("operator");
    }
    return NULL;
}

/** Taken for what it is for numbers and pointers. */
static bool follow_operator(way *s, const rk_cursors *parts, const char *what)
{
    static const char *const compares[] = {"==", "!=", "<=", ">="};
    const bool steps = strcmp(what, "++") == 0 || strcmp(what, "--") == 0;
    s->reads |= strcmp(what, "*") == 0 || strcmp(what, "[]") == 0;
    if (!steps &&
        (!rk_str_ends(what, "=") || is_among(what, compares, sizeof compares / sizeof *compares)))
        return true;
    for (size_t i = 0; i < parts->count; i++) {
        const CXCursor variable = target_of(s->unit, parts->items[i]);
        if (!clang_Cursor_isNull(variable)) {
            add_change(s, variable, clang_getNullCursor(), true);
            return true;
        }
    }
    return false;
}

static bool follow_call(way *s, CXCursor call)
{
    const CXCursor function = callee_of(s->unit, call);
    const rk_cursors parts = rk_ast_children(call, s->unit->arena);
    if (!follow_all(s, &parts, 0))
        return false;
    const char *name = rk_ast_name(call, s->unit->arena);
    const char *what = operator_of(s->unit, &parts);
    if (what)
        return follow_operator(s, &parts, what);
    if (!rk_ast_is_function(clang_getCursorKind(function)))
        return atomic_of(name) ? follow_atomic(s, call, atomic_of(name)) : false;
    const bool known = atomic_of(name) || rk_str_starts(name, "__") ||
                       rk_system_in_namespace(function, "cuda", s->unit->arena) ||
                       rk_system_in_namespace(function, "std", s->unit->arena) ||
                       rk_system_in_namespace(function, "cooperative_groups", s->unit->arena);
    const bool has_text = !clang_Cursor_isNull(clang_getCursorDefinition(function));
    if (has_text ? known && rk_ast_is_system(function) : known || rk_ast_is_system(function))
        return follow_system(s, call, function, name);
    return follow_function(s, call, function);
}

/** Inline assembly: what it loads, whether it pauses or takes the time; false where it changes memory. */
static bool follow_assembly(way *s, CXCursor statement)
{
    static const char *const looks[] = {".acquire", ".relaxed", ".volatile", ".cv", ".cg"};
    static const char *const changes[] = {"st.", "red.", "atom.", "cp.", "exch.", "multimem."};
    static const char *const pauses[] = {"nanosleep", "membar", "fence"};
    unsigned begin, end;
    rk_ast_extent(statement, &begin, &end);
    const rk_where at = rk_ast_spelling(s->unit, clang_getCursorLocation(statement));
    if (at.file == RK_NONE || end > s->unit->files.items[at.file]->bytes.size || begin > end)
        return false;
    const char *text = rk_arena_strndup(
        s->unit->arena, s->unit->files.items[at.file]->bytes.data + begin, end - begin);
    const bool loads = strstr(text, "ld.") != NULL;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        s->looks |= loads && strstr(text, looks[i]);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (strstr(text, changes[i]))
            return false;
    for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++)
        s->pauses |= strstr(text, pauses[i]) != NULL;
    s->pauses |= strstr(text, "\"memory\"") && !loads;
    s->timed |= strstr(text, "clock") || strstr(text, "globaltimer");
    s->reads |= loads;
    const rk_cursors operands = rk_ast_children(statement, s->unit->arena);
    for (size_t i = 0; i < operands.count; i++) {
        const CXCursor variable = target_of(s->unit, operands.items[i]);
        if (!clang_Cursor_isNull(variable))
            add_change(s, variable, clang_getNullCursor(), false);
    }
    return true;
}

/** What an address is taken of is not read. */
static bool follow_address(way *s, const rk_cursors *parts)
{
    const bool looks = s->looks, reads = s->reads;
    const bool idle = follow_all(s, parts, 0);
    s->looks = looks;
    s->reads = reads;
    return idle;
}

/** Takes an expression in; false where it changes more than variables of the functions around it. */
static bool follow(way *s, CXCursor expression)
{
    const rk_cursors parts = rk_ast_children(expression, s->unit->arena);
    const enum CXCursorKind kind = clang_getCursorKind(expression);
    if (clang_isExpression(kind) && clang_isVolatileQualifiedType(clang_getCursorType(expression)))
        s->looks = true;
    switch ((int)kind) {
    case CXCursor_BinaryOperator:
        if (clang_getCursorBinaryOperatorKind(expression) == CXBinaryOperator_Assign)
            return follow_assignment(s, &parts, false);
        break;
    case CXCursor_CompoundAssignOperator:
        return follow_assignment(s, &parts, true);
    case CXCursor_UnaryOperator:
        switch ((int)clang_getCursorUnaryOperatorKind(expression)) {
        case CXUnaryOperator_PostInc:
        case CXUnaryOperator_PostDec:
        case CXUnaryOperator_PreInc:
        case CXUnaryOperator_PreDec:
            return follow_assignment(s, &parts, true);
        case CXUnaryOperator_Deref:
            s->reads = true;
            break;
        case CXUnaryOperator_AddrOf:
            return follow_address(s, &parts);
        }
        break;
    case CXCursor_ArraySubscriptExpr:
        s->reads = true;
        break;
    case CXCursor_CallExpr:
        return follow_call(s, expression);
    case CXCursor_LambdaExpr:
    case CXCursor_StmtExpr:
    case CXCursor_CXXNewExpr:
    case CXCursor_CXXDeleteExpr:
    case CXCursor_CXXThrowExpr:
        return false;
    }
    return follow_all(s, &parts, 0);
}

/** A condition on the way. */
static bool follow_condition(way *s, CXCursor condition)
{
    if (!s->inner)
        *rk_push(s->unit->arena, &s->conditions) = condition;
    return follow(s, condition);
}

static bool declare(way *s, CXCursor statement)
{
    const rk_cursors variables = rk_ast_children(statement, s->unit->arena);
    for (size_t i = 0; i < variables.count; i++) {
        if (clang_getCursorKind(variables.items[i]) != CXCursor_VarDecl)
            continue;
        const CXCursor value = clang_Cursor_getVarDeclInitializer(variables.items[i]);
        if (clang_Cursor_isNull(value))
            continue;
        if (!follow(s, value))
            return false;
        add_change(s, variables.items[i], value, false);
    }
    return true;
}

static outcome pass_all(way *s, CXCursor compound)
{
    const rk_cursors all = rk_ast_children(compound, s->unit->arena);
    outcome e = FALLS;
    for (size_t i = 0; i < all.count && e == FALLS; i++)
        e = pass(s, all.items[i]);
    return e;
}

/** What was chosen at this `if` of the way; the first time it is the first branch. */
static bool choose(way *s)
{
    if (s->chosen == s->choice_count)
        s->choices[s->choice_count++] = false;
    return s->choices[s->chosen++];
}

static outcome pass_if(way *s, CXCursor statement)
{
    const rk_cursors parts = rk_ast_children(statement, s->unit->arena);
    size_t i = 0;
    for (; i < parts.count && (clang_getCursorKind(parts.items[i]) == CXCursor_DeclStmt ||
                               clang_getCursorKind(parts.items[i]) == CXCursor_VarDecl);
         i++)
        if (clang_getCursorKind(parts.items[i]) == CXCursor_VarDecl || !declare(s, parts.items[i]))
            return WORKS;
    const bool has_else = i + 2 < parts.count;
    if (i + 1 >= parts.count || !follow_condition(s, parts.items[i]) || s->chosen == MOST_CHOICES)
        return WORKS;
    if (s->inner) { /* both */
        const outcome yes = pass(s, parts.items[i + 1]);
        return yes == WORKS ? WORKS : has_else ? pass(s, parts.items[i + 2]) : FALLS;
    }
    const bool no = choose(s);
    return !no ? pass(s, parts.items[i + 1]) : has_else ? pass(s, parts.items[i + 2]) : FALLS;
}

/** A loop inside is gone through when nothing in it changes more than variables; what it waits for is its own. */
static outcome pass_loop(way *s, CXCursor loop)
{
    const rk_cursors parts = rk_ast_children(loop, s->unit->arena);
    const bool inner = s->inner;
    bool idle = true;
    s->inner = true;
    for (size_t i = 0; i < parts.count && idle; i++)
        idle = pass(s, parts.items[i]) != WORKS;
    s->inner = inner;
    return idle ? FALLS : WORKS;
}

static outcome pass(way *s, CXCursor statement)
{
    const rk_cursors parts = rk_ast_children(statement, s->unit->arena);
    const enum CXCursorKind kind = clang_getCursorKind(statement);
    switch ((int)kind) {
    case CXCursor_NullStmt:
        return FALLS;
    case CXCursor_BreakStmt:
    case CXCursor_GotoStmt:
        return s->inner ? FALLS : LEAVES;
    case CXCursor_ReturnStmt:
        if (s->open.count == 0)
            return s->inner ? FALLS : LEAVES;
        return follow_all(s, &parts, 0) ? AGAIN : WORKS;
    case CXCursor_ContinueStmt:
        return s->inner ? FALLS : AGAIN;
    case CXCursor_CompoundStmt:
        return pass_all(s, statement);
    case CXCursor_IfStmt:
        return pass_if(s, statement);
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_ForStmt:
        return pass_loop(s, statement);
    case CXCursor_DeclStmt:
        return declare(s, statement) ? FALLS : WORKS;
    case CXCursor_GCCAsmStmt:
        return follow_assembly(s, statement) ? FALLS : WORKS;
    case CXCursor_LabelStmt:
        return parts.count ? pass(s, parts.items[parts.count - 1]) : WORKS;
    default:
        return clang_isExpression(kind) && follow(s, statement) ? FALLS : WORKS;
    }
}

/* What depends on what. */

/** Whether the variable is among those whose values an expression is made of, at any depth. */
static bool is_made_of(const way *s, CXCursor expression, CXCursor variable, int depth)
{
    const CXCursor target = clang_getCursorReferenced(expression);
    const enum CXCursorKind kind = clang_getCursorKind(expression);
    if (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr) {
        if (clang_equalCursors(target, variable))
            return true;
        for (size_t i = 0; i < s->changes.count && depth < MOST_DEPTH; i++)
            if (clang_equalCursors(s->changes.items[i].variable, target) &&
                !clang_Cursor_isNull(s->changes.items[i].value) &&
                is_made_of(s, s->changes.items[i].value, variable, depth + 1))
                return true;
    }
    const rk_cursors parts = rk_ast_children(expression, s->unit->arena);
    for (size_t i = 0; i < parts.count; i++)
        if (is_made_of(s, parts.items[i], variable, depth))
            return true;
    return false;
}

/** Whether a variable goes on from what it was when the way began: what counts is its first change on it. */
static bool goes_on(const way *s, const change *c)
{
    for (const change *first = s->changes.items; first < c; first++)
        if (clang_equalCursors(first->variable, c->variable))
            return false; /* which is looked at by itself */
    return c->counts || (!clang_Cursor_isNull(c->value) && is_made_of(s, c->value, c->variable, 0));
}

/** Whether a condition on the way depends on what goes on, or an exchange on what was seen. */
static bool gets_on(const way *s)
{
    for (size_t i = 0; i < s->changes.count; i++) {
        const change *c = &s->changes.items[i];
        for (size_t k = 0; k < s->compared.count; k++)
            if (is_made_of(s, s->compared.items[k], c->variable, 0))
                return true;
        bool asked = false;
        for (size_t k = 0; k < s->conditions.count && !asked; k++)
            asked = is_made_of(s, s->conditions.items[k], c->variable, 0);
        if (asked && goes_on(s, c))
            return true;
    }
    return false;
}

/* Loops. */

/** Between which parts of the head of a `for` a child stands, 0 to 2; 3: it is the body; -1 where a macro makes it. */
static int part_of_for(const way *s, CXCursor child)
{
    unsigned begin, end, at, unused;
    rk_ast_extent(s->loop, &begin, &end);
    rk_ast_extent(child, &at, &unused);
    const rk_where loop = rk_ast_spelling(s->unit, clang_getCursorLocation(s->loop));
    if (loop.file == RK_NONE || loop.offset != begin)
        return -1;
    const rk_tokens *t = &s->unit->files.items[loop.file]->tokens;
    const size_t open = rk_tokens_at(t, begin) + 1, close = rk_tokens_close(t, open);
    if (!rk_token_is(t, open - 1, "for") || close >= t->count)
        return -1;
    if (at > t->items[close].offset)
        return 3;
    int part = 0;
    for (size_t i = open + 1; i < close && t->items[i].offset < at; i++) {
        if (rk_token_is(t, i, "(") || rk_token_is(t, i, "{") || rk_token_is(t, i, "["))
            i = rk_tokens_close(t, i);
        else
            part += rk_token_is(t, i, ";");
    }
    return part;
}

static outcome pass_for(way *s, const rk_cursors *parts)
{
    outcome body = FALLS;
    for (size_t i = 0; i < parts->count; i++) {
        const int part = i + 1 == parts->count ? 3 : part_of_for(s, parts->items[i]);
        if (part < 0 || (part == 1 && !follow_condition(s, parts->items[i])) ||
            (part == 2 && !follow(s, parts->items[i])))
            return WORKS;
        if (part == 3)
            body = pass(s, parts->items[i]);
    }
    return body;
}

static outcome pass_body(way *s)
{
    const enum CXCursorKind kind = clang_getCursorKind(s->loop);
    const rk_cursors parts = rk_ast_children(s->loop, s->unit->arena);
    if (kind == CXCursor_ForStmt)
        return pass_for(s, &parts);
    if ((kind != CXCursor_WhileStmt && kind != CXCursor_DoStmt) || parts.count != 2)
        return WORKS;
    const bool first = kind == CXCursor_DoStmt;
    return follow_condition(s, parts.items[first]) ? pass(s, parts.items[!first]) : WORKS;
}

/** The next way in the order of the choices; false when there is none. */
static bool next_way(way *s)
{
    while (s->choice_count > 0 && s->choices[s->choice_count - 1])
        s->choice_count--;
    if (s->choice_count == 0)
        return false;
    s->choices[s->choice_count - 1] = true;
    return true;
}

rk_spin rk_spin_look(const rk_unit *unit, CXCursor loop, size_t function_end)
{
    way s = {.unit = unit, .end = function_end, .loop = loop};
    bool waits = false, reads = false, gets_anywhere = false;
    int count = 0;
    do {
        s.changes.count = s.conditions.count = s.compared.count = s.chosen = 0;
        s.looks = s.reads = s.locks = s.pauses = s.timed = false;
        const outcome e = pass_body(&s);
        if (e == LEAVES)
            continue;
        const bool idle = e != WORKS && !s.timed && !gets_on(&s);
        gets_anywhere |= !idle;
        waits |= idle && (s.looks || (s.reads && s.pauses && !s.locks));
        reads |= idle && s.reads && !s.locks;
    } while (next_way(&s) && ++count < MOST_WAYS);
    if (count == MOST_WAYS || (!waits && (!reads || gets_anywhere)))
        return RK_SPIN_NONE;
    return gets_anywhere ? RK_SPIN_MAY_WAIT : RK_SPIN_WAITS;
}
