#include "convert/launches/harvest_internal.h"

#include <string.h>

/** The local variable or parameter whose own storage an lvalue is part of; false if it is none. */
bool rk_h_root(CXCursor *out, rk_arena *arena, CXCursor lvalue)
{
    for (;;) {
        CXCursor e = rk_h_unwrap(arena, lvalue);
        rk_cursors c = rk_ast_children(e, arena);
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
    rk_hrun *run;
    rk_arena *arena;
    const rk_henv *env;
    bool once;   /**< what is walked is evaluated once, all of it: calls may leave new values */
    bool lambda; /**< inside a lambda: what changes there may change at any time */
} effects;

/** Makes a member of a struct that is followed unknown, and leaves its other members as they are. */
static bool lose_member(effects *fx, CXCursor lvalue, CXCursor root, const char *reason)
{
    const rk_henv *old = rk_h_is_global(root) ? NULL : rk_henv_find(fx->env, root);
    if (!old || old->escaped || old->value.kind != RK_HV_STRUCT)
        return false;
    rk_hv value = rk_hv_unknown(fx->arena, "'%s' %s", rk_h_source(fx->arena, lvalue), reason);
    CXCursor e = lvalue, object;
    const char *name;
    while (rk_h_part(&object, &name, fx->run, fx->env, e)) { /* a method may change all */
        rk_hv whole = rk_h_eval(fx->run, fx->env, object);
        if (whole.kind != RK_HV_STRUCT)
            return false;
        value = rk_hv_with_field(fx->arena, whole, name, value);
        e = object;
        if (clang_getCursorKind(e) == CXCursor_DeclRefExpr) {
            fx->env = rk_henv_set(fx->arena, fx->env, root, value);
            return true;
        }
    }
    return false;
}

static void lose(effects *fx, CXCursor lvalue, bool for_good, const char *reason)
{
    CXCursor root, e = rk_h_unwrap(fx->arena, lvalue);
    if (!rk_h_root(&root, fx->arena, lvalue)) {
        fx->env = rk_henv_touch(fx->arena, fx->env, true);
        return;
    }
    bool number = clang_getCursorKind(e) == CXCursor_DeclRefExpr &&
                  rk_h_ctype(clang_getCursorType(e)).kind != RK_CTYPE_POINTER;
    if (!number)
        fx->env = rk_henv_touch(fx->arena, fx->env, false);
    if (!for_good && !fx->lambda && lose_member(fx, e, root, reason))
        return;
    fx->env = rk_henv_lose(fx->arena, fx->env, root, for_good || fx->lambda, reason);
}

/** A variable gets a value that a call leaves there. */
static void renew(effects *fx, CXCursor lvalue, CXCursor call, const char *reason)
{
    CXCursor root;
    const rk_henv *old = NULL;
    if (rk_h_root(&root, fx->arena, lvalue) && !rk_h_is_global(root))
        old = rk_henv_find(fx->env, root);
    if (!old || old->escaped || fx->lambda || !fx->once || !fx->run->inputs) {
        lose(fx, lvalue, fx->lambda, reason);
        return;
    }
    bool device = rk_h_host(fx->arena, call) & RK_HOST_ASK;
    const char *name = rk_ast_name(root, fx->arena);
    rk_cexpr_input *input = rk_hinput_new(fx->run, device ? RK_INPUT_DEVICE : RK_INPUT_CALL, call,
                                          rk_h_source(fx->arena, call));
    fx->env = rk_henv_set(fx->arena, fx->env, root,
                          rk_hv_of_input(fx->arena, input, name, clang_getCursorType(root)));
}

static bool is_reference_to_const(CXType type)
{
    return clang_isConstQualifiedType(clang_getPointeeType(type));
}

/** Whether a call's i-th argument may be changed through a reference parameter. */
bool rk_h_by_reference(CXCursor function, size_t i, bool known)
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
    rk_cursors c = rk_ast_children(rk_h_unwrap(arena, callee), arena);
    for (size_t i = 0; i < c.count; i++)
        if (clang_getCursorKind(c.items[i]) == CXCursor_OverloadedDeclRef &&
            clang_getNumOverloadedDecls(c.items[i]) == 1)
            return clang_getOverloadedDecl(c.items[i], 0);
    return clang_getNullCursor();
}

