#include "convert/facts/undefined_operand.h"

#include "convert/clang/ast.h"

/* Types. */

bool rk_operand_is_floating(CXType type)
{
    const enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind == CXType_Float || kind == CXType_Double || kind == CXType_LongDouble;
}

bool rk_operand_is_whole(CXType type)
{
    const CXType t = clang_getCanonicalType(type);
    if (t.kind == CXType_Enum)
        return true;
    return t.kind >= CXType_Char_U && t.kind <= CXType_LongLong && t.kind != CXType_UInt128 &&
           t.kind != CXType_Int128;
}

bool rk_operand_is_dependent(CXType type)
{
    const enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind == CXType_Dependent || kind == CXType_Unexposed;
}

const char *rk_operand_whole_name(CXType type, rk_arena *arena)
{
    CXType t = clang_getCanonicalType(type);
    if (t.kind == CXType_Enum)
        t = clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(t)));
    return rk_ast_text(clang_getTypeSpelling(clang_getUnqualifiedType(t)), arena);
}

/* Expressions. */

CXCursor rk_operand_last_expression(CXCursor cursor, rk_arena *arena)
{
    const rk_cursors children = rk_ast_children(cursor, arena);
    for (size_t i = children.count; i-- > 0;)
        if (clang_isExpression(clang_getCursorKind(children.items[i])))
            return children.items[i];
    return clang_getNullCursor();
}

CXCursor rk_operand_stripped(CXCursor e, rk_arena *arena)
{
    while (clang_getCursorKind(e) == CXCursor_UnexposedExpr ||
           clang_getCursorKind(e) == CXCursor_ParenExpr) {
        const CXCursor inner = rk_operand_last_expression(e, arena);
        if (clang_Cursor_isNull(inner))
            break;
        e = inner;
    }
    return e;
}
