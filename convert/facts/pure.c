#include "convert/facts/pure.h"
#include "convert/cuda/builtins.h"

#include "convert/facts/system.h"

#include <string.h>

/* Values. */

static bool is_scalar(const rk_ir_type *canonical)
{
    return canonical->kind == RK_IR_TYPE_POINTER || canonical->kind == RK_IR_TYPE_ENUM ||
           (canonical->kind >= RK_IR_TYPE_BOOL && canonical->kind <= RK_IR_TYPE_LONG_DOUBLE) ||
           canonical->kind == RK_IR_TYPE_HALF;
}

static bool is_number(const rk_ir *ir, rk_ir_id type)
{
    const rk_ir_type *at = rk_ir_canonical(ir, type);
    if (at->kind == RK_IR_TYPE_REFERENCE && rk_ir_type_at(ir, at->pointee)->is_const)
        at = rk_ir_canonical(ir, at->pointee);
    return is_scalar(at) && at->kind != RK_IR_TYPE_POINTER;
}

static bool children_pure(const rk_unit *unit, rk_ir_id node)
{
    RK_IR_EACH(unit->ir, child, node)
    if (!rk_pure_expression(unit, child))
        return false;
    return true;
}

/** A function of the headers that makes a number of numbers: fminf, max. */
static bool is_arithmetic(const rk_ir *ir, const rk_ir_decl *function)
{
    if (rk_builtin_find(function->name) || rk_cuda_find(RK_IN_PLAIN, function->name)->refusal)
        return false;
    for (uint32_t i = function->list; i < function->list_end; i++)
        if (!is_number(ir, ir->lists.items[i]))
            return false;
    return function->list < function->list_end &&
           is_number(ir, rk_ir_type_at(ir, function->type)->result);
}

static bool callee_pure(const rk_ir *ir, const rk_ir_decl *function)
{
    const unsigned space = rk_system_ir_space(ir, function);
    if (!(function->flags & RK_IR_SYSTEM))
        return false;
    if (function->kind == RK_IR_CONSTRUCTOR || function->kind == RK_IR_CONVERSION)
        return true;
    if (space & RK_IN_COOPERATIVE)
        return (rk_cuda_find(space, function->name)->does & RK_DOES_RANK) != 0;
    return function->kind == RK_IR_FUNCTION && is_arithmetic(ir, function);
}

static bool variable_pure(const rk_ir *ir, const rk_ir_decl *variable)
{
    const rk_ir_type *type = rk_ir_type_at(ir, variable->type);
    if (type->is_volatile)
        return false;
    if (rk_ir_is_local(ir, variable))
        return true; /* whose value the caller looks after */
    if (variable->flags & RK_IR_SYSTEM && rk_builtin_find(variable->name))
        return true;
    return type->is_const && !(variable->flags & (RK_IR_CONSTANT | RK_IR_DEVICE));
}

static bool name_pure(const rk_ir *ir, const rk_ir_decl *target)
{
    switch ((int)target->kind) {
    case RK_IR_ENUM_CONSTANT:
    case RK_IR_VALUE_PARAMETER:
    case RK_IR_PARAMETER:
    case RK_IR_FUNCTION:
    case RK_IR_FUNCTION_TEMPLATE:
    case RK_IR_METHOD:
        return true;
    case RK_IR_VARIABLE:
        return variable_pure(ir, target);
    default:
        return false;
    }
}

/** A member of a value; one that a pointer leads to is memory. */
static bool member_pure(const rk_unit *unit, rk_ir_id member)
{
    const rk_ir_id base = rk_ir_first(unit->ir, member);
    if (!base)
        return rk_ir_target(unit->ir, member)->kind == RK_IR_METHOD;
    return rk_ir_type_of(unit->ir, base)->kind != RK_IR_TYPE_POINTER && children_pure(unit, member);
}

/**
 * Whether nobody writes what the pointer leads to while the kernel runs, as it says itself: it is a parameter
 * `const T *__restrict__`.
 */
static bool leads_to_constants(const rk_ir *ir, rk_ir_id pointer)
{
    const rk_ir_id name = rk_ir_unwrap(ir, pointer);
    const rk_ir_decl *target = rk_ir_target(ir, name);
    const rk_ir_type *type = rk_ir_canonical(ir, target->type);
    const rk_ir_type *pointee = rk_ir_canonical(ir, type->pointee);
    return rk_ir_kind_of(ir, name) == RK_IR_NAME && target->kind == RK_IR_PARAMETER &&
           type->kind == RK_IR_TYPE_POINTER && pointee->is_const && !pointee->is_volatile &&
           strstr(type->text, "restrict");
}

static bool operator_pure(const rk_unit *unit, rk_ir_id node)
{
    const rk_ir_id operand = rk_ir_first(unit->ir, node);
    switch ((int)rk_ir_at(unit->ir, node)->op) {
    case RK_IR_OP_ADDRESS: /* of an element it is a sum; its array's own place is not looked into */
        return rk_ir_kind_of(unit->ir, operand) == RK_IR_SUBSCRIPT
                   ? children_pure(unit, operand)
                   : rk_pure_expression(unit, operand);
    case RK_IR_OP_DEREF:
        return leads_to_constants(unit->ir, operand);
    case RK_IR_OP_PLUS:
    case RK_IR_OP_MINUS:
    case RK_IR_OP_NOT:
    case RK_IR_OP_LOGICAL_NOT:
        return children_pure(unit, node);
    default:
        return false;
    }
}

