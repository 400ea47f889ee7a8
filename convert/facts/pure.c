#include "convert/facts/pure.h"
#include "convert/cuda/builtins.h"

#include "convert/clang/ast.h"
#include "convert/facts/system.h"
#include "convert/facts/walk.h"

#include <string.h>

/* Values. */

static bool is_scalar(CXType type)
{
    const CXType at = clang_getCanonicalType(type);
    return at.kind == CXType_Pointer || at.kind == CXType_Enum ||
           (at.kind >= CXType_Bool && at.kind <= CXType_LongDouble) || at.kind == CXType_Half;
}

static bool is_number(CXType type)
{
    CXType at = clang_getCanonicalType(type);
    if (at.kind == CXType_LValueReference && clang_isConstQualifiedType(clang_getPointeeType(at)))
        at = clang_getCanonicalType(clang_getPointeeType(at));
    return is_scalar(at) && at.kind != CXType_Pointer;
}

static bool children_pure(const rk_unit *unit, CXCursor cursor)
{
    const rk_cursors children = rk_ast_children(cursor, unit->arena);
    for (size_t i = 0; i < children.count; i++)
        if (!rk_pure_expression(unit, children.items[i]))
            return false;
    return true;
}

/** A function of the headers that makes a number of numbers: fminf, max. */
static bool is_arithmetic(CXCursor function, const char *name)
{
    const int count = clang_Cursor_getNumArguments(function);
    if (rk_builtin_find(name) || rk_cuda_find(RK_IN_PLAIN, name)->refusal)
        return false;
    for (int i = 0; i < count; i++)
        if (!is_number(clang_getCursorType(clang_Cursor_getArgument(function, (unsigned)i))))
            return false;
    return count > 0 && is_number(clang_getResultType(clang_getCursorType(function)));
}

static bool callee_pure(const rk_unit *unit, CXCursor function)
{
    if (clang_Cursor_isNull(function) || !rk_ast_is_system(function))
        return false;
    const enum CXCursorKind kind = clang_getCursorKind(function);
    const char *name = rk_ast_name(function, unit->arena);
    if (kind == CXCursor_Constructor || kind == CXCursor_ConversionFunction)
        return true;
    if (rk_system_in_namespace(function, RK_IN_COOPERATIVE, unit->arena))
        return rk_groups_only_ranks(function, name);
    return kind == CXCursor_FunctionDecl && is_arithmetic(function, name);
}

static bool variable_pure(const rk_unit *unit, CXCursor variable)
{
    const CXType type = clang_getCursorType(variable);
    if (clang_isVolatileQualifiedType(type))
        return false;
    if (rk_ast_is_function(clang_getCursorKind(clang_getCursorSemanticParent(variable))))
        return true; /* whose value the caller looks after */
    if (rk_ast_is_system(variable) && rk_builtin_find(rk_ast_name(variable, unit->arena)))
        return true;
    return clang_isConstQualifiedType(type) &&
           !rk_ast_has_attribute(variable, CXCursor_CUDAConstantAttr, NULL) &&
           !rk_ast_has_attribute(variable, CXCursor_CUDADeviceAttr, NULL);
}

static bool name_pure(const rk_unit *unit, CXCursor name)
{
    const CXCursor target = clang_getCursorReferenced(name);
    switch (clang_getCursorKind(target)) {
    case CXCursor_EnumConstantDecl:
    case CXCursor_NonTypeTemplateParameter:
    case CXCursor_ParmDecl:
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
        return true;
    case CXCursor_VarDecl:
        return variable_pure(unit, target);
    default:
        return false;
    }
}

/** A member of a value; one that a pointer leads to is memory. */
static bool member_pure(const rk_unit *unit, CXCursor member)
{
    const rk_cursors children = rk_ast_children(member, unit->arena);
    const bool method =
        clang_getCursorKind(clang_getCursorReferenced(member)) == CXCursor_CXXMethod;
    if (!children.count)
        return method;
    const CXType base = clang_getCanonicalType(clang_getCursorType(children.items[0]));
    return base.kind != CXType_Pointer && children_pure(unit, member);
}

/** The address of an element is a sum; its array's own place is not looked into. */
static bool address_pure(const rk_unit *unit, CXCursor operand)
{
    if (clang_getCursorKind(operand) == CXCursor_ArraySubscriptExpr)
        return children_pure(unit, operand);
    return rk_pure_expression(unit, operand);
}

static bool operator_pure(const rk_unit *unit, CXCursor cursor)
{
    const rk_cursors children = rk_ast_children(cursor, unit->arena);
    switch (clang_getCursorUnaryOperatorKind(cursor)) {
    case CXUnaryOperator_AddrOf:
        return children.count == 1 && address_pure(unit, children.items[0]);
    case CXUnaryOperator_Plus:
    case CXUnaryOperator_Minus:
    case CXUnaryOperator_Not:
    case CXUnaryOperator_LNot:
        return children_pure(unit, cursor);
    default:
        return false;
    }
}

