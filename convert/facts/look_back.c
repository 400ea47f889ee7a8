#include "convert/facts/look_back.h"

#include "convert/facts/pure.h"
#include "convert/facts/system.h"

#include <string.h>

/** What a block's number is made of. */
typedef enum {
    NO_NUMBER,
    PLACE, /**< blockIdx.x, in a grid of which nothing else is asked */
    TICKET /**< what a counter was before the block counted itself */
} number;

enum { MOST_DEPTH = 8 };

typedef struct {
    rk_ir *ir;
    rk_ir_id kernel; /**< its tree */
    rk_ir_id loop;
    rk_ir_id ticket; /**< the call that draws it; 0: none was met */
    number by;       /**< what the loop's indices are below of; the same for all */
    int depth;
} look;

static number number_of(look *l, rk_ir_id expression);
static number below(look *l, rk_ir_id expression);

/** Inside of parentheses and casts. */
static rk_ir_id bare(const rk_ir *ir, rk_ir_id expression)
{
    for (;;) {
        expression = rk_ir_unwrap(ir, expression);
        switch ((int)rk_ir_kind_of(ir, expression)) {
        case RK_IR_C_CAST:
        case RK_IR_STATIC_CAST:
        case RK_IR_FUNCTION_CAST:
        case RK_IR_REINTERPRET_CAST:
        case RK_IR_CONST_CAST:
            break;
        default:
            return expression;
        }
        const size_t count = rk_ir_child_count(ir, expression);
        if (!count)
            return expression;
        expression = rk_ir_child(ir, expression, count - 1);
    }
}

static bool is_positive(const look *l, rk_ir_id expression)
{
    rk_ir_value value;
    return rk_ir_constant(l->ir, expression, &value) == RK_IR_INTEGER_VALUE && value.integer > 0;
}

static bool is_block_index(const look *l, rk_ir_id name)
{
    const rk_ir_decl *target = rk_ir_target(l->ir, name);
    const rk_cuda_name *known = rk_cuda_find(rk_system_ir_space(l->ir, target), target->name);
    return rk_ir_kind_of(l->ir, name) == RK_IR_NAME && (target->flags & RK_IR_SYSTEM) &&
           known->use == RK_USE_BLOCK_IDX;
}

/** `blockIdx.x`, where the kernel asks for no other part of it: a block's number is not above the one's it stands for. */
static bool is_place(const look *l, rk_ir_id member)
{
    return rk_ir_kind_of(l->ir, member) == RK_IR_MEMBER &&
           strcmp(rk_ir_target(l->ir, member)->name, "x") == 0 &&
           is_block_index(l, rk_ir_first(l->ir, member));
}

static bool asks_for_a_line(const look *l)
{
    for (rk_ir_id id = l->kernel; id < rk_ir_at(l->ir, l->kernel)->end; id++)
        if (is_block_index(l, id) && !is_place(l, rk_ir_at(l->ir, id)->parent))
            return false;
    return true;
}

/** `atomicAdd(counter, 1)`, `atomicInc(counter, bound)`. */
static bool is_ticket(const look *l, rk_ir_id call)
{
    const rk_ir_decl *function = rk_ir_target(l->ir, call);
    if (rk_ir_kind_of(l->ir, call) != RK_IR_CALL || !(function->flags & RK_IR_SYSTEM))
        return false;
    const unsigned does = rk_cuda_effects(rk_system_ir_space(l->ir, function), function->name);
    rk_ir_value value;
    return (does & RK_DOES_COUNT) &&
           ((does & RK_DOES_STEP) ||
            (rk_ir_constant(l->ir, rk_ir_argument(l->ir, call, 1), &value) == RK_IR_INTEGER_VALUE &&
             value.integer == 1));
}

typedef number judged(look *l, rk_ir_id value);

/** The expression by which a name's variable gets a value: of `v = e`; 0 where it is another use that may change it. */
static rk_ir_id assigned(const look *l, rk_ir_id name)
{
    rk_ir_id at = rk_ir_at(l->ir, name)->parent;
    while (rk_ir_kind_of(l->ir, at) == RK_IR_PAREN)
        at = rk_ir_at(l->ir, at)->parent;
    return rk_ir_kind_of(l->ir, at) == RK_IR_BINARY && rk_ir_at(l->ir, at)->op == RK_IR_OP_ASSIGN
               ? rk_ir_child(l->ir, at, 1)
               : 0;
}