bool rk_h_address_operand(CXCursor *out, rk_arena *arena, CXCursor argument)
{
    CXCursor e = rk_h_unwrap(arena, argument);
    rk_cursors c = rk_ast_children(e, arena);
    while (c.count && (clang_getCursorKind(e) == CXCursor_CStyleCastExpr ||
                       clang_getCursorKind(e) == CXCursor_CXXReinterpretCastExpr ||
                       clang_getCursorKind(e) == CXCursor_CXXStaticCastExpr)) {
        e = rk_h_unwrap(arena, c.items[c.count - 1]);
        c = rk_ast_children(e, arena);
    }
    CXCursor root;
    if (clang_getCursorUnaryOperatorKind(e) != CXUnaryOperator_AddrOf || c.count != 1 ||
        !rk_h_root(&root, arena, c.items[0]))
        return false;
    *out = c.items[0];
    return true;
}

static CXType parameter(CXCursor function, size_t i)
{
    int count = clang_Cursor_getNumArguments(function);
    bool known = count >= 0 && i < (size_t)count;
    return clang_getCursorType(known ? clang_Cursor_getArgument(function, (unsigned)i)
                                     : clang_getNullCursor());
}

static bool in_system_header(CXCursor cursor)
{
    return clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)) != 0;
}

/**
 * Whether the address of a variable, given to this function, is only used while the call lasts:
 * taken to be so of functions of the toolkit, of libraries and of those whose body is here.
 */
static bool lends_address(CXCursor function, rk_arena *arena)
{
    enum CXCursorKind kind = clang_getCursorKind(function);
    bool seen = in_system_header(function) ||
                !clang_Cursor_isNull(clang_getCursorDefinition(function)) ||
                !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(function));
    return (kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate ||
            kind == CXCursor_CXXMethod) &&
           seen && !(rk_h_host(arena, function) & RK_HOST_KEEP);
}

static bool points_to_const(CXType type)
{
    CXType t = rk_h_plain_type(type);
    return t.kind == CXType_Pointer && clang_isConstQualifiedType(clang_getPointeeType(t));
}

/** What a call may do to variables outside of the function, and to memory. */
static void outer_effects(effects *fx, CXCursor function, rk_cursors c)
{
    const unsigned host = rk_h_host(fx->arena, function);
    if (host & RK_HOST_CONFIGURE)
        return;
    bool followed = fx->run->call && !clang_Cursor_isNull(rk_h_definition(fx->run, function));
    if (clang_Cursor_isNull(function) || !in_system_header(function)) {
        if (followed)
            return;
        if (clang_Cursor_isNull(function) || rk_h_may_write(fx->run, function))
            fx->env = rk_henv_touch(fx->arena, fx->env, true);
        return;
    }
    if (host & RK_HOST_CUDA)
        fx->env = rk_henv_touch(fx->arena, fx->env, false);
    for (size_t i = 1; i < c.count; i++) {
        CXCursor operand;
        CXType type = rk_h_plain_type(clang_getCursorType(c.items[i]));
        bool writable = type.kind == CXType_Pointer && !points_to_const(type);
        bool formal = points_to_const(parameter(function, i - 1));
        if (writable && !formal && !rk_h_address_operand(&operand, fx->arena, c.items[i])) {
            fx->env = rk_henv_touch(fx->arena, fx->env, false);
            return;
        }
    }
}

/** Gives the variables whose addresses the call is lent what it leaves in them. */
static void lent_effects(effects *fx, CXCursor call, CXCursor function, rk_cursors c)
{
    for (size_t i = 1; i < c.count && lends_address(function, fx->arena); i++) {
        CXCursor operand;
        if (rk_h_address_operand(&operand, fx->arena, c.items[i]) &&
            !points_to_const(parameter(function, i - 1)))
            renew(fx, operand, call, "has its address taken");
    }
}

/**
 * Arguments that are bare lvalues are bound to references. A method that is not const may change
 * its object.
 */
static void call_effects(effects *fx, CXCursor call)
{
    rk_cursors c = rk_ast_children(call, fx->arena);
    CXCursor function = clang_getCursorReferenced(call), configuration;
    if (c.count == 0 || rk_h_is_launch(fx->arena, call, &configuration) ||
        rk_h_is_launch_call(fx->arena, call)) {
        fx->env = rk_henv_touch(fx->arena, fx->env, false); /* managed memory */
        return;
    }
    bool constructor = clang_getCursorKind(function) == CXCursor_Constructor;
    if (clang_Cursor_isNull(function))
        function = only_candidate(fx->arena, c.items[0]);
    bool known = !clang_Cursor_isNull(function);
    outer_effects(fx, function, c);
    lent_effects(fx, call, function, c);
    size_t first = constructor ? 0 : 1;
    for (size_t i = first; i < c.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(c.items[i]);
        bool bare = kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr ||
                    kind == CXCursor_ParenExpr || kind == CXCursor_ArraySubscriptExpr;
        bool constant = clang_isConstQualifiedType(clang_getCursorType(c.items[i]));
        if (bare && !constant && rk_h_by_reference(function, i - first, known))
            renew(fx, c.items[i], call, "is passed by reference");
    }
    CXCursor callee = rk_h_unwrap(fx->arena, c.items[0]);
    bool method = clang_getCursorKind(function) == CXCursor_CXXMethod;
    if (method && !clang_CXXMethod_isConst(function))
        lose(fx, clang_getCursorKind(callee) == CXCursor_MemberRefExpr ? callee : c.items[0], false,
             "is changed by a method");
}