/** A lambda is the text that it repeats, unless it has a state of its own. */
static bool lambda_pure(const rk_unit *unit, const rk_ir_extent *at)
{
    if (!at->at.file)
        return false;
    const rk_tokens *tokens = &unit->files.items[at->at.file - 1]->tokens;
    const size_t first = rk_tokens_at(tokens, at->begin.offset);
    const size_t captures = rk_tokens_close(tokens, first);
    for (size_t i = first; i < tokens->count && tokens->items[i].offset < at->end.offset; i++)
        if (rk_token_is(tokens, i, "mutable") || rk_token_is(tokens, i, "static") ||
            (i > first + 1 && i < captures && rk_token_is(tokens, i, "=")))
            return false;
    return true;
}

bool rk_pure_expression(const rk_unit *unit, rk_ir_id expression)
{
    const rk_ir_node *n = rk_ir_at(unit->ir, expression);
    const rk_ir_decl *target = rk_ir_target(unit->ir, expression);
    switch ((int)n->kind) {
    case RK_IR_INTEGER:
    case RK_IR_FLOATING:
    case RK_IR_CHARACTER:
    case RK_IR_BOOL:
    case RK_IR_NULL_POINTER:
    case RK_IR_GNU_NULL:
    case RK_IR_SIZE_OF:
    case RK_IR_SIZE_OF_PACK:
    case RK_IR_TYPE_NAME:
    case RK_IR_TEMPLATE_NAME:
    case RK_IR_NAMESPACE_NAME:
        return true;
    case RK_IR_NAME:
        return name_pure(unit->ir, target);
    case RK_IR_MEMBER:
        return member_pure(unit, expression);
    case RK_IR_CALL:
        return callee_pure(unit->ir, target) && children_pure(unit, expression);
    case RK_IR_UNARY:
        return operator_pure(unit, expression);
    case RK_IR_BINARY:
        return n->op != RK_IR_OP_ASSIGN && children_pure(unit, expression);
    case RK_IR_SUBSCRIPT:
        return leads_to_constants(unit->ir, rk_ir_first(unit->ir, expression)) &&
               children_pure(unit, expression);
    case RK_IR_LAMBDA:
        return lambda_pure(unit, &n->expanded);
    case RK_IR_OTHER_EXPRESSION:
    case RK_IR_PAREN:
    case RK_IR_CONDITIONAL:
    case RK_IR_C_CAST:
    case RK_IR_FUNCTION_CAST:
    case RK_IR_STATIC_CAST:
    case RK_IR_REINTERPRET_CAST:
    case RK_IR_CONST_CAST:
    case RK_IR_INIT_LIST:
        return children_pure(unit, expression);
    default:
        return false;
    }
}

/* Changes. */

/** A scalar; templates have their names without the loads that plain code has around them. */
static bool scalar_changes(const rk_ir *ir, rk_ir_id name, const rk_ir_node *parent)
{
    switch ((int)parent->kind) {
    case RK_IR_OTHER_EXPRESSION:
    case RK_IR_SIZE_OF:
    case RK_IR_SUBSCRIPT:
        return false;
    case RK_IR_UNARY:
        return parent->op == RK_IR_OP_ADDRESS || parent->op <= RK_IR_OP_PRE_DEC;
    case RK_IR_BINARY:
        return parent->op == RK_IR_OP_ASSIGN && rk_ir_first(ir, rk_ir_at(ir, name)->parent) == name;
    case RK_IR_COMPOUND_ASSIGN:
        return rk_ir_first(ir, rk_ir_at(ir, name)->parent) == name;
    default:
        return true;
    }
}

/** An object: loads of its members and calls of its const methods leave it as it is. */
static bool object_changes(const rk_ir *ir, rk_ir_id parent)
{
    const rk_ir_node *n = rk_ir_at(ir, parent);
    const rk_ir_decl *member = rk_ir_target(ir, parent);
    if (n->kind == RK_IR_OTHER_EXPRESSION)
        return !rk_ir_type_at(ir, n->type)->is_const;
    if (n->kind != RK_IR_MEMBER)
        return true;
    if (member->kind == RK_IR_METHOD)
        return !(member->flags & (RK_IR_CONST_METHOD | RK_IR_STATIC_METHOD));
    return rk_ir_kind_of(ir, n->parent) != RK_IR_OTHER_EXPRESSION ||
           !is_scalar(rk_ir_type_of(ir, parent));
}

bool rk_pure_may_change(const rk_ir *ir, rk_ir_id name)
{
    const rk_ir_node *n = rk_ir_at(ir, name);
    const rk_ir_node *parent = rk_ir_at(ir, n->parent);
    const rk_ir_type *type = rk_ir_canonical(ir, rk_ir_target(ir, name)->type);
    if (n->kind != RK_IR_NAME || type->is_const)
        return false;
    if (is_scalar(type) && parent->kind == RK_IR_PAREN)
        return rk_ir_kind_of(ir, parent->parent) != RK_IR_OTHER_EXPRESSION;
    if (is_scalar(type))
        return scalar_changes(ir, name, parent);
    if (type->kind == RK_IR_TYPE_ARRAY || type->kind == RK_IR_TYPE_DEPENDENT_ARRAY)
        return parent->kind != RK_IR_SIZE_OF;
    if (rk_system_ir_space(ir, rk_ir_decl_at(ir, type->decl)) & RK_IN_COOPERATIVE)
        return parent->kind == RK_IR_BINARY;
    return object_changes(ir, n->parent);
}
