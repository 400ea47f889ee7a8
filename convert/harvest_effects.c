#include "convert/harvest_internal.h"

#include <string.h>

/** The local variable or parameter whose own storage an lvalue is part of; false if it is none. */
bool rk_h_root(CXCursor *out, rk_arena *arena, CXCursor lvalue)
{
    for (;;) {
        CXCursor e = rk_h_unwrap(arena, lvalue);
        rk_hchildren c = rk_h_children(arena, e);
        enum CXCursorKind kind = clang_getCursorKind(e);
        if (kind == CXCursor_DeclRefExpr) {
            *out = clang_getCursorReferenced(e);
            kind = clang_getCursorKind(*out);
            return kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl;
        }
        bool pointer =
            c.count > 0 &&
            clang_getCanonicalType(clang_getCursorType(rk_h_unwrap(arena, c.items[0]))).kind ==
                CXType_Pointer;
        bool part = kind == CXCursor_MemberRefExpr || kind == CXCursor_ArraySubscriptExpr ||
                    kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXStaticCastExpr ||
                    kind == CXCursor_CXXConstCastExpr || kind == CXCursor_CXXReinterpretCastExpr;
        if (!part || c.count == 0 || pointer)
            return false;
        bool cast = kind != CXCursor_MemberRefExpr && kind != CXCursor_ArraySubscriptExpr;
        lvalue = c.items[cast ? c.count - 1 : 0];
    }
}

typedef struct {
    rk_arena *arena;
    const rk_henv *env;
    bool lambda; /**< inside a lambda: what changes there may change at any time */
} effects;

static void lose(effects *fx, CXCursor lvalue, bool for_good, const char *reason)
{
    CXCursor root;
    if (rk_h_root(&root, fx->arena, lvalue))
        fx->env = rk_henv_lose(fx->arena, fx->env, root, for_good || fx->lambda, reason);
}

static bool is_reference_to_const(CXType type)
{
    return clang_isConstQualifiedType(clang_getPointeeType(type));
}

/** Whether a call's i-th argument may be changed through a reference parameter. */
static bool by_reference(CXCursor function, size_t i, bool known)
{
    int count = known ? clang_Cursor_getNumArguments(function) : -1;
    if (count < 0 || i >= (size_t)count)
        return true;
    CXType type = clang_getCursorType(clang_Cursor_getArgument(function, (unsigned)i));
    bool reference = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
    return reference && !is_reference_to_const(type);
}

/** The one function that an unresolved call can mean; the null cursor when there are several. */
static CXCursor only_candidate(rk_arena *arena, CXCursor callee)
{
    rk_hchildren c = rk_h_children(arena, rk_h_unwrap(arena, callee));
    for (size_t i = 0; i < c.count; i++)
        if (clang_getCursorKind(c.items[i]) == CXCursor_OverloadedDeclRef &&
            clang_getNumOverloadedDecls(c.items[i]) == 1)
            return clang_getOverloadedDecl(c.items[i], 0);
    return clang_getNullCursor();
}

/**
 * Arguments that are bare lvalues are bound to references. A method that is not const may change
 * its object.
 */
static void call_effects(effects *fx, CXCursor call)
{
    rk_hchildren c = rk_h_children(fx->arena, call);
    CXCursor function = clang_getCursorReferenced(call), configuration;
    if (c.count == 0 || rk_h_is_launch(fx->arena, call, &configuration))
        return;
    bool constructor = clang_getCursorKind(function) == CXCursor_Constructor;
    if (clang_Cursor_isNull(function))
        function = only_candidate(fx->arena, c.items[0]);
    bool known = !clang_Cursor_isNull(function);
    size_t first = constructor ? 0 : 1;
    for (size_t i = first; i < c.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(c.items[i]);
        bool bare = kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr ||
                    kind == CXCursor_ParenExpr || kind == CXCursor_ArraySubscriptExpr;
        bool constant = clang_isConstQualifiedType(clang_getCursorType(c.items[i]));
        if (bare && !constant && by_reference(function, i - first, known))
            lose(fx, c.items[i], false, "is passed by reference");
    }
    CXCursor callee = rk_h_unwrap(fx->arena, c.items[0]);
    bool method = clang_getCursorKind(function) == CXCursor_CXXMethod;
    if (method && !clang_CXXMethod_isConst(function))
        lose(fx, clang_getCursorKind(callee) == CXCursor_MemberRefExpr ? callee : c.items[0], false,
             "is changed by a method");
}

static void walk(effects *fx, CXCursor node)
{
    rk_hchildren c = rk_h_children(fx->arena, node);
    enum CXCursorKind kind = clang_getCursorKind(node);
    bool lambda = fx->lambda;
    if (kind == CXCursor_LambdaExpr)
        fx->lambda = true;
    for (size_t i = 0; i < c.count; i++)
        walk(fx, c.items[i]);
    fx->lambda = lambda;
    if (c.count == 0)
        return;
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(node);
    if (kind == CXCursor_CompoundAssignOperator ||
        (kind == CXCursor_BinaryOperator &&
         clang_getCursorBinaryOperatorKind(node) == CXBinaryOperator_Assign))
        lose(fx, c.items[0], false, "changes in a way that is not followed");
    else if (kind == CXCursor_UnaryOperator && op >= CXUnaryOperator_PostInc &&
             op <= CXUnaryOperator_PreDec)
        lose(fx, c.items[0], false, "changes in a way that is not followed");
    else if (kind == CXCursor_UnaryOperator && op == CXUnaryOperator_AddrOf)
        lose(fx, c.items[0], true, "has its address taken");
    else if (kind == CXCursor_CallExpr)
        call_effects(fx, node);
    else if (kind == CXCursor_VarDecl && clang_getCursorType(node).kind == CXType_LValueReference &&
             !is_reference_to_const(clang_getCursorType(node)))
        lose(fx, c.items[c.count - 1], true, "has a reference to it");
}

const rk_henv *rk_h_lose_changed(rk_arena *arena, const rk_henv *env, CXCursor node)
{
    effects fx = {.arena = arena, .env = env};
    walk(&fx, node);
    return fx.env;
}

bool rk_h_is_launch(rk_arena *arena, CXCursor call, CXCursor *configuration)
{
    if (clang_getCursorKind(call) != CXCursor_CallExpr)
        return false;
    rk_hchildren c = rk_h_children(arena, call);
    for (size_t i = 0; i < c.count && i < 2; i++) {
        if (clang_getCursorKind(c.items[i]) != CXCursor_CallExpr)
            continue;
        CXString name = clang_getCursorSpelling(c.items[i]);
        bool found = strcmp(clang_getCString(name), "__cudaPushCallConfiguration") == 0 ||
                     strcmp(clang_getCString(name), "cudaConfigureCall") == 0;
        clang_disposeString(name);
        *configuration = c.items[i];
        if (found)
            return true;
    }
    return false;
}

bool rk_h_is_launch_call(rk_arena *arena, CXCursor call)
{
    if (clang_getCursorKind(call) != CXCursor_CallExpr)
        return false;
    const char *name = rk_h_spelling(arena, call);
    return strcmp(name, "cudaLaunchKernel") == 0 || strcmp(name, "cudaLaunchKernelExC") == 0 ||
           strcmp(name, "cudaLaunchKernelEx") == 0 ||
           strcmp(name, "cudaLaunchCooperativeKernel") == 0;
}
