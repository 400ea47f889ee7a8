#include "convert/launches/harvest_internal.h"

#include <string.h>

/* Calls that are followed for the launches of what they call. */

enum { MAX_ENTERED = 8 };

/** A call's arguments, without the function and the object of a method. */
static CXCursor *arguments(size_t *count, rk_arena *arena, CXCursor call, bool object)
{
    const int n = clang_Cursor_getNumArguments(call);
    CXCursor *items = RK_NEW_ARRAY(arena, CXCursor, n > 0 ? (size_t)n : 1);
    *count = 0;
    for (int i = object ? 1 : 0; i < n; i++)
        items[(*count)++] = clang_Cursor_getArgument(call, (unsigned)i);
    return items;
}

bool rk_h_is_lambda_call(rk_hrun *run, CXCursor call, const rk_henv *env)
{
    CXCursor function = clang_getCursorReferenced(call);
    return clang_getCursorKind(function) == CXCursor_CXXMethod &&
           clang_Cursor_getNumArguments(call) > 0 &&
           strcmp(rk_ast_name(function, run->arena), "operator()") == 0 &&
           rk_h_eval(run, env, clang_Cursor_getArgument(call, 0)).kind == RK_HV_LAMBDA;
}

typedef struct {
    rk_hrun *run;
    const rk_henv *made;
    const rk_henv *env;
} captures;

/** A variable that has changed since the lambda was made may have been captured before or after. */
static enum CXChildVisitResult lose_captured(CXCursor node, CXCursor parent, CXClientData data)
{
    (void)parent;
    captures *c = data;
    CXCursor variable = clang_getCursorReferenced(node);
    enum CXCursorKind kind = clang_getCursorKind(variable);
    if (clang_getCursorKind(node) != CXCursor_DeclRefExpr ||
        (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl))
        return CXChildVisit_Recurse;
    const rk_henv *then = rk_henv_find(c->made, variable), *now = rk_henv_find(c->env, variable);
    if (then && then != now)
        c->env = rk_henv_lose(c->run->arena, c->env, variable, false,
                              "changes after a lambda has captured it");
    return CXChildVisit_Recurse;
}

/** The value of a parameter that a call gives, or that its default is. */
static rk_hv passed(rk_hrun *run, const rk_henv *env, CXCursor parameter, const CXCursor *args,
                    size_t count, size_t i)
{
    rk_cursors c = rk_ast_children(parameter, run->arena);
    rk_hv value = {.kind = RK_HV_UNKNOWN, .reason = "an argument is not followed"};
    if (i < count)
        value = rk_h_eval(run, env, args[i]);
    const bool left_out = i >= count || rk_ast_children(args[i], run->arena).count == 0;
    for (size_t k = c.count; k-- > 0 && value.kind == RK_HV_UNKNOWN && left_out;)
        if (clang_isExpression(clang_getCursorKind(c.items[k])))
            value = rk_h_eval(run, NULL, c.items[k]);
    return rk_hv_convert(run->arena, value, clang_getCursorType(parameter));
}

bool rk_h_enter_call(rk_hrun *run, CXCursor call, const rk_hstate *state)
{
    rk_arena *arena = run->arena;
    const bool lambda = rk_h_is_lambda_call(run, call, state->env);
    CXCursor function = clang_getCursorDefinition(clang_getCursorReferenced(call));
    rk_hv made = {.kind = RK_HV_UNKNOWN};
    if (lambda)
        made = rk_h_eval(run, state->env, clang_Cursor_getArgument(call, 0));
    if (lambda && (clang_Cursor_isNull(function) ||
                   clang_Location_isInSystemHeader(clang_getCursorLocation(function))))
        function = made.cursor; /* called by std::function */
    if (clang_Cursor_isNull(function) || run->depth >= MAX_ENTERED)
        return false;
    rk_cursors c = rk_ast_children(function, arena);
    if (c.count == 0 || clang_getCursorKind(c.items[c.count - 1]) != CXCursor_CompoundStmt)
        return false;
    const bool functor = lambda || (clang_getCursorKind(function) == CXCursor_CXXMethod &&
                                    strcmp(rk_ast_name(function, arena), "operator()") == 0);
    size_t count, next = 0;
    CXCursor *args = arguments(&count, arena, call, functor);
    rk_hstate inside = *state;
    if (lambda) {
        captures captured = {.run = run, .made = made.made, .env = state->env};
        clang_visitChildren(function, lose_captured, &captured);
        inside.env = captured.env;
    }
    if (!lambda && clang_getCursorKind(function) == CXCursor_CXXMethod) /* of another object */
        inside.env = rk_henv_touch(arena, inside.env, true);
    for (size_t i = 0; i < c.count; i++)
        if (clang_getCursorKind(c.items[i]) == CXCursor_ParmDecl)
            inside.env = rk_henv_bind(arena, inside.env, c.items[i],
                                      passed(run, state->env, c.items[i], args, count, next++));
    rk_hrun inner = {.arena = arena,
                     .launch = run->launch,
                     .enter = run->enter,
                     .user = run->user,
                     .inputs = run->inputs,
                     .root = RK_NEW(arena, char),
                     .depth = run->depth + 1};
    rk_h_run(&inner, c.items[c.count - 1], inside);
    return true;
}
