#ifndef RK_CPU_FISSION_H
#define RK_CPU_FISSION_H

/*
 * The second form of a kernel whose barriers all are statements in control flow that is the same for all
 * threads of a block: the parts between barriers are loops over the threads.
 *
 *   rk::run_kernel<flags>(site, args, [=]() mutable { BODY }, rk::kept_types<T>(),
 *                         [=](rk::fission_block<flags> &rk_block) mutable {
 *       rk::kept<float> rk_all_v(rk_block);
 *       { rk_block.each([&](std::size_t rk_t, const uint3 &rk_at) RK_INLINED {
 *           auto &v = rk_all_v[rk_t]; ... }); }
 *   });
 *
 * It runs unless RK_FIBERS, RK_SHUFFLE or a checking mode asks for fibers, a block has more threads than
 * CUDA allows, or what a thread keeps cannot be copied byte for byte.
 */

#include "cpu_launch.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#define RK_INLINED __attribute__((always_inline))

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RK_CPU_NO_FISSION 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RK_CPU_NO_FISSION 1
#endif
#endif

namespace rk {

/** Threads of a block, at most. */
constexpr unsigned most_threads = 1024;

/** The types of what threads keep across barriers, where the converter cannot tell that they are plain. */
template <class... T>
struct kept_types {
    static constexpr bool plain = (std::is_trivially_copyable_v<std::remove_cv_t<T>> && ...);
};

/** A type of any form, as the type of a declaration: `rk::same<float (*)[4]> p = ...`. */
template <class T>
struct same_type {
    using type = T;
};
template <class T>
using same = typename same_type<T>::type;

/** Memory for what threads keep: a stack of chunks that an OS thread uses again and again. */
class kept_stack {
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

/** A block whose threads run in loops. */
template <unsigned Flags>
class fission_block {
    const rk_cpu_call *call;
    unsigned gone = 0;
    unsigned char left[most_threads];

    template <bool AllLive, class Part>
    RK_INLINED inline void thread(const Part &part, std::size_t t, const uint3 &index)
    {
        if (!AllLive && left[t])
            return;
        if constexpr (!(Flags & RK_CPU_SHADOWED))
            ::threadIdx = index;
        part(t, index);
    }

    template <bool AllLive, bool Apart, class Part>
    RK_INLINED inline void run(const Part &part)
    {
        const unsigned nx = at.blockDim.x, ny = at.blockDim.y, nz = at.blockDim.z;
        std::size_t t = 0; /* which does not wrap around, so that what is kept is seen to be contiguous */
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
    const built_ins at;
    const unsigned threads;

    RK_INLINED inline fission_block(const rk_cpu_call *of, const built_ins &where)
        : call(of), at(where), threads(where.blockDim.x * where.blockDim.y * where.blockDim.z)
    {
        std::memset(left, 0, threads);
    }

    /** Runs a part between barriers for each thread that has not returned, in the order of their indices. */
    template <class Part>
    RK_INLINED inline void each(const Part &part)
    {
        constexpr bool apart = (Flags & RK_CPU_SHADOWED) != 0;
        if (gone == 0)
            run<true, apart>(part);
        else
            run<false, apart>(part);
    }

    /** The same for a part in which threads may return. */
    template <class Part>
    RK_INLINED inline void each_or_leave(const Part &part)
    {
        if (gone == 0)
            run<true, false>(part);
        else
            run<false, false>(part);
    }

    /** Thread `t` returns. */
    RK_INLINED inline void leave(std::size_t t)
    {
        left[t] = 1;
        gone++;
    }

    /** Whether all threads have returned. */
    RK_INLINED inline bool empty() const { return gone == threads; }

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

/** A pointer without `restrict`, to which g++ makes no pointer. */
template <class T>
struct unrestricted {
    using type = T;
};
template <class T>
struct unrestricted<T *__restrict__> {
    using type = T *;
};

/** A variable of each thread of the block, not initialised. */
template <class Declared>
class kept {
    using T = typename unrestricted<Declared>::type;
    T *all;
    std::size_t bytes;

public:
    template <unsigned Flags>
    RK_INLINED inline explicit kept(const fission_block<Flags> &block)
        : bytes((sizeof(T) * block.threads + 63) / 64 * 64)
    {
        static_assert(alignof(T) <= 64, "what threads keep across barriers is aligned to 64 bytes");
        all = static_cast<T *>(block.take(bytes));
    }
    kept(const kept &) = delete;
    kept &operator=(const kept &) = delete;
    RK_INLINED inline ~kept() { kept_memory.give(bytes); }

    RK_INLINED inline T &operator[](std::size_t t) const { return all[t]; }

    /** Initialises thread `t`'s with a copy. */
    RK_INLINED inline T &put(std::size_t t, const Declared &value) const
    {
        std::memcpy(const_cast<std::remove_cv_t<T> *>(all + t), &value, sizeof(T));
        return all[t];
    }
};

/** As kernel_closure, with the second form. */
template <class Args, class Body, class Parts>
struct fission_closure : kernel_closure<Args, Body> {
    Parts parts;

    fission_closure(const Args &args, const Body &body, const Parts &second)
        : kernel_closure<Args, Body>{args, body}, parts(second)
    {
    }
    static void copy(void *to, const void *self)
    {
        ::new (to) fission_closure(*static_cast<const fission_closure *>(self));
    }
    static void destroy(void *self) { static_cast<fission_closure *>(self)->~fission_closure(); }
};

/** How the blocks of a kernel with a second form run. */
template <unsigned Flags, class Closure>
struct fission_code {
    using fibers = legacy_code<Flags, Closure>;

    struct block {
        static RK_INLINED inline void run(const void *closure, const rk_cpu_call *call,
                                          const cpu_position &at, unsigned nx)
        {
            auto parts = static_cast<const Closure *>(closure)->parts;
            dim3 n = at.block_dim();
            n.x = nx;
            fission_block<Flags> all(call, built_ins{uint3{0, 0, 0}, at.block_idx(), n, at.grid_dim()});
            parts(all);
        }
    };

    static void loop(const void *closure, rk_cpu_call *call, std::uint32_t count)
    {
        kept_memory.clear();
        block_loop<Flags, block>::loop(closure, call, count);
    }

    static constexpr rk_cpu_code code = {Flags,
                                         false,
                                         0,
                                         sizeof(Closure),
                                         alignof(Closure),
                                         fibers::code.arg_count,
                                         Closure::arguments,
                                         Closure::copy,
                                         Closure::destroy,
                                         fibers::enter,
                                         fibers::thread,
                                         loop};
};

/** A legacy kernel's own launch, with a second form. */
template <unsigned Flags, class Args, class Body, class Types, class Parts>
inline void run_kernel(const kernel_site &site, const Args &args, const Body &body, Types,
                       const Parts &parts)
{
#ifndef RK_CPU_NO_FISSION
    if constexpr (Types::plain) {
        using closure = fission_closure<Args, Body, Parts>;
        const closure work(args, body, parts);
        rk_cpu_call_kernel(&fission_code<Flags, closure>::code, &site, &work, 0);
        return;
    }
#endif
    (void)parts;
    run_kernel<Flags>(site, args, body);
}

} // namespace rk

#endif
