#include "convert/rkernel/ambient.h"
#include "convert/cuda/builtins.h"

#include "convert/facts/function_args.h"
#include "convert/facts/specialised.h"
#include "convert/facts/spread.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <string.h>

bool rk_ambient_asks(const rk_function *f)
{
    return f->special || f->is_virtual || f->taken;
}

static const rk_function *callee_of(const rk_unit *unit, const rk_call *call)
{
    return unit->functions.items[call->callee];
}

static bool take(rk_function *f)
{
    const bool changed = f->needs_context && !f->kernel && !f->taken;
    f->taken |= changed;
    return changed;
}

/** Takes what one call of the text may choose besides, which is called without the context, too. */
static bool take_others(rk_unit *unit, const rk_function *f, const rk_call *call)
{
    bool changed = false;
    for (size_t k = 0; k < f->calls.count; k++) {
        const rk_call *other = &f->calls.items[k];
        if (other->name.file != RK_NONE && other->name.file == call->name.file &&
            other->name.offset == call->name.offset)
            changed |= take(unit->functions.items[other->callee]);
    }
    return changed;
}

bool rk_ambient_take(rk_unit *unit)
{
    bool changed = false;
    for (size_t i = 0; i < unit->functions.count && !unit->options->drop_in; i++) {
        const rk_function *f = unit->functions.items[i];
        for (size_t c = 0; (f->kernel || f->device) && c < f->calls.count; c++) {
            const rk_call *call = &f->calls.items[c];
            rk_function *to = unit->functions.items[call->callee];
            if (to->needs_context && rk_function_args_wrong(unit, f, call))
                changed |= take(to);
            if (to->taken)
                changed |= take_others(unit, f, call);
        }
        for (size_t k = 0; f->taken && k < unit->functions.count; k++)
            if (rk_specialised_related(unit, i, k))
                changed |= take(unit->functions.items[k]);
    }
    return changed;
}

/** Whether the function's own text asks. */
static bool asks(const rk_unit *unit, const rk_function *f)
{
    bool any = f->ambient || f->value_uses != 0;
    for (size_t c = 0; c < f->calls.count && !any; c++)
        any = f->calls.items[c].value && callee_of(unit, &f->calls.items[c])->needs_context;
    return any;
}

static void spread_asking(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++)
        if (asks(unit, unit->functions.items[i]))
            unit->functions.items[i]->reach_does |= RK_TEXT_ASKS;
    rk_spread(unit);
}

/**
 * Makes the functions that a kernel reaches ask for their dynamic memory; whether some did not before. Those of a
 * header do not: its text must not depend on the kernels of the source that includes it.
 */
static bool ask_for_memory(rk_unit *unit, size_t kernel)
{
    const rk_reached all = rk_reached_from(unit, kernel, false);
    bool changed = false;
    for (size_t i = 0; i < all.list.count; i++) {
        rk_function *f = unit->functions.items[all.list.items[i]];
        if (f->does & RK_TEXT_BARE_SHARED && !f->ambient && f->definition.file == 0)
            changed = f->ambient = true;
    }
    return changed;
}

/** Whether it has dynamic shared memory that nobody gives it beside a frame. */
static bool has_both(const rk_function *f, rk_text_does bare)
{
    return f->kernel && f->reach_does & bare &&
           (f->reach_does & RK_TEXT_ASKS || f->warp_returns || f->reach & RK_USE_STATIC_SHARED);
}

void rk_ambient_spread(rk_unit *unit)
{
    for (bool changed = true; changed;) {
        changed = false;
        spread_asking(unit);
        for (size_t i = 0; i < unit->functions.count && !unit->options->drop_in; i++)
            if (has_both(unit->functions.items[i], RK_TEXT_BARE_SHARED))
                changed |= ask_for_memory(unit, i);
    }
}

static void refuse(rk_unit *unit, size_t i, const char *code, const char *hint, const char *message)
{
    const rk_function *f = unit->functions.items[i];
    rk_problem_add(unit, i, RK_REFUSED, code, f->place, hint, message, f->name);
}

/** What is found by asking has no static shared memory: only a frame's type knows where it is. */
static void check_memory(rk_unit *unit, size_t i)
{
    const rk_function *f = unit->functions.items[i];
    bool any = f->ambient && (f->reach & RK_USE_STATIC_SHARED);
    for (size_t c = 0; c < f->calls.count && !any; c++)
        any = f->calls.items[c].value &&
              (callee_of(unit, &f->calls.items[c])->reach & RK_USE_STATIC_SHARED);
    if (any)
        refuse(unit, i, "RK-V118", "declare the memory in the kernel, and pass a pointer",
               "'%s' has static shared memory where no context can be passed");
}

/** A vEU's buffer begins with the kernel's frame, a block's own with its dynamic memory, as in a drop-in. */
static void check_bare(rk_unit *unit, size_t i)
{
    if (has_both(unit->functions.items[i], RK_TEXT_BARE_ALONE))
        refuse(unit, i, "RK-V118", "declare the memory in the kernel",
               "'%s' has shared memory of its own beside that of an operator or constructor of a "
               "header, which cannot take the rTask's context");
}

static bool is_destructor(const rk_function *f)
{
    return f->special && f->name[0] == '~';
}

/** An object's end is behind the `return` that leaves it, and so behind what a returning thread says. */
static void check_ends(rk_unit *unit, size_t i)
{
    const rk_function *f = unit->functions.items[i];
    bool returns = false;
    for (size_t e = 0; e < f->events.count; e++)
        returns |= f->events.items[e].kind == RK_EVENT_RETURN;
    for (size_t c = 0; returns && c < f->calls.count; c++) {
        const rk_function *to = callee_of(unit, &f->calls.items[c]);
        if (is_destructor(to) && (to->reach & (RK_USE_BARRIERS | RK_USE_WARPS)))
            rk_problem_add(unit, i, RK_REFUSED, "RK-V118",
                           rk_sources_place(unit, f->definition.file, f->calls.items[c].at),
                           "end the object before the return, in a block of its own",
                           "'%s' synchronises, and would run after a return of '%s'", to->name,
                           f->name);
    }
}

/** A drop-in's program goes on calling the same function, in kernels that are none of ours. */
static void check_drop_in(rk_unit *unit, size_t i)
{
    const rk_function *f = unit->functions.items[i];
    if (f->kernel && f->reach_does & RK_TEXT_ASKS)
        refuse(unit, i, "RK-V118", "use a plain function with a name",
               "'%s' reaches a constructor, a destructor, an operator, a virtual function or an "
               "initial value that needs the rTask's context, which a drop-in cannot give it");
}

void rk_ambient_check(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->functions.items[i]->does & RK_TEXT_BARE_SHARED &&
            !unit->functions.items[i]->ambient)
            unit->functions.items[i]->reach_does |= RK_TEXT_BARE_ALONE;
    rk_spread(unit);
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        check_memory(unit, i);
        if (f->kernel)
            check_ends(unit, i);
        if (!unit->options->drop_in)
            check_bare(unit, i);
        if (unit->options->drop_in)
            check_drop_in(unit, i);
        else if (unit->options->barrier == RK_BARRIER_CG && f->ambient &&
                 (f->reach & RK_USE_BARRIERS))
            refuse(unit, i, "RK-V133", "convert it with --barrier auto or named",
                   "'%s' has a barrier, and no call can pass it the group of the block");
    }
}

const char *rk_ambient_entry(const rk_function *f)
{
    return f->ambient ? " using rk__Ctx = rk__::ambient; rk__Ctx rk__ctx{};" : "";
}
