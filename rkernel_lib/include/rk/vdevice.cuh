#ifndef RK_VDEVICE_CUH
#define RK_VDEVICE_CUH

/*
 * The device side of a vDevice in table form (docs/vdevice.md; Rammer, section 4.1.3): a persistent
 * kernel whose blocks, the vEUs, each read their own list of entries.
 *
 * step[veu] counts the rTasks that a vEU has finished, over all runs: nothing is cleared between
 * them. It is stored where somebody waits for it. Each vEU finds its base in its own cell at entry,
 * "vEU w has finished k rTasks" is step[w] - (base + k) >= 0 in wrapping arithmetic, and each vEU, an
 * idle one too, ends by storing base + S, S being the rProgram's largest count. So the cells of one
 * rProgram are equal whenever it is not running.
 *
 * Behind the vEUs' cells are counters, each of one operator's rTasks: each rTask adds 1 when it has
 * finished, the first of its grid what is left to S, so that base + S is reached by the last of them.
 */

#include <stdint.h>

namespace rk__
{

/** vdevice_entry.what of a barrier-rTask, and of the end of a vEU's list. */
constexpr uint32_t vdevice_wait = 0xFFFFFFFFu;
constexpr uint32_t vdevice_end = 0xFFFFFFFEu;
/** In vdevice_entry.what of an rTask: somebody waits until this vEU has finished it. */
constexpr uint32_t vdevice_awaited = 0x80000000u;

/** An entry of a vEU's list; one 16-byte load. */
struct alignas(16) vdevice_entry {
    uint32_t what;  /**< the rKernel's number, or vdevice_wait or vdevice_end */
    uint32_t rtask; /**< of the rKernel's grid */
    uint32_t first; /**< into args, or of a barrier-rTask into items */
    uint32_t count; /**< of items; of an rTask the cell that counts it, plus 1, or 0 */
};

/*
 * The same 16 bytes as a phrase: all rTasks of an operator, whose number and place are known when it runs. `rtask` is the
 * first of its waits, which go on to those of the phrase behind it, and all vEUs read one list.
 */

/** A barrier-rTask waits until cell `veu` has reached `step`. */
struct alignas(8) vdevice_item {
    uint32_t veu, step;
};

/** With -DRK_WATCHDOG=<polls>: the first wait that was polled so often without being satisfied, in memory of the host. */
struct vdevice_overdue {
    uint32_t state; /**< 0: none, 1: being written, 2: there */
    uint32_t veu;   /**< who waits */
    uint32_t entry; /**< its barrier-rTask, in entries */
    uint32_t item;  /**< of items: what it waits for */
    uint32_t steps; /**< what that cell has reached since the run began */
};

/** The argument of the persistent kernel: the tables of one rProgram. */
struct vdevice_program {
    const vdevice_entry *entries;
    const uint32_t *veu_first; /**< by vEU, into entries */
    const vdevice_item *items;
    const uint64_t *args;  /**< of each operator: its grid, two slots, then one for each parameter */
    uint32_t *steps;       /**< by vEU, then counters; this rProgram's and this context's own */
    uint32_t step_count;   /**< S */
    const uint64_t *spine; /**< of each phrase: its rTasks, and in the high half the vEU that runs the first; else NULL */
    unsigned char *memory; /**< all buffers: the one pointer that they are reached from */
#ifdef RK_WATCHDOG
    vdevice_overdue *overdue;
#endif
#ifdef RK_TRACE
    uint64_t *times; /**< by entry: its begin and end, in nanoseconds */
#endif
};

/** A slot that becomes what the rKernel's parameter is: an address, or a scalar from its bits. */
class vdevice_arg
{
  public:
    __device__ vdevice_arg(unsigned char *memory, uint64_t slot) : memory_(memory), slot_(slot)
    {
    }

    template <class T> __device__ operator T() const
    {
        return convert<T>::from(memory_, slot_);
    }

  private:
    template <class T> struct convert {
        static_assert(sizeof(T) <= sizeof(uint64_t), "a kernel parameter must fit 8 bytes");
        static __device__ T from(unsigned char *, uint64_t slot)
        {
            T value;
            __builtin_memcpy(&value, &slot, sizeof value);
            return value;
        }
    };
    template <class T> struct convert<T *> {
        static __device__ T *from(unsigned char *memory, uint64_t slot)
        {
            return slot == ~(uint64_t)0 ? nullptr : reinterpret_cast<T *>(memory + slot);
        }
    };

