#include "convert/verify/verify_internal.h"

#include <stdlib.h>
#include <string.h>

static int by_buffer(const void *a, const void *b)
{
    const rk_verify_varying *x = a, *y = b;
    if (x->launch != y->launch)
        return x->launch < y->launch ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

bool rk_verify_is_number(const rk_verify_difference *d)
{
    return d->type && (strcmp(d->type, "f4") == 0 || strcmp(d->type, "f8") == 0);
}

void rk_verify_vary(rk_verify_original *o, const rk_verify_report *report, rk_arena *arena)
{
    for (size_t i = 0; i < report->found.count; i++) {
        const rk_verify_difference *d = &report->found.items[i];
        *rk_push(arena, &o->varying) = (rk_verify_varying){.launch = d->launch,
                                                           .kind = d->kind,
                                                           .serial = d->serial,
                                                           .number = rk_verify_is_number(d),
                                                           .permuted = d->permuted,
                                                           .distance = d->distance};
    }
    if (o->varying.count == 0)
        return;
    qsort(o->varying.items, o->varying.count, sizeof *o->varying.items, by_buffer);
    size_t kept = 1;
    for (size_t i = 1; i < o->varying.count; i++) {
        rk_verify_varying *last = &o->varying.items[kept - 1];
        const rk_verify_varying *v = &o->varying.items[i];
        if (by_buffer(last, v) != 0) {
            o->varying.items[kept++] = *v;
            continue;
        }
        last->number &= v->number;
        last->permuted &= v->permuted;
        last->distance = v->distance > last->distance ? v->distance : last->distance;
    }
    o->varying.count = kept;
}

/** How the original's own runs differ in the buffer; NULL when they agree. */
static const rk_verify_varying *find_varying(const rk_verify_original *o,
                                             const rk_verify_difference *d)
{
    const rk_verify_varying key = {.launch = d->launch, .kind = d->kind, .serial = d->serial};
    return o->varying.count ? bsearch(&key, o->varying.items, o->varying.count,
                                      sizeof *o->varying.items, by_buffer)
                            : NULL;
}

/**
 * Launches are matched by their numbers. Where those of the original come in another order from run to run, launch n of
 * one run is not launch n of the other: what they wrote is not judged, and the program's output decides.
 */
static rk_verify_verdict judge(const rk_verify_result *r, const rk_verify_original *o,
                               const rk_verify_difference *d, double tolerance)
{
    if (r->launches_vary)
        return RK_VERIFY_UNJUDGED;
    const rk_verify_varying *v = find_varying(o, d);
    if (!v) /* numbers of a program that was built in another way may be rounded otherwise */
        return r->another && rk_verify_is_number(d) && d->distance <= tolerance
                   ? RK_VERIFY_NEAR
                   : RK_VERIFY_DIFFERENT;
    if (v->permuted && d->permuted)
        return RK_VERIFY_PERMUTED;
    if (v->number && v->distance <= tolerance)
        return rk_verify_is_number(d) && d->distance <= tolerance ? RK_VERIFY_NEAR
                                                                  : RK_VERIFY_DIFFERENT;
    return v->permuted ? RK_VERIFY_DIFFERENT : RK_VERIFY_UNJUDGED;
}

/** Counts a buffer that is not the same beside the others of its kernel and name with its verdict. */
static void count(rk_verify_result *r, const rk_verify_difference *d, rk_verify_verdict verdict,
                  rk_arena *arena)
{
    for (size_t i = 0; i < r->order.count; i++) {
        rk_verify_order *o = &r->order.items[i];
        if (o->verdict != verdict || strcmp(o->first->kernel, d->kernel) != 0 ||
            strcmp(o->first->buffer, d->buffer) != 0)
            continue;
        o->launches++;
        o->distance = d->distance > o->distance ? d->distance : o->distance;
        return;
    }
    *rk_push(arena, &r->order) = (rk_verify_order){verdict, d, 1, d->distance};
}

/** Whether all launches were of the original's kernels; a program that ended early said not how many it had. */
static bool same_launches(const rk_verify_report *report, const rk_verify_original *o)
{
    const rk_verify_report *first = &o->reports[1];
    return !report->own_kernel &&
           report->launches == (first->complete ? first->recorded : first->launches);
}

void rk_verify_judge(rk_verify_result *r, const rk_verify_original *o, double tolerance,
                     rk_arena *arena)
{
    const rk_verify_run *original = &o->runs[0];
    rk_bytes outs[RK_VERIFY_MOST_RUNS], errs[RK_VERIFY_MOST_RUNS];
    bool any_status = false, any_launches = false;
    for (size_t i = 1; i < o->count; i++) {
        outs[i - 1] = o->runs[i].out;
        errs[i - 1] = o->runs[i].err;
        any_status |= o->runs[i].status != original->status;
        any_launches |= !same_launches(&o->reports[i], o);
    }
    const double printed = r->another ? tolerance : 0;
    r->out = rk_verify_compare(original->out, r->run.out, outs, o->count - 1, printed, arena);
    r->err = rk_verify_compare(original->err, r->run.err, errs, o->count - 1, printed, arena);
    r->status_varies = any_status;
    r->launches_vary = any_launches;
    r->different.count = r->order.count = 0;
    for (size_t i = 0; i < r->report.found.count; i++) {
        const rk_verify_difference *d = &r->report.found.items[i];
        const rk_verify_verdict verdict = judge(r, o, d, tolerance);
        if (verdict == RK_VERIFY_DIFFERENT)
            *rk_push(arena, &r->different) = *d;
        else
            count(r, d, verdict, arena);
    }
    r->same = !r->run.timed_out && !r->out.line && !r->err.line && !r->different.count &&
              (any_status || r->run.status == original->status) &&
              (any_launches || same_launches(&r->report, o));
}
