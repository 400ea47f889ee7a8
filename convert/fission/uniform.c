#include "convert/cuda/builtins.h"
#include "convert/fission/fission_internal.h"

#include <string.h>

/* What is the same for all threads of a block, and what each can work out again. */

/** What an expression may be made of. */
typedef enum {
    SAME, /**< for all threads, when it is evaluated */
    AGAIN /**< for a thread, whenever it is evaluated */
} demand;

static bool is_good(const rk_fission *f, CXCursor e, demand d);

static bool all_good(const rk_fission *f, CXCursor e, demand d)
{
    const rk_cursors all = rk_ast_children(e, f->arena);
    size_t parts = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (clang_isReference(clang_getCursorKind(all.items[i])))
            continue; /* a type's or namespace's name */
        if (!is_good(f, all.items[i], d))
            return false;
        parts++;
    }
    return parts > 0;
}

static bool is_scalar(CXType type)
{
    const CXType t = clang_getCanonicalType(type);
    return (t.kind >= CXType_FirstBuiltin && t.kind <= CXType_LastBuiltin &&
            t.kind != CXType_Dependent) ||
           t.kind == CXType_Pointer || t.kind == CXType_Enum;
}

static CXCursor strip(const rk_fission *f, CXCursor e)
{
    for (;;) {
        const enum CXCursorKind kind = clang_getCursorKind(e);
        const rk_cursors all = rk_ast_children(e, f->arena);
        if ((kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr) || all.count != 1)
            return e;
        e = all.items[0];
    }
}

static bool is_good_variable(const rk_kept_variable *v, demand d)
{
    if (v->parameter)
        return v->scalar && !v->written && !v->leaked;
    if (v->fixed) /* its address */
        return !v->scalar;
    if (v->lives == RK_LIVES_UNIFORM)
        return d == SAME || !v->written;
    return d == AGAIN && v->lives == RK_LIVES_AGAIN;
}

/** Variables that are not the kernel's own: constants. */
static bool is_constant(CXCursor variable)
{
    const CXType type = clang_getCursorType(variable);
    if (clang_getCursorKind(variable) != CXCursor_VarDecl || !is_scalar(type) ||
        clang_getCanonicalType(type).kind == CXType_Pointer)
        return false;
    return clang_isConstQualifiedType(clang_getCanonicalType(type)) ||
           rk_ast_has_attribute(variable, CXCursor_CUDAConstantAttr, NULL);
}

static bool is_good_name(const rk_fission *f, CXCursor e, demand d)
{
    const size_t variable = rk_fission_variable_of(f, e);
    if (variable != RK_NONE)
        return is_good_variable(&f->variables.items[variable], d);
    const CXCursor target = clang_getCursorReferenced(e);
    const enum CXCursorKind kind = clang_getCursorKind(target);
    return kind == CXCursor_NonTypeTemplateParameter || kind == CXCursor_EnumConstantDecl ||
           is_constant(target);
}

/** `threadIdx.x`, or a member of a parameter that does not change. */
static bool is_good_member(const rk_fission *f, CXCursor e, demand d)
{
    const rk_cursors all = rk_ast_children(e, f->arena);
    const CXCursor object = all.count ? strip(f, all.items[0]) : clang_getNullCursor();
    if (clang_getCursorKind(object) == CXCursor_MemberRefExpr)
        return clang_getCanonicalType(clang_getCursorType(object)).kind != CXType_Pointer &&
               is_good_member(f, object, d);
    if (clang_getCursorKind(object) != CXCursor_DeclRefExpr)
        return false;
    const CXCursor target = clang_getCursorReferenced(object);
    const size_t variable = rk_fission_variable_of(f, object);
    if (variable != RK_NONE) {
        const rk_kept_variable *v = &f->variables.items[variable];
        return v->parameter && !v->scalar && !v->written && !v->leaked &&
               clang_getCursorKind(clang_getCursorReferenced(e)) == CXCursor_FieldDecl;
    }
    const rk_cuda_name *builtin =
        rk_ast_is_system(target) ? rk_builtin_find(rk_ast_name(target, f->arena)) : NULL;
    return builtin && (builtin->use & RK_USE_PLACES) &&
           (d == AGAIN || builtin->use != RK_USE_THREAD_IDX);
}

