#include "convert/launches/execute.h"
#include "base/str.h"
#include "base/vec.h"

#include <string.h>

void rk_hx_push_condition(rk_hrun *run, rk_hstate *state, const rk_cexpr *condition)
{
    if (rk_cexpr_is_int(condition, 1))
        return;
    if (rk_cexpr_has_status(condition) || (!run->helper && rk_cexpr_has_input(condition))) {
        state->partial = true;
        return;
    }
    rk_hpath *path = RK_NEW(run->arena, rk_hpath);
    *path = (rk_hpath){.condition = condition, .next = state->path};
    state->path = path;
}

/** A condition's value as bool, NULL when it is not known. */
const rk_cexpr *rk_hx_condition_of(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_hv value = rk_h_eval(run, env, expr);
    if (value.kind == RK_HV_POINTER && rk_cexpr_is_int(value.sym, 0)) {
        rk_hv null = {.kind = RK_HV_POINTER, .sym = rk_cexpr_int(run->arena, 0, rk_ctype_int)};
        value = rk_h_binary(run->arena, "!=", value, null);
    }
    return value.kind == RK_HV_SCALAR ? rk_cexpr_convert(run->arena, value.sym, rk_ctype_bool)
                                      : NULL;
}

static void lambda_launches(rk_hrun *run, rk_cursors c, const rk_hstate *state)
{
    rk_hstate inner = *state;
    inner.partial = true;
    inner.env = rk_h_lose_changed(run, state->env, run->body);
    const bool uncalled = run->uncalled;
    for (size_t i = 0; i < c.count; i++) {
        if (clang_getCursorKind(c.items[i]) != CXCursor_ParmDecl)
            continue;
        run->uncalled = true;
        inner.env =
            rk_henv_lose(run->arena, inner.env, c.items[i], true, "is a parameter of a lambda");
    }
    rk_hx_run_statement(run, c.items[c.count - 1], &inner);
    run->uncalled = uncalled;
}

/** Whether the operands after the first are evaluated under a condition. */
static bool is_conditional(CXCursor expr)
{
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(expr);
    return clang_getCursorKind(expr) == CXCursor_ConditionalOperator ||
           op == CXBinaryOperator_LAnd || op == CXBinaryOperator_LOr;
}

static void tell_result(rk_hrun *run, CXCursor call, rk_hv value)
{
    rk_hresult *result = RK_NEW(run->arena, rk_hresult);
    *result = (rk_hresult){.call = call, .value = value, .next = run->results};
    run->results = result;
}

/**
 * Reports the launches and calls inside an expression, operands first, those in lambdas with what is
 * sure to hold there.
 */
static void nested_calls(rk_hrun *run, CXCursor node, rk_hstate *state)
{
    if (!run->launch && !run->call)
        return;
    rk_cursors c = rk_ast_children(node, run->arena);
    CXCursor configuration;
    if (clang_getCursorKind(node) == CXCursor_LambdaExpr) {
        if (c.count)
            lambda_launches(run, c, state);
        return;
    }
    const bool partial = state->partial;
    for (size_t i = 0; i < c.count; i++) {
        state->partial = partial || (i > 0 && is_conditional(node));
        nested_calls(run, c.items[i], state);
    }
    state->partial = partial;
    rk_hv value;
    if (rk_h_is_launch(run->arena, node, &configuration) || rk_h_is_launch_call(run->arena, node)) {
        if (run->launch)
            run->launch(run, node, state);
    } else if (run->call && clang_getCursorKind(node) == CXCursor_CallExpr &&
               run->call(run, node, state, &value)) {
        tell_result(run, node, value);
    } else if (run->enter && !run->call && clang_getCursorKind(node) == CXCursor_CallExpr) {
        run->enter(run, node, state);
    }
}

/** The effects of an expression that is evaluated once. */
void rk_hx_lose_changed(rk_hrun *run, CXCursor node, rk_hstate *state)
{
    CXCursor e = rk_h_unwrap(run->arena, node);
    run->whole = clang_getCursorKind(e) == CXCursor_CallExpr ? e : clang_getNullCursor();
    run->before = state->env;
    state->env = rk_h_after(run, state->env, node);
    nested_calls(run, node, state);
}

