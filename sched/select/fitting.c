#include "sched/select/fitting.h"

#include <stdlib.h>
#include <string.h>

/** Registers of a thread where no compiler has counted them for the device. */
enum { LIKELY_REGISTERS = 64, FRAME_ALIGNMENT = 16 };

/**
 * What the vDevice's loop keeps in registers while a kernel runs in it: with less, ptxas (CUDA 13)
 * spilled in some of the shipped kernels at the bound that their own count allows.
 */
enum { VDEVICE_REGISTERS = 32 };
/** The largest grids and blocks that CUDA takes. */
static const int64_t most_blocks[3] = {INT32_MAX, 65535, 65535};
static const int64_t most_threads[3] = {1024, 1024, 64};

static bool holds(rk_fitting *f, const char *condition,
                  bool (*value)(rk_value *, rk_fitting *, const char *))
{
    rk_value v;
    if (!condition)
        return true;
    if (!value(&v, f, condition))
        return false;
    bool truth = v.is_real ? v.d != 0 : v.i != 0;
    return truth || rk_fitting_fail(f, RK_MISFIT_CONDITION, "'%s' does not hold", condition);
}

/** Keeps an open value's expression in *slot. */
static void note_open(rk_sym *slot, rk_fitting *f, rk_value v)
{
    f->unexpressed = f->unexpressed || (v.open && (!v.sym || !slot));
    if (v.open && slot)
        *slot = v.sym;
}

/** `slot` is where an open value's expression goes; NULL: it may not be open. */
static bool launch_int(int64_t *out, rk_sym *slot, rk_fitting *f, const char *text)
{
    rk_value v;
    if (!rk_fitting_launch_value(&v, f, text))
        return false;
    if (v.is_real)
        return rk_fitting_fail(f, RK_MISFIT_CONDITION, "'%s' is not an integer", text);
    *out = v.i;
    note_open(slot, f, v);
    return true;
}

/** The conditions, then grid, block and shared bytes, within what the kernel and CUDA allow. */
static bool configure(rk_candidate *out, rk_fitting *f)
{
    if (!holds(f, f->launch->when, rk_fitting_launch_value))
        return false;
    int64_t rtasks = 1;
    int64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (!launch_int(&out->grid[i], f->open ? &f->open->grid[i] : NULL, f, f->launch->grid[i]) ||
            !launch_int(&out->block[i], NULL, f, f->launch->block[i]))
            return false;
        if (out->grid[i] < 1 || out->grid[i] > most_blocks[i] || out->block[i] < 1 ||
            out->block[i] > most_threads[i])
            return rk_fitting_fail(f, RK_MISFIT_CONDITION,
                                   "its launch has %lld blocks of %lld threads in dimension %d",
                                   (long long)out->grid[i], (long long)out->block[i], i);
        rtasks = rtasks > RK_RTASKS_MOST ? rtasks : rtasks * out->grid[i];
        threads *= out->block[i];
    }
    if (rtasks > RK_RTASKS_MOST)
        return rk_fitting_fail(f, RK_MISFIT_CONDITION,
                               "its launch has more than the %d blocks that a schedule holds",
                               RK_RTASKS_MOST);
    if (f->kernel->max_threads && threads > f->kernel->max_threads)
        return rk_fitting_fail(f, RK_MISFIT_CONDITION,
                               "its launch has %lld threads and __launch_bounds__ says %d",
                               (long long)threads, f->kernel->max_threads);
    if (!launch_int(&out->shared, NULL, f, f->launch->shared ? f->launch->shared : "0"))
        return false;
    if (out->shared < 0)
        return rk_fitting_fail(f, RK_MISFIT_CONDITION, "its launch has %lld bytes of shared memory",
                               (long long)out->shared);
    out->rtasks = (uint32_t)rtasks;
    out->demand.threads = (int)(threads > INT32_MAX ? INT32_MAX : threads);
    return true;
}

/** The part of "sm_90" after "sm_", 0 for another architecture. */
static int arch_number(const char *arch)
{
    return strncmp(arch, "sm_", 3) == 0 ? atoi(arch + 3) : 0;
}

/**
 * What ptxas counted for the device's architecture, else for the nearest older one, and the
 * vDevice's loop beside it.
 */
static int registers_of(const rk_fitting *f)
{
    if (f->device->cores)
        return 0;
    const rk_resources *best = NULL;
    const int arch = arch_number(f->device->resources ? f->device->resources : f->device->arch);
    for (size_t i = 0; i < f->kernel->resource_count; i++) {
        const rk_resources *r = &f->kernel->resources[i];
        if (arch_number(r->arch) <= arch &&
            (!best || arch_number(r->arch) > arch_number(best->arch)))
            best = r;
    }
    const int kernel = best ? best->registers : LIKELY_REGISTERS;
    const int most = f->device->max_registers_per_thread;
    return kernel + VDEVICE_REGISTERS < most ? kernel + VDEVICE_REGISTERS : most;
}

