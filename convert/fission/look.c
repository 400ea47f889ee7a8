#include "convert/cuda/builtins.h"
#include "convert/fission/fission_internal.h"

#include "convert/clang/ast.h"
#include "convert/clang/lower.h"
#include "convert/facts/spin.h"
#include "convert/facts/system.h"

#include <string.h>

/* What a kernel does anywhere in its text or its callees' that fission cannot keep. */

/** A function that was looked into. */
typedef struct {
    CXCursor cursor;
    const char *why; /**< it rules fission out; NULL */
    bool atomics;
    bool open;
} callee;

typedef struct {
    rk_fission *f;
    RK_VEC(callee) callees;
} looker;

typedef struct {
    looker *l;
    bool kernel;
    bool polls; /**< the text is in a loop that an atomic's result may keep going */
    bool atomics;
    const char *why;
    CXCursor at;
} view;

static void look_at(view *v, CXCursor cursor);

static void refuse(view *v, CXCursor at, const char *why)
{
    if (v->why)
        return;
    v->why = why;
    v->at = at;
}

static bool has_name(CXCursor function, const char *name, rk_arena *arena)
{
    return strcmp(rk_ast_name(function, arena), name) == 0;
}

static void use_atomic(view *v, CXCursor at)
{
    v->atomics = true;
    if (v->polls)
        refuse(v, at, "an atomic in a loop, which may wait for another thread");
}

static size_t look_into(looker *l, CXCursor definition)
{
    for (size_t i = 0; i < l->callees.count; i++)
        if (clang_equalCursors(l->callees.items[i].cursor, definition))
            return i;
    const size_t index = l->callees.count;
    *rk_push(l->f->arena, &l->callees) = (callee){.cursor = definition, .open = true};
    view v = {.l = l};
    const rk_cursors children = rk_ast_children(definition, l->f->arena);
    for (size_t i = 0; i < children.count; i++)
        look_at(&v, children.items[i]);
    l->callees.items[index] = (callee){definition, v.why, v.atomics, false};
    return index;
}

static void use_waiting(view *v, CXCursor at, CXCursor function)
{
    rk_arena *arena = v->l->f->arena;
    const size_t offset = rk_fission_begin(at);
    if (!v->kernel)
        refuse(v, at, "a function that it calls waits");
    else if (has_name(function, "__syncthreads", arena) ||
             has_name(function, "__syncwarp", arena) || has_name(function, "sync", arena))
        *rk_push(arena, &v->l->f->barriers) = offset;
    else if (has_name(function, "this_thread_block", arena) ||
             has_name(function, "thread_block", arena))
        *rk_push(arena, &v->l->f->groups) = offset;
    else
        refuse(v, at, "it waits by other means than a barrier of the block");
}

static void use_function(view *v, CXCursor at, CXCursor function)
{
    rk_arena *arena = v->l->f->arena;
    bool grid = false;
    const char *name = rk_ast_name(function, arena);
    if (rk_system_waits_by_name(name) ||
        (rk_ast_is_system(function) && rk_system_waits_by_namespace(function, &grid, arena))) {
        use_waiting(v, at, function);
        return;
    }
    if (rk_ast_has_attribute(function, CXCursor_CUDAGlobalAttr, NULL))
        refuse(v, at, "it launches or calls a kernel");
    if (rk_ast_is_system(function)) {
        if (strstr(name, "tomic") || rk_system_in_namespace(function, "cuda", arena))
            use_atomic(v, at);
        return;
    }
    const CXCursor definition = clang_getCursorDefinition(function);
    if (clang_Cursor_isNull(definition) || clang_CXXMethod_isVirtual(function)) {
        refuse(v, at, "it calls a function whose body is not seen");
        return;
    }
    const size_t index = look_into(v->l, definition);
    const callee *c = &v->l->callees.items[index];
    if (c->why || c->open)
        refuse(v, at, c->why ? c->why : "a function that it calls is recursive");
    if (c->atomics)
        use_atomic(v, at);
}

/** Operators that wait are left to the runtime, which ends such a program and says why. */
static bool is_operator(CXCursor overloads, rk_arena *arena)
{
    return rk_str_starts(rk_ast_name(overloads, arena), "operator");
}

static void use_overloads(view *v, CXCursor cursor)
{
    const unsigned count = clang_getNumOverloadedDecls(cursor);
    bool known = count > 0;
    for (unsigned i = 0; i < count; i++) {
        const CXCursor one = clang_getOverloadedDecl(cursor, i);
        if (rk_ast_is_function(clang_getCursorKind(one)))
            use_function(v, cursor, one);
        else
            known = false;
    }
    const bool chosen = v->l->f->helper_waits && !is_operator(cursor, v->l->f->arena);
    if (!known || chosen)
        refuse(v, cursor, "it calls a function that template arguments choose");
}

