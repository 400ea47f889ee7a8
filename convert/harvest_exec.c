#include "base/str.h"
#include "base/vec.h"
#include "convert/harvest_internal.h"

#include <string.h>

static void run_statement(rk_hrun *run, CXCursor stmt, rk_hstate *state);

static void push_condition(rk_hrun *run, rk_hstate *state, const rk_sym *condition)
{
    if (rk_sym_is_int(condition, 1))
        return;
    if (rk_sym_has_status(condition) || (!run->helper && rk_sym_has_input(condition))) {
        state->partial = true;
        return;
    }
    rk_hpath *path = RK_NEW(run->arena, rk_hpath);
    *path = (rk_hpath){.condition = condition, .next = state->path};
    state->path = path;
}

/** A condition's value as bool, NULL when it is not known. */
static const rk_sym *condition_of(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_hv value = rk_h_eval(run, env, expr);
    if (value.kind == RK_HV_POINTER && rk_sym_is_int(value.sym, 0)) {
        rk_hv null = {.kind = RK_HV_POINTER, .sym = rk_sym_int(run->arena, 0, rk_ctype_int)};
        value = rk_h_binary(run->arena, "!=", value, null);
    }
    return value.kind == RK_HV_SCALAR ? rk_sym_convert(run->arena, value.sym, rk_ctype_bool) : NULL;
}

static void lambda_launches(rk_hrun *run, rk_hchildren c, const rk_hstate *state)
{
    rk_hstate inner = *state;
    inner.partial = true;
    inner.env = rk_h_lose_changed(run, state->env, run->body);
    for (size_t i = 0; i < c.count; i++)
        if (clang_getCursorKind(c.items[i]) == CXCursor_ParmDecl)
            inner.env =
                rk_henv_lose(run->arena, inner.env, c.items[i], true, "is a parameter of a lambda");
    run_statement(run, c.items[c.count - 1], &inner);
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
    rk_hchildren c = rk_h_children(run->arena, node);
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
    }
}

/** The effects of an expression that is evaluated once. */
static void lose_changed(rk_hrun *run, CXCursor node, rk_hstate *state)
{
    state->env = rk_h_after(run, state->env, node);
    nested_calls(run, node, state);
}

/** A struct's value with another value of one field. */
static rk_hv with_field(rk_arena *arena, rk_hv whole, const char *name, rk_hv value)
{
    if (whole.kind != RK_HV_STRUCT)
        return rk_hv_unknown(arena, "the member '%s' of what is not followed is set", name);
    rk_hv_field *first = NULL, *last = NULL;
    for (const rk_hv_field *f = whole.fields; f; f = f->next) {
        rk_hv_field *copy = RK_NEW(arena, rk_hv_field);
        *copy = *f;
        copy->next = NULL;
        if (strcmp(f->name, name) == 0)
            copy->value = value;
        if (last)
            last->next = copy;
        else
            first = copy;
        last = copy;
    }
    whole.fields = first;
    return whole;
}

/** Sets a variable, or a member of one; false when the lvalue is neither. */
static bool assign(rk_hrun *run, rk_hstate *state, CXCursor lvalue, rk_hv value)
{
    rk_arena *arena = run->arena;
    CXCursor e = rk_h_unwrap(arena, lvalue), root;
    if (!rk_h_root(&root, arena, e))
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
    rk_hchildren c = rk_h_children(arena, e);
    if (clang_getCursorKind(e) != CXCursor_MemberRefExpr || c.count == 0)
        return false;
    CXCursor object = rk_h_unwrap(arena, c.items[0]);
    rk_hv whole =
        rk_h_expand(arena, rk_h_eval(run, state->env, object), clang_getCursorType(object), NULL);
    return assign(run, state, object, with_field(arena, whole, rk_h_spelling(arena, e), value));
}

static rk_hv compound_value(rk_hrun *run, const rk_henv *env, CXCursor expr, rk_hchildren c)
{
    rk_arena *arena = run->arena;
    const char *spelling = rk_h_text(
        arena, clang_getBinaryOperatorKindSpelling(clang_getCursorBinaryOperatorKind(expr)));
    size_t length = strlen(spelling);
    const char *op = rk_arena_strndup(arena, spelling, length ? length - 1 : 0);
    return rk_h_binary(arena, op, rk_h_eval(run, env, c.items[0]), rk_h_eval(run, env, c.items[1]));
}

static bool is_assignment(CXCursor e)
{
    return clang_getCursorKind(e) == CXCursor_BinaryOperator &&
           clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_Assign;
}