/** What one rTask needs, against what the device has. */
static bool fit_device(rk_candidate *out, rk_fitting *f)
{
    int64_t frame = f->kernel->static_shared;
    if (out->shared > 0)
        frame = (frame + FRAME_ALIGNMENT - 1) / FRAME_ALIGNMENT * FRAME_ALIGNMENT;
    out->demand.shared = frame + out->shared;
    out->demand.registers = registers_of(f);
    const char *limit;
    if (rk_device_occupancy(f->device, out->demand, &limit) > 0)
        return true;
    if (strcmp(limit, "threads") == 0)
        return rk_fitting_fail(f, RK_MISFIT_DEVICE, "an rTask has %d threads: more than '%s' takes",
                               out->demand.threads, f->device->name);
    if (strcmp(limit, "registers") == 0)
        return rk_fitting_fail(f, RK_MISFIT_DEVICE,
                               "an rTask has %d threads of %d registers: more than '%s' has",
                               out->demand.threads, out->demand.registers, f->device->name);
    return rk_fitting_fail(f, RK_MISFIT_DEVICE,
                           "an rTask has %lld bytes of shared memory: more than '%s' has",
                           (long long)out->demand.shared, f->device->name);
}

static bool integer_fits(rk_dtype dtype, int64_t value)
{
    switch (dtype) {
    case RK_BOOL:
        return value == 0 || value == 1;
    case RK_I8:
        return value >= INT8_MIN && value <= INT8_MAX;
    case RK_U8:
        return value >= 0 && value <= UINT8_MAX;
    case RK_I16:
        return value >= INT16_MIN && value <= INT16_MAX;
    case RK_U16:
        return value >= 0 && value <= UINT16_MAX;
    case RK_I32:
        return value >= INT32_MIN && value <= INT32_MAX;
    case RK_U32:
        return value >= 0 && value <= UINT32_MAX;
    case RK_U64:
        return value >= 0;
    default:
        return dtype == RK_I64;
    }
}

static bool scalar_argument(rk_kernel_arg *out, rk_sym *open, rk_fitting *f, const rk_param *param,
                            const char *text)
{
    rk_value v;
    if (!rk_fitting_launch_value(&v, f, text))
        return false;
    out->tensor = RK_NO_ID;
    if (rk_dtype_is_float(param->dtype)) {
        out->real = v.is_real ? v.d : (double)v.i;
        note_open(NULL, f, v);
        return true;
    }
    if (v.is_real || !integer_fits(param->dtype, v.i))
        return rk_fitting_fail(f, RK_MISFIT_CONDITION,
                               "its parameter '%s' of type '%s' cannot be '%s'", param->name,
                               param->type, text);
    out->integer = v.i;
    note_open(open, f, v);
    return true;
}

/** A pointer to void is to elements of any type: the kernel learns elsewhere which. */
static bool takes_any(const rk_param *param)
{
    return strcmp(param->type, "const void *") == 0 || strcmp(param->type, "void *") == 0;
}

/** Told apart from other conditions, which often name types too: whether the operands' types match. */
static bool dtypes_fit(rk_fitting *f)
{
    for (size_t i = 0; i < f->kernel->param_count && i < f->launch->arg_count; i++) {
        const rk_param *param = &f->kernel->params[i];
        if (!param->pointer)
            continue;
        const rk_tensor *tensor = rk_slot_tensor(f->call, rk_fitting_slot(f, f->launch->args[i]));
        if (tensor && tensor->dtype != param->dtype && !takes_any(param))
            return rk_fitting_fail(f, RK_MISFIT_DTYPE, "its parameter '%s' takes %s and '%s' is %s",
                                   param->name, rk_dtype_name(param->dtype), tensor->name,
                                   rk_dtype_name(tensor->dtype));
    }
    return true;
}

/** Whether the slot is an output, or an input that the node also writes. */
static bool is_written(const rk_op_call *call, int slot)
{
    if ((size_t)slot >= call->in_count)
        return true;
    for (size_t i = 0; i < call->out_count; i++)
        if (call->out[i] == call->in[slot])
            return true;
    return false;
}

