#include "sched/profile.h"

#include "sched/select.h"

struct rk_profile {
    const rk_device *device;
};

const char *rk_source_name(rk_source source)
{
    return source == RK_MEASURED ? "measured" : "modelled";
}

const rk_profile *rk_profile_model(const rk_device *device, rk_arena *arena)
{
    rk_profile *profile = RK_NEW(arena, rk_profile);
    profile->device = device;
    return profile;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/** What the whole node moves and computes; a node that names a kernel is taken to stream. */
static rk_cost cost_of(const rk_op_call *call)
{
    rk_cost cost;
    if (call->node->op && call->node->op->cost) {
        call->node->op->cost(&cost, call);
        return cost;
    }
    double elements = 0;
    for (size_t i = 0; i < call->out_count; i++)
        elements += (double)rk_tensor_elements(call->out[i]);
    rk_op_cost_streaming(&cost, call, elements);
    return cost;
}

/**
 * Bytes that a unit takes from the L2 in a clock: 64 on NVIDIA's from V100 on, by published
 * microbenchmarks, and a cache line on a CPU's core.
 */
enum { PORT_BYTES = 64 };

/*
 * The model. A vEU gets its share of the device's bandwidth (of the L2's when the node's data fits in
 * half of it, the other half being for its neighbours) and of its SM's arithmetic. Few threads cannot
 * use the share: each keeps 4 loads of 16 bytes in flight, and issues one operation a cycle (a fused
 * multiply-add each 4 cycles, two of them independent). Every rTask waits for two dependent loads.
 * While its neighbours idle an rTask takes more than its share, up to what its threads keep in flight
 * and its unit's port to the L2 lets through.
 */
double rk_profile_rtask(rk_source *source, rk_rtask_parts *parts, const rk_profile *profile,
                        const rk_op_call *call, const rk_candidate *candidate)
{
    enum { IN_FLIGHT = 4 * 16, DEPENDENT_LOADS = 2 };
    const rk_device *d = profile->device;
    rk_cost cost = cost_of(call);
    double bytes = cost.bytes_read + cost.bytes_written;
    bool cached = bytes <= 0.5 * (double)d->l2_bytes;
    double threads = (double)(candidate->block[0] * candidate->block[1] * candidate->block[2]);
    double residents = candidate->residents > 0 ? candidate->residents : 1;
    double latency = cached ? d->l2_latency_ns : d->memory_latency_ns;
    double in_flight = threads * IN_FLIGHT / latency;
    double share =
        least((cached ? d->l2_bandwidth : d->dram_bandwidth) / d->sms / residents, in_flight);
    double alone = most(share, least(PORT_BYTES * d->clock_ghz / residents, in_flight));
    double rate = least(d->flops_per_sm_cycle / residents, threads) * d->clock_ghz;
    double moved = bytes / candidate->rtasks;
    double compute = cost.flops / candidate->rtasks / rate;
    bool synchronises = candidate->kernel->uses.barrier || candidate->kernel->uses.warp;
    double fixed = DEPENDENT_LOADS * latency + (synchronises ? threads * d->thread_ns : 0);
    *source = RK_MODELLED;
    *parts = (rk_rtask_parts){.fixed_ns = fixed,
                              .stream_ns = most(moved / alone, compute),
                              .bytes = moved,
                              .cached = cached};
    return fixed + most(moved / share, compute);
}
