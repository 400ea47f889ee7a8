#include "convert/launches/harvest_internal.h"
#include "convert/launches/roles_internal.h"

/* What classes do with the pointers that they hold. */

CXCursor rk_roles_class(CXType type)
{
    const CXCursor class =
        clang_getCursorDefinition(clang_getTypeDeclaration(rk_h_plain_type(type)));
    const CXCursor pattern = clang_getSpecializedCursorTemplate(class);
    const CXCursor written = clang_getCursorDefinition(pattern);
    return clang_Cursor_isNull(written) ? class : written;
}

static enum CXChildVisitResult find_pointer(CXCursor member, CXCursor parent, CXClientData data)
{
    (void)parent;
    bool *found = data;
    const enum CXCursorKind kind = clang_getCursorKind(member);
    if (kind == CXCursor_FieldDecl || kind == CXCursor_CXXBaseSpecifier)
        *found = rk_roles_holds_pointer(clang_getCursorType(member));
    return *found ? CXChildVisit_Break : CXChildVisit_Continue;
}

bool rk_roles_holds_pointer(CXType type)
{
    bool found = false;
    CXType t = clang_getCanonicalType(type);
    while (clang_getArrayElementType(t).kind != CXType_Invalid)
        t = clang_getCanonicalType(clang_getArrayElementType(t));
    if (t.kind == CXType_Record)
        clang_visitChildren(rk_roles_class(t), find_pointer, &found);
    return found || t.kind == CXType_Pointer || t.kind == CXType_LValueReference ||
           t.kind == CXType_RValueReference;
}

/** Whether a function's text has no statement. */
static bool has_empty_body(CXCursor function, rk_arena *arena)
{
    const rk_hchildren c = rk_h_children(arena, function);
    for (size_t i = c.count; i-- > 0;)
        if (clang_getCursorKind(c.items[i]) == CXCursor_CompoundStmt)
            return rk_h_children(arena, c.items[i]).count == 0;
    return true;
}

bool rk_roles_has_destructor(CXType type, rk_arena *arena)
{
    CXType t = clang_getCanonicalType(type);
    while (clang_getArrayElementType(t).kind != CXType_Invalid)
        t = clang_getCanonicalType(clang_getArrayElementType(t));
    const rk_hchildren c =
        t.kind == CXType_Record ? rk_h_children(arena, rk_roles_class(t)) : (rk_hchildren){0};
    for (size_t i = 0; i < c.count; i++) {
        const enum CXCursorKind kind = clang_getCursorKind(c.items[i]);
        const CXCursor definition = clang_getCursorDefinition(c.items[i]);
        if (kind == CXCursor_Destructor && !clang_CXXMethod_isDefaulted(c.items[i]) &&
            (clang_Cursor_isNull(definition) || !has_empty_body(definition, arena)))
            return true;
        if ((kind == CXCursor_FieldDecl || kind == CXCursor_CXXBaseSpecifier) &&
            rk_roles_has_destructor(clang_getCursorType(c.items[i]), arena))
            return true;
    }
    return false;
}

/** Whether a member's initial value takes what it is given as it is. */
static bool only_takes(CXCursor value, rk_arena *arena)
{
    const enum CXCursorKind kind = clang_getCursorKind(value);
    const rk_hchildren c = rk_h_children(arena, value);
    if (kind == CXCursor_CompoundAssignOperator ||
        (kind == CXCursor_CallExpr &&
         !rk_roles_only_keeps(clang_getCursorReferenced(value), arena)) ||
        (kind == CXCursor_BinaryOperator &&
         clang_getCursorBinaryOperatorKind(value) == CXBinaryOperator_Assign) ||
        (kind == CXCursor_UnaryOperator &&
         clang_getCursorUnaryOperatorKind(value) <= CXUnaryOperator_PreDec))
        return false;
    for (size_t i = 0; i < c.count; i++)
        if (!only_takes(c.items[i], arena))
            return false;
    return true;
}

bool rk_roles_only_keeps(CXCursor constructor, rk_arena *arena)
{
    if (clang_getCursorKind(constructor) != CXCursor_Constructor)
        return false;
    CXCursor definition = clang_getCursorDefinition(constructor);
    const CXCursor pattern =
        clang_getCursorDefinition(clang_getSpecializedCursorTemplate(constructor));
    if (!clang_Cursor_isNull(pattern))
        definition = pattern;
    if (clang_Cursor_isNull(definition)) /* the compiler's own, or one that cannot be seen */
        definition = constructor;
    const CXCursor class = clang_getCursorSemanticParent(definition);
    const rk_hchildren c = rk_h_children(arena, definition);
    for (size_t i = 0; i < c.count; i++)
        if (clang_isExpression(clang_getCursorKind(c.items[i])) && !only_takes(c.items[i], arena))
            return false;
    return has_empty_body(definition, arena) &&
           !rk_roles_has_destructor(clang_getCursorType(class), arena);
}
