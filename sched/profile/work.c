#include "sched/profile/work.h"

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

static bool synchronises(const rk_kernel *kernel)
{
    return kernel->uses.barrier || kernel->uses.warp;
}

/** How often a thread on a fiber waits: for the steps of a warp's reduction, and around one barrier. */
static int waits_of(const rk_kernel *kernel)
{
    enum { WARP_STEPS = 5, AROUND_BARRIER = 2 };
    if (kernel->cpu_threads != RK_CPU_FIBERS)
        return 0;
    return (kernel->uses.warp ? WARP_STEPS : 0) + (kernel->uses.barrier ? AROUND_BARRIER : 0);
}

/** By how much the first block's width, as often as the extent needs it, is more than the extent. */
static double padding_along(const rk_access_dim *dim)
{
    static const int64_t block[3];
    int64_t first, end;
    if (!dim->first || !rk_block_expr_eval(&first, dim->first, block) ||
        !rk_block_expr_eval(&end, dim->end, block) || end <= first)
        return 1;
    const double width = (double)end - (double)first, extent = (double)dim->extent;
    return ceil(extent / width) * width / extent;
}

/** rk_work.padding: threads of a block with barriers stay to the end, those of others return. */
static double padding_of(const rk_candidate *candidate)
{
    const rk_kernel *kernel = candidate->kernel;
    double most = 1;
    for (size_t p = 0; synchronises(kernel) && candidate->access && p < kernel->param_count; p++) {
        const rk_access *access = candidate->access[p];
        double padding = 1;
        for (int d = 0; access && kernel->params[p].role == RK_ROLE_WRITTEN && d < access->rank;
             d++)
            padding *= padding_along(&access->dims[d]);
        most = fmax(most, padding);
    }
    return most;
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
                     .bytes = cost.bytes_read + cost.bytes_written,
                     .flops = cost.flops,
                     .synchronises = synchronises(kernel),
                     .padding = padding_of(candidate),
                     .waits = waits_of(kernel)};
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

/** Every rTask waits for two dependent loads. */
enum { DEPENDENT_LOADS = 2 };

static double rtasks_of(const rk_work *work)
{
    return (double)(work->grid[0] * work->grid[1] * work->grid[2]);
}

static double threads_of(const rk_work *work)
{
    return (double)(work->block[0] * work->block[1] * work->block[2]);
}

/** Whether half of the L2 holds the node's data, the other half being for its neighbours. */
static bool is_cached(const rk_work *work, const rk_device *device)
{
    return work->bytes <= 0.5 * (double)device->l2_bytes;
}

/**
 * A CPU's core runs the threads of a block one after another: each costs the operations that find its
 * place and compare it with the edges, and what waits for others a switch to its fiber at the start and
 * after each wait. The core computes while it loads.
 */
static double core_model(rk_rtask_parts *parts, const rk_work *work, const rk_device *device)
{
    enum { THREAD_OPERATIONS = 4 };
    const bool cached = is_cached(work, device);
    const double threads = threads_of(work);
    const double moved = work->bytes / rtasks_of(work);
    const double operations =
        work->flops / rtasks_of(work) * work->padding + threads * THREAD_OPERATIONS;
    const double rate = device->flops_per_sm_cycle * device->clock_ghz / work->residents;
    const double switches = work->waits ? threads * (1 + work->waits) : 0;
    *parts = (rk_rtask_parts){
        .fixed_ns = DEPENDENT_LOADS * (cached ? device->l2_latency_ns : device->memory_latency_ns) +
                    switches * device->thread_ns,
        .stream_ns = fmax(moved / rk_work_share(work, device, cached), operations / rate),
        .bytes = moved,
        .cached = cached};
    return parts->fixed_ns + parts->stream_ns;
}

/** Bytes that a unit takes from the L2 in a clock: NVIDIA's from V100 on, by published microbenchmarks. */
enum { PORT_BYTES = 64 };

/*
 * A vEU gets its share of the device's bandwidth (of the L2's when the node's data fits there) and of its
 * SM's arithmetic. Few threads cannot use the
 * share: each keeps 4 loads of 16 bytes in flight, and issues one operation a cycle (a fused
 * multiply-add each 4 cycles, two of them independent).
 * While its neighbours idle an rTask takes more than its share, up to what its threads keep in flight
 * and its unit's port to the L2 lets through.
 */
double rk_work_model(rk_rtask_parts *parts, const rk_work *work, const rk_device *device)
{
    enum { IN_FLIGHT = 4 * 16 };
    if (device->cores)
        return core_model(parts, work, device);
    bool cached = is_cached(work, device);
    double rtasks = rtasks_of(work);
    double threads = threads_of(work);
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