/** A lambda is the text that it repeats, unless it has a state of its own. */
static bool lambda_pure(const rk_unit *unit, CXCursor lambda)
{
    unsigned begin, end;
    rk_ast_extent(lambda, &begin, &end);
    const rk_where at = rk_ast_expansion(unit, clang_getCursorLocation(lambda));
    if (at.file == RK_NONE)
        return false;
    const rk_tokens *tokens = &unit->files.items[at.file]->tokens;
    const size_t first = rk_tokens_at(tokens, begin), captures = rk_tokens_close(tokens, first);
    for (size_t i = first; i < tokens->count && tokens->items[i].offset < end; i++)
        if (rk_token_is(tokens, i, "mutable") || rk_token_is(tokens, i, "static") ||
            (i > first + 1 && i < captures && rk_token_is(tokens, i, "=")))
            return false;
    return true;
}

bool rk_pure_expression(const rk_unit *unit, CXCursor expression)
{
    switch (clang_getCursorKind(expression)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_CXXNullPtrLiteralExpr:
    case CXCursor_GNUNullExpr:
    case CXCursor_UnaryExpr: /* sizeof and its kin */
    case CXCursor_SizeOfPackExpr:
    case CXCursor_TypeRef:
    case CXCursor_TemplateRef:
    case CXCursor_NamespaceRef:
        return true;
    case CXCursor_DeclRefExpr:
        return name_pure(unit, expression);
    case CXCursor_MemberRefExpr:
        return member_pure(unit, expression);
    case CXCursor_CallExpr:
        return callee_pure(unit, clang_getCursorReferenced(expression)) &&
               children_pure(unit, expression);
    case CXCursor_UnaryOperator:
        return operator_pure(unit, expression);
    case CXCursor_BinaryOperator:
        return clang_getCursorBinaryOperatorKind(expression) != CXBinaryOperator_Assign &&
               children_pure(unit, expression);
    case CXCursor_LambdaExpr:
        return lambda_pure(unit, expression);
    case CXCursor_UnexposedExpr:
    case CXCursor_ParenExpr:
    case CXCursor_ConditionalOperator:
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_InitListExpr:
        return children_pure(unit, expression);
    default:
        return false;
    }
}

/* Changes. */

/** Whether the operand of an operator is changed by it. */
static bool operand_changes(const rk_unit *unit, CXCursor operand, CXCursor operation)
{
    const enum CXCursorKind kind = clang_getCursorKind(operation);
    if (kind == CXCursor_UnaryOperator) {
        const enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(operation);
        return op == CXUnaryOperator_AddrOf || op <= CXUnaryOperator_PreDec;
    }
    if (kind == CXCursor_BinaryOperator &&
        clang_getCursorBinaryOperatorKind(operation) != CXBinaryOperator_Assign)
        return false;
    const rk_cursors children = rk_ast_children(operation, unit->arena);
    return children.count != 2 || clang_equalCursors(children.items[0], operand);
}

/** A scalar; templates have their names without the loads that plain code has around them. */
static bool scalar_changes(const rk_unit *unit, CXCursor name, CXCursor parent)
{
    switch (clang_getCursorKind(parent)) {
    case CXCursor_UnexposedExpr:
    case CXCursor_UnaryExpr:
    case CXCursor_ArraySubscriptExpr:
        return false;
    case CXCursor_UnaryOperator:
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        return operand_changes(unit, name, parent);
    default:
        return true;
    }
}

/** An object: loads of its members and calls of its const methods leave it as it is. */
static bool object_changes(CXCursor parent, CXCursor above)
{
    const enum CXCursorKind kind = clang_getCursorKind(parent);
    if (kind == CXCursor_UnexposedExpr)
        return !clang_isConstQualifiedType(clang_getCursorType(parent));
    if (kind != CXCursor_MemberRefExpr)
        return true;
    const CXCursor member = clang_getCursorReferenced(parent);
    if (clang_getCursorKind(member) == CXCursor_CXXMethod)
        return !clang_CXXMethod_isConst(member) && !clang_CXXMethod_isStatic(member);
    return clang_getCursorKind(above) != CXCursor_UnexposedExpr ||
           !is_scalar(clang_getCursorType(parent));
}

bool rk_pure_may_change(const rk_unit *unit, CXCursor name, CXCursor parent, CXCursor above)
{
    if (clang_getCursorKind(name) != CXCursor_DeclRefExpr)
        return false;
    const CXCursor variable = clang_getCursorReferenced(name);
    const CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    if (clang_isConstQualifiedType(type))
        return false;
    if (is_scalar(type) && clang_getCursorKind(parent) == CXCursor_ParenExpr)
        return clang_getCursorKind(above) != CXCursor_UnexposedExpr;
    if (is_scalar(type))
        return scalar_changes(unit, name, parent);
    if (type.kind == CXType_ConstantArray || type.kind == CXType_DependentSizedArray)
        return clang_getCursorKind(parent) != CXCursor_UnaryExpr;
    if (rk_system_in_namespace(clang_getTypeDeclaration(type), RK_IN_COOPERATIVE, unit->arena))
        return clang_getCursorKind(parent) == CXCursor_BinaryOperator;
    return object_changes(parent, above);
}