    unsigned char *memory_;
    uint64_t slot_;
};

/** The arguments of one rTask, by the rKernel's parameter; a pointer's slot is an offset in memory. */
class vdevice_args
{
  public:
    __device__ vdevice_args(unsigned char *memory, const uint64_t *slots)
        : memory_(memory), slots_(slots)
    {
    }
    __device__ vdevice_arg operator[](unsigned i) const
    {
        return vdevice_arg(memory_, slots_[i]);
    }
    /** The operator's grid, which lies before them: x and y, then z. */
    __device__ dim3 grid() const
    {
        const uint64_t xy = slots_[-2];
        return dim3((uint32_t)xy, (uint32_t)(xy >> 32), (uint32_t)slots_[-1]);
    }

  private:
    unsigned char *memory_;
    const uint64_t *slots_;
};

/** All V threads of the vEU meet; what each wrote before is seen by all after. */
inline __device__ void vdevice_barrier()
{
    __syncthreads();
}

/** Orders what this thread has seen before what it makes seen behind it, on the whole device. */
inline __device__ void vdevice_fence()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/** Behind a fence: whoever sees the step and has a fence then sees all that this vEU wrote before its last barrier. */
inline __device__ void vdevice_store_step(uint32_t *step, uint32_t value)
{
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(step), "r"(value) : "memory");
}

/** Adds to a counter what an rTask counts, like a step; whoever sees it full sees all that was added. */
inline __device__ void vdevice_add_step(uint32_t *counter, uint32_t value)
{
    asm volatile("red.relaxed.gpu.add.u32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
}

inline __device__ uint32_t vdevice_load_step(const uint32_t *step)
{
    uint32_t value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(step) : "memory");
    return value;
}

/** This vEU's own cell, which no other writes. */
inline __device__ uint32_t vdevice_load_base(const uint32_t *step)
{
    uint32_t value;
    asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(value) : "l"(step) : "memory");
    return value;
}

/** Waits for this thread's own asynchronous copies: an rTask's end is no kernel's exit. */
inline __device__ void vdevice_drain()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#ifdef RK_WATCHDOG
/** Tells of a wait that is overdue, and ends all; when another has been told of, it just ends. */
inline __device__ void vdevice_tell_overdue(const vdevice_program &program, const vdevice_entry *entry, uint32_t item,
                                            uint32_t steps)
{
    vdevice_overdue *const told = program.overdue;
    if (atomicCAS_system(&told->state, 0u, 1u) != 0)
        return;
    told->veu = blockIdx.x;
    told->entry = (uint32_t)(entry - program.entries);
    told->item = item;
    told->steps = steps;
    __threadfence_system();
    atomicExch_system(&told->state, 2u);
    __trap();
}
#endif

/** A barrier-rTask, less its barrier: thread i polls items i, i + V, ..., and then has one fence. */
template <unsigned V>
__device__ void vdevice_await(const vdevice_program &program, const vdevice_entry &entry,
                              uint32_t base, [[maybe_unused]] const vdevice_entry *place)
{
    if (threadIdx.x >= entry.count)
        return;
    for (uint32_t i = threadIdx.x; i < entry.count; i += V) {
        const vdevice_item item = program.items[entry.first + i];
        const uint32_t target = base + item.step;
        [[maybe_unused]] uint32_t polls = 0;
        for (uint32_t at; at = vdevice_load_step(program.steps + item.veu), (int32_t)(at - target) < 0;) {
            asm volatile("nanosleep.u32 20;");
#ifdef RK_WATCHDOG
            if (++polls >= RK_WATCHDOG)
                vdevice_tell_overdue(program, place, entry.first + i, at - base);
#endif
        }
    }
    vdevice_fence();
}

/** By one thread, behind the barrier that ends an rTask: tells those who wait for it. */
inline __device__ void vdevice_publish(const vdevice_program &program, const vdevice_entry &entry,
                                       uint32_t *step, uint32_t done)
{
    if (!(entry.what & vdevice_awaited) && !entry.count)
        return;
    vdevice_fence();
    if (entry.what & vdevice_awaited)
        vdevice_store_step(step, done);
    if (entry.count) {
        uint32_t value = 1;
        if (entry.rtask == 0) {
            const dim3 grid = vdevice_args(program.memory, program.args + entry.first).grid();
            value = program.step_count + 1 - grid.x * grid.y * grid.z;
        }
        vdevice_add_step(program.steps + entry.count - 1, value);
    }
}

/** With -DRK_TRACE, when the first thread of the vEU began and ended an entry. */
class vdevice_span
{
  public:
#ifdef RK_TRACE
    __device__ vdevice_span(const vdevice_program &program, const vdevice_entry *entry)
        : times_(program.times + 2 * (entry - program.entries)), begin_(now())
    {
    }
    __device__ ~vdevice_span()
    {
        if (threadIdx.x != 0)
            return;
        times_[0] = begin_;
        times_[1] = now();
    }