/** `x = e`, `x op= e`, `++x` and the like as statements of their own. */
static bool run_assignment(rk_hrun *run, CXCursor e, rk_hstate *state)
{
    rk_hchildren c = rk_h_children(run->arena, e);
    enum CXCursorKind kind = clang_getCursorKind(e);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(e);
    bool step = kind == CXCursor_UnaryOperator && op >= CXUnaryOperator_PostInc &&
                op <= CXUnaryOperator_PreDec;
    bool compound = kind == CXCursor_CompoundAssignOperator;
    bool copy = kind == CXCursor_CallExpr && c.count == 3 &&
                strcmp(rk_h_spelling(run->arena, e), "operator=") == 0;
    if (!(is_assignment(e) && c.count == 2) && !(compound && c.count == 2) &&
        !(step && c.count == 1) && !copy)
        return false;
    CXCursor right = c.items[c.count - 1];
    if (!step)
        lose_changed(run, right, state);
    rk_hv value;
    if (step) {
        bool up = op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PreInc;
        rk_hv one = rk_hv_scalar(rk_sym_int(run->arena, 1, rk_ctype_int));
        value =
            rk_h_binary(run->arena, up ? "+" : "-", rk_h_eval(run, state->env, c.items[0]), one);
    } else if (compound) {
        value = compound_value(run, state->env, e, c);
    } else {
        value = rk_h_eval(run, state->env, right);
    }
    return assign(run, state, c.items[0], value);
}

static bool never_returns(rk_arena *arena, CXCursor call)
{
    static const char *const names[] = {"exit",      "_exit",      "_Exit",        "abort",
                                        "terminate", "quick_exit", "__assert_fail"};
    const char *name = rk_h_spelling(arena, call);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    CXType type = clang_getCursorType(clang_getCursorReferenced(call));
    return strstr(rk_h_text(arena, clang_getTypeSpelling(type)), "noreturn") != NULL;
}

static void run_expression(rk_hrun *run, CXCursor expr, rk_hstate *state)
{
    CXCursor e = rk_h_unwrap(run->arena, expr);
    enum CXCursorKind kind = clang_getCursorKind(e);
    if (run_assignment(run, e, state))
        return;
    if (kind == CXCursor_BinaryOperator &&
        clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_Comma) {
        rk_hchildren c = rk_h_children(run->arena, e);
        for (size_t i = 0; i < c.count; i++)
            run_expression(run, c.items[i], state);
        return;
    }
    lose_changed(run, e, state);
    if (kind == CXCursor_CXXThrowExpr ||
        (kind == CXCursor_CallExpr && never_returns(run->arena, e))) {
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

static void run_variable(rk_hrun *run, CXCursor decl, rk_hstate *state)
{
    rk_arena *arena = run->arena;
    CXType type = clang_getCursorType(decl);
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    if (rk_h_is_global(decl))
        return;
    if (clang_Cursor_isNull(init)) {
        const char *missing = rk_arena_printf(arena, "'%s' is not set", rk_h_spelling(arena, decl));
        rk_hv none = rk_hv_unknown(arena, "%s", missing);
        state->env = rk_henv_set(arena, state->env, decl, rk_h_expand(arena, none, type, missing));
        return;
    }
    bool list = is_argument_list(type) && clang_getCursorKind(init) == CXCursor_InitListExpr;
    if (!list)
        lose_changed(run, decl, state);
    if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference) {
        state->env = rk_henv_lose(arena, state->env, decl, true, "is a reference");
    } else {
        rk_hv value = rk_hv_convert(arena, rk_h_eval(run, state->env, init), type);
        if (rk_h_ctype(type).kind == RK_CTYPE_OTHER && value.kind == RK_HV_SCALAR)
            value =
                rk_hv_unknown(arena, "the type of '%s' is not known", rk_h_spelling(arena, decl));
        state->env = rk_henv_set(arena, state->env, decl, value);
    }
}

static const rk_henv *merge(rk_hrun *run, const rk_sym *condition, const rk_henv *base,
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
            if (x->escaped || y->escaped || !condition)
                merged = rk_henv_lose(run->arena, merged, e->variable, x->escaped || y->escaped,
                                      "changes in a way that is not followed");
            else
                merged = rk_henv_set(run->arena, merged, e->variable,
                                     rk_hv_choice(run->arena, condition, x->value, y->value));
        }
    }
    return outside || memory ? rk_henv_touch(run->arena, merged, outside) : merged;
}