/** `v--`, `--v`, `v -= 32`. */
static bool steps_down(const look *l, rk_ir_id name)
{
    const rk_ir_id at = rk_ir_at(l->ir, name)->parent;
    const rk_ir_node *n = rk_ir_at(l->ir, at);
    if (n->kind == RK_IR_UNARY)
        return n->op == RK_IR_OP_POST_DEC || n->op == RK_IR_OP_PRE_DEC;
    return n->kind == RK_IR_COMPOUND_ASSIGN && n->op == RK_IR_OP_SUB_ASSIGN &&
           is_positive(l, rk_ir_child(l->ir, at, 1));
}

/** What all values are that a local variable gets in the kernel; those may step down where the judge is `below`. */
static number of_variable(look *l, rk_ir_id name, judged *judge)
{
    const rk_ir_id variable = rk_ir_at(l->ir, name)->decl;
    number all = NO_NUMBER;
    bool same = true;
    for (rk_ir_id id = l->kernel; id < rk_ir_at(l->ir, l->kernel)->end && same; id++) {
        const rk_ir_node *n = rk_ir_at(l->ir, id);
        if (n->decl != variable)
            continue;
        rk_ir_id value = 0;
        if (n->kind == RK_IR_VARIABLE)
            value = rk_ir_child_as(l->ir, id, RK_IR_ROLE_VALUE);
        else if (n->kind == RK_IR_NAME && rk_pure_may_change(l->ir, id)) {
            value = assigned(l, id);
            same = value || (judge == below && steps_down(l, id));
        }
        if (!value)
            continue;
        const number one = judge(l, value);
        same &= one != NO_NUMBER && (all == NO_NUMBER || all == one);
        all = one;
    }
    return same ? all : NO_NUMBER;
}

static bool is_variable(const look *l, rk_ir_id expression)
{
    const rk_ir_decl *target = rk_ir_target(l->ir, expression);
    return rk_ir_kind_of(l->ir, expression) == RK_IR_NAME && target->kind == RK_IR_VARIABLE &&
           (rk_ir_is_local(l->ir, target) || (target->flags & RK_IR_SHARED));
}

/** Whether the expression is the block's number. */
static number number_of(look *l, rk_ir_id expression)
{
    expression = bare(l->ir, expression);
    if (is_place(l, expression))
        return asks_for_a_line(l) ? PLACE : NO_NUMBER;
    if (is_ticket(l, expression) && (!l->ticket || l->ticket == expression)) {
        l->ticket = expression;
        return TICKET;
    }
    if (!is_variable(l, expression) || l->depth == MOST_DEPTH)
        return NO_NUMBER;
    l->depth++;
    const number found = of_variable(l, expression, number_of);
    l->depth--;
    return found;
}

/** Whether the expression is less than the block's number. */
static number below(look *l, rk_ir_id expression)
{
    expression = bare(l->ir, expression);
    const rk_ir_node *n = rk_ir_at(l->ir, expression);
    if (n->kind == RK_IR_BINARY && n->op == RK_IR_OP_SUB &&
        is_positive(l, rk_ir_child(l->ir, expression, 1))) {
        const rk_ir_id from = rk_ir_first(l->ir, expression);
        const number whole = number_of(l, from);
        return whole != NO_NUMBER ? whole : below(l, from);
    }
    if (!is_variable(l, expression) || l->depth == MOST_DEPTH)
        return NO_NUMBER;
    l->depth++;
    const number found = of_variable(l, expression, below);
    l->depth--;
    return found;
}

/** The parameter that is a pointer and whose element a subscript is; 0 for other memory. */
static rk_ir_id pointer_of(const look *l, rk_ir_id subscript)
{
    const rk_ir_id base = bare(l->ir, rk_ir_first(l->ir, subscript));
    const rk_ir_decl *target = rk_ir_target(l->ir, base);
    return rk_ir_kind_of(l->ir, base) == RK_IR_NAME && target->kind == RK_IR_PARAMETER &&
                   rk_ir_canonical(l->ir, target->type)->kind == RK_IR_TYPE_POINTER
               ? rk_ir_at(l->ir, base)->decl
               : 0;
}

