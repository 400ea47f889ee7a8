#include "convert/launches/harvest_internal.h"
#include "convert/launches/roles_internal.h"

/* What classes do with the pointers that they hold. */

CXCursor rk_roles_class(CXType type)
{
    return rk_ast_class_text(clang_getTypeDeclaration(rk_h_plain_type(type)));
}

/** The type, or that of an array's elements. */
static CXType element_type(CXType type)
{
    CXType t = clang_getCanonicalType(type);
    while (clang_getArrayElementType(t).kind != CXType_Invalid)
        t = clang_getCanonicalType(clang_getArrayElementType(t));
    return t;
}

/**
 * A type, and those of which it is made: the cursors of its members, bases and theirs. A template's text may have an
 * instance of its own in it, so that each class is looked at once.
 */
static rk_cursors members_of(CXType type, rk_arena *arena)
{
    rk_cursors classes = {0}, members = {0};
    const CXType whole = element_type(type);
    if (whole.kind == CXType_Record)
        rk_ast_add(&classes, rk_roles_class(whole), arena);
    for (size_t k = 0; k < classes.count; k++) {
        const rk_cursors own = rk_ast_children(classes.items[k], arena);
        for (size_t i = 0; i < own.count; i++) {
            const enum CXCursorKind kind = clang_getCursorKind(own.items[i]);
            const CXType t = element_type(clang_getCursorType(own.items[i]));
            *rk_push(arena, &members) = own.items[i];
            if ((kind == CXCursor_FieldDecl || kind == CXCursor_CXXBaseSpecifier) &&
                t.kind == CXType_Record)
                rk_ast_add(&classes, rk_roles_class(t), arena);
        }
    }
    return members;
}

static bool is_pointer(CXType type)
{
    return type.kind == CXType_Pointer || type.kind == CXType_LValueReference ||
           type.kind == CXType_RValueReference;
}

bool rk_roles_holds_pointer(CXType type, rk_arena *arena)
{
    const rk_cursors members = members_of(type, arena);
    for (size_t i = 0; i < members.count; i++)
        if (clang_getCursorKind(members.items[i]) == CXCursor_FieldDecl &&
            is_pointer(element_type(clang_getCursorType(members.items[i]))))
            return true;
    return is_pointer(element_type(type));
}

/** Whether a function's text has no statement. */
static bool has_empty_body(CXCursor function, rk_arena *arena)
{
    const rk_cursors c = rk_ast_children(function, arena);
    for (size_t i = c.count; i-- > 0;)
        if (clang_getCursorKind(c.items[i]) == CXCursor_CompoundStmt)
            return rk_ast_children(c.items[i], arena).count == 0;
    return true;
}

bool rk_roles_has_destructor(CXType type, rk_arena *arena)
{
    const rk_cursors members = members_of(type, arena);
    for (size_t i = 0; i < members.count; i++) {
        const CXCursor definition = clang_getCursorDefinition(members.items[i]);
        if (clang_getCursorKind(members.items[i]) == CXCursor_Destructor &&
            !clang_CXXMethod_isDefaulted(members.items[i]) &&
            (clang_Cursor_isNull(definition) || !has_empty_body(definition, arena)))
            return true;
    }
    return false;
}

static bool only_keeps(CXCursor constructor, rk_cursors *seen, rk_arena *arena);

/** Whether a member's initial value takes what it is given as it is. */
static bool only_takes(CXCursor value, rk_cursors *seen, rk_arena *arena)
{
    const enum CXCursorKind kind = clang_getCursorKind(value);
    const rk_cursors c = rk_ast_children(value, arena);
    if (kind == CXCursor_CompoundAssignOperator ||
        (kind == CXCursor_CallExpr && !only_keeps(clang_getCursorReferenced(value), seen, arena)) ||
        (kind == CXCursor_BinaryOperator &&
         clang_getCursorBinaryOperatorKind(value) == CXBinaryOperator_Assign) ||
        (kind == CXCursor_UnaryOperator &&
         clang_getCursorUnaryOperatorKind(value) <= CXUnaryOperator_PreDec))
        return false;
    for (size_t i = 0; i < c.count; i++)
        if (!only_takes(c.items[i], seen, arena))
            return false;
    return true;
}

/** `seen`: the constructors that are being asked; one that makes an object of its own class does not end. */
static bool only_keeps(CXCursor constructor, rk_cursors *seen, rk_arena *arena)
{
    if (clang_getCursorKind(constructor) != CXCursor_Constructor ||
        !rk_ast_add(seen, constructor, arena))
        return false;
    CXCursor definition = clang_getCursorDefinition(constructor);
    const CXCursor pattern =
        clang_getCursorDefinition(clang_getSpecializedCursorTemplate(constructor));
    if (!clang_Cursor_isNull(pattern))
        definition = pattern;
    if (clang_Cursor_isNull(definition)) /* the compiler's own, or one that cannot be seen */
        definition = constructor;
    const CXCursor class = clang_getCursorSemanticParent(definition);
    const rk_cursors c = rk_ast_children(definition, arena);
    for (size_t i = 0; i < c.count; i++)
        if (clang_isExpression(clang_getCursorKind(c.items[i])) &&
            !only_takes(c.items[i], seen, arena))
            return false;
    seen->count--; /* another of the same kind may follow it */
    return has_empty_body(definition, arena) &&
           !rk_roles_has_destructor(clang_getCursorType(class), arena);
}

bool rk_roles_only_keeps(CXCursor constructor, rk_arena *arena)
{
    rk_cursors seen = {0};
    return only_keeps(constructor, &seen, arena);
}