static bool pointer_argument(rk_kernel_arg *out, rk_sym *open, rk_fitting *f, const rk_param *param,
                             const char *text)
{
    int slot;
    rk_value offset;
    if (!rk_fitting_pointer(&slot, &offset, f, text))
        return false;
    out->offset = offset.i;
    note_open(open, f, offset);
    out->tensor = slot == RK_NO_SLOT ? RK_NO_ID : (rk_id)slot;
    const rk_tensor *tensor = rk_slot_tensor(f->call, slot);
    if (!tensor)
        return true;
    if (out->offset < 0 || out->offset >= rk_tensor_elements(tensor))
        return rk_fitting_fail(f, RK_MISFIT_CONDITION, "'%s' begins outside '%s'", text,
                               tensor->name);
    if (param->role == RK_ROLE_ACCUMULATED && (size_t)slot >= f->call->in_count)
        return rk_fitting_fail(f, RK_MISFIT_CONDITION,
                               "it adds to '%s', which nothing sets to an initial value",
                               tensor->name);
    if (param->role != RK_ROLE_READ && !is_written(f->call, slot))
        return rk_fitting_fail(f, RK_MISFIT_CONDITION, "it writes to its input '%s'", tensor->name);
    return true;
}

/** Each output of the node is written through some parameter. */
static bool outputs_written(const rk_candidate *c, rk_fitting *f)
{
    for (size_t o = 0; o < f->call->out_count; o++) {
        bool written = false;
        for (size_t i = 0; i < f->kernel->param_count; i++)
            written =
                written || (c->args[i].tensor != RK_NO_ID && f->kernel->params[i].pointer &&
                            f->kernel->params[i].role != RK_ROLE_READ &&
                            rk_slot_tensor(f->call, (int)c->args[i].tensor) == f->call->out[o]);
        if (!written)
            return rk_fitting_fail(f, RK_MISFIT_CONDITION, "it does not write '%s'",
                                   f->call->out[o]->name);
    }
    return true;
}

static bool bind_arguments(rk_candidate *out, rk_fitting *f)
{
    const rk_kernel *kernel = f->kernel;
    if (f->launch->arg_count != kernel->param_count)
        return rk_fitting_fail(f, RK_MISFIT_CONDITION, "its launch passes %zu arguments of %zu",
                               f->launch->arg_count, kernel->param_count);
    rk_kernel_arg *args = RK_NEW_ARRAY(f->arena, rk_kernel_arg, kernel->param_count + 1);
    for (size_t i = 0; i < kernel->param_count; i++) {
        const rk_param *param = &kernel->params[i];
        const char *text = f->launch->args[i];
        rk_sym *open = f->open ? &f->open->args[i] : NULL;
        if (!(param->pointer ? pointer_argument(&args[i], open, f, param, text)
                             : scalar_argument(&args[i], open, f, param, text)))
            return false;
    }
    out->args = args;
    return outputs_written(out, f);
}

/** Room for what is open, where an operand is. */
static rk_open_launch *open_launch(const rk_fitting *f)
{
    bool open = false;
    for (size_t i = 0; i < f->call->in_count + f->call->out_count; i++) {
        const rk_tensor *t = rk_slot_tensor(f->call, (int)i);
        open = open || (t && rk_tensor_is_open(t));
    }
    if (!open)
        return NULL;
    rk_open_launch *launch = RK_NEW(f->arena, rk_open_launch);
    launch->args = RK_NEW_ARRAY(f->arena, rk_sym, f->kernel->param_count + 1);
    return launch;
}

bool rk_fitting_run(rk_candidate *out, rk_fitting *f)
{
    *out = (rk_candidate){.kernel = f->kernel, .binding = f->binding};
    if (f->kernel->outcome == RK_REFUSED_KERNEL)
        return rk_fitting_fail(f, RK_MISFIT_CONDITION, "the converter refused it");
    if (f->kernel->uses.host_state)
        return rk_fitting_fail(f, RK_MISFIT_CONDITION,
                               "it reads textures or variables that only a host program sets");
    if (!f->launch)
        return rk_fitting_fail(f, RK_MISFIT_CONDITION, "the catalog has no such launch of it");
    if (!f->launch->resolved)
        return rk_fitting_fail(f, RK_MISFIT_CONDITION, "its launch is not resolved: %s",
                               f->launch->reason ? f->launch->reason : "no reason given");
    if (f->device->cores && !f->kernel->cpu_library)
        return rk_fitting_fail(f, RK_MISFIT_CONDITION, "it is not compiled for the CPU");
    if (!f->device->cores && f->kernel->cpu_threads == RK_CPU_LIBRARY)
        return rk_fitting_fail(f, RK_MISFIT_CONDITION, "it is there for the CPU alone");
    if (!dtypes_fit(f))
        return false;
    if (f->binding && !holds(f, f->binding->when, rk_fitting_operand_value))
        return false;
    f->open = open_launch(f);
    if (!bind_arguments(out, f) || !configure(out, f) || !fit_device(out, f) ||
        !rk_fitting_access(out, f))
        return false;
    out->open = f->unexpressed ? NULL : f->open;
    return true;
}
