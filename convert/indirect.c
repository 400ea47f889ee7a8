#include "convert/walk.h"

#include <string.h>

/*
 * Calls of which only the run knows the function: it may read the built-ins or synchronise, and nobody has given it
 * the context. Pointers that a kernel's own code takes are looked at by their names (RK-V112); those that come from
 * elsewhere, and virtual functions, are not known.
 */

#define OUT "make it a template argument, or choose between functions by their names"

/** Once for each name, however often it is used. */
static void refuse(rk_walker *w, CXCursor cursor, const char *format)
{
    const char *name =
        rk_arena_printf(w->unit->arena, "'%s' ", rk_ast_name(cursor, w->unit->arena));
    for (size_t i = 0; i < w->f->problems.count; i++)
        if (strcmp(w->f->problems.items[i].code, "RK-V136") == 0 &&
            rk_str_starts(w->f->problems.items[i].message, name))
            return;
    rk_problem_add(w->unit, w->function, RK_REFUSED, "RK-V136", rk_walk_place(w, cursor), OUT,
                   format, name);
}

/** Whether it is a pointer to a function or method, or an array of such. */
static bool leads_to_function(CXType type)
{
    CXType at = clang_getCanonicalType(type);
    while (at.kind == CXType_ConstantArray || at.kind == CXType_IncompleteArray ||
           at.kind == CXType_Pointer || at.kind == CXType_LValueReference)
        at = clang_getCanonicalType(at.kind == CXType_Pointer || at.kind == CXType_LValueReference
                                        ? clang_getPointeeType(at)
                                        : clang_getArrayElementType(at));
    return at.kind == CXType_FunctionProto || at.kind == CXType_MemberPointer;
}

static void look_at_pointer(rk_walker *w, CXCursor cursor)
{
    const CXCursor target = clang_getCursorReferenced(cursor);
    const enum CXCursorKind kind = clang_getCursorKind(target);
    const enum CXCursorKind around = clang_getCursorKind(clang_getCursorSemanticParent(target));
    const bool outside = kind == CXCursor_FieldDecl ||
                         (kind == CXCursor_VarDecl && !rk_ast_is_function(around)) ||
                         (kind == CXCursor_ParmDecl && w->f->kernel && !w->lambdas.count);
    if (outside && !rk_ast_is_system(target) && leads_to_function(clang_getCursorType(target)))
        refuse(w, cursor, "%sis a pointer to a function that only the run knows");
}

/** Whether the method is called on a variable that is an object, whose class is known. */
static bool is_of_object(const rk_walker *w, CXCursor call)
{
    const rk_cursors callee = rk_ast_children(call, w->unit->arena);
    if (!callee.count || clang_getCursorKind(callee.items[0]) != CXCursor_MemberRefExpr)
        return false;
    rk_cursors base = rk_ast_children(callee.items[0], w->unit->arena);
    while (base.count == 1 && clang_getCursorKind(base.items[0]) == CXCursor_UnexposedExpr)
        base = rk_ast_children(base.items[0], w->unit->arena); /* conversions to const, to a base */
    if (!base.count || clang_getCursorKind(base.items[0]) != CXCursor_DeclRefExpr)
        return false;
    const CXCursor variable = clang_getCursorReferenced(base.items[0]);
    return clang_getCanonicalType(clang_getCursorType(variable)).kind == CXType_Record;
}

void rk_indirect_look(rk_walker *w, CXCursor cursor)
{
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr)
        look_at_pointer(w, cursor);
    else if (clang_Cursor_isDynamicCall(cursor) && !is_of_object(w, cursor))
        refuse(w, cursor, "%sis virtual, and which function is called only the run knows");
}
