#include "convert/fission/fission_internal.h"

#include <string.h>

/* The variables that parts declare, and how each name of them is used. */

static bool is_scalar(CXType type)
{
    const CXType t = clang_getCanonicalType(type);
    return (t.kind >= CXType_FirstBuiltin && t.kind <= CXType_LastBuiltin &&
            t.kind != CXType_Void && t.kind != CXType_Dependent) ||
           t.kind == CXType_Pointer || t.kind == CXType_Enum;
}

/** Tokens of the initialiser of the variable whose name is at token `name` of a part or head. */
static void find_initialiser(const rk_fission *f, rk_kept_variable *v, size_t name, size_t last)
{
    const rk_tokens *t = f->tokens;
    size_t i = name + 1;
    while (rk_token_is(t, i, "["))
        i = rk_tokens_close(t, i) + 1;
    v->init = v->init_end = 0;
    if (!rk_token_is(t, i, "=") && !rk_token_is(t, i, "(") && !rk_token_is(t, i, "{"))
        return;
    v->init = rk_token_is(t, i, "=") ? i + 1 : i;
    size_t end = v->init;
    while (end < last && !rk_token_is(t, end, ",") && !rk_token_is(t, end, ";")) {
        if (rk_token_is(t, end, "(") || rk_token_is(t, end, "[") || rk_token_is(t, end, "{"))
            end = rk_tokens_close(t, end);
        end++;
    }
    v->init_end = end;
}

static bool add_variable(rk_fission *f, CXCursor cursor, size_t part, size_t last)
{
    if (clang_getCursorKind(cursor) != CXCursor_VarDecl)
        return rk_fission_refuse(f, cursor, "a declaration that is no plain variable");
    const rk_where at = rk_ast_spelling(f->unit, clang_getCursorLocation(cursor));
    const size_t name = rk_tokens_at(f->tokens, at.offset);
    const char *text = rk_ast_name(cursor, f->arena);
    if (at.file != f->file || name <= f->open || name >= f->close ||
        !rk_token_is(f->tokens, name, text))
        return rk_fission_refuse(f, cursor, "a declaration in a macro");
    rk_kept_variable v = {.cursor = cursor,
                          .name = text,
                          .at = at.offset,
                          .part = part,
                          .scalar = is_scalar(clang_getCursorType(cursor)),
                          .fixed = rk_ast_has_attribute(cursor, CXCursor_CUDASharedAttr, NULL)};
    find_initialiser(f, &v, name, last);
    *rk_push(f->arena, &f->variables) = v;
    return true;
}

static bool add_declared(rk_fission *f, CXCursor statement, size_t part, size_t last)
{
    const rk_cursors all = rk_ast_children(statement, f->arena);
    for (size_t i = 0; i < all.count; i++)
        if (!add_variable(f, all.items[i], part, last))
            return false;
    return true;
}

static bool add_parameters(rk_fission *f)
{
    const rk_cursors all = rk_ast_children(f->kernel, f->arena);
    for (size_t i = 0; i < all.count; i++) {
        if (clang_getCursorKind(all.items[i]) != CXCursor_ParmDecl)
            continue;
        *rk_push(f->arena, &f->variables) =
            (rk_kept_variable){.cursor = all.items[i],
                               .name = rk_ast_name(all.items[i], f->arena),
                               .part = RK_NONE,
                               .parameter = true,
                               .scalar = is_scalar(clang_getCursorType(all.items[i]))};
    }
    return true;
}

size_t rk_fission_variable_of(const rk_fission *f, CXCursor reference)
{
    const CXCursor target = clang_getCursorReferenced(reference);
    for (size_t i = 0; i < f->variables.count; i++)
        if (clang_equalCursors(f->variables.items[i].cursor, target))
            return i;
    return RK_NONE;
}

/* Uses. */

typedef struct {
    rk_fission *f;
    RK_VEC(CXCursor) above; /**< outermost first */
    size_t part;
} place;

static bool is_reference(CXType type)
{
    const CXType t = clang_getCanonicalType(type);
    return t.kind == CXType_LValueReference || t.kind == CXType_RValueReference;
}

/** Whether a function may change what it gets as a parameter of this type. */
static bool may_change(CXCursor function, CXType type)
{
    const CXType to = clang_getPointeeType(clang_getCanonicalType(type));
    return is_reference(type) &&
           !(clang_isConstQualifiedType(to) && rk_ast_is_system(function) && is_scalar(to));
}

/** An argument is read when the function is known and takes a copy. */
static rk_used used_in_call(CXCursor call, CXCursor child)
{
    const CXCursor target = clang_getCursorReferenced(call);
    if (!rk_ast_is_function(clang_getCursorKind(target)) ||
        clang_getCursorKind(target) == CXCursor_FunctionTemplate)
        return RK_USED_LEAKED;
    const int count = clang_Cursor_getNumArguments(call);
    const CXType type = clang_getCursorType(target);
    for (int i = 0; i < count && i < clang_getNumArgTypes(type); i++)
        if (clang_equalCursors(clang_Cursor_getArgument(call, (unsigned)i), child))
            return may_change(target, clang_getArgType(type, (unsigned)i)) ? RK_USED_LEAKED
                                                                           : RK_USED_READ;
    return RK_USED_LEAKED;
}

static bool is_first(CXCursor parent, CXCursor child, rk_arena *arena)
{
    const rk_cursors all = rk_ast_children(parent, arena);
    return all.count && clang_equalCursors(all.items[0], child);
}

