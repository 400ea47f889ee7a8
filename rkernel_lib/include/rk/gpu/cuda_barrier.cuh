#ifndef RK_CUDA_BARRIER_CUH
#define RK_CUDA_BARRIER_CUH

/*
 * Barriers of an rTask on a vEU of V threads (docs/vdevice.md, "Barriers"). Hardware barrier 0 is
 * the whole vEU's, 1 and 2 are the ones below; 3 to 15 are free for a kernel's own assembly.
 *
 * A barrier is made by each thread of the vEU at the rTask's begin, and has
 *   sync()              every thread that has not returned, together
 *   count(predicate)    the same, and in how many of them the predicate is not 0
 *   finish()            called once by each of the V threads when it leaves the rTask: those that
 *                       returned or never entered stay here for as long as others may still meet at
 *                       a barrier. It is called on the way out itself, not where ways meet again:
 *                       lanes that the compiler joins first would wait for those at the barrier.
 */
namespace rk__
{

/** What is behind a barrier; `group` is in cuda_barrier_groups.cuh. */
enum class cuda_barrier_case {
    whole_veu = 1,
    whole_warps = 2,
    one_warp = 3,
    counting = 4,
    group = 5
};

/** What `rkconvert --barrier` asked for. */
enum class cuda_barrier_form { choose, named, cg };

/** Which barrier an rTask of n threads needs on a vEU of v. */
__host__ __device__ constexpr cuda_barrier_case cuda_select_barrier(unsigned n, unsigned v, bool early_return,
                                                cuda_barrier_form form = cuda_barrier_form::choose)
{
    if (form == cuda_barrier_form::cg)
        return cuda_barrier_case::group;
    if (early_return)
        return cuda_barrier_case::counting;
    if (form == cuda_barrier_form::named)
        return n % 32 == 0 ? cuda_barrier_case::whole_warps : cuda_barrier_case::counting;
    if (n == v)
        return cuda_barrier_case::whole_veu;
    if (n <= 32)
        return cuda_barrier_case::one_warp;
    return n % 32 == 0 ? cuda_barrier_case::whole_warps : cuda_barrier_case::counting;
}

/**
 * The hardware's number for the barrier that a kernel's assembly gives by a register: 1 to 13 become 3 to 15. Any other
 * would be the vEU's own, or no barrier at all, and ends the program.
 */
inline __device__ void no_barrier()
{
    asm volatile("trap;");
}
__device__ constexpr int barrier_number(int number)
{
    return number >= 1 && number <= 13 ? number + 2 : (no_barrier(), 0);
}

template <cuda_barrier_case Case, unsigned N, unsigned V, bool Reduces> struct cuda_barrier;

/** All threads of the vEU are active and stay: the hardware's barrier. */
template <unsigned N, unsigned V, bool Reduces>
struct cuda_barrier<cuda_barrier_case::whole_veu, N, V, Reduces> {
    static __device__ void sync()
    {
        __syncthreads();
    }
    static __device__ int count(int predicate)
    {
        return __syncthreads_count(predicate);
    }
    static __device__ void finish()
    {
    }
};

/** The active threads fill whole warps: a named barrier over these warps. */
template <unsigned N, unsigned V, bool Reduces>
struct cuda_barrier<cuda_barrier_case::whole_warps, N, V, Reduces> {
    static __device__ void sync()
    {
        asm volatile("bar.sync 1, %0;" ::"n"(N) : "memory");
    }
    static __device__ int count(int predicate)
    {
        int result;
        asm volatile("{\n\t"
                     ".reg .pred p;\n\t"
                     "setp.ne.s32 p, %1, 0;\n\t"
                     "bar.red.popc.u32 %0, 1, %2, p;\n\t"
                     "}"
                     : "=r"(result)
                     : "r"(predicate), "n"(N)
                     : "memory");
        return result;
    }
    static __device__ void finish()
    {
    }
};

/** The active threads are lanes of one warp: a warp barrier over their mask. */
template <unsigned N, unsigned V, bool Reduces>
struct cuda_barrier<cuda_barrier_case::one_warp, N, V, Reduces> {
    static constexpr unsigned lanes = 0xFFFFFFFFu >> (32 - N);

