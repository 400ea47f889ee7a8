#ifndef RK_CPU_FISSION_H
#define RK_CPU_FISSION_H

/*
 * The second form of a kernel whose barriers all are statements in control flow that is the same for all
 * threads of a block: the parts between barriers are loops over the threads. `rk__block` is the block, and rk__ctx
 * the block outside of loops, the thread inside:
 *
 *   rk__::kept<float> rk_all_v(rk__block);
 *   { rk__block.each([&](std::size_t rk__t, rk__thread &rk__ctx) RK__INLINED {
 *       auto &v = rk_all_v[rk__t]; ... }); }
 *
 * In an rKernel it is what runs for a context that is a block, `if constexpr (rk__::is_block<rk__Ctx>)`; a kernel of
 * a program as it is has it in a function of its own (rk/cpu/cpu_program_fission.h). It runs unless RK_FIBERS,
 * RK_SHUFFLE or a checking mode asks for fibers, a block has more threads than CUDA allows, or what a thread keeps
 * cannot be copied byte for byte.
 */

#include "cpu/cpu_context.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#define RK__INLINED __attribute__((always_inline))
/** Of a variable that sets by itself what is read: -ftrivial-auto-var-init leaves it alone. */
#define RK__SETS_ITSELF __attribute__((uninitialized))

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RK_CPU_NO_FISSION 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RK_CPU_NO_FISSION 1
#endif
#endif

/** rKernels have their second form. */
#ifndef RK_CPU_NO_FISSION
#define RK_CPU_SPLIT 1
#endif

/**
 * Before a loop over a block's threads: what one does between two barriers does not depend on what another does
 * there, or the program has a race. clang finds that out while the program runs.
 */
#ifdef __clang__
#define RK_THREADS_APART
#else
#define RK_THREADS_APART _Pragma("GCC ivdep")
#endif

namespace rk__
{

/** Threads of a block, at most. */
constexpr unsigned most_threads = 1024;

/** The types of what threads keep across barriers, where the converter cannot tell that they are plain. */
template <class... T> struct kept_types {
    static constexpr bool plain = (std::is_trivially_copyable_v<std::remove_cv_t<T>> && ...);
};

/** A type of any form, as the type of a declaration: `rk__::same<float (*)[4]> p = ...`. */
template <class T> struct same_type {
    using type = T;
};
template <class T> using same = typename same_type<T>::type;

/** Memory for what threads keep: a stack of chunks that an OS thread uses again and again. */
class kept_stack
{
    struct chunk {
        chunk *below, *above;
        std::size_t size, used;
    };
    static constexpr std::size_t header = (sizeof(chunk) + 63) / 64 * 64;
    chunk *top = nullptr;

    static chunk *make(std::size_t size, chunk *below)
    {
        void *memory = std::aligned_alloc(64, header + size);
        return memory ? ::new (memory) chunk{below, nullptr, size, 0} : nullptr;
    }

  public:
    kept_stack() = default;
    kept_stack(const kept_stack &) = delete;
    kept_stack &operator=(const kept_stack &) = delete;
    ~kept_stack()
    {
        clear();
        for (chunk *c = top, *next; c; c = next) {
            next = c->above;
            std::free(c);
        }
    }

    /** Gives back all, as when a block that failed left something. */
    void clear()
    {
        for (; top && top->below; top = top->below)
            top->used = 0;
        if (top)
            top->used = 0;
    }

    /** `bytes`, a multiple of 64, aligned to 64; null when memory is short. */
    void *take(std::size_t bytes)
    {
        while (!top || top->size - top->used < bytes) {
            chunk *next = top ? top->above : nullptr;
            if (next && next->size < bytes) {
                std::free(next); /* nothing is above it: chunks grow */
                top->above = next = nullptr;
            }
            if (!next) {
                std::size_t size = top ? 2 * top->size : std::size_t(1) << 16;
                while (size < bytes)
                    size *= 2;
                next = make(size, top);
                if (!next)
                    return nullptr;
                if (top)
                    top->above = next;
            }
            top = next;
        }
        void *at = reinterpret_cast<char *>(top) + header + top->used;
        top->used += bytes;
        return at;
    }

