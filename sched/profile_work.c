#include "sched/profile_work.h"

#include "base/str.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

static const char *args_text(const rk_candidate *candidate, rk_arena *arena)
{
    rk_str text = {.arena = arena};
    for (size_t i = 0; i < candidate->kernel->param_count; i++) {
        const rk_param *param = &candidate->kernel->params[i];
        const rk_kernel_arg *arg = &candidate->args[i];
        const char *space = i ? " " : "";
        if (param->pointer)
            rk_str_addf(&text, "%s%c", space, arg->tensor == RK_NO_ID ? '-' : '*');
        else if (rk_dtype_is_float(param->dtype))
            rk_str_addf(&text, "%s%.17g", space, arg->real);
        else
            rk_str_addf(&text, "%s%" PRId64, space, arg->integer);
    }
    return rk_str_text(&text);
}

void rk_work_of(rk_work *out, const rk_op_call *call, const rk_candidate *candidate,
                rk_arena *arena)
{
    const rk_kernel *kernel = candidate->kernel;
    rk_cost cost = cost_of(call);
    *out = (rk_work){.kernel = kernel->id,
                     .hash = kernel->hash ? kernel->hash : "",
                     .shared = candidate->shared,
                     .args = args_text(candidate, arena),
                     .residents = candidate->residents > 0 ? candidate->residents : 1,
                     .synchronises = kernel->uses.barrier || kernel->uses.warp,
                     .bytes = cost.bytes_read + cost.bytes_written,
                     .flops = cost.flops};
    memcpy(out->grid, candidate->grid, sizeof out->grid);
    memcpy(out->block, candidate->block, sizeof out->block);
}

static int compare_sizes(const int64_t a[3], const int64_t b[3])
{
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

int rk_work_compare(const rk_work *a, const rk_work *b)
{
    int order = strcmp(a->kernel, b->kernel);
    if (!order)
        order = compare_sizes(a->grid, b->grid);
    if (!order)
        order = compare_sizes(a->block, b->block);
    if (!order)
        order = (a->shared > b->shared) - (a->shared < b->shared);
    if (!order)
        order = strcmp(a->args, b->args);
    return order ? order : (a->residents > b->residents) - (a->residents < b->residents);
}

double rk_work_share(const rk_work *work, const rk_device *device, bool cached)
{
    return (cached ? device->l2_bandwidth : device->dram_bandwidth) / device->sms / work->residents;
}

/**
 * Bytes that a unit takes from the L2 in a clock: 64 on NVIDIA's from V100 on, by published
 * microbenchmarks, and a cache line on a CPU's core.
 */
enum { PORT_BYTES = 64 };

/*
 * A vEU gets its share of the device's bandwidth (of the L2's when the node's data fits in half of
 * it, the other half being for its neighbours) and of its SM's arithmetic. Few threads cannot use the
 * share: each keeps 4 loads of 16 bytes in flight, and issues one operation a cycle (a fused
 * multiply-add each 4 cycles, two of them independent). Every rTask waits for two dependent loads.
 * While its neighbours idle an rTask takes more than its share, up to what its threads keep in flight
 * and its unit's port to the L2 lets through.
 */
double rk_work_model(rk_rtask_parts *parts, const rk_work *work, const rk_device *device)
{
    enum { IN_FLIGHT = 4 * 16, DEPENDENT_LOADS = 2 };
    bool cached = work->bytes <= 0.5 * (double)device->l2_bytes;
    double rtasks = (double)(work->grid[0] * work->grid[1] * work->grid[2]);
    double threads = (double)(work->block[0] * work->block[1] * work->block[2]);
    double latency = cached ? device->l2_latency_ns : device->memory_latency_ns;
    double in_flight = threads * IN_FLIGHT / latency;
    double share = fmin(rk_work_share(work, device, cached), in_flight);
    double port = PORT_BYTES * device->clock_ghz / work->residents;
    double alone = fmax(share, fmin(port, in_flight));
    double rate = fmin(device->flops_per_sm_cycle / work->residents, threads) * device->clock_ghz;
    double moved = work->bytes / rtasks;
    double compute = work->flops / rtasks / rate;
    double fixed =
        DEPENDENT_LOADS * latency + (work->synchronises ? threads * device->thread_ns : 0);
    *parts = (rk_rtask_parts){.fixed_ns = fixed,
                              .stream_ns = fmax(moved / alone, compute),
                              .bytes = moved,
                              .cached = cached};
    return fixed + fmax(moved / share, compute);
}
