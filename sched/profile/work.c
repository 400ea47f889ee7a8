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

static void block_of(int64_t block[3], const rk_candidate *c, uint64_t rtask)
{
    block[0] = (int64_t)(rtask % (uint64_t)c->grid[0]);
    block[1] = (int64_t)(rtask / (uint64_t)c->grid[0] % (uint64_t)c->grid[1]);
    block[2] = (int64_t)(rtask / (uint64_t)c->grid[0] / (uint64_t)c->grid[1]);
}

/** Elements of the box that the rTask at `block` touches. */
static double box_size(const rk_access *access, const int64_t block[3])
{
    rk_interval box[RK_MAX_RANK];
    if (!rk_access_box(box, access, block))
        return 0;
    double size = 1;
    for (int d = 0; d < access->rank; d++)
        size *= (double)(box[d].end - box[d].first);
    return size;
}

/** rTasks that the boxes are looked at of; of more, as many that are evenly spread. */
enum { SAMPLED_MOST = 64 };

/** Elements that an rTask touches through a parameter, in the mean; -1 where no range says. */
static double touched(const rk_candidate *c, size_t param)
{
    const rk_access *access = c->access ? c->access[param] : NULL;
    if (!access)
        return -1;
    const uint64_t samples = c->rtasks < SAMPLED_MOST ? c->rtasks : SAMPLED_MOST;
    double sum = 0;
    for (uint64_t i = 0; i < samples; i++) {
        int64_t block[3];
        block_of(block, c, (2 * i + 1) * c->rtasks / (2 * samples));
        sum += box_size(access, block);
    }
    return samples ? sum / (double)samples : 0;
}

/**
 * Fills what the ranges tell of an rTask: the bytes that it brings into its unit, each box once, and how many
 * outputs a thread has. What has no range counts by the tensor's part of the rTasks, since whoever reads all of a tensor
 * in each rTask has a binding that says so.
 */
static void add_access(rk_work *out, const rk_op_call *call, const rk_candidate *c)
{
    const double rtasks = c->rtasks ? (double)c->rtasks : 1;
    double threads = (double)(c->block[0] * c->block[1] * c->block[2]);
    if (!c->access)
        return;
    for (size_t p = 0; p < c->kernel->param_count; p++) {
        const rk_param *param = &c->kernel->params[p];
        const rk_id slot = c->args[p].tensor;
        if (!param->pointer || slot == RK_NO_ID)
            continue;
        double elements = touched(c, p);
        if (elements < 0) {
            /* Of a node's own arguments, which are tensors and no operands, nothing is known here. */
            const rk_tensor *t = slot < call->in_count ? call->in[slot]
                                 : slot < call->in_count + call->out_count
                                     ? call->out[slot - call->in_count]
                                     : NULL;
            elements = t ? (double)rk_tensor_elements(t) / rtasks : 0;
        } else if (param->role == RK_ROLE_WRITTEN) {
            out->outputs = fmax(out->outputs, elements / threads);
        }
        out->requested += elements * (double)rk_dtype_size(param->dtype);
    }
}

/** Shared memory of a block that holds a tile: with less than a word for each thread it holds sums of theirs. */
static int64_t staged_of(const rk_candidate *c)
{
    int64_t threads = c->block[0] * c->block[1] * c->block[2];
    return c->kernel->uses.barrier && c->demand.shared >= 4 * threads ? c->demand.shared : 0;
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
                     .waits = waits_of(kernel),
                     .library = kernel->cpu_threads == RK_CPU_LIBRARY,
                     .staged = staged_of(candidate)};
    memcpy(out->grid, candidate->grid, sizeof out->grid);
    memcpy(out->block, candidate->block, sizeof out->block);
    add_access(out, call, candidate);
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

static double rtasks_of(const rk_work *work)
{
    return (double)(work->grid[0] * work->grid[1] * work->grid[2]);
}

static double threads_of(const rk_work *work)
{
    return (double)(work->block[0] * work->block[1] * work->block[2]);
}

/**
 * A CPU's core runs the threads of a block one after another: each costs the operations that find its
 * place and compare it with the edges, and what waits for others a switch to its fiber at the start and
 * after each wait. The core computes while it loads.
 */
static void core_needs(rk_rtask_needs *out, const rk_work *work, const rk_device *device)
{
    enum { THREAD_OPERATIONS = 4, LIBRARY_LANES = 16 }; /* of 8 floats that are multiplied and added in one go */
    const double threads = threads_of(work);
    const double operations =
        work->flops / rtasks_of(work) * work->padding + threads * THREAD_OPERATIONS;
    const double switches = work->waits ? threads * (1 + work->waits) : 0;
    const int lanes = work->library ? LIBRARY_LANES : 1;
    out->unit_ns = operations / (lanes * device->flops_per_sm_cycle * device->clock_ghz);
    out->wait_ns = switches * device->thread_ns;
}

/* Of a GPU's unit, from V100 on; sources in docs/model.md. */
enum {
    ISSUED = 128, /**< instructions of threads that a unit's four schedulers issue in a clock */
    LOADED = 32,  /**< words of 4 bytes that its shared memory, or its L1, gives in a clock */
    FMA_CLOCKS = 4,
    LOAD_CLOCKS = 28, /**< of a load from the L1; from shared memory a few less */
    UNROLLED = 4,     /**< iterations of a loop that the compiler has in flight */
    WORD = 4,
};

/**
 * Arithmetic of a unit. A thread that sums T outputs by products takes 2 / sqrt(T) loads for each from shared memory or
 * L1, each with an instruction for its address: a naive kernel, whose T is 1, loads as often as it can, and one
 * with a tile in registers computes. Threads do not overtake their own sums and loads.
 */
static void unit_needs(rk_rtask_needs *out, const rk_work *work, const rk_device *device)
{
    const double threads = threads_of(work);
    const double outputs = fmax(work->outputs, 1);
    const double loads = 2 / sqrt(outputs);
    const double products = 0.5 * work->flops / rtasks_of(work) * work->padding;
    const double lanes = 0.5 * device->flops_per_sm_cycle;
    const double each = fmax(fmax(1 / lanes, loads / LOADED), (1 + 2 * loads) / ISSUED);
    const double follow =
        fmax(1 + 2 * loads, fmax(FMA_CLOCKS, (double)LOAD_CLOCKS / UNROLLED) / outputs);
    out->unit_ns = products * each / device->clock_ghz;
    out->chain_ns = products / threads * follow / device->clock_ghz;
    out->wait_ns = work->synchronises ? threads * device->thread_ns : 0;
    out->staged = work->staged > 0;
    out->in_flight = out->staged ? (double)work->staged : threads * 2 * UNROLLED * WORD;
}

void rk_work_needs(rk_rtask_needs *out, const rk_work *work, const rk_device *device)
{
    const double distinct = work->bytes / rtasks_of(work);
    *out =
        (rk_rtask_needs){.residents = work->residents,
                         .distinct = distinct,
                         .requested = device->cores ? distinct : fmax(work->requested, distinct)};
    if (device->cores)
        core_needs(out, work, device);
    else
        unit_needs(out, work, device);
}

double rk_work_model(rk_rtask_parts *parts, const rk_work *work, const rk_device *device)
{
    rk_rtask_needs needs;
    rk_work_needs(&needs, work, device);
    return rk_rtask_price(parts, &needs, device, work->bytes > (double)device->l2_bytes);
}