  private:
    static __device__ uint64_t now()
    {
        uint64_t time;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
        return time;
    }
    uint64_t *times_, begin_;
#else
    __device__ vdevice_span(const vdevice_program &, const vdevice_entry *)
    {
    }
#endif
};

/**
 * The persistent kernel's body, for a grid of one block of V threads for each vEU, all resident at
 * once. `Functions::call(fn, rtask, args)` runs one thread of rTask `rtask` of rKernel `fn` and is
 * called by all V threads. The comments in the assembly mark an rTask's code for the check of the
 * emitted PTX (tests/device/protocol).
 */
template <class Functions, unsigned V> __device__ void vdevice_run(const vdevice_program &program)
{
    uint32_t *const step = program.steps + blockIdx.x;
    const uint32_t base = vdevice_load_base(step);
    uint32_t done = base;
    const vdevice_entry *next = program.entries + program.veu_first[blockIdx.x];
    vdevice_entry entry = *next;
    while (entry.what != vdevice_end) {
        vdevice_entry following;
        [[maybe_unused]] const vdevice_span span(program, next);
        if (entry.what == vdevice_wait) {
            following = *++next;
            vdevice_await<V>(program, entry, base, next - 1);
            vdevice_barrier();
        } else {
            asm volatile("// rk: rTask begins" ::: "memory");
            Functions::call(entry.what & ~vdevice_awaited, entry.rtask,
                            vdevice_args(program.memory, program.args + entry.first));
            vdevice_drain();
            asm volatile("// rk: rTask ends" ::: "memory");
            following = *++next; /* arrives while the others do */
            vdevice_barrier();
            ++done;
            if (threadIdx.x == 0)
                vdevice_publish(program, entry, step, done);
        }
        entry = following;
    }
    if (threadIdx.x == 0) {
        vdevice_fence();
        vdevice_store_step(step, base + program.step_count);
    }
}

/** Of a phrase's rTasks those that this vEU runs: first, first + vEUs, ... below count. */
struct vdevice_share {
    __device__ explicit vdevice_share(uint64_t where) : count((uint32_t)where)
    {
        const uint32_t origin = (uint32_t)(where >> 32);
        first = blockIdx.x >= origin ? blockIdx.x - origin : blockIdx.x + gridDim.x - origin;
    }
    uint32_t first, count;
};

/**
 * The persistent kernel's body for a schedule that holds for every value of the open dimensions: as vdevice_run, but the
 * list is one of phrases, the same for all vEUs, and what depends on the dimensions is in program.args and program.spine.
 * A phrase that is waited for has a counter, to which each vEU adds what it ran of it, and the vEU of rTask 0 what is left
 * to S: also where there is no rTask at all, and then behind the phrase's own waits, which others count on.
 */
template <class Functions, unsigned V> __device__ void vdevice_run_spine(const vdevice_program &program)
{
    uint32_t *const step = program.steps + blockIdx.x;
    const uint32_t base = vdevice_load_base(step);
    const vdevice_entry *next = program.entries;
    const uint64_t *where = program.spine;
    vdevice_entry phrase = *next;
    while (phrase.what != vdevice_end) {
        const vdevice_share share(*where++);
        const vdevice_entry following = *++next;
        if (share.first < share.count || share.first == 0) {
            if (following.rtask != phrase.rtask) {
                vdevice_await<V>(program, {vdevice_wait, 0, phrase.rtask, following.rtask - phrase.rtask}, base, next - 1);
                vdevice_barrier();
            }
            uint32_t ran = 0;
            for (uint32_t rtask = share.first; rtask < share.count; rtask += gridDim.x) {
                asm volatile("// rk: rTask begins" ::: "memory");
                Functions::call(phrase.what, rtask, vdevice_args(program.memory, program.args + phrase.first));
                vdevice_drain();
                asm volatile("// rk: rTask ends" ::: "memory");
                vdevice_barrier();
                ++ran;
            }
            if (phrase.count && threadIdx.x == 0) {
                vdevice_fence();
                vdevice_add_step(program.steps + phrase.count - 1,
                                 share.first == 0 ? ran + program.step_count - share.count : ran);
            }
        }
        phrase = following;
    }
    if (threadIdx.x == 0) {
        vdevice_fence();
        vdevice_store_step(step, base + program.step_count);
    }
}

} // namespace rk__

#endif