/** Whether it is a member of a member of the object whose method this is: `grid.x`. */
static bool is_part_of_own(rk_arena *arena, CXCursor e)
{
    while (clang_getCursorKind(e) == CXCursor_MemberRefExpr && !rk_h_is_own_member(arena, e)) {
        const rk_cursors c = rk_ast_children(e, arena);
        if (c.count == 0 || rk_h_ctype(clang_getCursorType(c.items[0])).kind == RK_CTYPE_POINTER)
            return false;
        e = rk_h_unwrap(arena, c.items[0]);
    }
    return rk_h_is_own_member(arena, e);
}

/** Sets a variable, or a member of one; false when the lvalue is neither. */
static bool assign(rk_hrun *run, rk_hstate *state, CXCursor lvalue, rk_hv value)
{
    rk_arena *arena = run->arena;
    CXCursor e = rk_h_unwrap(arena, lvalue), root;
    if (rk_h_is_own_member(arena, e)) {
        value = rk_hv_convert(arena, value, clang_getCursorType(e));
        state->env = rk_henv_touch(arena, state->env, false);
        state->env = rk_henv_set(arena, state->env, clang_getCursorReferenced(e), value);
        return true;
    }
    if (!rk_h_root(&root, arena, e) && !is_part_of_own(arena, e))
        return false;
    value = rk_hv_convert(arena, value, clang_getCursorType(e));
    if (clang_getCursorKind(e) == CXCursor_DeclRefExpr) {
        bool pointer = rk_h_ctype(clang_getCursorType(e)).kind == RK_CTYPE_POINTER;
        const rk_henv *old = rk_henv_find(state->env, root);
        if (rk_h_is_global(root) || pointer || (old && old->escaped))
            state->env = rk_henv_touch(arena, state->env, false);
        state->env = rk_henv_set(arena, state->env, root, value);
        return true;
    }
    CXCursor object;
    const char *name;
    if (!rk_h_part(&object, &name, run, state->env, e))
        return false;
    rk_hv whole =
        rk_h_expand(arena, rk_h_eval(run, state->env, object), clang_getCursorType(object), NULL);
    return assign(run, state, object, rk_hv_with_field(arena, whole, name, value));
}

static rk_hv compound_value(rk_hrun *run, const rk_henv *env, CXCursor expr, rk_cursors c)
{
    rk_arena *arena = run->arena;
    const char *spelling = rk_ast_text(
        clang_getBinaryOperatorKindSpelling(clang_getCursorBinaryOperatorKind(expr)), arena);
    size_t length = strlen(spelling);
    const char *op = rk_arena_strndup(arena, spelling, length ? length - 1 : 0);
    return rk_h_binary(arena, op, rk_h_eval(run, env, c.items[0]), rk_h_eval(run, env, c.items[1]));
}

bool rk_hx_is_assignment(CXCursor e)
{
    return clang_getCursorKind(e) == CXCursor_BinaryOperator &&
           clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_Assign;
}

