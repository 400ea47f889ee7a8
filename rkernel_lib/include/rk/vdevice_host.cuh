#ifndef RK_VDEVICE_HOST_CUH
#define RK_VDEVICE_HOST_CUH

/*
 * The host side of an emitted vDevice: memory, tables, the check that all vEUs fit the device at
 * once, and runs. The generated C API forwards to it.
 */

#include "vdevice.cuh"
#include "gpu/vdevice_shapes.cuh"

#include <cuda_runtime.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <new>

namespace rk__
{

/** Makes a device the thread's current one for as long as this lives. */
class vdevice_current
{
  public:
    explicit vdevice_current(int device)
    {
        if (device < 0 || cudaGetDevice(&before_) != cudaSuccess || before_ == device ||
            cudaSetDevice(device) != cudaSuccess)
            before_ = -1;
    }
    ~vdevice_current()
    {
        if (before_ >= 0)
            cudaSetDevice(before_);
    }
    vdevice_current(const vdevice_current &) = delete;
    vdevice_current &operator=(const vdevice_current &) = delete;

  private:
    int before_ = -1;
};

/** Where an input or output lies in the vDevice's memory. */
struct plan_region {
    size_t offset, bytes;
};

/** What `rammer build` planned: the generated tables. */
struct vdevice_plan {
    const char *name;
    const char *device; /**< that it was planned for */
    uint32_t veu_count;
    uint32_t counter_count; /**< the most of any rProgram */
    int veu_threads;
    size_t veu_shared;
    size_t memory_bytes, constant_bytes;
    const uint32_t (*entries)[4]; /**< vdevice_entry */
    size_t entry_count;
    const uint32_t *veu_first;  /**< program_count times veu_count */
    const uint32_t (*items)[2]; /**< vdevice_item */
    size_t item_count;
    const uint64_t *args;
    size_t arg_count;
    const uint32_t (*programs)[2]; /**< kernel; S, what each cell advances by */
    size_t program_count;
    const void *const *kernels; /**< the persistent kernels */
    size_t kernel_count;
    const plan_region *inputs;
    size_t input_count;
    const plan_region *outputs;
    size_t output_count;
    const uint32_t (*launches)[2]; /**< the nodes one by one: kernel, first argument */
    const char *const *nodes;      /**< their names */
    size_t launch_count;
    const vdevice_shapes *shapes = nullptr; /**< of open dimensions; entries are then one list of phrases */
};

/**
 * A plan on the device that is current when it is created; later calls go to that device, whichever is current then. Not
 * for two threads, nor for two streams at once. Functions that
 * fail return false and leave a sentence in error().
 */
class vdevice_instance
{
  public:
    explicit vdevice_instance(const vdevice_plan &plan) : plan_(plan)
    {
        error_[0] = '\0';
    }
    ~vdevice_instance();
    vdevice_instance(const vdevice_instance &) = delete;
    vdevice_instance &operator=(const vdevice_instance &) = delete;

    /** Allocates, uploads and checks that the device keeps all vEUs resident. Once. */
    bool create(const char *weights_path);
    /** With open dimensions: their values in runs that follow. */
    bool set_dims(const int64_t *values);
    /** With open dimensions: of an input, or behind them an output, with the values that are set. */
    const vdevice_shape &shape(size_t i) const
    {
        return shapes_[i];
    }
    /** Inputs from host memory, a run, outputs to host memory. */
    bool run(const void *const *inputs, void *const *outputs);
    /** With -DRK_TRACE: writes when each entry of the last run began and ended (vdevice_trace.cuh). */
    bool write_trace(const char *path);
    /** A run on `stream`, which may be capturing: inputs and outputs are in device memory. */
    bool launch(cudaStream_t stream);

    const vdevice_plan &plan() const
    {
        return plan_;
    }
    const char *error() const
    {
        return error_;
    }
    unsigned char *memory() const
    {
        return memory_;
    }
    void *input(size_t i) const
    {
        return memory_ + plan_.inputs[i].offset;
    }
    void *output(size_t i) const
    {
        return memory_ + plan_.outputs[i].offset;
    }

