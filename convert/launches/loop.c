#include "convert/launches/execute.h"

#include "base/vec.h"

#include <string.h>

/** A loop that runs its body once: `do { ... } while (0)`. */
static void run_once(rk_hrun *run, CXCursor body, rk_hstate *state)
{
    const rk_hstate before = *state;
    state->broke = state->continued = false;
    run->loops++;
    rk_hx_run_statement(run, body, state);
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
static CXCursor run_for_header(rk_hrun *run, rk_cursors c, rk_hstate *state)
{
    size_t i = 0;
    if (c.count > 1 && rk_hx_is_declaration(c.items[0]))
        rk_hx_run_statement(run, c.items[i++], state);
    else if (c.count == 4)
        rk_hx_run_expression(run, c.items[i++], state);
    bool all = c.count - i == 3;
    bool test = all && clang_getCanonicalType(clang_getCursorType(c.items[i])).kind == CXType_Bool;
    return test && !rk_hx_is_assignment(c.items[i]) ? c.items[i] : clang_getNullCursor();
}

/** Whether it is `do { ... } while (0)`. */
static bool runs_once(rk_hrun *run, CXCursor stmt, rk_cursors c)
{
    if (clang_getCursorKind(stmt) != CXCursor_DoStmt || c.count != 2)
        return false;
    const rk_cexpr *again = rk_hx_condition_of(run, NULL, c.items[1]);
    return again && rk_cexpr_is_int(again, 0);
}

/** The variables that a loop declares in its header change with every run of the body. */
static void lose_range_variable(rk_hrun *run, CXCursor stmt, rk_cursors c, rk_hstate *state)
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
static CXCursor enter_loop(rk_hrun *run, CXCursor stmt, rk_cursors c, rk_hstate *state)
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
    s->found = (rk_cuda_find(RK_IN_PLAIN, clang_getCString(name))->host & RK_HOST_CUDA) != 0;
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
                      int most, rk_hstate *state)
{
    for (int turn = 0; turn < most; turn++) {
        const rk_hstate before = *state;
        if (!after || turn > 0) {
            rk_hx_lose_changed(run, test, state);
            const rk_cexpr *go_on = rk_hx_condition_of(run, state->env, test);
            if (!go_on || go_on->kind != RK_CEXPR_INT)
                return false;
            if (!go_on->i)
                return true;
        }
        state->broke = state->continued = false;
        rk_hx_run_statement(run, body, state);
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
            rk_hx_run_expression(run, step, state);
    }
    return false;
}

/** A number that a loop changes and that is followed: a variable, or a member of one. */
typedef struct {
    CXCursor variable;
    const char *name; /**< `i`, `grid.x` */
    rk_cexpr_input *input;
    rk_cexpr_input *after; /**< what it is when the loop is done; NULL: not known */
} loop_variable;

typedef struct {
    rk_arena *arena;
    CXCursor stmt;
    bool done; /**< the loop was run: numbers are what they are after it */
    RK_VEC(loop_variable) list;
} loop_variables;

/** A number that was `old` gets a name for what it is in a run of the body. */
static rk_hv enter_number(rk_hrun *run, loop_variables *out, CXCursor variable, const char *name,
                          rk_hv old)
{
    rk_cexpr_input *input = rk_hinput_new(run, RK_INPUT_LOOP, out->stmt, name);
    input->first = old.sym;
    *rk_push(run->arena, &out->list) = (loop_variable){variable, name, input, NULL};
    return rk_hv_scalar(rk_cexpr_name(run->arena, input, name, old.sym->type));
}

/** What such a number is after the loop; `lost` when that is not followed. */
static rk_hv leave_number(rk_hrun *run, const loop_variables *in, CXCursor variable,
                          const char *name, rk_hv old, rk_hv lost)
{
    for (size_t i = 0; i < in->list.count; i++) {
        const loop_variable *number = &in->list.items[i];
        if (!number->after || !rk_h_same(number->variable, variable) ||
            strcmp(number->name, name) != 0)
            continue;
        return number->input->constant
                   ? old
                   : rk_hv_scalar(rk_cexpr_name(run->arena, number->after, name, old.sym->type));
    }
    return lost;
}

/** What a variable, or a member of one, that was `old` and that the loop changes is in its body, or after it. */
static rk_hv changed_value(rk_hrun *run, loop_variables *out, CXCursor variable, const char *name,
                           rk_hv old, rk_hv changed)
{
    if (old.kind == RK_HV_SCALAR && changed.kind == RK_HV_UNKNOWN)
        return rk_cexpr_has_status(old.sym) ? changed
               : out->done                  ? leave_number(run, out, variable, name, old, changed)
                                            : enter_number(run, out, variable, name, old);
    if (old.kind != RK_HV_STRUCT)
        return changed;
    rk_hv inside = old;
    for (const rk_hv_field *f = old.fields; f; f = f->next) {
        const char *path = rk_arena_printf(run->arena, "%s.%s", name, f->name);
        rk_hv now = changed.kind == RK_HV_STRUCT
                        ? rk_hv_field_of(run->arena, changed, f->name, (CXType){0})
                        : changed;
        rk_hv value = changed_value(run, out, variable, path, f->value, now);
        inside = rk_hv_with_field(run->arena, inside, f->name, value);
    }
    return inside;
}