/** `x = e`, `x op= e`, `++x` and the like as statements of their own. */
static bool run_assignment(rk_hrun *run, CXCursor e, rk_hstate *state)
{
    rk_cursors c = rk_ast_children(e, run->arena);
    enum CXCursorKind kind = clang_getCursorKind(e);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(e);
    bool step = kind == CXCursor_UnaryOperator && op >= CXUnaryOperator_PostInc &&
                op <= CXUnaryOperator_PreDec;
    bool compound = kind == CXCursor_CompoundAssignOperator;
    bool copy = kind == CXCursor_CallExpr && c.count == 3 &&
                strcmp(rk_ast_name(e, run->arena), "operator=") == 0;
    if (!(rk_hx_is_assignment(e) && c.count == 2) && !(compound && c.count == 2) &&
        !(step && c.count == 1) && !copy)
        return false;
    CXCursor right = c.items[c.count - 1], chained = rk_h_unwrap(run->arena, right);
    if (!step && !(rk_hx_is_assignment(chained) && run_assignment(run, chained, state)))
        rk_hx_lose_changed(run, right, state);
    rk_hv value;
    if (step) {
        bool up = op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PreInc;
        rk_hv one = rk_hv_scalar(rk_cexpr_int(run->arena, 1, rk_ctype_int));
        value =
            rk_h_binary(run->arena, up ? "+" : "-", rk_h_eval(run, state->env, c.items[0]), one);
    } else if (compound) {
        value = compound_value(run, state->env, e, c);
    } else {
        while (rk_hx_is_assignment(chained)) /* what it left in its left side */
            chained = rk_h_unwrap(run->arena, rk_ast_children(chained, run->arena).items[0]);
        value = rk_h_eval(run, state->env, chained);
    }
    return assign(run, state, c.items[0], value);
}

void rk_hx_run_expression(rk_hrun *run, CXCursor expr, rk_hstate *state)
{
    CXCursor e = rk_h_unwrap(run->arena, expr);
    enum CXCursorKind kind = clang_getCursorKind(e);
    if (run_assignment(run, e, state))
        return;
    if (kind == CXCursor_BinaryOperator &&
        clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_Comma) {
        rk_cursors c = rk_ast_children(e, run->arena);
        for (size_t i = 0; i < c.count; i++)
            rk_hx_run_expression(run, c.items[i], state);
        return;
    }
    rk_hx_lose_changed(run, e, state);
    if (kind == CXCursor_CXXThrowExpr ||
        (kind == CXCursor_CallExpr && rk_hx_never_returns(run, e))) {
        state->ended = state->failed = true;
        state->exits++;
    }
}

/** An array of pointers to variables, as cudaLaunchKernel takes it, does not change them. */
static bool is_argument_list(CXType type)
{
    CXType t = clang_getCanonicalType(type);
    CXType element = clang_getCanonicalType(clang_getArrayElementType(t));
    return t.kind == CXType_ConstantArray && element.kind == CXType_Pointer &&
           clang_getPointeeType(element).kind == CXType_Void;
}

/**
 * A number that is set to what is read from memory, called, or depends on a template parameter, in ways that are not
 * followed, is an input of that kind.
 */
static rk_hv declared_value(rk_hrun *run, CXCursor decl, CXCursor init, rk_hv value)
{
    const CXType type = clang_getCursorType(decl);
    const rk_ctype t = rk_h_ctype(type);
    const CXCursor e = rk_h_unwrap(run->arena, init);
    const enum CXCursorKind kind = clang_getCursorKind(e);
    const bool memory = kind == CXCursor_ArraySubscriptExpr || kind == CXCursor_MemberRefExpr;
    const bool dependent = rk_h_ctype(clang_getCursorType(e)).kind == RK_CTYPE_OTHER;
    if (value.kind != RK_HV_UNKNOWN || !run->inputs || run->uncalled || t.kind == RK_CTYPE_OTHER ||
        t.kind == RK_CTYPE_POINTER || (kind != CXCursor_CallExpr && !dependent))
        return value;
    rk_cexpr_input *input = rk_hinput_new(run,
                                          kind == CXCursor_CallExpr ? RK_INPUT_CALL
                                          : memory                  ? RK_INPUT_MEMORY
                                                                    : RK_INPUT_TEMPLATE,
                                          init, rk_h_source(run->arena, init));
    return rk_hv_of_input(run->arena, input, rk_ast_name(decl, run->arena), type);
}