  private:
    bool fail(const char *format, ...) __attribute__((format(printf, 2, 3)));
    bool check(cudaError_t status, const char *doing);
    bool check_device();
    bool check_resident(const void *kernel, int sms);
    bool upload_tables();
    bool clear_steps(cudaStream_t stream);
    /** Of one rProgram: the vEUs' steps, then the counters. */
    size_t cells() const
    {
        return (size_t)plan_.veu_count + plan_.counter_count;
    }
    bool upload_weights(const char *path);
    bool make_shapes();
    bool upload_dims(cudaStream_t stream);
    size_t input_bytes(size_t i) const
    {
        return shapes_ ? shapes_[i].bytes() : plan_.inputs[i].bytes;
    }
    size_t output_bytes(size_t i) const
    {
        return shapes_ ? shapes_[plan_.input_count + i].bytes() : plan_.outputs[i].bytes;
    }
    template <class T> bool upload(const T **to, const void *from, size_t count);
    /** False; with -DRK_WATCHDOG and a wait that was overdue, error() says which. */
    bool fail_overdue();
    const char *node_of(const uint32_t *entry) const;
#ifdef RK_TRACE
    uint64_t *times_ = nullptr; /**< two by entry */
#endif
#ifdef RK_WATCHDOG
    void describe_cell(char *text, size_t size, uint32_t cell, uint32_t step, const uint32_t *first) const;
    vdevice_overdue *overdue_ = nullptr; /**< the host's memory, which outlives a trap */
#endif

    const vdevice_plan &plan_;
    int device_ = -1; /**< -1 until create() has found one */
    unsigned char *memory_ = nullptr;
    const vdevice_entry *entries_ = nullptr;
    const uint32_t *veu_first_ = nullptr;
    const vdevice_item *items_ = nullptr;
    const uint64_t *args_ = nullptr;
    uint32_t *steps_ = nullptr; /**< program_count times cells() */
    cudaStream_t stream_ = nullptr;
    vdevice_shape *shapes_ = nullptr; /**< with open dimensions, those of inputs and outputs */
    uint64_t *slots_ = nullptr;       /**< and what args_ is to become */
    enum class dims { none, set, uploaded } dims_ = dims::none;
    bool steps_valid_ = false; /**< the cells of each rProgram are equal */
    char error_[512];
};

inline bool vdevice_instance::fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error_, sizeof error_, format, arguments);
    va_end(arguments);
    return false;
}

inline bool vdevice_instance::check(cudaError_t status, const char *doing)
{
    if (status == cudaSuccess)
        return true;
    return fail("%s: cannot %s: %s", plan_.name, doing, cudaGetErrorString(status));
}

inline vdevice_instance::~vdevice_instance()
{
    const vdevice_current current(device_);
    cudaFree(memory_);
    cudaFree(const_cast<vdevice_entry *>(entries_));
    cudaFree(const_cast<uint32_t *>(veu_first_));
    cudaFree(const_cast<vdevice_item *>(items_));
    cudaFree(const_cast<uint64_t *>(args_));
    cudaFree(steps_);
#ifdef RK_WATCHDOG
    cudaFreeHost(overdue_);
#endif
#ifdef RK_TRACE
    cudaFree(times_);
#endif
    delete[] shapes_;
    delete[] slots_;
    if (stream_)
        cudaStreamDestroy(stream_);
}

inline bool vdevice_instance::create(const char *weights_path)
{
    return check_device() && make_shapes() &&
           check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "make a stream") &&
           check(cudaMalloc(&memory_, plan_.memory_bytes ? plan_.memory_bytes : 1),
                 "allocate the vDevice's memory") &&
           check(cudaMemset(memory_, 0, plan_.memory_bytes), "clear the vDevice's memory") &&
           upload_tables() && upload_weights(weights_path) &&
           check(cudaDeviceSynchronize(), "load the vDevice");
}

