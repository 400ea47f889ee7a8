#include "sched/simulate/bound_internal.h"

#include <math.h>

/* What rTasks take, whatever the schedule: the rules of rounds and of load (bound.c). */

double rk_bound_spread(const bounds *b, double k, double d, bool partly)
{
    double best = partly ? INFINITY : k * d;
    if (b->veus == 1)
        return k * d;
    for (double m = 0; m < k && m * d < best; m++)
        best = least(best, most(m * d, ceil((k - m) / (b->veus - 1)) * d + b->signal));
    return best;
}

/**
 * Time for an amount that one vEU takes at `rate` and all together at `all`: when all of it must be seen
 * on one vEU, the others begin a signal later on its clock.
 */
static double amount_ns(double amount, double rate, double all, double signal)
{
    if (amount <= rate * signal)
        return amount / rate;
    return signal + (amount - rate * signal) / all;
}

double rk_bound_load_ns(const bounds *b, const rk_load *load, bool seen)
{
    double signal = seen ? b->signal : 0;
    double ns = amount_ns(load->work, 1, b->veus, signal);
    for (int pool = 0; pool < RK_POOLS; pool++) {
        const rk_bytes_load *from = &load->from[pool];
        double rate = least(from->rate, b->bandwidth[pool]);
        if (from->bytes > 0)
            ns = most(ns, from->fixed + amount_ns(from->bytes, rate, b->bandwidth[pool], signal));
    }
    return ns;
}

rk_load rk_bound_load_of(const bounds *b, rk_id node, uint32_t candidate, double count)
{
    const rk_device *device = b->problem->device;
    const rk_candidates *all = b->problem->candidates;
    const rk_candidate *c = &all->nodes[node].items[candidate];
    const bool depends = rk_candidates_depend_on_order(all);
    const rk_rtask_parts parts =
        rk_candidate_parts(c, device, rk_candidates_least_memory(all, node));
    const rk_rtask_parts worst = depends ? rk_candidate_parts(c, device, 1) : parts;
    rk_load load = {.work = count * rk_simulate_parts(&parts, c->rtask_ns, device)};
    if (parts.stream_ns > 0 && parts.bytes > 0 && parts.from == worst.from)
        load.from[parts.from] = (rk_bytes_load){
            .bytes = count * parts.bytes,
            .fixed = parts.fixed_ns + device->rtask_overhead_ns,
            .rate = most(parts.bytes / parts.stream_ns, worst.bytes / worst.stream_ns)};
    return load;
}

double rk_bound_seen(const bounds *b, rk_id node, uint32_t candidate, uint32_t count)
{
    rk_load load = rk_bound_load_of(b, node, candidate, count);
    double each = rk_simulate_least(b->problem->candidates, node, candidate, b->problem->device);
    return count == 0 ? 0 : most(rk_bound_spread(b, count, each, false), rk_bound_load_ns(b, &load, true));
}