/** Gives each number that the loop changes a name for what it is in a run of the body, or after the loop. */
static const rk_henv *name_variables(rk_hrun *run, loop_variables *out, const rk_henv *before,
                                     const rk_henv *changed)
{
    rk_arena *arena = run->arena;
    const rk_henv *env = changed;
    enum CXCursorKind kind = clang_getCursorKind(out->stmt);
    RK_VEC(CXCursor) seen = {0};
    if (!run->inputs || (kind != CXCursor_ForStmt && kind != CXCursor_WhileStmt))
        return env;
    for (const rk_henv *e = changed; e && e != before; e = e->next) {
        bool known = clang_Cursor_isNull(e->variable) || e->escaped;
        for (size_t i = 0; i < seen.count && !known; i++)
            known = rk_h_same(seen.items[i], e->variable);
        const rk_henv *old = known ? NULL : rk_henv_find(before, e->variable);
        if (!old || old->escaped)
            continue;
        *rk_push(arena, &seen) = e->variable;
        const char *name = rk_ast_name(e->variable, arena);
        rk_hv value = changed_value(run, out, e->variable, name, old->value, e->value);
        env = rk_henv_set(arena, env, e->variable, value);
    }
    return env;
}

/** What a number that the loop changes is at this point; NULL when it is not known. */
static const rk_cexpr *number_at(rk_hrun *run, const rk_henv *env, const loop_variable *number)
{
    const rk_henv *entry = rk_henv_find(env, number->variable);
    if (!entry)
        return NULL;
    rk_hv value = entry->value;
    const char *rest = strchr(number->name, '.');
    while (rest) {
        size_t length = strcspn(rest + 1, ".");
        const char *field = rk_arena_strndup(run->arena, rest + 1, length);
        value = rk_hv_field_of(run->arena, value, field, (CXType){0});
        rest = rest[length + 1] ? rest + length + 1 : NULL;
    }
    return value.kind == RK_HV_SCALAR && !rk_cexpr_has_status(value.sym) ? value.sym : NULL;
}

/** Whether a variable has another value in `now` than it had in `before`, from which that came. */
static bool is_changed(const rk_henv *now, const rk_henv *before, CXCursor variable)
{
    for (; now && now != before; now = now->next)
        if (!clang_Cursor_isNull(now->variable) && rk_h_same(now->variable, variable))
            return true;
    return false;
}

/** Runs the step of a `for` at the end of its body. */
static void step_over(rk_hrun *run, CXCursor stmt, rk_hstate *end)
{
    rk_cursors c = rk_ast_children(stmt, run->arena);
    void (*launch)(struct rk_hrun *, CXCursor, const rk_hstate *) = run->launch;
    end->ended = false;
    run->launch = NULL;
    if (clang_getCursorKind(stmt) == CXCursor_ForStmt && c.count >= 2)
        rk_hx_run_expression(run, c.items[c.count - 2], end);
    run->launch = launch;
}

/**
 * What the variables are in the loop's next run. After a `continue` that is known of those alone that the body leaves
 * as they are. Where some way leaves the loop, or it has no test, how often it is run is not known, but what no
 * way that goes on changes keeps its first value.
 */
static void find_next(rk_hrun *run, const loop_variables *variables, const rk_cexpr *again,
                      const rk_henv *entered, const rk_hstate *inside)
{
    rk_cursors c = rk_ast_children(variables->stmt, run->arena);
    const bool skips = inside->continued, once = inside->ended && !skips;
    rk_hstate end = *inside;
    const rk_henv *body = skips ? rk_h_lose_changed(run, entered, c.items[c.count - 1]) : NULL;
    end.env = skips ? body : inside->env;
    step_over(run, variables->stmt, &end);
    for (size_t i = 0; i < variables->list.count; i++) {
        const loop_variable *number = &variables->list.items[i];
        const bool lost = skips && is_changed(body, entered, number->variable);
        const rk_cexpr *next = lost || once ? NULL : number_at(run, end.env, number);
        number->input->constant =
            once || (next && next->kind == RK_CEXPR_NAME && next->input == number->input);
        if (!next || !again || inside->broke)
            continue;
        number->input->again = again;
        number->input->next = next;
    }
}

static const rk_cexpr *after_of(void *user, const rk_cexpr *name)
{
    const loop_variables *variables = user;
    for (size_t i = 0; i < variables->list.count; i++) {
        const loop_variable *number = &variables->list.items[i];
        if (number->input == name->input && number->after)
            return rk_cexpr_name(variables->arena, number->after, number->name, name->type);
    }
    return NULL;
}