static void run_variable(rk_hrun *run, CXCursor decl, rk_hstate *state)
{
    rk_arena *arena = run->arena;
    CXType type = clang_getCursorType(decl);
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    if (rk_h_is_global(decl)) {
        if (!clang_Cursor_isNull(init)) /* a static one's, when it is come to first */
            rk_hx_lose_changed(run, decl, state);
        return;
    }
    if (clang_Cursor_isNull(init)) {
        const char *missing = rk_arena_printf(arena, "'%s' is not set", rk_ast_name(decl, arena));
        rk_hv none = rk_hv_unknown(arena, "%s", missing);
        if (rk_h_is_function_pointer(type))
            none = (rk_hv){.kind = RK_HV_POINTER, .sym = rk_cexpr_int(arena, 0, rk_ctype_int)};
        state->env = rk_henv_set(arena, state->env, decl, rk_h_expand(arena, none, type, missing));
        return;
    }
    bool list = is_argument_list(type) && clang_getCursorKind(init) == CXCursor_InitListExpr;
    if (!list)
        rk_hx_lose_changed(run, decl, state);
    if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference) {
        state->env = rk_henv_lose(arena, state->env, decl, true, "is a reference");
    } else {
        rk_hv value = rk_hv_convert(arena, rk_h_eval(run, state->env, init), type);
        value = declared_value(run, decl, init, value);
        if (rk_h_ctype(type).kind == RK_CTYPE_OTHER && value.kind == RK_HV_SCALAR)
            value = rk_hv_unknown(arena, "the type of '%s' is not known", rk_ast_name(decl, arena));
        state->env = rk_henv_set(arena, state->env, decl, value);
    }
}

static const rk_henv *merge(rk_hrun *run, const rk_cexpr *condition, const rk_henv *base,
                            const rk_henv *a, const rk_henv *b)
{
    const rk_henv *merged = base;
    const rk_henv *sides[] = {a, b};
    const rk_henv none = {0};
    const rk_henv *was = base ? base : &none, *x1 = a ? a : &none, *x2 = b ? b : &none;
    bool outside = x1->globals != was->globals || x2->globals != was->globals;
    bool memory = x1->memory != was->memory || x2->memory != was->memory;
    for (int side = 0; side < 2; side++) {
        for (const rk_henv *e = sides[side]; e && e != base; e = e->next) {
            outside = outside || rk_h_is_global(e->variable);
            if (clang_Cursor_isNull(e->variable) || rk_h_is_global(e->variable))
                continue;
            const rk_henv *in_base = rk_henv_find(base, e->variable);
            if (!in_base || rk_henv_find(merged, e->variable) != in_base)
                continue;
            const rk_henv *x = rk_henv_find(a, e->variable), *y = rk_henv_find(b, e->variable);
            rk_hv both = rk_hv_choice(run->arena, condition, x->value, y->value);
            if (x->escaped || y->escaped || (!condition && both.kind != RK_HV_CASES))
                merged = rk_henv_lose(run->arena, merged, e->variable, x->escaped || y->escaped,
                                      "changes in a way that is not followed");
            else
                merged = rk_henv_set(run->arena, merged, e->variable, both);
        }
    }
    return outside || memory ? rk_henv_touch(run->arena, merged, outside) : merged;
}

/** The state after two ways meet, each of which may have ended. `before` is where they parted. */
static void join(rk_hrun *run, rk_hstate *out, const rk_cexpr *condition, const rk_hstate *before,
                 const rk_hstate *a, const rk_hstate *b)
{
    bool broke = a->broke || b->broke, continued = a->continued || b->continued;
    if (run->call && a->failed != b->failed) { /* where calls are followed, the program succeeds */
        *out = a->failed ? *b : *a;
        out->path = before->path;
        out->partial = before->partial;
        return;
    }
    if (a->ended || b->ended) {
        *out = a->ended ? *b : *a;
        out->leaks += a->ended != b->ended;
        out->partial = out->partial || !condition;
    } else {
        bool leaked = a->leaks > before->leaks || b->leaks > before->leaks;
        out->env = merge(run, condition, before->env, a->env, b->env);
        out->path = before->path;
        out->partial = before->partial || leaked;
        out->leaks = a->leaks + b->leaks - before->leaks;
        out->ended = false;
    }
    out->exits = a->exits + b->exits - before->exits;
    out->broke = broke;
    out->continued = continued;
}