inline bool vdevice_instance::make_shapes()
{
    if (!plan_.shapes)
        return true;
    const size_t ios = plan_.input_count + plan_.output_count;
    shapes_ = new (std::nothrow) vdevice_shape[ios + 1];
    slots_ = new (std::nothrow) uint64_t[plan_.arg_count + 1];
    if (!shapes_ || !slots_)
        return fail("%s: no memory for the dimensions", plan_.name);
    memcpy(shapes_, plan_.shapes->largest, ios * sizeof *shapes_);
    memcpy(slots_, plan_.args, plan_.arg_count * sizeof *slots_);
    return true;
}

inline bool vdevice_instance::set_dims(const int64_t *values)
{
    const vdevice_shapes &shapes = *plan_.shapes;
    for (size_t d = 0; d < shapes.dim_count; d++) {
        const vdevice_dim &dim = shapes.dims[d];
        if (values[d] < dim.low || values[d] > dim.high)
            return fail("%s: the dimension '%s' is %lld, and this was built for %lld to %lld", plan_.name, dim.name,
                        (long long)values[d], (long long)dim.low, (long long)dim.high);
    }
    if (const char *wrong = shapes.find_wrong(values))
        return fail("%s: %s", plan_.name, wrong);
    shapes.set_extents(values, shapes_);
    shapes.set_slots(values, slots_);
    vdevice_set_spine(slots_ + shapes.spine, slots_, plan_.entries, plan_.entry_count - 1, plan_.veu_count);
    dims_ = dims::set;
    return true;
}

/** The copy leaves slots_ before it returns, since they are pageable, and is behind earlier runs of the stream. */
inline bool vdevice_instance::upload_dims(cudaStream_t stream)
{
    if (!plan_.shapes || dims_ == dims::uploaded)
        return true;
    if (dims_ == dims::none)
        return fail("%s: its dimensions are not set", plan_.name);
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    if (!check(cudaStreamIsCapturing(stream, &capturing), "ask for the state of the stream"))
        return false;
    if (capturing != cudaStreamCaptureStatusNone)
        return fail("%s: its dimensions changed since the last run: run it once before the stream captures", plan_.name);
    if (!check(cudaMemcpyAsync(const_cast<uint64_t *>(args_), slots_, plan_.arg_count * sizeof *slots_,
                               cudaMemcpyHostToDevice, stream),
               "load the dimensions"))
        return false;
    dims_ = dims::uploaded;
    return true;
}

/** A spinning vDevice that is only partly resident never ends, so this is checked, not assumed. */
inline bool vdevice_instance::check_device()
{
    int device = 0, cooperative = 0, sms = 0;
    if (!check(cudaGetDevice(&device), "find a GPU") ||
        !check(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device),
               "ask for cooperative launches") ||
        !check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device),
               "count the SMs"))
        return false;
    device_ = device;
    if (!cooperative)
        return fail("%s: this device has no cooperative launches, which keep all vEUs resident",
                    plan_.name);
    for (size_t i = 0; i < plan_.kernel_count; i++) {
        if (!check_resident(plan_.kernels[i], sms))
            return false;
    }
    return true;
}

inline bool vdevice_instance::check_resident(const void *kernel, int sms)
{
    int blocks = 0;
    if (plan_.veu_shared > 48 * 1024 &&
        !check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)plan_.veu_shared),
               "give each vEU its shared memory"))
        return false;
    if (!check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, plan_.veu_threads,
                                                             plan_.veu_shared),
               "ask for the occupancy (was it compiled for this device?)"))
        return false;
    long long resident = (long long)blocks * sms;
    if (resident >= (long long)plan_.veu_count)
        return true;
    return fail(
        "%s: the plan needs %u vEUs resident at once, this device keeps %lld (%d on each of "
        "%d SMs): build again for this device, or with at most %lld vEUs",
        plan_.name, plan_.veu_count, resident, blocks, sms, resident);
}

template <class T>
inline bool vdevice_instance::upload(const T **to, const void *from, size_t count)
{
    T *device = nullptr;
    size_t bytes = count * sizeof(T);
    if (!check(cudaMalloc(&device, bytes ? bytes : 1), "allocate the tables"))
        return false;
    *to = device;
    return bytes == 0 ||
           check(cudaMemcpy(device, from, bytes, cudaMemcpyHostToDevice), "load the tables");
}

