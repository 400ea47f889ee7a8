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

void rk_verify_vary(rk_verify_varyings *out, const rk_verify_report *report, rk_arena *arena)
{
    for (size_t i = 0; i < report->found.count; i++) {
        const rk_verify_difference *d = &report->found.items[i];
        *rk_push(arena, out) = (rk_verify_varying){.launch = d->launch,
                                                   .kind = d->kind,
                                                   .serial = d->serial,
                                                   .number = rk_verify_is_number(d),
                                                   .permuted = d->permuted,
                                                   .distance = d->distance};
    }
    if (out->count == 0)
        return;
    qsort(out->items, out->count, sizeof *out->items, by_buffer);
    size_t kept = 1;
    for (size_t i = 1; i < out->count; i++) {
        rk_verify_varying *last = &out->items[kept - 1];
        const rk_verify_varying *v = &out->items[i];
        if (by_buffer(last, v) != 0) {
            out->items[kept++] = *v;
            continue;
        }
        last->number &= v->number;
        last->permuted &= v->permuted;
        last->distance = v->distance > last->distance ? v->distance : last->distance;
    }
    out->count = kept;
}

/** How the original's own runs differ in the buffer; NULL when they agree. */
static const rk_verify_varying *find_varying(const rk_verify_varyings *of,
                                             const rk_verify_difference *d)
{
    const rk_verify_varying key = {.launch = d->launch, .kind = d->kind, .serial = d->serial};
    return of->count ? bsearch(&key, of->items, of->count, sizeof *of->items, by_buffer) : NULL;
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
    const bool near = rk_verify_is_number(d) && d->distance <= tolerance;
    const rk_verify_varying *v = find_varying(&o->varying, d);
    if (r->ordered && v &&
        !find_varying(&o->again_varying, d)) /* the order explains nothing here */
        return near ? RK_VERIFY_NEAR : d->permuted ? RK_VERIFY_PERMUTED : RK_VERIFY_DIFFERENT;
    if (!v) /* numbers of a program that was built in another way may be rounded otherwise */
        return r->another && near ? RK_VERIFY_NEAR : RK_VERIFY_DIFFERENT;
    if (v->permuted && d->permuted)
        return RK_VERIFY_PERMUTED;
    if (v->number && v->distance <= tolerance)
        return near ? RK_VERIFY_NEAR : RK_VERIFY_DIFFERENT;
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

bool rk_verify_varies(const rk_verify_original *o)
{
    bool any = o->varying.count > 0;
    for (size_t i = 1; i < o->count; i++)
        any |= !same_launches(&o->reports[i], o);
    return any;
}

/** What the original's runs have in common that the compared one is held to. */
typedef struct {
    rk_bytes outs[RK_VERIFY_MOST_RUNS], errs[RK_VERIFY_MOST_RUNS];
    size_t count;
    bool status, launches; /**< differ */
} common;

static void add_run(common *c, const rk_verify_original *o, const rk_verify_run *run,
                    const rk_verify_report *report)
{
    c->outs[c->count] = run->out;
    c->errs[c->count++] = run->err;
    c->status |= run->status != o->runs[0].status;
    c->launches |= !same_launches(report, o);
}

void rk_verify_judge(rk_verify_result *r, const rk_verify_original *o, double tolerance,
                     rk_arena *arena)
{
    const rk_verify_run *original = &o->runs[0];
    common c = {0};
    for (size_t i = 0; i < o->again_count && r->ordered; i++)
        add_run(&c, o, &o->again[i], &o->again_reports[i]);
    for (size_t i = 1; i < o->count && !r->ordered; i++)
        add_run(&c, o, &o->runs[i], &o->reports[i]);
    const double printed = r->another ? tolerance : 0;
    r->out = rk_verify_compare(original->out, r->run.out, c.outs, c.count, printed, arena);
    r->err = rk_verify_compare(original->err, r->run.err, c.errs, c.count, printed, arena);
    r->status_varies = c.status;
    r->launches_vary = c.launches;
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
              (c.status || r->run.status == original->status) &&
              (c.launches || same_launches(&r->report, o));
}