bool rk_hx_is_declaration(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_DeclStmt || kind == CXCursor_VarDecl;
}

/**
 * An `if` on the result of a CUDA call: what comes after it is described for success. What depends
 * on it inside is not known to be reached.
 */
static void run_status_if(rk_hrun *run, rk_hstate *state, bool success, const CXCursor *branches,
                          size_t count)
{
    const rk_hstate before = *state;
    for (size_t i = 0; i < count && i < 2; i++) {
        rk_hstate inside = before;
        inside.partial = true;
        rk_hx_run_statement(run, branches[i], &inside);
        if ((i == 0) != success)
            continue;
        *state = inside.ended ? before : inside;
        state->path = before.path;
        state->partial = before.partial || inside.ended || inside.leaks > before.leaks;
        state->leaks = inside.leaks + inside.ended;
        state->exits = inside.exits;
        state->broke = inside.broke;
        state->continued = inside.continued;
    }
}

static void run_if(rk_hrun *run, CXCursor stmt, rk_hstate *state)
{
    rk_cursors c = rk_ast_children(stmt, run->arena);
    size_t i = 0;
    while (i + 2 < c.count && rk_hx_is_declaration(c.items[i]))
        rk_hx_run_statement(run, c.items[i++], state);
    if (c.count - i < 2) {
        state->env = rk_h_lose_changed(run, state->env, stmt);
        nested_calls(run, stmt, state);
        return;
    }
    CXCursor test = c.items[i];
    rk_hx_lose_changed(run, test, state);
    const rk_cexpr *condition = rk_hx_condition_of(run, state->env, test);
    rk_hstate yes = *state, no = *state;
    if (condition && condition->kind == RK_CEXPR_INT) {
        if (condition->i)
            rk_hx_run_statement(run, c.items[i + 1], state);
        else if (c.count > i + 2)
            rk_hx_run_statement(run, c.items[i + 2], state);
        return;
    }
    if (condition && rk_cexpr_has_status(condition)) {
        int success = rk_cexpr_successful(condition);
        if (success >= 0) {
            run_status_if(run, state, success, &c.items[i + 1], c.count - i - 1);
            return;
        }
        condition = NULL;
    }
    yes.broke = no.broke = yes.continued = no.continued = false;
    if (condition) {
        rk_hx_push_condition(run, &yes, condition);
        rk_hx_push_condition(run, &no, rk_cexpr_negate(run->arena, condition));
    } else {
        yes.partial = no.partial = true;
    }
    const rk_hstate before = *state;
    rk_hx_run_statement(run, c.items[i + 1], &yes);
    if (c.count > i + 2)
        rk_hx_run_statement(run, c.items[i + 2], &no);
    join(run, state, condition, &before, &yes, &no);
    state->broke = state->broke || before.broke;
    state->continued = state->continued || before.continued;
}

typedef struct {
    const rk_cexpr *condition; /**< NULL: not known */
    rk_hstate state;
} way;

typedef RK_VEC(way) way_list;

/** A switch being run: its value, its labels, and the ways out of it. */
typedef struct {
    CXCursor body;
    const rk_cexpr *value;
    const rk_cexpr *no_case;   /**< the condition of the default label */
    const rk_cexpr *condition; /**< of the group of statements being run */
    rk_hstate entry, now;
    way_list exits, leaves;
    bool has_default;
} selection;

static const rk_cexpr *case_condition(rk_hrun *run, const selection *s, CXCursor label)
{
    rk_hv k = rk_h_eval(run, NULL, label);
    rk_hv equal = s->value ? rk_h_binary(run->arena, "==", rk_hv_scalar(s->value), k) : k;
    return s->value && equal.kind == RK_HV_SCALAR ? equal.sym : NULL;
}