static bool is_volatile(CXType type)
{
    for (int depth = 0; depth < 4 && type.kind != CXType_Invalid; depth++) {
        const CXType t = clang_getCanonicalType(type);
        if (clang_isVolatileQualifiedType(t))
            return true;
        type = clang_getArrayElementType(t);
        if (type.kind == CXType_Invalid)
            type = clang_getPointeeType(t);
    }
    return false;
}

/** `T(0)`, `a += b` and `f(a)` of types that depend on template arguments: their overloads are looked at. */
static bool is_dependent(CXCursor call, rk_arena *arena)
{
    const rk_cursors all = rk_ast_children(call, arena);
    bool good = all.count && clang_getCursorKind(all.items[0]) == CXCursor_TypeRef;
    for (size_t i = 0; i < all.count; i++) {
        const CXCursor overloads = clang_getCursorReferenced(all.items[i]);
        good |= clang_getCursorKind(overloads) == CXCursor_OverloadedDeclRef &&
                (i == 0 || is_operator(overloads, arena));
    }
    return good;
}

static void look_at_call(view *v, CXCursor cursor)
{
    const CXCursor target = clang_getCursorReferenced(cursor);
    const enum CXCursorKind kind = clang_getCursorKind(target);
    if (rk_ast_is_function(kind))
        use_function(v, cursor, target);
    else if (kind != CXCursor_OverloadedDeclRef && !is_dependent(cursor, v->l->f->arena))
        refuse(v, cursor, "it calls a function that is not named");
}

static void use_variable(view *v, CXCursor variable)
{
    rk_fission *f = v->l->f;
    const rk_builtin *builtin = v->kernel && rk_ast_is_system(variable)
                                    ? rk_builtin_find(rk_ast_name(variable, f->arena))
                                    : NULL;
    if (builtin)
        f->reads |= builtin->use & RK_USE_PLACES;
}

static void look_at_reference(view *v, CXCursor cursor)
{
    const CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(target) == CXCursor_VarDecl)
        use_variable(v, target);
    if (rk_ast_is_function(clang_getCursorKind(target)))
        use_function(v, cursor, target);
}

static bool is_loop(enum CXCursorKind kind)
{
    return kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt || kind == CXCursor_ForStmt;
}

static void look_at_node(view *v, CXCursor cursor)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_GCCAsmStmt:
    case CXCursor_MSAsmStmt:
        refuse(v, cursor, "inline assembly");
        break;
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
    case CXCursor_LabelStmt:
    case CXCursor_CXXTryStmt:
    case CXCursor_StmtExpr:
        refuse(v, cursor, "a jump, a try block or a statement in an expression");
        break;
    case CXCursor_LambdaExpr:
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
        refuse(v, cursor, "a lambda or a type inside a function");
        break;
    case CXCursor_VarDecl:
        if (clang_Cursor_getStorageClass(cursor) == CX_SC_Static &&
            !rk_ast_has_attribute(cursor, CXCursor_CUDASharedAttr, NULL))
            refuse(v, cursor, "a static variable");
        break;
    case CXCursor_CallExpr:
        look_at_call(v, cursor);
        break;
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr:
        look_at_reference(v, cursor);
        break;
    case CXCursor_OverloadedDeclRef:
        use_overloads(v, cursor);
        break;
    default:
        break;
    }
    if (is_volatile(clang_getCursorType(cursor)))
        refuse(v, cursor, "a volatile object");
    if (is_loop(clang_getCursorKind(cursor)) &&
        rk_spin_look(v->l->f->unit, rk_lower_cursor(rk_ir_of(v->l->f->unit), cursor), SIZE_MAX) !=
            RK_SPIN_NONE)
        refuse(v, cursor, "a loop that waits for another thread");
}

/** Whether the loop may go on for as long as what child `i` of it does says so. */
static bool may_poll(CXCursor loop, const rk_cursors *children, size_t i)
{
    const enum CXCursorKind kind = clang_getCursorKind(loop);
    if (kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt)
        return true;
    return kind == CXCursor_ForStmt && (children->count < 4 || i + 1 < children->count);
}

static void look_at(view *v, CXCursor cursor)
{
    look_at_node(v, cursor);
    const rk_cursors children = rk_ast_children(cursor, v->l->f->arena);
    for (size_t i = 0; i < children.count && !v->why; i++) {
        const bool polled = v->polls;
        v->polls |= may_poll(cursor, &children, i);
        look_at(v, children.items[i]);
        v->polls = polled;
    }
}

bool rk_fission_look(rk_fission *f)
{
    looker l = {.f = f};
    view v = {.l = &l, .kernel = true};
    look_at(&v, f->body);
    if (v.why)
        return rk_fission_refuse(f, v.at, v.why);
    if (f->barriers.count == 0)
        return rk_fission_refuse(f, f->body, "no barrier is seen");
    return true;
}
