#include "convert/facts/walk.h"
#include "convert/unit/problems.h"

#include <string.h>

/*
 * Calls of which only the run knows the function: it may read the built-ins or synchronise, and nobody has given it
 * the context. Pointers that a kernel's own code takes are looked at by their names; those in a variable of the
 * project may be of each function that its initial value names. What comes from elsewhere is not known, and a virtual
 * function is only where no other source can derive from its class.
 */

#define OUT "make it a template argument, or choose between functions by their names"
#define VIRTUAL "%sis virtual, and which function is called only the run knows"

/** Once for each name, however often it is used. */
static void refuse(rk_unit *unit, size_t function, rk_place place, const char *name,
                   const char *format)
{
    const rk_function *f = unit->functions.items[function];
    const char *quoted = rk_arena_printf(unit->arena, "'%s' ", name);
    for (size_t i = 0; i < f->problems.count; i++)
        if (strcmp(f->problems.items[i].code, "RK-V136") == 0 &&
            rk_str_starts(f->problems.items[i].message, quoted))
            return;
    rk_problem_add(unit, function, RK_REFUSED, "RK-V136", place, OUT, format, quoted);
}

static void refuse_at(rk_walker *w, CXCursor cursor, const char *format)
{
    refuse(w->unit, w->function, rk_walk_place(w, cursor), rk_ast_name(cursor, w->unit->arena),
           format);
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

static bool is_outside(CXCursor variable)
{
    return clang_getCursorKind(variable) == CXCursor_VarDecl &&
           !rk_ast_is_function(clang_getCursorKind(clang_getCursorSemanticParent(variable)));
}

/** The variable outside of functions that the expression is a part of; null for another. */
static CXCursor variable_of(const rk_walker *w, CXCursor e)
{
    for (;;) {
        const CXCursor target = clang_getCursorReferenced(e);
        if (is_outside(target))
            return target;
        const rk_cursors parts = rk_ast_children(e, w->unit->arena);
        if (!parts.count)
            return clang_getNullCursor();
        e = parts.items[0];
    }
}

typedef struct {
    rk_walker *w;
    bool any;
} value_search;

/** Notes each function that an initial value names. */
static enum CXChildVisitResult note_values(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    value_search *s = data;
    const CXCursor target = clang_getCursorReferenced(cursor);
    const enum CXCursorKind kind = clang_getCursorKind(target);
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr && rk_ast_is_function(kind)) {
        s->any = true;
        rk_walk_call(s->w, cursor, target);
    } else if (kind == CXCursor_NonTypeTemplateParameter) {
        s->any = true; /* its instances name the function where they name the argument */
    } else if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr && is_outside(target)) {
        clang_visitChildren(target, note_values, data);
    }
    return CXChildVisit_Recurse;
}

/** Whether the variable begins with functions that are seen, which a call through it may then be of. */
static bool note_initial(rk_walker *w, CXCursor variable)
{
    value_search s = {.w = w};
    const CXCursor definition = clang_getCursorDefinition(variable);
    if (!clang_Cursor_isNull(definition))
        clang_visitChildren(definition, note_values, &s);
    return s.any;
}

static void look_at_pointer(rk_walker *w, CXCursor cursor)
{
    const CXCursor target = clang_getCursorReferenced(cursor);
    const enum CXCursorKind kind = clang_getCursorKind(target);
    const bool outside = kind == CXCursor_FieldDecl || is_outside(target) ||
                         (kind == CXCursor_ParmDecl && w->f->kernel && !w->lambdas.count);
    if (!outside || rk_ast_is_system(target) || !leads_to_function(clang_getCursorType(target)))
        return;
    const CXCursor variable = variable_of(w, cursor);
    if (clang_Cursor_isNull(variable) || !note_initial(w, variable))
        refuse_at(w, cursor, "%sis a pointer to a function that only the run knows");
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

static bool overrides(CXCursor method, CXCursor of)
{
    if (clang_equalCursors(clang_getCanonicalCursor(method), clang_getCanonicalCursor(of)))
        return true;
    CXCursor *overridden = NULL;
    unsigned count = 0;
    bool any = false;
    clang_getOverriddenCursors(method, &overridden, &count);
    for (unsigned i = 0; i < count; i++)
        any |= overrides(overridden[i], of);
    if (overridden)
        clang_disposeOverriddenCursors(overridden);
    return any;
}

/**
 * Notes that a virtual call may be of each function that overrides the one named. False where some may not be
 * seen: another source may include the class and derive from it, or a template's base depends on its arguments.
 */
static bool note_overriders(rk_walker *w, CXCursor call)
{
    const CXCursor method = clang_getCursorReferenced(call);
    const char *name = rk_ast_name(method, w->unit->arena);
    if (rk_ast_expansion(w->unit, clang_getCursorLocation(method)).file != 0)
        return false;
    for (size_t i = 0; i < w->unit->functions.count; i++) {
        const rk_function *f = w->unit->functions.items[i];
        if (f->is_virtual && f->class_template && strcmp(f->name, name) == 0)
            return false;
    }
    for (size_t i = 0; i < w->unit->functions.count; i++)
        if (w->unit->functions.items[i]->is_virtual &&
            overrides(w->analysis->cursors.items[i], method))
            rk_walk_call(w, call, w->analysis->cursors.items[i]);
    return true;
}

void rk_indirect_look(rk_walker *w, CXCursor cursor)
{
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr)
        look_at_pointer(w, cursor);
    else if (clang_Cursor_isDynamicCall(cursor) && !is_of_object(w, cursor) &&
             !note_overriders(w, cursor))
        refuse_at(w, cursor, VIRTUAL);
}