/** The state after two ways meet, each of which may have ended. `before` is where they parted. */
static void join(rk_hrun *run, rk_hstate *out, const rk_sym *condition, const rk_hstate *before,
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

static bool is_declaration(CXCursor cursor)
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
        run_statement(run, branches[i], &inside);
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
    rk_hchildren c = rk_h_children(run->arena, stmt);
    size_t i = 0;
    while (i + 2 < c.count && is_declaration(c.items[i]))
        run_statement(run, c.items[i++], state);
    if (c.count - i < 2) {
        state->env = rk_h_lose_changed(run, state->env, stmt);
        nested_calls(run, stmt, state);
        return;
    }
    CXCursor test = c.items[i];
    lose_changed(run, test, state);
    const rk_sym *condition = condition_of(run, state->env, test);
    rk_hstate yes = *state, no = *state;
    if (condition && condition->kind == RK_SYM_INT) {
        if (condition->i)
            run_statement(run, c.items[i + 1], state);
        else if (c.count > i + 2)
            run_statement(run, c.items[i + 2], state);
        return;
    }
    if (condition && rk_sym_has_status(condition)) {
        int success = rk_sym_successful(condition);
        if (success >= 0) {
            run_status_if(run, state, success, &c.items[i + 1], c.count - i - 1);
            return;
        }
        condition = NULL;
    }
    yes.broke = no.broke = yes.continued = no.continued = false;
    if (condition) {
        push_condition(run, &yes, condition);
        push_condition(run, &no, rk_sym_negate(run->arena, condition));
    } else {
        yes.partial = no.partial = true;
    }
    const rk_hstate before = *state;
    run_statement(run, c.items[i + 1], &yes);
    if (c.count > i + 2)
        run_statement(run, c.items[i + 2], &no);
    join(run, state, condition, &before, &yes, &no);
    state->broke = state->broke || before.broke;
    state->continued = state->continued || before.continued;
}

/** A loop that runs its body once: `do { ... } while (0)`. */
static void run_once(rk_hrun *run, CXCursor body, rk_hstate *state)
{
    const rk_hstate before = *state;
    state->broke = state->continued = false;
    run->loops++;
    run_statement(run, body, state);
    run->loops--;
    if (state->broke || state->continued) {
        bool left = state->exits > before.exits;
        state->env = rk_h_lose_changed(run, before.env, body);
        state->path = before.path;
        state->partial = before.partial || left;
        state->ended = false;
    }
    state->broke = before.broke;
    state->continued = before.continued;
}

/** Runs the start of a `for` and finds its condition, where the parts can be told apart. */
static CXCursor run_for_header(rk_hrun *run, rk_hchildren c, rk_hstate *state)
{
    size_t i = 0;
    if (c.count > 1 && is_declaration(c.items[0]))
        run_statement(run, c.items[i++], state);
    else if (c.count == 4)
        run_expression(run, c.items[i++], state);
    bool all = c.count - i == 3;
    bool test = all && clang_getCanonicalType(clang_getCursorType(c.items[i])).kind == CXType_Bool;
    return test && !is_assignment(c.items[i]) ? c.items[i] : clang_getNullCursor();
}

/** Whether it is `do { ... } while (0)`. */
static bool runs_once(rk_hrun *run, CXCursor stmt, rk_hchildren c)
{
    if (clang_getCursorKind(stmt) != CXCursor_DoStmt || c.count != 2)
        return false;
    const rk_sym *again = condition_of(run, NULL, c.items[1]);
    return again && rk_sym_is_int(again, 0);
}

/** The variables that a loop declares in its header change with every run of the body. */
static void lose_range_variable(rk_hrun *run, CXCursor stmt, rk_hchildren c, rk_hstate *state)
{
    if (clang_getCursorKind(stmt) != CXCursor_CXXForRangeStmt)
        return;
    for (size_t i = 0; i + 1 < c.count; i++)
        if (clang_getCursorKind(c.items[i]) == CXCursor_VarDecl)
            state->env =
                rk_henv_lose(run->arena, state->env, c.items[i], true, "changes in a loop");
}

/**
 * Runs what comes before a loop's first test, and finds the test; the null cursor if it has none.
 */
static CXCursor enter_loop(rk_hrun *run, CXCursor stmt, rk_hchildren c, rk_hstate *state)
{
    enum CXCursorKind kind = clang_getCursorKind(stmt);
    if (kind == CXCursor_ForStmt)
        return run_for_header(run, c, state);
    if (c.count != 2)
        return clang_getNullCursor();
    return kind == CXCursor_WhileStmt             ? c.items[0]
           : kind == CXCursor_DoStmt && run->call ? c.items[1]
                                                  : clang_getNullCursor();
}