static bool is_good_call(const rk_fission *f, CXCursor e, demand d)
{
    const CXCursor target = clang_getCursorReferenced(e);
    if (!rk_ast_is_function(clang_getCursorKind(target)) || !rk_ast_is_system(target))
        return false;
    bool known =
        (rk_cuda_find(RK_IN_PLAIN, rk_ast_name(target, f->arena))->does & RK_DOES_COMPUTE) != 0;
    const int count = clang_Cursor_getNumArguments(e);
    for (int i = 0; i < count && known; i++)
        known = is_good(f, clang_Cursor_getArgument(e, (unsigned)i), d);
    return known;
}

/** An address of an element is worked out without reading memory. */
static bool is_good_address(const rk_fission *f, CXCursor e, demand d)
{
    const rk_cursors all = rk_ast_children(e, f->arena);
    const CXCursor element = all.count == 1 ? strip(f, all.items[0]) : clang_getNullCursor();
    if (clang_getCursorKind(element) != CXCursor_ArraySubscriptExpr)
        return false;
    const rk_cursors both = rk_ast_children(element, f->arena);
    return both.count == 2 &&
           clang_getCursorKind(strip(f, both.items[0])) == CXCursor_DeclRefExpr &&
           all_good(f, element, d);
}

static bool is_good_unary(const rk_fission *f, CXCursor e, demand d)
{
    switch (clang_getCursorUnaryOperatorKind(e)) {
    case CXUnaryOperator_Plus:
    case CXUnaryOperator_Minus:
    case CXUnaryOperator_Not:
    case CXUnaryOperator_LNot:
        return all_good(f, e, d);
    case CXUnaryOperator_AddrOf:
        return is_good_address(f, e, d);
    default:
        return false;
    }
}

static bool is_good(const rk_fission *f, CXCursor e, demand d)
{
    switch (clang_getCursorKind(e)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_CXXNullPtrLiteralExpr:
    case CXCursor_UnaryExpr: /* sizeof and the like */
        return true;
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_ConditionalOperator:
        return all_good(f, e, d);
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
        return is_scalar(clang_getCursorType(e)) && all_good(f, e, d);
    case CXCursor_BinaryOperator: {
        const enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
        return kind >= CXBinaryOperator_Mul && kind <= CXBinaryOperator_LOr && all_good(f, e, d);
    }
    case CXCursor_UnaryOperator:
        return is_good_unary(f, e, d);
    case CXCursor_DeclRefExpr:
        return is_good_name(f, e, d);
    case CXCursor_MemberRefExpr:
        return is_good_member(f, e, d);
    case CXCursor_CallExpr:
        return is_good_call(f, e, d);
    default:
        return false;
    }
}

/* Statements that stay once for the block. */

static bool is_uniform_variable(const rk_fission *f, CXCursor e)
{
    const CXCursor name = strip(f, e);
    const size_t v = clang_getCursorKind(name) == CXCursor_DeclRefExpr
                         ? rk_fission_variable_of(f, name)
                         : RK_NONE;
    return v != RK_NONE && !f->variables.items[v].parameter && !f->variables.items[v].fixed &&
           f->variables.items[v].lives == RK_LIVES_UNIFORM;
}

/** Whether an expression changes uniform variables by uniform values, and does nothing else. */
static bool is_uniform_effect(const rk_fission *f, CXCursor e)
{
    e = strip(f, e);
    const rk_cursors all = rk_ast_children(e, f->arena);
    const enum CXCursorKind kind = clang_getCursorKind(e);
    if (kind == CXCursor_UnaryOperator) {
        const enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(e);
        return op >= CXUnaryOperator_PostInc && op <= CXUnaryOperator_PreDec && all.count == 1 &&
               is_uniform_variable(f, all.items[0]);
    }
    if (all.count != 2)
        return false;
    const enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(e);
    if (kind == CXCursor_BinaryOperator && op == CXBinaryOperator_Comma)
        return is_uniform_effect(f, all.items[0]) && is_uniform_effect(f, all.items[1]);
    return (kind == CXCursor_CompoundAssignOperator ||
            (kind == CXCursor_BinaryOperator && op == CXBinaryOperator_Assign)) &&
           is_uniform_variable(f, all.items[0]) && is_good(f, all.items[1], SAME);
}

