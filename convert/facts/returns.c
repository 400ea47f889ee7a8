#include "convert/facts/returns.h"
#include "convert/cuda/builtins.h"

#include "convert/clang/ast.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"

#include <string.h>

/** Whether `later` may run after `ret` in another thread's view: by order, or around a loop. */
static bool may_follow(const rk_event *ret, size_t later, size_t loop_begin, size_t loop_end)
{
    return later > ret->at ||
           (ret->loop_end && later >= ret->loop_begin && later < ret->loop_end) ||
           (loop_end && ret->at >= loop_begin && ret->at < loop_end);
}

/** Whether something that uses any of `mask` may follow the return. */
static bool follows(const rk_unit *unit, const rk_function *f, const rk_event *ret,
                    rk_event_kind kind, unsigned mask)
{
    if (!(f->reach & mask))
        return false;
    if (f->has_goto)
        return true;
    for (size_t i = 0; i < f->events.count; i++) {
        const rk_event *e = &f->events.items[i];
        if (e->kind == kind && may_follow(ret, e->at, e->loop_begin, e->loop_end))
            return true;
    }
    for (size_t c = 0; c < f->calls.count; c++) {
        const rk_call *call = &f->calls.items[c];
        if ((unit->functions.items[call->callee]->reach & mask) &&
            may_follow(ret, call->at, call->loop_begin, call->loop_end))
            return true;
    }
    return false;
}

static void look_at_returns(rk_unit *unit, rk_function *f)
{
    f->early_return = f->warp_returns = false;
    for (size_t i = 0; i < f->events.count; i++) {
        rk_event *e = &f->events.items[i];
        if (e->kind != RK_EVENT_RETURN)
            continue;
        f->early_return |= follows(unit, f, e, RK_EVENT_BARRIER, RK_USE_BARRIERS);
        e->leaves = follows(unit, f, e, RK_EVENT_WARP, RK_USE_WARPS);
        f->warp_returns |= e->leaves && (!e->top_level || f->has_goto);
    }
}

/** A named barrier counts whole warps, of which no lane may be at the end already. */
static void check_named_barriers(rk_unit *unit, size_t index)
{
    const rk_function *f = unit->functions.items[index];
    if (f->early_return && f->reach_does & RK_TEXT_NAMED_BARRIERS)
        rk_problem_add(unit, index, RK_REFUSED, "RK-V106", f->place,
                       "use __syncthreads, or do not return before it",
                       "a barrier in assembly may follow a return in '%s'", f->name);
}

static bool is_plain(const rk_function *f, const rk_event *e)
{
    return e->word.file == f->definition.file && e->word.offset == e->at;
}

static bool same_word(const rk_event *a, const rk_event *b)
{
    return a->kind == RK_EVENT_RETURN && b->kind == RK_EVENT_RETURN &&
           a->word.file == b->word.file && a->word.offset == b->word.offset;
}

static bool has_word(const rk_function *f, const rk_event *e)
{
    for (size_t i = 0; i < f->events.count; i++)
        if (same_word(&f->events.items[i], e))
            return true;
    return false;
}

/** Gives a kernel what another one that has the same returns needs; whether that was new. */
static bool share(rk_function *to, const rk_function *from)
{
    const bool changed =
        (from->early_return && !to->early_return) || (from->warp_returns && !to->warp_returns);
    to->early_return |= from->early_return;
    to->warp_returns |= from->warp_returns;
    return changed;
}

/** A macro's `return` has one text for all who use it. */
static bool share_macros(rk_unit *unit, const rk_function *f)
{
    bool changed = false;
    for (size_t i = 0; rk_returns_exit(f) && i < f->events.count; i++) {
        const rk_event *e = &f->events.items[i];
        for (size_t k = 0;
             e->kind == RK_EVENT_RETURN && !is_plain(f, e) && k < unit->functions.count; k++) {
            rk_function *other = unit->functions.items[k];
            if (other != f && other->kernel && has_word(other, e))
                changed |= share(other, f);
        }
    }
    return changed;
}

static bool is_return(const rk_unit *unit, rk_where at)
{
    if (at.file == RK_NONE)
        return false;
    const rk_bytes *text = &unit->files.items[at.file]->bytes;
    return at.offset + strlen("return") <= text->size &&
           strncmp(text->data + at.offset, "return", strlen("return")) == 0;
}

static bool helper_has(const rk_unit *unit, const rk_event *e)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (f->device && !f->kernel && has_word(f, e))
            return true;
    }
    return false;
}

static void check_words(rk_unit *unit, size_t index)
{
    const rk_function *f = unit->functions.items[index];
    for (size_t i = 0; i < f->events.count; i++) {
        const rk_event *e = &f->events.items[i];
        if (e->kind == RK_EVENT_RETURN && !is_plain(f, e) &&
            (!is_return(unit, e->word) || helper_has(unit, e)))
            rk_problem_add(unit, index, RK_REFUSED, "RK-V113",
                           rk_sources_place(unit, f->definition.file, e->at),
                           "write the return in the kernel itself",
                           "a barrier or a warp operation may follow this return, and the macro "
                           "that makes it is not the kernels' alone");
    }
}

void rk_returns_decide(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->functions.items[i]->kernel)
            look_at_returns(unit, unit->functions.items[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->functions.count; i++)
            if (unit->functions.items[i]->kernel)
                changed |= share_macros(unit, unit->functions.items[i]);
    }
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        for (size_t k = 0; f->warp_returns && k < f->events.count; k++)
            f->events.items[k].leaves = false;
        if (f->kernel && rk_returns_exit(f))
            check_words(unit, i);
        if (f->kernel)
            check_named_barriers(unit, i);
    }
}

const char *rk_returns_exit(const rk_function *f)
{
    if (!f->kernel || !(f->early_return || f->warp_returns))
        return NULL;
    return !f->warp_returns   ? "rk__ctx.finish()"
           : !f->early_return ? "rk__ctx.returned()"
                              : "rk__ctx.returned(), rk__ctx.finish()";
}
