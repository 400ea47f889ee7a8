#include "convert/rkernel/decide.h"
#include "convert/cuda/builtins.h"

#include "convert/clang/ast.h"
#include "convert/clang/expand.h"
#include "convert/facts/branches.h"
#include "convert/facts/function_args.h"
#include "convert/facts/last_block.h"
#include "convert/facts/phases.h"
#include "convert/facts/returns.h"
#include "convert/facts/shared.h"
#include "convert/facts/specialised.h"
#include "convert/facts/spread.h"
#include "convert/rkernel/ambient.h"
#include "convert/rkernel/hip.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <string.h>

static rk_function *callee_of(const rk_unit *unit, const rk_call *call)
{
    return unit->functions.items[call->callee];
}

static bool device_code(const rk_function *f)
{
    return f->kernel || f->device;
}

/** Whether two calls are one in the text: overloads that it may choose from. */
static bool same_place(const rk_call *a, const rk_call *b)
{
    return a->name.file != RK_NONE && a->name.file == b->name.file &&
           a->name.offset == b->name.offset;
}

/** The function needs the context: whether that was new. */
static bool needs(rk_function *f)
{
    bool *how = rk_ambient_asks(f) ? &f->ambient : &f->needs_context;
    const bool changed = !*how;
    *how = true;
    return changed;
}

/**
 * One round: who calls something with a context needs one, and so does what else is called there.
 */
static bool spread_context(rk_unit *unit)
{
    bool changed = false;
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        if (!device_code(f))
            continue;
        for (size_t k = 0; k < unit->functions.count; k++)
            if (f->needs_context && !f->kernel && rk_specialised_related(unit, i, k) &&
                !unit->functions.items[k]->needs_context)
                changed = unit->functions.items[k]->needs_context = true;
        for (size_t c = 0; c < f->calls.count; c++) {
            if (!callee_of(unit, &f->calls.items[c])->needs_context || f->calls.items[c].value)
                continue;
            changed |= needs(f);
            for (size_t k = 0; k < f->calls.count; k++) {
                rk_function *other = callee_of(unit, &f->calls.items[k]);
                if (same_place(&f->calls.items[c], &f->calls.items[k]) && device_code(other) &&
                    !rk_ambient_asks(other))
                    changed |= needs(other);
            }
        }
    }
    return changed;
}

/* What a function that takes the context must be. */

static void refuse(rk_unit *unit, size_t i, const char *code, const char *hint, const char *message)
{
    const rk_function *f = unit->functions.items[i];
    rk_problem_add(unit, i, RK_REFUSED, code, f->place, hint, message, f->name);
}

/** `__cluster_dims__` and the like, which clang does not know. */
static void check_clusters(rk_unit *unit, size_t i)
{
    const rk_function *f = unit->functions.items[i];
    const rk_tokens *tokens = &unit->files.items[f->definition.file]->tokens;
    for (size_t k = rk_tokens_at(tokens, f->definition.begin);
         k < tokens->count && tokens->items[k].offset < f->definition.end; k++)
        if (rk_token_is(tokens, k, "__cluster_dims__") || rk_token_is(tokens, k, "__block_size__"))
            refuse(unit, i, "RK-V102", "write the kernel without clusters",
                   "'%s' runs in clusters, which cannot be part of an rTask");
}

/** Whether its text begins with a template's head. */
static bool has_head(const rk_unit *unit, const rk_function *f)
{
    const rk_tokens *tokens = &unit->files.items[f->definition.file]->tokens;
    return rk_token_is(tokens, rk_tokens_at(tokens, f->definition.begin), "template");
}

static void check_shape(rk_unit *unit, size_t i)
{
    const rk_function *f = unit->functions.items[i];
    check_clusters(unit, i);
    if (f->from_macro)
        refuse(unit, i, "RK-V115", "write the function out",
               "a macro makes the function '%s', whose text cannot be edited");
    if (f->kernel && !f->from_macro && rk_expand_is_hidden(unit, &f->definition))
        refuse(
            unit, i, "RK-V115", "write its head out",
            "a macro that is defined more than once is in the head of '%s', which has to be edited");
    if (f->is_template && !f->from_macro && !has_head(unit, f))
        refuse(unit, i, "RK-V115", "give it a template's head, with a name for each of these types",
               "parameters of type `auto` make '%s' a template, whose head cannot be edited");
    if (f->specialisation && rk_specialised_wrong(unit, i))
        refuse(unit, i, "RK-V111", "use an overload or `if constexpr`",
               rk_specialised_wrong(unit, i));
    if (f->part && f->method && !f->in_class)
        refuse(unit, i, "RK-V119", "define it inside of the class",
               "the shared memory of '%s', defined outside of its class, cannot be moved");
    if (f->method && !f->in_class && f->others.count == 0)
        refuse(unit, i, "RK-V115", "write its declaration out",
               "the declaration of '%s' in its class cannot be edited");
    if (f->recursive)
        refuse(unit, i, "RK-V114", "write it as a loop",
               "'%s' calls itself, so that its stack cannot be sized");
}