/** Turns of a loop that are run one by one; more where it does something on the device. */
enum { FEW_TURNS = 64, MANY_TURNS = 4096 };

/** A search for what reaches the device, through the bodies of functions. */
typedef struct {
    int depth;
    bool found;
} device_search;

static enum CXChildVisitResult find_device(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    device_search *s = data;
    if (clang_getCursorKind(c) != CXCursor_CallExpr)
        return CXChildVisit_Recurse;
    CXCursor function = clang_getCursorReferenced(c);
    CXCursor definition = clang_getCursorDefinition(function);
    CXString name = clang_getCursorSpelling(function);
    s->found = strncmp(clang_getCString(name), "cuda", 4) == 0 ||
               strncmp(clang_getCString(name), "__cuda", 6) == 0;
    clang_disposeString(name);
    if (!s->found && s->depth < 8 && !clang_Cursor_isNull(definition) &&
        !clang_Location_isInSystemHeader(clang_getCursorLocation(definition))) {
        device_search inner = {.depth = s->depth + 1};
        clang_visitChildren(definition, find_device, &inner);
        s->found = inner.found;
    }
    return s->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/**
 * Runs a loop turn by turn for as long as its test is known; true when it came to the loop's end.
 * `step` is null where there is none; the test comes `after` the body in a do loop.
 */
static bool run_turns(rk_hrun *run, CXCursor test, CXCursor step, CXCursor body, bool after,
                      rk_hstate *state)
{
    device_search device = {0};
    clang_visitChildren(body, find_device, &device);
    for (int turn = 0; turn < (device.found ? MANY_TURNS : FEW_TURNS); turn++) {
        const rk_hstate before = *state;
        if (!after || turn > 0) {
            lose_changed(run, test, state);
            const rk_sym *go_on = condition_of(run, state->env, test);
            if (!go_on || go_on->kind != RK_SYM_INT)
                return false;
            if (!go_on->i)
                return true;
        }
        state->broke = state->continued = false;
        run_statement(run, body, state);
        const bool broke = state->broke, ended = state->ended, continued = state->continued;
        state->broke = before.broke;
        state->continued = before.continued;
        if (ended && !broke && !continued)
            return true; /* it leaves the function */
        if (state->leaks > before.leaks || state->partial != before.partial)
            return false; /* some way has left and another gone on */
        state->ended = false;
        if (ended && broke)
            return true;
        if (!clang_Cursor_isNull(step))
            run_expression(run, step, state);
    }
    return false;
}

/** The variables that a loop changes and that are followed. */
typedef struct {
    CXCursor variable;
    rk_sym_input *input;
} loop_variable;

typedef RK_VEC(loop_variable) loop_variables;

/** Gives each number that the loop changes a name for what it is in a run of the body. */
static const rk_henv *enter_variables(rk_hrun *run, loop_variables *out, CXCursor stmt,
                                      const rk_henv *before, const rk_henv *changed)
{
    rk_arena *arena = run->arena;
    const rk_henv *env = changed;
    enum CXCursorKind kind = clang_getCursorKind(stmt);
    if (!run->inputs || (kind != CXCursor_ForStmt && kind != CXCursor_WhileStmt))
        return env;
    for (const rk_henv *e = changed; e && e != before; e = e->next) {
        bool known = clang_Cursor_isNull(e->variable) || e->escaped;
        for (size_t i = 0; i < out->count && !known; i++)
            known = rk_h_same(out->items[i].variable, e->variable);
        const rk_henv *old = known ? NULL : rk_henv_find(before, e->variable);
        if (!old || old->escaped || old->value.kind != RK_HV_SCALAR ||
            rk_sym_has_status(old->value.sym))
            continue;
        const char *name = rk_h_spelling(arena, e->variable);
        rk_sym_input *input = rk_hinput_new(run, RK_INPUT_LOOP, stmt, name);
        input->first = old->value.sym;
        *rk_push(arena, out) = (loop_variable){e->variable, input};
        CXType type = clang_getCursorType(e->variable);
        env = rk_henv_set(arena, env, e->variable, rk_hv_of_input(arena, input, name, type));
    }
    return env;
}

/**
 * What the variables are in the loop's next run, where every way through the body comes to its end
 * and the loop has a test.
 */
static void leave_variables(rk_hrun *run, loop_variables *variables, const rk_sym *again,
                            CXCursor stmt, const rk_hstate *inside)
{
    rk_hchildren c = rk_h_children(run->arena, stmt);
    bool is_for = clang_getCursorKind(stmt) == CXCursor_ForStmt;
    rk_hstate end = *inside;
    if (inside->ended || inside->broke || inside->continued || !again)
        return;
    void (*launch)(struct rk_hrun *, CXCursor, const rk_hstate *) = run->launch;
    run->launch = NULL;
    if (is_for && c.count >= 2)
        run_expression(run, c.items[c.count - 2], &end);
    run->launch = launch;
    for (size_t i = 0; i < variables->count; i++) {
        const rk_henv *entry = rk_henv_find(end.env, variables->items[i].variable);
        if (!entry || entry->value.kind != RK_HV_SCALAR || rk_sym_has_status(entry->value.sym))
            continue;
        variables->items[i].input->again = again;
        variables->items[i].input->next = entry->value.sym;
    }
}

/** The body is run once, with all that the loop changes unknown: it stands for every run of it. */
static void run_loop(rk_hrun *run, CXCursor stmt, rk_hstate *state)
{
    rk_hchildren c = rk_h_children(run->arena, stmt);
    enum CXCursorKind kind = clang_getCursorKind(stmt);
    if (c.count == 0)
        return;
    CXCursor body = c.items[kind == CXCursor_DoStmt ? 0 : c.count - 1];
    if (runs_once(run, stmt, c)) {
        run_once(run, body, state);
        return;
    }
    CXCursor test = enter_loop(run, stmt, c, state);
    if (run->call && !clang_Cursor_isNull(test)) {
        const bool counts = kind == CXCursor_ForStmt;
        if (run_turns(run, test, counts ? c.items[c.count - 2] : clang_getNullCursor(), body,
                      kind == CXCursor_DoStmt, state))
            return;
    }
    const rk_sym *first = clang_Cursor_isNull(test) ? NULL : condition_of(run, state->env, test);
    const rk_hstate before = *state;
    state->env = rk_h_lose_changed(run, state->env, stmt);
    rk_hstate inside = *state;
    loop_variables variables = {0};
    inside.env = enter_variables(run, &variables, stmt, before.env, state->env);
    const rk_sym *again = clang_Cursor_isNull(test) ? NULL : condition_of(run, inside.env, test);
    inside.broke = inside.continued = false;
    inside.partial = inside.partial || run->call != NULL;
    if (first)
        push_condition(run, &inside, first);
    else if (kind != CXCursor_DoStmt)
        inside.partial = true;
    lose_range_variable(run, stmt, c, &inside);
    run->loops++;
    run_statement(run, body, &inside);
    run->loops--;
    leave_variables(run, &variables, again, stmt, &inside);
    bool left = inside.exits > before.exits;
    state->partial = before.partial || left;
    state->leaks += left;
    state->exits = inside.exits;
}

typedef struct {
    const rk_sym *condition; /**< NULL: not known */
    rk_hstate state;
} way;

typedef RK_VEC(way) way_list;

/** A switch being run: its value, its labels, and the ways out of it. */
typedef struct {
    CXCursor body;
    const rk_sym *value;
    const rk_sym *no_case;   /**< the condition of the default label */
    const rk_sym *condition; /**< of the group of statements being run */
    rk_hstate entry, now;
    way_list exits, leaves;
    bool has_default;
} selection;

static const rk_sym *case_condition(rk_hrun *run, const selection *s, CXCursor label)
{
    rk_hv k = rk_h_eval(run, NULL, label);
    rk_hv equal = s->value ? rk_h_binary(run->arena, "==", rk_hv_scalar(s->value), k) : k;
    return s->value && equal.kind == RK_HV_SCALAR ? equal.sym : NULL;
}

/** The conditions under which no label of the switch is met. */
static void find_cases(rk_hrun *run, selection *s, CXCursor node)
{
    rk_hchildren c = rk_h_children(run->arena, node);
    enum CXCursorKind kind = clang_getCursorKind(node);
    if (kind == CXCursor_SwitchStmt)
        return;
    s->has_default = s->has_default || kind == CXCursor_DefaultStmt;
    if (kind == CXCursor_CaseStmt && c.count > 0) {
        const rk_sym *equal = case_condition(run, s, c.items[0]);
        s->no_case =
            equal && s->no_case && c.count == 2
                ? rk_sym_binary(run->arena, "&&", s->no_case, rk_sym_negate(run->arena, equal))
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
    const rk_sym *condition = NULL;
    bool labelled = false, known = s->value != NULL;
    enum CXCursorKind kind;
    while ((kind = clang_getCursorKind(*stmt)) == CXCursor_CaseStmt ||
           kind == CXCursor_DefaultStmt) {
        rk_hchildren c = rk_h_children(run->arena, *stmt);
        bool is_default = kind == CXCursor_DefaultStmt;
        if (c.count == 0)
            break;
        const rk_sym *this = is_default ? s->no_case : case_condition(run, s, c.items[0]);
        known = known && this && (is_default || c.count == 2);
        condition = !known     ? NULL
                    : labelled ? rk_sym_binary(run->arena, "||", condition, this)
                               : this;
        labelled = true;
        *stmt = c.items[c.count - 1];
    }
    if (!labelled)
        return false;
    bool falls = !s->now.ended;
    bool both = falls && condition && s->condition;
    s->condition = !falls ? condition
                   : both ? rk_sym_binary(run->arena, "||", s->condition, condition)
                          : NULL;
    bool leaked = falls && s->now.leaks > s->entry.leaks;
    rk_hstate next = s->entry;
    next.broke = false;
    if (falls)
        next.env = rk_h_lose_changed(run, next.env, s->body);
    if (s->condition)
        push_condition(run, &next, s->condition);
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
    for (size_t i = s->exits.count; i-- > 0;)
        state->env = merge(run, s->exits.items[i].condition, s->entry.env,
                           s->exits.items[i].state.env, state->env);
    for (size_t i = 0; i < s->leaves.count; i++) {
        push_condition(run, state, rk_sym_negate(run->arena, s->leaves.items[i].condition));
        state->leaks++;
    }
    state->ended = s->has_default && s->exits.count == 0;
}

static void run_switch(rk_hrun *run, CXCursor stmt, rk_hstate *state)
{
    rk_hchildren c = rk_h_children(run->arena, stmt);
    size_t i = 0;
    while (i + 2 < c.count && is_declaration(c.items[i]))
        run_statement(run, c.items[i++], state);
    CXCursor body = c.count ? c.items[c.count - 1] : clang_getNullCursor();
    if (c.count - i != 2 || clang_getCursorKind(body) != CXCursor_CompoundStmt) {
        state->env = rk_h_lose_changed(run, state->env, stmt);
        nested_calls(run, stmt, state);
        state->partial = true;
        return;
    }
    lose_changed(run, c.items[i], state);
    rk_hv value = rk_h_eval(run, state->env, c.items[i]);
    selection s = {.body = body, .entry = *state, .now = *state};
    s.value = value.kind == RK_HV_SCALAR ? value.sym : NULL;
    s.no_case = rk_sym_int(run->arena, 1, rk_ctype_bool);
    find_cases(run, &s, body);
    s.now.ended = true;
    s.entry.broke = false;
    rk_hchildren statements = rk_h_children(run->arena, body);
    for (size_t k = 0; k < statements.count; k++) {
        CXCursor child = statements.items[k];
        bool entered = enter_group(run, &s, &child);
        if (s.now.ended && !entered)
            continue;
        run_statement(run, child, &s.now);
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
    rk_hchildren c = rk_h_children(run->arena, stmt);
    for (size_t i = 0; i < c.count; i++)
        lose_changed(run, c.items[i], state);
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
    rk_hchildren c = rk_h_children(run->arena, stmt);
    const rk_hstate before = *state;
    bool handled = false;
    for (size_t i = 0; i < c.count; i++) {
        if (clang_getCursorKind(c.items[i]) != CXCursor_CXXCatchStmt) {
            run_statement(run, c.items[i], state);
            continue;
        }
        rk_hstate handler = before;
        handler.env = rk_h_lose_changed(run, before.env, stmt);
        handler.partial = true;
        rk_hchildren parts = rk_h_children(run->arena, c.items[i]);
        if (parts.count)
            run_statement(run, parts.items[parts.count - 1], &handler);
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
    rk_hchildren c = rk_h_children(run->arena, stmt);
    for (size_t i = 0; i < c.count && !state->ended; i++)
        run_statement(run, c.items[i], state);
}

static void run_statement(rk_hrun *run, CXCursor stmt, rk_hstate *state)
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
        run_loop(run, stmt, state);
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
            run_expression(run, stmt, state);
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
    run_statement(run, body, &state);
    return state;
}