/** Whether the argument of a call is an address that is only lent. */
static bool is_lent(rk_arena *arena, CXCursor call, size_t i, CXCursor argument)
{
    CXCursor operand;
    if (clang_getCursorKind(call) != CXCursor_CallExpr || i == 0)
        return false;
    return (rk_h_is_launch_call(arena, call) ||
            lends_address(clang_getCursorReferenced(call), arena)) &&
           rk_h_address_operand(&operand, arena, argument);
}

/** Whether parts of it may not be evaluated, or more than once. */
static bool is_branching(CXCursor node)
{
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(node);
    switch (clang_getCursorKind(node)) {
    case CXCursor_IfStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_CXXForRangeStmt:
    case CXCursor_CXXTryStmt:
    case CXCursor_ConditionalOperator:
        return true;
    default:
        return op == CXBinaryOperator_LAnd || op == CXBinaryOperator_LOr;
    }
}

/** An array of functions, structs or pointers as a pointer, by which its elements may change later. */
static bool is_list_pointer(rk_arena *arena, CXCursor expr)
{
    CXCursor e = rk_h_unwrap(arena, expr);
    CXType element = rk_h_element_type(clang_getCursorType(e));
    return clang_getCursorKind(expr) == CXCursor_UnexposedExpr &&
           clang_getCursorKind(e) == CXCursor_DeclRefExpr &&
           rk_h_plain_type(clang_getCursorType(expr)).kind == CXType_Pointer &&
           !points_to_const(clang_getCursorType(expr)) &&
           (rk_h_is_function_pointer(element) || element.kind == CXType_Record ||
            rk_h_is_pointer_array(clang_getCursorType(e)));
}

static void walk(effects *fx, CXCursor node)
{
    rk_cursors c = rk_ast_children(node, fx->arena);
    enum CXCursorKind kind = clang_getCursorKind(node);
    const effects before = *fx;
    if (kind == CXCursor_LambdaExpr)
        fx->lambda = true;
    if (is_branching(node))
        fx->once = false;
    for (size_t i = 0; i < c.count; i++) {
        if (is_list_pointer(fx->arena, c.items[i]) && kind != CXCursor_ArraySubscriptExpr &&
            kind != CXCursor_UnexposedExpr)
            lose(fx, c.items[i], true, "has its address kept");
        if (!is_lent(fx->arena, node, i, c.items[i]))
            walk(fx, c.items[i]);
    }
    fx->lambda = before.lambda;
    fx->once = before.once;
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

const rk_henv *rk_h_lose_changed(rk_hrun *run, const rk_henv *env, CXCursor node)
{
    effects fx = {.run = run, .arena = run->arena, .env = env};
    walk(&fx, node);
    return fx.env;
}

const rk_henv *rk_h_after(rk_hrun *run, const rk_henv *env, CXCursor node)
{
    effects fx = {.run = run, .arena = run->arena, .env = env, .once = true};
    walk(&fx, node);
    return fx.env;
}

bool rk_h_is_launch(rk_arena *arena, CXCursor call, CXCursor *configuration)
{
    if (clang_getCursorKind(call) != CXCursor_CallExpr)
        return false;
    rk_cursors c = rk_ast_children(call, arena);
    for (size_t i = 0; i < c.count && i < 2; i++) {
        if (clang_getCursorKind(c.items[i]) != CXCursor_CallExpr)
            continue;
        *configuration = c.items[i];
        if (rk_h_host(arena, c.items[i]) & RK_HOST_CONFIGURE)
            return true;
    }
    return false;
}

bool rk_h_is_node_call(rk_arena *arena, CXCursor call)
{
    return (rk_h_host(arena, call) & RK_HOST_NODE) != 0;
}

bool rk_h_is_launch_call(rk_arena *arena, CXCursor call)
{
    return clang_getCursorKind(call) == CXCursor_CallExpr &&
           (rk_h_host(arena, call) & RK_HOST_LAUNCH);
}

unsigned rk_h_host(rk_arena *arena, CXCursor function)
{
    return rk_cuda_find(RK_IN_PLAIN, rk_ast_name(function, arena))->host;
}