/** Barriers in shared memory end with the rTask, when all of its threads are at its end. */
static void check_meeting(rk_unit *unit, size_t i)
{
    const rk_function *f = unit->functions.items[i];
    for (size_t e = 0; f->meets && e < f->events.count; e++)
        if (f->events.items[e].kind == RK_EVENT_RETURN)
            rk_problem_add(unit, i, RK_REFUSED, "RK-V122",
                           rk_sources_place(unit, f->definition.file, f->events.items[e].at),
                           "let all threads go on to the end of the kernel",
                           "a thread that returns is not there when the barriers in shared memory "
                           "of '%s' end",
                           f->name);
}

static void check_calls(rk_unit *unit, size_t i)
{
    const rk_function *f = unit->functions.items[i];
    for (size_t c = 0; c < f->calls.count; c++) {
        const rk_call *call = &f->calls.items[c];
        const rk_function *to = callee_of(unit, call);
        if (!to->needs_context || to->kernel)
            continue;
        const rk_place place = call->name.file == RK_NONE
                                   ? f->place
                                   : rk_sources_place(unit, call->name.file, call->name.offset);
        if (rk_function_args_wrong(unit, f, call))
            rk_problem_add(unit, i, RK_REFUSED, "RK-V112", place, "call it by its name",
                           rk_function_args_wrong(unit, f, call), to->name);
    }
}

/** One round: who leads to what is refused is refused, too; whether that was new. */
static bool spread_refusal(rk_unit *unit)
{
    bool changed = false;
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        bool any = false;
        if (f->refused || !device_code(f))
            continue;
        for (size_t c = 0; c < f->calls.count && !any; c++)
            any = callee_of(unit, &f->calls.items[c])->refused;
        for (size_t k = 0; f->needs_context && !f->kernel && !any && k < unit->functions.count; k++)
            any = rk_specialised_related(unit, i, k) && unit->functions.items[k]->refused;
        changed |= f->refused = any;
    }
    return changed;
}

static bool has_refusal(const rk_function *f)
{
    bool any = false;
    for (size_t i = 0; i < f->problems.count; i++)
        any |= f->problems.items[i].severity == RK_REFUSED;
    return any;
}

static void reset(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        f->needs_context = f->kernel;
        f->ambient = false;
        if (device_code(f) && f->uses != 0)
            needs(f);
        f->reach = device_code(f) ? f->uses | f->value_uses : 0;
        f->reach |= f->does & RK_TEXT_BARE_SHARED ? RK_USE_DYNAMIC_SHARED : 0;
        f->reach_does = f->does;
        f->reach_dims = f->dims;
        f->reached = f->refused = f->removed = false;
    }
}

/** Whether a specialisation has lost the template that it is of. */
static bool primary_removed(const rk_unit *unit, size_t specialisation)
{
    const rk_function *f = unit->functions.items[specialisation];
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *other = unit->functions.items[i];
        if (other->is_template && other->removed && !f->reached &&
            strcmp(other->name, f->name) == 0 && strcmp(other->scope, f->scope) == 0)
            return true;
    }
    return false;
}

/**
 * Whether the function is converted for itself: a kernel, or device code of a header, whose text is the same for all
 * the sources that include it.
 */
static bool stays(const rk_unit *unit, const rk_function *f)
{
    return f->kernel || f->ambient ||
           (device_code(f) && f->definition.file != 0 && !unit->options->drop_in);
}

/** Kernels' outcome, what they reach, and which other text cannot stay. */
static void settle(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        f->refused = device_code(f) && has_refusal(f);
    }
    while (spread_refusal(unit))
        ;
    rk_reached reached = rk_reached_none(unit, true);
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        f->refused |= f->kernel && f->left_out;
        if (!f->refused && stays(unit, f))
            rk_reached_add(&reached, i);
    }
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        f->reached = reached.seen[i];
        f->removed = device_code(f) && !f->reached && (f->needs_context || f->refused);
    }
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->functions.items[i]->specialisation)
            unit->functions.items[i]->removed |= primary_removed(unit, i);
}

/** What the toolkit's groups cannot do: threads that leave a group, a block's barrier that counts. */
static void check_group_barriers(rk_unit *unit, size_t i)
{
    const rk_function *f = unit->functions.items[i];
    if (f->early_return)
        refuse(
            unit, i, "RK-V133", "convert it with --barrier auto or named",
            "a thread of '%s' may return before a barrier, which a cooperative group cannot leave");
    if (f->reach & RK_USE_REDUCING)
        refuse(unit, i, "RK-V133", "convert it with --barrier auto or named",
               "'%s' has a barrier that counts, which the group of a block does not");
}