inline bool vdevice_instance::upload_tables()
{
    static_assert(sizeof(vdevice_entry) == sizeof(uint32_t[4]), "the layout of the tables");
    static_assert(sizeof(vdevice_item) == sizeof(uint32_t[2]), "the layout of the tables");
    size_t steps = plan_.program_count * cells();
    return upload(&entries_, plan_.entries, plan_.entry_count) &&
           upload(&veu_first_, plan_.veu_first, plan_.program_count * plan_.veu_count) &&
           upload(&items_, plan_.items, plan_.item_count) &&
           upload(&args_, plan_.args, plan_.arg_count) &&
           check(cudaMalloc(&steps_, (steps ? steps : 1) * sizeof(uint32_t)),
                 "allocate the steps") &&
#ifdef RK_WATCHDOG
           check(cudaHostAlloc(reinterpret_cast<void **>(&overdue_), sizeof *overdue_, cudaHostAllocMapped),
                 "allocate the watchdog's memory") &&
           check(cudaMemset(overdue_, 0, sizeof *overdue_), "clear the watchdog's memory") &&
#endif
#ifdef RK_TRACE
           check(cudaMalloc(&times_, 2 * plan_.entry_count * sizeof *times_), "allocate the times") &&
#endif
           clear_steps(nullptr);
}

inline bool vdevice_instance::upload_weights(const char *path)
{
    if (plan_.constant_bytes == 0)
        return true;
    FILE *file = fopen(path ? path : "weights.bin", "rb");
    if (!file)
        return fail("%s: cannot read the weights, %s", plan_.name, path ? path : "weights.bin");
    char *bytes = new (std::nothrow) char[plan_.constant_bytes];
    if (!bytes) {
        fclose(file);
        return fail("%s: no memory for %zu bytes of weights", plan_.name, plan_.constant_bytes);
    }
    size_t size = fread(bytes, 1, plan_.constant_bytes, file);
    bool good = size == plan_.constant_bytes && fgetc(file) == EOF;
    fclose(file);
    if (good)
        good = check(cudaMemcpy(memory_, bytes, size, cudaMemcpyHostToDevice), "load the weights");
    else
        fail("%s: the weights are not of this plan: %s should have %zu bytes", plan_.name,
             path ? path : "weights.bin", plan_.constant_bytes);
    delete[] bytes;
    return good;
}

inline bool vdevice_instance::launch(cudaStream_t stream)
{
    const vdevice_current current(device_);
    if (!upload_dims(stream) || (!steps_valid_ && !clear_steps(stream)))
        return false;
    bool valid = steps_valid_;
    steps_valid_ = false;
    for (size_t i = 0; i < plan_.program_count; i++) {
        vdevice_program program = {};
        program.entries = entries_;
        program.veu_first = veu_first_ + i * plan_.veu_count;
        program.items = items_;
        program.args = args_;
        program.steps = steps_ + i * cells();
        program.step_count = plan_.programs[i][1];
        program.spine = plan_.shapes ? args_ + plan_.shapes->spine : nullptr;
        program.memory = memory_;
#ifdef RK_WATCHDOG
        program.overdue = overdue_;
#endif
#ifdef RK_TRACE
        program.times = times_;
#endif
        void *arguments[] = {&program};
        if (!check(cudaLaunchCooperativeKernel(
                       plan_.kernels[plan_.programs[i][0]], dim3(plan_.veu_count),
                       dim3((unsigned)plan_.veu_threads), arguments, plan_.veu_shared, stream),
                   "launch the vDevice"))
            return false;
    }
    steps_valid_ = valid;
    return true;
}

/** The name of an rTask's node, by its arguments. */
inline const char *vdevice_instance::node_of(const uint32_t *entry) const
{
    for (size_t i = 0; i < plan_.launch_count; i++) {
        if (plan_.launches[i][1] == entry[2])
            return plan_.nodes[i];
    }
    return "?";
}