static size_t variable_declared(const rk_fission *f, CXCursor declaration)
{
    for (size_t i = 0; i < f->variables.count; i++)
        if (clang_equalCursors(f->variables.items[i].cursor, declaration))
            return i;
    return RK_NONE;
}

static bool is_uniform_declaration(const rk_fission *f, CXCursor statement)
{
    const rk_cursors all = rk_ast_children(statement, f->arena);
    for (size_t i = 0; i < all.count; i++) {
        const size_t index = variable_declared(f, all.items[i]);
        if (index == RK_NONE)
            return false;
        const rk_kept_variable *v = &f->variables.items[index];
        const CXCursor init = clang_Cursor_getVarDeclInitializer(v->cursor);
        if (v->fixed)
            continue;
        if (v->lives != RK_LIVES_UNIFORM || (!clang_Cursor_isNull(init) && !is_good(f, init, SAME)))
            return false;
    }
    return true;
}

static bool is_jump(const rk_fission *f, CXCursor statement)
{
    const enum CXCursorKind kind = clang_getCursorKind(statement);
    const rk_cursors all = rk_ast_children(statement, f->arena);
    if (kind == CXCursor_CompoundStmt)
        return all.count == 1 && is_jump(f, all.items[0]);
    return kind == CXCursor_BreakStmt || kind == CXCursor_ContinueStmt ||
           (kind == CXCursor_ReturnStmt && all.count == 0);
}

static bool is_uniform_part(const rk_fission *f, const rk_part *part)
{
    const rk_cursors all = rk_ast_children(part->cursor, f->arena);
    switch (clang_getCursorKind(part->cursor)) {
    case CXCursor_DeclStmt:
        return is_uniform_declaration(f, part->cursor);
    case CXCursor_NullStmt:
        return true;
    case CXCursor_IfStmt:
        return all.count == 2 && is_good(f, all.items[0], SAME) && is_jump(f, all.items[1]);
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
    case CXCursor_ReturnStmt:
        return is_jump(f, part->cursor);
    default:
        return is_uniform_effect(f, part->cursor);
    }
}

static bool is_uniform_head(const rk_fission *f, const rk_head *h)
{
    const bool declares = clang_getCursorKind(h->init) == CXCursor_DeclStmt;
    return (clang_Cursor_isNull(h->init) ||
            (declares ? is_uniform_declaration(f, h->init) : is_uniform_effect(f, h->init))) &&
           (clang_Cursor_isNull(h->condition) || is_good(f, h->condition, SAME)) &&
           (clang_Cursor_isNull(h->step) || is_uniform_effect(f, h->step));
}

/** The head whose own expressions hold an offset. */
static const rk_head *head_at(const rk_fission *f, size_t offset)
{
    for (size_t i = 0; i < f->heads.count; i++) {
        const rk_head *h = &f->heads.items[i];
        const CXCursor all[] = {h->init, h->condition, h->step};
        for (size_t k = 0; k < 3; k++)
            if (!clang_Cursor_isNull(all[k]) && rk_fission_begin(all[k]) <= offset &&
                offset < rk_fission_end(all[k]))
                return h;
    }
    return NULL;
}

/** Whether all that sets variable `index` sets it for all threads alike. */
static bool stays_uniform(const rk_fission *f, size_t index)
{
    const rk_kept_variable *v = &f->variables.items[index];
    if (v->part != RK_NONE ? !is_uniform_part(f, &f->parts.items[v->part])
                           : !is_uniform_head(f, head_at(f, v->at)))
        return false;
    for (size_t i = 0; i < f->uses.count; i++) {
        const rk_variable_use *use = &f->uses.items[i];
        if (use->variable != index || use->how != RK_USED_WRITTEN)
            continue;
        if (use->part != RK_NONE) {
            if (!is_uniform_part(f, &f->parts.items[use->part]))
                return false;
            continue;
        }
        const rk_head *h = head_at(f, use->at);
        if (!h || !is_uniform_head(f, h))
            return false;
    }
    return true;
}

