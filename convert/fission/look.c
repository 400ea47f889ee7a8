#include "convert/fission/fission_internal.h"

#include "convert/clang/lower.h"
#include "convert/facts/reach.h"

/* What a kernel does anywhere in its text or its callees' that fission cannot keep. */

/** Why one that does this cannot be split; `called`: of a function that it calls. */
typedef struct {
    unsigned does;
    const char *why, *called;
} rule;

static const rule rules[] = {
    {RK_EFFECT_ASSEMBLY, "inline assembly", NULL},
    {RK_EFFECT_JUMPS, "a jump, a try block or a statement in an expression", NULL},
    {RK_EFFECT_SCOPES, "a lambda or a type inside a function", NULL},
    {RK_EFFECT_STATIC, "a static variable", NULL},
    {RK_EFFECT_KERNEL, "it launches or calls a kernel", NULL},
    {RK_EFFECT_BODILESS, "it calls a function whose body is not seen", NULL},
    {RK_EFFECT_CHOSEN, "it calls a function that template arguments choose", NULL},
    {RK_EFFECT_UNNAMED, "it calls a function that is not named", NULL},
    {RK_EFFECT_VOLATILE, "a volatile object", NULL},
    {RK_EFFECT_WAITS, "it waits by other means than a barrier of the block",
     "a function that it calls waits"},
    {RK_EFFECT_RECURSIVE, NULL, "a function that it calls is recursive"},
    {RK_EFFECT_POLLS, "an atomic in a loop, which may wait for another thread", NULL},
    {RK_EFFECT_SPINS, "a loop that waits for another thread", NULL},
};

static const char *why_not(const rk_fission *f, rk_reach reach)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (reach.own.does & rules[i].does)
            return rules[i].why;
        if (reach.called.does & rules[i].does)
            return rules[i].called ? rules[i].called : rules[i].why;
    }
    const bool chosen = rk_reach_all(reach).does & RK_EFFECT_OVERLOADED;
    return chosen && f->helper_waits ? "it calls a function that template arguments choose" : NULL;
}

/** What the table says of the functions that a node calls or names. */
static unsigned row_at(const rk_ir *ir, rk_ir_id node)
{
    const rk_ir_decl *target = rk_ir_target(ir, node);
    const rk_ir_kind kind = rk_ir_kind_of(ir, node);
    unsigned does = 0;
    if (rk_ir_is_function(target->kind) &&
        (kind == RK_IR_CALL || kind == RK_IR_NAME || kind == RK_IR_MEMBER))
        does = rk_reach_row(ir, rk_ir_at(ir, node)->decl);
    for (uint32_t i = target->list; kind == RK_IR_OVERLOADS && i < target->list_end; i++)
        does |= rk_reach_row(ir, ir->lists.items[i]);
    return does;
}

/** False with a reason where the node rules fission out. */
static bool look_at(rk_fission *f, rk_ir *ir, rk_ir_id node)
{
    const unsigned row = row_at(ir, node);
    const size_t offset = rk_ir_at(ir, node)->expanded.begin.offset;
    rk_reach reach = rk_reach_at(f->unit, node);
    f->reads |= reach.own.reads;
    if (row & RK_DOES_WAIT && row & (RK_DOES_MEET | RK_DOES_BLOCK)) {
        if (row & RK_DOES_MEET)
            *rk_push(f->arena, &f->barriers) = offset;
        else
            *rk_push(f->arena, &f->groups) = offset;
        reach.own.does &= ~(unsigned)RK_EFFECT_WAITS;
    }
    const char *why = why_not(f, reach);
    return !why || rk_fission_refuse(f, rk_lower_node_cursor(ir, node), why);
}

bool rk_fission_look(rk_fission *f)
{
    rk_ir *ir = rk_ir_of(f->unit);
    const rk_ir_id body = rk_ir_child_of(ir, rk_lower_cursor(ir, f->kernel), RK_IR_COMPOUND);
    for (rk_ir_id id = body; id < rk_ir_at(ir, body)->end; id++)
        if (!look_at(f, ir, id))
            return false;
    if (f->barriers.count == 0)
        return rk_fission_refuse(f, f->body, "no barrier is seen");
    return true;
}