/** The conditions under which no label of the switch is met. */
static void find_cases(rk_hrun *run, selection *s, CXCursor node)
{
    rk_cursors c = rk_ast_children(node, run->arena);
    enum CXCursorKind kind = clang_getCursorKind(node);
    if (kind == CXCursor_SwitchStmt)
        return;
    s->has_default = s->has_default || kind == CXCursor_DefaultStmt;
    if (kind == CXCursor_CaseStmt && c.count > 0) {
        const rk_cexpr *equal = case_condition(run, s, c.items[0]);
        s->no_case =
            equal && s->no_case && c.count == 2
                ? rk_cexpr_binary(run->arena, "&&", s->no_case, rk_cexpr_negate(run->arena, equal))
                : NULL;
    }
    for (size_t i = 0; i < c.count; i++)
        find_cases(run, s, c.items[i]);
}

static void finish_group(rk_hrun *run, selection *s)
{
    if (!s->now.ended || (run->call && s->now.failed))
        return;
    bool out = s->now.broke && !s->now.continued;
    way *w = rk_push(run->arena, out ? &s->exits : &s->leaves);
    *w = (way){.condition = s->condition, .state = s->now};
}

/** Enters the labelled statement; false when the child has no label. */
static bool enter_group(rk_hrun *run, selection *s, CXCursor *stmt)
{
    const rk_cexpr *condition = NULL;
    bool labelled = false, known = s->value != NULL;
    enum CXCursorKind kind;
    while ((kind = clang_getCursorKind(*stmt)) == CXCursor_CaseStmt ||
           kind == CXCursor_DefaultStmt) {
        rk_cursors c = rk_ast_children(*stmt, run->arena);
        bool is_default = kind == CXCursor_DefaultStmt;
        if (c.count == 0)
            break;
        const rk_cexpr *this = is_default ? s->no_case : case_condition(run, s, c.items[0]);
        known = known && this && (is_default || c.count == 2);
        condition = !known     ? NULL
                    : labelled ? rk_cexpr_binary(run->arena, "||", condition, this)
                               : this;
        labelled = true;
        *stmt = c.items[c.count - 1];
    }
    if (!labelled)
        return false;
    bool falls = !s->now.ended;
    bool both = falls && condition && s->condition;
    s->condition = !falls ? condition
                   : both ? rk_cexpr_binary(run->arena, "||", s->condition, condition)
                          : NULL;
    bool leaked = falls && s->now.leaks > s->entry.leaks;
    rk_hstate next = s->entry;
    next.broke = false;
    if (falls)
        next.env = rk_h_lose_changed(run, next.env, s->body);
    if (s->condition)
        rk_hx_push_condition(run, &next, s->condition);
    next.partial = next.partial || !s->condition || leaked;
    s->now = next;
    return true;
}

/** What holds after the switch: the entry's values, or those of the way that was taken out. */
static void leave_switch(rk_hrun *run, selection *s, rk_hstate *state)
{
    bool simple = s->value != NULL;
    int exits = s->entry.exits;
    for (size_t i = 0; i < s->exits.count; i++)
        exits += s->exits.items[i].state.exits - s->entry.exits;
    for (size_t i = 0; i < s->leaves.count; i++)
        exits += s->leaves.items[i].state.exits - s->entry.exits;
    for (size_t i = 0; i < s->exits.count; i++)
        simple = simple && s->exits.items[i].condition &&
                 s->exits.items[i].state.leaks == s->entry.leaks;
    for (size_t i = 0; i < s->leaves.count; i++)
        simple = simple && s->leaves.items[i].condition;
    *state = s->entry;
    state->exits = exits;
    if (!simple) {
        state->env = rk_h_lose_changed(run, state->env, s->body);
        state->partial = true;
        state->leaks++;
        return;
    }
    size_t count = s->exits.count;
    if (s->has_default && count > 0) /* what neither leaves nor is one of the others */
        state->env = s->exits.items[--count].state.env;
    for (size_t i = count; i-- > 0;)
        state->env = merge(run, s->exits.items[i].condition, s->entry.env,
                           s->exits.items[i].state.env, state->env);
    for (size_t i = 0; i < s->leaves.count; i++) {
        rk_hx_push_condition(run, state, rk_cexpr_negate(run->arena, s->leaves.items[i].condition));
        state->leaks++;
    }
    state->ended = s->has_default && s->exits.count == 0;
}