void rk_decide(rk_unit *unit)
{
    do {
        reset(unit);
        while (spread_context(unit))
            ;
        rk_spread(unit);
        rk_function_args_decide(unit);
    } while (rk_ambient_take(unit));
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        check_calls(unit, i);
        if (f->needs_context || f->ambient) {
            check_shape(unit, i);
            check_meeting(unit, i);
        }
        if (f->kernel)
            rk_last_block(unit, i);
    }
    rk_phases_decide(unit);
    rk_device_branches(unit);
    rk_returns_decide(unit);
    if (unit->options->target == RK_TARGET_HIP)
        rk_hip_decide(unit);
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->options->barrier == RK_BARRIER_CG && unit->functions.items[i]->kernel)
            check_group_barriers(unit, i);
    rk_ambient_spread(unit);
    rk_ambient_check(unit);
    settle(unit);
}

size_t rk_decide_problems(const rk_unit_problem ***out, const rk_unit *unit, size_t kernel)
{
    RK_VEC(const rk_unit_problem *) problems = {0};
    const rk_reached all = rk_reached_from(unit, kernel, true);
    for (size_t k = 0; k < all.list.count; k++) {
        const rk_function *f = unit->functions.items[all.list.items[k]];
        for (size_t i = 0; i < f->problems.count; i++)
            *rk_push(unit->arena, &problems) = &f->problems.items[i];
    }
    *out = problems.items;
    return problems.count;
}

static bool has_problem(const rk_unit *unit, size_t kernel, const char *code)
{
    const rk_unit_problem **problems;
    const size_t count = rk_decide_problems(&problems, unit, kernel);
    for (size_t i = 0; i < count; i++)
        if (strcmp(problems[i]->code, code) == 0)
            return true;
    return false;
}

/** Whether what only the host sets goes into the kernel other than by its parameters. */
static bool has_host_state(const rk_unit *unit, size_t kernel)
{
    return has_problem(unit, kernel, "RK-V211") || has_problem(unit, kernel, "RK-V212");
}

bool rk_decide_is_ordered(const rk_unit *unit, size_t kernel)
{
    return has_problem(unit, kernel, "RK-V105");
}

rk_uses rk_decide_uses(const rk_unit *unit, const rk_instance *instance)
{
    const rk_function *f = unit->functions.items[instance->function];
    return (rk_uses){.barrier = (f->reach & RK_USE_BARRIERS) != 0,
                     .reduce = (f->reach & RK_USE_REDUCING) != 0,
                     .early_return = f->early_return,
                     .warp = (f->reach & RK_USE_WARPS) != 0,
                     .atomics = instance->atomics,
                     .float_atomics = instance->float_atomics,
                     .dynamic_shared = (f->reach & RK_USE_DYNAMIC_SHARED) != 0,
                     .host_state = has_host_state(unit, instance->function),
                     .ordered = rk_decide_is_ordered(unit, instance->function),
                     .form = f->reach & (RK_USE_BARRIERS | RK_USE_REDUCING) ? unit->options->barrier
                                                                            : RK_BARRIER_AUTO,
                     .dims = f->reach_dims > 0 ? f->reach_dims : 1};
}

void rk_decide_print(const rk_unit *unit, rk_str *out)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        rk_str_addf(out, "%s %s%s:",
                    f->kernel   ? "kernel"
                    : f->device ? "device"
                                : "host",
                    f->scope, f->name);
        rk_str_addf(out, "%s%s%s%s%s", f->needs_context ? " context" : "",
                    f->ambient ? " asks" : "", f->refused ? " refused" : "",
                    f->removed ? " removed" : "", f->early_return ? " early-return" : "");
        rk_builtin_names(out, f->uses);
        rk_str_add(out, "\n");
        for (size_t c = 0; c < f->calls.count; c++)
            if (device_code(f))
                rk_str_addf(out, "  calls %s\n", callee_of(unit, &f->calls.items[c])->name);
        for (size_t s = 0; s < f->shared.count; s++)
            rk_str_addf(out, "  shared %s\n",
                        f->shared.items[s].declares
                            ? rk_shared_pointer(&f->shared.items[s], true, unit->arena)
                            : f->shared.items[s].fields);
    }
    for (size_t i = 0; i < unit->instances.count; i++)
        rk_str_addf(out, "instance %s: %zu launches\n", unit->instances.items[i].id,
                    unit->instances.items[i].launch_count);
}