#ifdef RK_WATCHDOG
/** Who has to bring a cell to a step; `first` is the rProgram's, by vEU. */
inline void vdevice_instance::describe_cell(char *text, size_t size, uint32_t cell, uint32_t step,
                                            const uint32_t *first) const
{
    if (cell >= plan_.veu_count) {
        const uint32_t(*entry)[4] = plan_.entries + first[0], (*const end)[4] = plan_.entries + plan_.entry_count;
        while (entry < end && ((*entry)[0] >= vdevice_end || (*entry)[3] != cell + 1))
            entry++;
        snprintf(text, size, "all rTasks of '%s'", entry < end ? node_of(*entry) : "?");
        return;
    }
    const uint32_t(*entry)[4] = plan_.entries + first[cell];
    uint32_t done = 0;
    for (; (*entry)[0] != vdevice_end; entry++) {
        if ((*entry)[0] != vdevice_wait && ++done == step)
            break;
    }
    snprintf(text, size, "vEU %u's rTask %u of '%s'", cell, (*entry)[1], node_of(*entry));
}

/** Says which wait was overdue, when one was; false. */
inline bool vdevice_instance::fail_overdue()
{
    const vdevice_overdue told = *overdue_;
    if (told.state != 2)
        return false;
    const uint32_t *const item = plan_.items[told.item];
    size_t program = 0;
    while (program + 1 < plan_.program_count &&
           plan_.veu_first[(program + 1) * plan_.veu_count + told.veu] <= told.entry)
        program++;
    const uint32_t *const first = plan_.veu_first + program * plan_.veu_count;
    char waited[256];
    describe_cell(waited, sizeof waited, item[0], item[1], first);
    const uint32_t(*behind)[4] = plan_.entries + told.entry;
    while ((*behind)[0] == vdevice_wait)
        behind++;
    const bool ends = (*behind)[0] == vdevice_end;
    return fail("%s: overdue: rProgram %zu, vEU %u, entry %u, before %s%s%s: waits for %s, step %u, and saw step %u", plan_.name,
                program, told.veu, told.entry - first[told.veu], ends ? "its end" : "an rTask of '",
                ends ? "" : node_of(*behind), ends ? "" : "'", waited, item[1], told.steps);
}
#else
inline bool vdevice_instance::fail_overdue()
{
    return false;
}
#endif

/** Makes the cells equal, at -1, so that all wrap round in their first run; in a captured graph that happens on each replay and not now. */
inline bool vdevice_instance::clear_steps(cudaStream_t stream)
{
    size_t bytes = plan_.program_count * cells() * sizeof(uint32_t);
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    if (!check(cudaMemsetAsync(steps_, 0xFF, bytes, stream), "clear the steps") ||
        !check(cudaStreamIsCapturing(stream, &capturing), "ask for the state of the stream"))
        return false;
    steps_valid_ = capturing == cudaStreamCaptureStatusNone;
    return true;
}

inline bool vdevice_instance::run(const void *const *inputs, void *const *outputs)
{
    const vdevice_current current(device_);
    if (!upload_dims(stream_))
        return false;
    for (size_t i = 0; i < plan_.input_count; i++) {
        if (!check(cudaMemcpyAsync(input(i), inputs[i], input_bytes(i),
                                   cudaMemcpyHostToDevice, stream_),
                   "copy an input"))
            return false;
    }
    if (!launch(stream_))
        return fail_overdue();
    for (size_t i = 0; i < plan_.output_count; i++) {
        if (!check(cudaMemcpyAsync(outputs[i], output(i), output_bytes(i),
                                   cudaMemcpyDeviceToHost, stream_),
                   "copy an output"))
            return false;
    }
    bool good = check(cudaStreamSynchronize(stream_), "run the vDevice");
    good = good || fail_overdue();
    steps_valid_ = steps_valid_ && good;
    return good;
}

#ifndef RK_TRACE
inline bool vdevice_instance::write_trace(const char *)
{
    return fail("%s: built without -DRK_TRACE, which takes the times", plan_.name);
}
#endif

} // namespace rk__

#ifdef RK_TRACE
#include "gpu/vdevice_trace.cuh"
#endif

#endif