static void find_uniform(rk_fission *f)
{
    for (size_t i = 0; i < f->variables.count; i++) {
        rk_kept_variable *v = &f->variables.items[i];
        const bool unchanged =
            !v->leaked || clang_isConstQualifiedType(clang_getCursorType(v->cursor));
        if (v->parameter || v->fixed || (v->scalar && unchanged))
            v->lives = RK_LIVES_UNIFORM;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->variables.count; i++) {
            rk_kept_variable *v = &f->variables.items[i];
            if (v->parameter || v->fixed || v->lives != RK_LIVES_UNIFORM || stays_uniform(f, i))
                continue;
            v->lives = RK_LIVES_HERE;
            changed = true;
        }
    }
}

/* Parts and runs. */

static bool sort_parts(rk_fission *f)
{
    size_t level = RK_NONE;
    bool open = false;
    for (size_t i = 0; i < f->parts.count; i++) {
        rk_part *part = &f->parts.items[i];
        if (part->kind == RK_PART_INSIDE || part->kind == RK_PART_OUTSIDE) {
            const bool escapes = part->kind == RK_PART_OUTSIDE;
            part->kind = is_uniform_part(f, part) ? RK_PART_OUTSIDE : RK_PART_INSIDE;
            if (escapes && part->kind == RK_PART_INSIDE)
                return rk_fission_refuse(f, part->cursor,
                                         "threads may leave a loop around a "
                                         "barrier at different times");
        }
        if (part->kind != RK_PART_INSIDE) {
            open = false;
            continue;
        }
        if (!open || part->level != level)
            f->runs++;
        part->run = f->runs - 1;
        level = part->level;
        open = true;
    }
    return true;
}

/* Variables that are not uniform. */

static bool crosses(const rk_fission *f, size_t index)
{
    const rk_kept_variable *v = &f->variables.items[index];
    for (size_t i = 0; i < f->uses.count; i++) {
        const rk_variable_use *use = &f->uses.items[i];
        if (use->variable == index &&
            (use->part == RK_NONE || f->parts.items[use->part].run != f->parts.items[v->part].run))
            return true;
    }
    return false;
}

static bool check_group(rk_fission *f, size_t index)
{
    for (size_t i = 0; i < f->uses.count; i++) {
        const rk_variable_use *use = &f->uses.items[i];
        if (use->variable == index &&
            (use->part == RK_NONE || f->parts.items[use->part].kind != RK_PART_BARRIER))
            return rk_fission_refuse(f, f->variables.items[index].cursor,
                                     "it uses a group beyond barriers of the block");
    }
    return true;
}

static bool decide_variable(rk_fission *f, size_t index)
{
    rk_kept_variable *v = &f->variables.items[index];
    if (v->parameter) {
        v->lives = v->written || v->leaked ? RK_LIVES_KEPT : RK_LIVES_UNIFORM;
        return true;
    }
    if (v->lives == RK_LIVES_UNIFORM)
        return true;
    if (v->part == RK_NONE)
        return rk_fission_refuse(f, v->cursor, "a loop around a barrier counts by threads");
    if (f->parts.items[v->part].kind == RK_PART_GROUP)
        return check_group(f, index);
    const CXCursor init = clang_Cursor_getVarDeclInitializer(v->cursor);
    if (v->scalar && !v->written && !v->leaked && v->init != v->init_end && is_good(f, init, AGAIN))
        v->lives = RK_LIVES_AGAIN;
    else if (crosses(f, index))
        v->lives = RK_LIVES_KEPT;
    return true;
}

bool rk_fission_decide(rk_fission *f)
{
    find_uniform(f);
    for (size_t i = 0; i < f->heads.count; i++)
        if (!is_uniform_head(f, &f->heads.items[i]))
            return rk_fission_refuse(f, f->heads.items[i].statement,
                                     "it is not seen that all threads take the same way around a "
                                     "barrier");
    if (!sort_parts(f))
        return false;
    for (size_t i = 0; i < f->variables.count; i++)
        if (!decide_variable(f, i))
            return false;
    return true;
}