    /** Gives back what was taken last. */
    void give(std::size_t bytes)
    {
        top->used -= bytes;
        if (top->used == 0 && top->below)
            top = top->below;
    }
};

inline thread_local kept_stack kept_memory;

/**
 * A block whose threads run in loops: the context of what is there once for the block. `Context` is a thread's;
 * it says whether the threads of a loop may be taken to be apart.
 */
template <class Context> class fission_block : public Context
{
    const rk_cpu_call *call;
    unsigned gone = 0;
    bool fibers = false;
    unsigned char returned_[most_threads];

    template <bool AllLive, class Part>
    RK__INLINED inline void thread(const Part &part, std::size_t t, const uint3 &index)
    {
        if (!AllLive && returned_[t])
            return;
        Context mine(*this);
        mine.set_thread(index);
        part(t, mine);
    }

    template <bool AllLive, bool Apart, class Part> RK__INLINED inline void run(const Part &part)
    {
        const dim3 n = this->block_dim();
        const unsigned nx = n.x, ny = n.y, nz = n.z;
        std::size_t t =
            0; /* which does not wrap around, so that what is kept is seen to be contiguous */
        for (unsigned z = 0; z < nz; z++)
            for (unsigned y = 0; y < ny; y++, t += nx)
                if constexpr (Apart) {
                    RK_THREADS_APART
                    for (unsigned x = 0; x < nx; x++)
                        thread<AllLive>(part, t + x, uint3{x, y, z});
                } else {
                    for (unsigned x = 0; x < nx; x++)
                        thread<AllLive>(part, t + x, uint3{x, y, z});
                }
    }

  public:
    using rk__thread = Context;
    const unsigned size; /**< threads of the block */

    RK__INLINED inline fission_block(const rk_cpu_call *of, const Context &where)
        : Context(where), call(of),
          size(where.block_dim().x * where.block_dim().y * where.block_dim().z)
    {
        std::memset(returned_, 0, size);
    }

    /** Runs a part between barriers for each thread that has not returned, in the order of their indices. */
    template <class Part> RK__INLINED inline void each(const Part &part)
    {
        if (gone == 0)
            run<true, Context::apart>(part);
        else
            run<false, Context::apart>(part);
    }

    /** The same for a part in which threads may return. */
    template <class Part> RK__INLINED inline void each_or_leave(const Part &part)
    {
        if (gone == 0)
            run<true, false>(part);
        else
            run<false, false>(part);
    }

    /** Thread `t` has returned. */
    RK__INLINED inline void left(std::size_t t)
    {
        returned_[t] = 1;
        gone++;
    }

    /** Whether all threads have returned. */
    RK__INLINED inline bool empty() const
    {
        return gone == size;
    }

    /** Says that the kernel does nothing in this form. */
    void need_fibers()
    {
        fibers = true;
    }
    bool needs_fibers() const
    {
        return fibers;
    }

    /** Memory of a variable of each thread. A fault, which does not return, when there is none. */
    void *take(std::size_t bytes) const
    {
        void *memory = kept_memory.take(bytes);
        if (!memory) {
            call->veu->api->fault(call->veu, "no memory for what threads keep across barriers");
            std::abort();
        }
        return memory;
    }
};

template <class Context> constexpr bool is_block = false;
template <class Context> constexpr bool is_block<fission_block<Context>> = true;

/** A pointer without `restrict`, to which g++ makes no pointer. */
template <class T> struct unrestricted {
    using type = T;
};
template <class T> struct unrestricted<T *__restrict__> {
    using type = T *;
};

/** A variable of each thread of the block, not initialised. */
template <class Declared> class kept
{
    using T = typename unrestricted<Declared>::type;
    T *all;
    std::size_t bytes;

  public:
    template <class Context>
    RK__INLINED inline explicit kept(const fission_block<Context> &block)
        : bytes((sizeof(T) * block.size + 63) / 64 * 64)
    {
        static_assert(alignof(T) <= 64, "what threads keep across barriers is aligned to 64 bytes");
        all = static_cast<T *>(block.take(bytes));
    }
    kept(const kept &) = delete;
    kept &operator=(const kept &) = delete;
    RK__INLINED inline ~kept()
    {
        kept_memory.give(bytes);
    }

    RK__INLINED inline T &operator[](std::size_t t) const
    {
        return all[t];
    }

    /** Initialises thread `t`'s with a copy. */
    RK__INLINED inline T &put(std::size_t t, const Declared &value) const
    {
        std::memcpy(const_cast<std::remove_cv_t<T> *>(all + t), (const void *)&value, sizeof(T));
        return all[t];
    }
};

} // namespace rk__

#endif