    static __device__ void sync()
    {
        __syncwarp(lanes);
    }
    static __device__ int count(int predicate)
    {
        __syncwarp(lanes);
        return __popc(__ballot_sync(lanes, predicate));
    }
    static __device__ void finish()
    {
    }
};

/**
 * One phase of a counting barrier (below), which all threads of the block come to: whether each of them brings true.
 */
inline __device__ int cuda_all_returned(int returned)
{
    int result;
    asm volatile("{\n\t"
                 ".reg .pred p, q;\n\t"
                 "setp.ne.s32 p, %1, 0;\n\t"
                 "barrier.red.and.pred q, 2, p;\n\t"
                 "selp.s32 %0, 1, 0, q;\n\t"
                 "}"
                 : "=r"(result)
                 : "r"(returned)
                 : "memory");
    return result;
}

/** The same, and how many bring a predicate that is not zero. */
inline __device__ int cuda_add_up(int predicate)
{
    int result;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "setp.ne.s32 p, %1, 0;\n\t"
                 "barrier.red.popc.u32 %0, 2, p;\n\t"
                 "}"
                 : "=r"(result)
                 : "r"(predicate)
                 : "memory");
    return result;
}

/**
 * An active thread's part in a phase. Its results are used as those of finish() are: ptxas gathers the lanes of a warp at a
 * barrier that need not be met at one instruction, and all forms of it should keep their results alike.
 */
inline __device__ void cuda_phase(bool reduces)
{
    if (cuda_all_returned(0))
        no_barrier(); /* this thread has not */
    if (reduces && cuda_add_up(0) < 0)
        no_barrier(); /* counts are not negative */
}

/**
 * A thread may have returned, or a warp is partly active: a barrier over all V threads that is
 * counted per thread and need not be met at the same instruction (`barrier` without `.aligned`,
 * sm_70 and up). Its reduction tells everyone whether all have returned: active threads bring false
 * and go on, the others bring true and stay in finish() until it is true of all.
 *
 * Where the kernel has a reducing barrier, each barrier has a second phase that adds up the
 * predicates; all V threads take part in it, and returned threads bring false. One hardware
 * barrier must not be used with two reductions at once, and is not: every phase has all V threads.
 */
template <unsigned N, unsigned V, bool Reduces>
struct cuda_barrier<cuda_barrier_case::counting, N, V, Reduces> {
    static_assert(V % 32 == 0, "a barrier counts whole warps");

    static __device__ void sync()
    {
        cuda_phase(Reduces);
    }
    static __device__ int count(int predicate)
    {
        cuda_phase(false);
        return cuda_add_up(predicate);
    }
    static __device__ void finish()
    {
        while (!cuda_all_returned(1)) {
            if (Reduces && cuda_add_up(0) < 0)
                no_barrier();
        }
    }
};

/** A barrier whose case is known at run time alone, the same for the whole vEU; `group` is none of its cases. */
struct cuda_any_barrier {
    cuda_barrier_case which;
    unsigned n;
    bool reduces;

    __device__ void sync() const
    {
        if (which == cuda_barrier_case::counting) {
            cuda_phase(reduces);
        } else if (which == cuda_barrier_case::whole_veu) {
            __syncthreads();
        } else if (which == cuda_barrier_case::one_warp) {
            __syncwarp(0xFFFFFFFFu >> (32 - n));
        } else {
            asm volatile("bar.sync 1, %0;" ::"r"(n) : "memory");
        }
    }

    __device__ int count(int predicate) const
    {
        if (which == cuda_barrier_case::counting) {
            cuda_phase(false);
            return cuda_add_up(predicate);
        }
        if (which == cuda_barrier_case::whole_veu)
            return __syncthreads_count(predicate);
        if (which == cuda_barrier_case::one_warp) {
            __syncwarp(0xFFFFFFFFu >> (32 - n));
            return __popc(__ballot_sync(0xFFFFFFFFu >> (32 - n), predicate));
        }
        int result;
        asm volatile("{\n\t"
                     ".reg .pred p;\n\t"
                     "setp.ne.s32 p, %1, 0;\n\t"
                     "bar.red.popc.u32 %0, 1, %2, p;\n\t"
                     "}"
                     : "=r"(result)
                     : "r"(predicate), "r"(n)
                     : "memory");
        return result;
    }

    /** On every way out of the rTask, and by the threads beyond the block. */
    __device__ void finish() const
    {
        if (which != cuda_barrier_case::counting)
            return;
        while (!cuda_all_returned(1)) {
            if (reduces && cuda_add_up(0) < 0)
                no_barrier();
        }
    }
};

} // namespace rk__

#endif