/** Whether a head has a statement of its own, `switch (int i = f(); i)`, which libclang does not show. */
static bool hides_statement(CXCursor stmt, CXCursor body)
{
    const CXTranslationUnit tu = clang_Cursor_getTranslationUnit(stmt);
    const CXSourceRange head = clang_getRange(clang_getRangeStart(clang_getCursorExtent(stmt)),
                                              clang_getRangeStart(clang_getCursorExtent(body)));
    CXToken *tokens = NULL;
    unsigned count = 0;
    int depth = 0;
    bool hides = false;
    clang_tokenize(tu, head, &tokens, &count);
    for (unsigned i = 0; i < count; i++) {
        CXString text = clang_getTokenSpelling(tu, tokens[i]);
        const char *token = clang_getCString(text);
        depth += strcmp(token, "(") == 0 || strcmp(token, "{") == 0;
        depth -= strcmp(token, ")") == 0 || strcmp(token, "}") == 0;
        hides |= depth == 1 && strcmp(token, ";") == 0;
        clang_disposeString(text);
    }
    clang_disposeTokens(tu, tokens, count);
    return hides;
}

void rk_hx_lose_hidden(rk_hrun *run, CXCursor stmt, rk_hstate *state)
{
    rk_cursors c = rk_ast_children(stmt, run->arena);
    if (!c.count || !hides_statement(stmt, c.items[c.count - 1]))
        return;
    for (const rk_henv *e = state->env; e; e = e->next)
        state->env = rk_henv_lose(run->arena, state->env, e->variable, true,
                                  "may change in the head of a statement");
    state->partial = true;
}

static void run_switch(rk_hrun *run, CXCursor stmt, rk_hstate *state)
{
    rk_cursors c = rk_ast_children(stmt, run->arena);
    rk_hx_lose_hidden(run, stmt, state);
    size_t i = 0;
    while (i + 2 < c.count && rk_hx_is_declaration(c.items[i]))
        rk_hx_run_statement(run, c.items[i++], state);
    CXCursor body = c.count ? c.items[c.count - 1] : clang_getNullCursor();
    if (c.count - i != 2 || clang_getCursorKind(body) != CXCursor_CompoundStmt) {
        state->env = rk_h_lose_changed(run, state->env, stmt);
        nested_calls(run, stmt, state);
        state->partial = true;
        return;
    }
    rk_hx_lose_changed(run, c.items[i], state);
    rk_hv value = rk_h_eval(run, state->env, c.items[i]);
    selection s = {.body = body, .entry = *state, .now = *state};
    s.value = value.kind == RK_HV_SCALAR ? value.sym : NULL;
    s.no_case = rk_cexpr_int(run->arena, 1, rk_ctype_bool);
    find_cases(run, &s, body);
    s.now.ended = true;
    s.entry.broke = false;
    rk_cursors statements = rk_ast_children(body, run->arena);
    for (size_t k = 0; k < statements.count; k++) {
        CXCursor child = statements.items[k];
        bool entered = enter_group(run, &s, &child);
        if (s.now.ended && !entered)
            continue;
        rk_hx_run_statement(run, child, &s.now);
        finish_group(run, &s);
    }
    if (!s.now.ended)
        *rk_push(run->arena, &s.exits) = (way){.condition = s.condition, .state = s.now};
    const rk_hstate before = *state;
    leave_switch(run, &s, state);
    state->broke = before.broke;
    state->continued = before.continued;
    for (size_t k = 0; k < s.leaves.count; k++)
        state->continued = state->continued || s.leaves.items[k].state.continued;
}

