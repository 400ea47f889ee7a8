#include "sched/plan/rtask_price.h"

#include <math.h>

/** Bytes that a unit takes from the L2 in a clock: NVIDIA's from V100 on, by published microbenchmarks. */
enum { PORT_BYTES = 64 };
/** Every rTask waits for two dependent loads: of an index or a table entry, then of data. */
enum { DEPENDENT_LOADS = 2 };

double rk_pool_rate(const rk_device *device, rk_pool pool)
{
    return pool == RK_FROM_MEMORY ? device->dram_bandwidth
           : pool == RK_FROM_L2   ? device->l2_bandwidth
                                  : device->sms;
}

double rk_pool_share(const rk_device *device, int residents, rk_pool pool)
{
    return rk_pool_rate(device, pool) / device->sms / residents;
}

/** What one vEU takes at most while its neighbours idle. A core moves no more than its share; a unit has a port. */
static double rate_alone(const rk_rtask_needs *needs, const rk_device *device, rk_pool pool)
{
    const double share = rk_pool_share(device, needs->residents, pool);
    if (device->cores)
        return share;
    return pool == RK_FROM_UNITS ? 1
                                 : fmax(share, PORT_BYTES * device->clock_ghz / needs->residents);
}

double rk_rtask_price(rk_rtask_parts *parts, const rk_rtask_needs *needs, const rk_device *device,
                      double memory)
{
    const double latency =
        device->l2_latency_ns + memory * (device->memory_latency_ns - device->l2_latency_ns);
    const double steps = needs->in_flight > 0 ? needs->requested / needs->in_flight : 0;
    const double loads = steps * latency;
    const double own = needs->staged ? loads + needs->chain_ns : fmax(loads, needs->chain_ns);
    const double taken[RK_POOLS] = {memory * needs->distinct, needs->requested, needs->unit_ns};
    double busy = own, alone = own, longest = 0;
    rk_pool from = RK_FROM_L2;
    for (rk_pool pool = 0; pool < RK_POOLS; pool++) {
        const double ns = taken[pool] / rk_pool_share(device, needs->residents, pool);
        if (ns > longest) {
            longest = ns;
            from = pool;
        }
        busy = fmax(busy, ns);
        alone = fmax(alone, taken[pool] / rate_alone(needs, device, pool));
    }
    *parts = (rk_rtask_parts){.fixed_ns = DEPENDENT_LOADS * latency + needs->wait_ns,
                              .stream_ns = alone,
                              .bytes = taken[from],
                              .from = from};
    return parts->fixed_ns + busy;
}