static rk_used used_in_binary(CXCursor parent, CXCursor child, rk_arena *arena)
{
    const enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(parent);
    if (kind == CXBinaryOperator_Assign)
        return is_first(parent, child, arena) ? RK_USED_WRITTEN : RK_USED_READ;
    if (kind >= CXBinaryOperator_Mul && kind <= CXBinaryOperator_LOr)
        return RK_USED_READ;
    return RK_USED_LEAKED;
}

static rk_used used_in_unary(CXCursor parent)
{
    switch (clang_getCursorUnaryOperatorKind(parent)) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec:
        return RK_USED_WRITTEN;
    case CXUnaryOperator_Deref:
    case CXUnaryOperator_Plus:
    case CXUnaryOperator_Minus:
    case CXUnaryOperator_Not:
    case CXUnaryOperator_LNot:
        return RK_USED_READ;
    default:
        return RK_USED_LEAKED;
    }
}

/** A member of an object is used as the object is, but for a pointer's. */
static bool is_member_of_object(CXCursor member, CXCursor object)
{
    return clang_getCursorKind(clang_getCursorReferenced(member)) == CXCursor_FieldDecl &&
           clang_getCanonicalType(clang_getCursorType(object)).kind != CXType_Pointer;
}

/** As an initialiser of a value, an element of an array, or an array's bound. */
static rk_used used_in_declaration(CXCursor parent, CXCursor child)
{
    const CXType type = clang_getCanonicalType(clang_getCursorType(parent));
    const CXType element = clang_getArrayElementType(type);
    if (clang_getCursorKind(parent) == CXCursor_InitListExpr)
        return is_scalar(element) ? RK_USED_READ : RK_USED_LEAKED;
    const bool bound = element.kind != CXType_Invalid &&
                       !clang_equalCursors(child, clang_Cursor_getVarDeclInitializer(parent));
    return is_scalar(type) || bound ? RK_USED_READ : RK_USED_LEAKED;
}

/** How the expression above.items[i] + 1 ... is used; `child` is the expression of the name so far. */
static rk_used used_in(const place *p, CXCursor child)
{
    for (size_t i = p->above.count; i-- > 0;) {
        const CXCursor parent = p->above.items[i];
        rk_arena *arena = p->f->arena;
        switch (clang_getCursorKind(parent)) {
        case CXCursor_ParenExpr:
        case CXCursor_UnexposedExpr:
            break;
        case CXCursor_ConditionalOperator:
            if (is_first(parent, child, arena))
                return RK_USED_READ;
            break;
        case CXCursor_MemberRefExpr:
            if (!is_member_of_object(parent, child))
                return clang_getCanonicalType(clang_getCursorType(child)).kind == CXType_Pointer
                           ? RK_USED_READ
                           : RK_USED_LEAKED;
            break;
        case CXCursor_BinaryOperator:
            return used_in_binary(parent, child, arena);
        case CXCursor_CompoundAssignOperator:
            return is_first(parent, child, arena) ? RK_USED_WRITTEN : RK_USED_READ;
        case CXCursor_UnaryOperator:
            return used_in_unary(parent);
        case CXCursor_ArraySubscriptExpr:
        case CXCursor_CStyleCastExpr:
        case CXCursor_CXXStaticCastExpr:
        case CXCursor_CXXFunctionalCastExpr:
        case CXCursor_CXXReinterpretCastExpr:
            return is_reference(clang_getCursorType(parent)) ? RK_USED_LEAKED : RK_USED_READ;
        case CXCursor_CallExpr:
            return used_in_call(parent, child);
        case CXCursor_InitListExpr:
        case CXCursor_VarDecl:
            return used_in_declaration(parent, child);
        case CXCursor_CompoundStmt:
        case CXCursor_IfStmt:
        case CXCursor_ForStmt:
        case CXCursor_WhileStmt:
        case CXCursor_DoStmt:
        case CXCursor_SwitchStmt:
            return RK_USED_READ;
        default:
            return RK_USED_LEAKED;
        }
        child = parent;
    }
    return RK_USED_READ;
}

static enum CXChildVisitResult find_uses(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    place *p = data;
    rk_fission *f = p->f;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr) {
        const size_t variable = rk_fission_variable_of(f, cursor);
        if (variable != RK_NONE) {
            rk_kept_variable *v = &f->variables.items[variable];
            rk_used how = used_in(p, cursor);
            /* what is no scalar may be changed through its elements or by an overloaded operator */
            if (!v->scalar && how == RK_USED_READ && p->above.count &&
                clang_getCursorKind(p->above.items[p->above.count - 1]) != CXCursor_MemberRefExpr)
                how = RK_USED_LEAKED;
            v->written |= how == RK_USED_WRITTEN;
            v->leaked |= how == RK_USED_LEAKED;
            const size_t at = rk_fission_begin(cursor);
            *rk_push(f->arena, &f->uses) =
                (rk_variable_use){variable, at, rk_fission_part_at(f, at), how};
        }
    }
    *rk_push(f->arena, &p->above) = cursor;
    clang_visitChildren(cursor, find_uses, p);
    p->above.count--;
    return CXChildVisit_Continue;
}

bool rk_fission_find_variables(rk_fission *f)
{
    bool good = add_parameters(f);
    for (size_t i = 0; i < f->parts.count && good; i++) {
        const rk_part *part = &f->parts.items[i];
        if (clang_getCursorKind(part->cursor) == CXCursor_DeclStmt)
            good = add_declared(f, part->cursor, i, part->last);
    }
    for (size_t i = 0; i < f->heads.count && good; i++) {
        const CXCursor init = f->heads.items[i].init;
        if (clang_getCursorKind(init) == CXCursor_DeclStmt)
            good = add_declared(f, init, RK_NONE, f->close);
    }
    place p = {.f = f};
    if (good)
        clang_visitChildren(f->body, find_uses, &p);
    return good;
}