/** Whether the value of the element, or of a member of it, is asked for here, and nothing else. */
static bool is_read(const look *l, rk_ir_id subscript)
{
    rk_ir_id at = rk_ir_at(l->ir, subscript)->parent;
    while (rk_ir_kind_of(l->ir, at) == RK_IR_MEMBER)
        at = rk_ir_at(l->ir, at)->parent;
    return rk_ir_kind_of(l->ir, at) == RK_IR_OTHER_EXPRESSION;
}

/** Whether all that the kernel does with the pointer outside of the loop is to read, and to write at the block's number. */
static bool is_written_at_number(look *l, rk_ir_id pointer)
{
    bool written = false;
    const rk_ir_node *loop = rk_ir_at(l->ir, l->loop);
    for (rk_ir_id id = l->kernel; id < rk_ir_at(l->ir, l->kernel)->end; id++) {
        const rk_ir_node *n = rk_ir_at(l->ir, id);
        if (n->kind != RK_IR_NAME || n->decl != pointer || (id > l->loop && id < loop->end))
            continue;
        rk_ir_id at = n->parent;
        while (bare(l->ir, at) == id)
            at = rk_ir_at(l->ir, at)->parent;
        if (rk_ir_kind_of(l->ir, at) != RK_IR_SUBSCRIPT ||
            bare(l->ir, rk_ir_first(l->ir, at)) != id)
            return false;
        if (number_of(l, rk_ir_child(l->ir, at, 1)) == l->by)
            written |= !is_read(l, at);
        else if (!is_read(l, at))
            return false;
    }
    return written;
}

/** Whether the node looks at memory in a way that is not followed: no element of an array that is named. */
static bool looks_elsewhere(look *l, rk_ir_id id)
{
    const rk_ir_node *n = rk_ir_at(l->ir, id);
    const rk_ir_decl *target = rk_ir_decl_at(l->ir, n->decl);
    switch ((int)n->kind) {
    case RK_IR_CALL:
        return !(target->flags & RK_IR_SYSTEM);
    case RK_IR_UNARY:
        return n->op == RK_IR_OP_DEREF;
    case RK_IR_MEMBER:
        return rk_ir_type_of(l->ir, rk_ir_first(l->ir, id))->kind == RK_IR_TYPE_POINTER;
    case RK_IR_NAME:
        return target->kind == RK_IR_VARIABLE && !(target->flags & RK_IR_SYSTEM) &&
               (!rk_ir_is_local(l->ir, target) || (target->flags & RK_IR_SHARED)) &&
               number_of(l, id) == NO_NUMBER;
    case RK_IR_ASSEMBLY:
    case RK_IR_LAMBDA:
    case RK_IR_THIS:
        return true;
    default:
        return false;
    }
}

/** Whether the loop looks at nothing but elements below the block's number. */
static bool looks_below(look *l)
{
    for (rk_ir_id id = l->loop; id < rk_ir_at(l->ir, l->loop)->end; id++) {
        if (looks_elsewhere(l, id))
            return false;
        if (rk_ir_kind_of(l->ir, id) != RK_IR_SUBSCRIPT)
            continue;
        const number by = below(l, rk_ir_child(l->ir, id, 1));
        if (by == NO_NUMBER || (l->by != NO_NUMBER && l->by != by))
            return false;
        l->by = by;
    }
    return l->by != NO_NUMBER;
}

/** The loop's own node in the kernel's tree. */
static rk_ir_id find_loop(const rk_ir *ir, rk_ir_id kernel, rk_where loop)
{
    for (rk_ir_id id = kernel; id < rk_ir_at(ir, kernel)->end; id++) {
        const rk_where at = rk_ir_where(rk_ir_at(ir, id)->expanded.begin);
        if (rk_ir_is_loop(rk_ir_kind_of(ir, id)) && at.file == loop.file &&
            at.offset == loop.offset)
            return id;
    }
    return 0;
}

bool rk_look_back(rk_ir *ir, rk_ir_id kernel, rk_where loop)
{
    look l = {.ir = ir, .kernel = kernel, .loop = find_loop(ir, kernel, loop)};
    if (!l.loop || !looks_below(&l))
        return false;
    for (rk_ir_id id = l.loop; id < rk_ir_at(ir, l.loop)->end; id++)
        if (rk_ir_kind_of(ir, id) == RK_IR_SUBSCRIPT &&
            (!pointer_of(&l, id) || !is_written_at_number(&l, pointer_of(&l, id))))
            return false;
    return true;
}