static void run_return(rk_hrun *run, CXCursor stmt, rk_hstate *state)
{
    rk_cursors c = rk_ast_children(stmt, run->arena);
    for (size_t i = 0; i < c.count; i++)
        rk_hx_lose_changed(run, c.items[i], state);
    state->ended = true;
    state->exits++;
    if (!run->helper)
        return;
    rk_hreturn *r = RK_NEW(run->arena, rk_hreturn);
    *r = (rk_hreturn){.path = state->path, .next = run->returns};
    r->value = c.count ? rk_h_eval(run, state->env, c.items[c.count - 1])
                       : rk_hv_unknown(run->arena, "it returns nothing");
    run->returns = r;
    run->lost = run->lost || run->loops > 0 || state->partial;
}

/**
 * try: what the handlers see, and what holds after them, is not known where the block changes it.
 */
static void run_try(rk_hrun *run, CXCursor stmt, rk_hstate *state)
{
    rk_cursors c = rk_ast_children(stmt, run->arena);
    const rk_hstate before = *state;
    bool handled = false;
    for (size_t i = 0; i < c.count; i++) {
        if (clang_getCursorKind(c.items[i]) != CXCursor_CXXCatchStmt) {
            rk_hx_run_statement(run, c.items[i], state);
            continue;
        }
        rk_hstate handler = before;
        handler.env = rk_h_lose_changed(run, before.env, stmt);
        handler.partial = true;
        rk_cursors parts = rk_ast_children(c.items[i], run->arena);
        if (parts.count)
            rk_hx_run_statement(run, parts.items[parts.count - 1], &handler);
        handled = handled || !handler.ended;
    }
    if (handled) {
        state->env = rk_h_lose_changed(run, before.env, stmt);
        state->partial = true;
        state->ended = false;
    }
}

static void run_children(rk_hrun *run, CXCursor stmt, rk_hstate *state)
{
    rk_cursors c = rk_ast_children(stmt, run->arena);
    for (size_t i = 0; i < c.count && !state->ended; i++)
        rk_hx_run_statement(run, c.items[i], state);
}

void rk_hx_run_statement(rk_hrun *run, CXCursor stmt, rk_hstate *state)
{
    switch (clang_getCursorKind(stmt)) {
    case CXCursor_CompoundStmt:
    case CXCursor_DeclStmt:
    case CXCursor_LabelStmt:
    case CXCursor_UnexposedStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        run_children(run, stmt, state);
        break;
    case CXCursor_VarDecl:
        run_variable(run, stmt, state);
        break;
    case CXCursor_IfStmt:
        run_if(run, stmt, state);
        break;
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_CXXForRangeStmt:
        rk_hx_run_loop(run, stmt, state);
        break;
    case CXCursor_SwitchStmt:
        run_switch(run, stmt, state);
        break;
    case CXCursor_ReturnStmt:
        run_return(run, stmt, state);
        break;
    case CXCursor_BreakStmt:
        state->ended = state->broke = true;
        break;
    case CXCursor_ContinueStmt:
        state->ended = state->continued = true;
        break;
    case CXCursor_CXXTryStmt:
        run_try(run, stmt, state);
        break;
    default:
        if (clang_isExpression(clang_getCursorKind(stmt)))
            rk_hx_run_expression(run, stmt, state);
        break;
    }
}

static enum CXChildVisitResult find_goto(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    enum CXCursorKind kind = clang_getCursorKind(c);
    if (kind != CXCursor_GotoStmt && kind != CXCursor_IndirectGotoStmt)
        return CXChildVisit_Recurse;
    *(bool *)data = true;
    return CXChildVisit_Break;
}

rk_hstate rk_h_run(rk_hrun *run, CXCursor body, rk_hstate state)
{
    bool tangled = false;
    clang_visitChildren(body, find_goto, &tangled);
    run->body = body;
    if (tangled) {
        state.env = rk_h_lose_changed(run, state.env, body);
        for (const rk_henv *e = state.env; e; e = e->next)
            if (e->value.kind == RK_HV_UNKNOWN)
                state.env =
                    rk_henv_lose(run->arena, state.env, e->variable, true, "may change by goto");
        state.partial = true;
        run->lost = true;
    }
    rk_hx_run_statement(run, body, &state);
    return state;
}