/** The variables when the loop is done: what they are in it, but for the kind. */
static void find_after(rk_hrun *run, loop_variables *variables)
{
    for (size_t i = 0; i < variables->list.count; i++) {
        loop_variable *number = &variables->list.items[i];
        if (!number->input->next)
            continue;
        number->after = rk_hinput_new(run, RK_INPUT_AFTER, variables->stmt, number->name);
        number->after->first = number->input->first;
    }
    for (size_t i = 0; i < variables->list.count; i++) {
        const loop_variable *number = &variables->list.items[i];
        if (!number->after)
            continue;
        number->after->again =
            rk_cexpr_replace(run->arena, number->input->again, after_of, variables);
        number->after->next =
            rk_cexpr_replace(run->arena, number->input->next, after_of, variables);
    }
    variables->done = true;
}

/** Whether a test leaves variables that it reads as they are. */
static bool changes_nothing(rk_hrun *run, const rk_henv *env, CXCursor test)
{
    for (const rk_henv *e = rk_h_lose_changed(run, env, test); e != env; e = e->next)
        if (!clang_Cursor_isNull(e->variable))
            return false;
    return true;
}

/** Whether some variable that was known in `before` is no more. */
static bool loses(const rk_henv *now, const rk_henv *before)
{
    for (const rk_henv *e = now; e && e != before; e = e->next) {
        const rk_henv *old = rk_henv_find(before, e->variable),
                      *last = rk_henv_find(now, e->variable);
        if (old && last && old->value.kind != RK_HV_UNKNOWN && last->value.kind == RK_HV_UNKNOWN)
            return true;
    }
    return false;
}

/**
 * The values after a loop whose turns are all known, such as one over the dimensions of an array; NULL for any other.
 * Its launches were told before.
 */
static const rk_henv *counted_out(rk_hrun *run, CXCursor stmt, CXCursor test, rk_cursors c,
                                  const rk_hstate *before)
{
    rk_hrun alone = *run;
    rk_hstate state = *before;
    const bool is_for = clang_getCursorKind(stmt) == CXCursor_ForStmt;
    if (run->counting)
        return NULL;
    alone.launch = NULL;
    alone.enter = NULL;
    alone.counting = true;
    const bool done = run_turns(&alone, test, is_for ? c.items[c.count - 2] : clang_getNullCursor(),
                                c.items[c.count - 1], false, FEW_TURNS, &state);
    return done && !state.ended && state.exits == before->exits && !loses(state.env, before->env)
               ? state.env
               : NULL;
}

/** The body is run once, with all that the loop changes unknown: it stands for every run of it. */
void rk_hx_run_loop(rk_hrun *run, CXCursor stmt, rk_hstate *state)
{
    rk_cursors c = rk_ast_children(stmt, run->arena);
    enum CXCursorKind kind = clang_getCursorKind(stmt);
    if (c.count == 0)
        return;
    CXCursor body = c.items[kind == CXCursor_DoStmt ? 0 : c.count - 1];
    if (kind == CXCursor_CXXForRangeStmt)
        rk_hx_lose_hidden(run, stmt, state);
    if (runs_once(run, stmt, c)) {
        run_once(run, body, state);
        return;
    }
    CXCursor test = enter_loop(run, stmt, c, state);
    if (run->call && !clang_Cursor_isNull(test)) {
        const bool counts = kind == CXCursor_ForStmt;
        device_search device = {0};
        clang_visitChildren(body, find_device, &device);
        if (run_turns(run, test, counts ? c.items[c.count - 2] : clang_getNullCursor(), body,
                      kind == CXCursor_DoStmt, device.found ? MANY_TURNS : FEW_TURNS, state))
            return;
    }
    const rk_cexpr *first =
        clang_Cursor_isNull(test) ? NULL : rk_hx_condition_of(run, state->env, test);
    const rk_hstate before = *state;
    rk_hstate inside = *state;
    loop_variables variables = {.arena = run->arena, .stmt = stmt};
    inside.env =
        name_variables(run, &variables, before.env, rk_h_lose_changed(run, before.env, stmt));
    const rk_henv *entered = inside.env;
    const bool changes = !clang_Cursor_isNull(test) && !changes_nothing(run, entered, test);
    const rk_cexpr *again =
        clang_Cursor_isNull(test) || changes ? NULL : rk_hx_condition_of(run, entered, test);
    if (changes)
        inside.env = rk_h_lose_changed(run, entered, test);
    inside.broke = inside.continued = false;
    inside.partial = inside.partial || run->call != NULL;
    if (first)
        rk_hx_push_condition(run, &inside, first);
    else if (kind != CXCursor_DoStmt)
        inside.partial = true;
    lose_range_variable(run, stmt, c, &inside);
    run->loops++;
    rk_hx_run_statement(run, body, &inside);
    run->loops--;
    find_next(run, &variables, again, entered, &inside);
    find_after(run, &variables);
    const rk_henv *out =
        run->call || clang_Cursor_isNull(test) ? NULL : counted_out(run, stmt, test, c, &before);
    state->env =
        out ? out
            : name_variables(run, &variables, before.env, rk_h_lose_changed(run, before.env, stmt));
    bool left = inside.exits > before.exits;
    state->partial = before.partial || left;
    state->leaks += left;
    state->exits = inside.exits;
}
