#ifndef RK_CUDA_STD_BARRIER_H
#define RK_CUDA_STD_BARRIER_H

/*
 * libcu++'s barriers and pipelines on the CPU. Copies are done at once; a thread that waits lets the
 * others of its block run. A barrier may lie in memory that is not initialised, until init().
 */

#include "../cpu/cpu_atomic.h"
#include "../cpu/cpu_device.h"
#include "cuda_pipeline.h"
#include "cuda_std_atomic.h"

#include <cstdint>
#include <utility>

namespace rk__ {

/**
 * Lets the other threads of the block run until they wait; `tries` counts how often a thread has done so
 * for one thing.
 */
inline void let_others_run(unsigned &tries)
{
    constexpr unsigned most = 1u << 22;
    if (rk__::legacy_veu)
        rk__::legacy_veu->api->yield(rk__::legacy_veu);
    if (++tries == most)
        device_fault(719, "a thread waits at a barrier or pipeline that does not complete");
}

} // namespace rk__

namespace cuda {

template <thread_scope Scope = thread_scope_system>
class barrier
{
public:
    using arrival_token = ::std::uint32_t;

    barrier() = default;
    explicit barrier(::std::ptrdiff_t expected) { start(expected); }
    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;

    void start(::std::ptrdiff_t expected)
    {
        expected_ = left_ = ::std::uint32_t(expected);
        phase_ = 0;
    }
    friend void init(barrier *b, ::std::ptrdiff_t expected) { b->start(expected); }

    arrival_token arrive(::std::ptrdiff_t count = 1)
    {
        const ::std::uint32_t phase = __atomic_load_n(&phase_, __ATOMIC_ACQUIRE);
        if (__atomic_sub_fetch(&left_, ::std::uint32_t(count), __ATOMIC_ACQ_REL) == 0) {
            __atomic_store_n(&left_, __atomic_load_n(&expected_, __ATOMIC_RELAXED),
                             __ATOMIC_RELAXED);
            __atomic_store_n(&phase_, phase + 1, __ATOMIC_RELEASE);
        }
        return phase;
    }
    void wait(arrival_token &&token) const { wait_phase(token); }
    bool try_wait(arrival_token &&token) const { return passed(token); }
    void wait_parity(bool parity) const
    {
        for (unsigned tries = 0; (__atomic_load_n(&phase_, __ATOMIC_ACQUIRE) & 1) == parity;)
            rk__::let_others_run(tries);
    }
    void arrive_and_wait() { wait(arrive()); }
    void arrive_and_drop()
    {
        __atomic_sub_fetch(&expected_, 1, __ATOMIC_RELAXED);
        arrive();
    }

    /** Waits until more than `phase` phases are complete. */
    void wait_phase(::std::uint32_t phase) const
    {
        for (unsigned tries = 0; !passed(phase);)
            rk__::let_others_run(tries);
    }
    static constexpr ::std::ptrdiff_t max() { return (1 << 20) - 1; }

private:
    bool passed(::std::uint32_t phase) const
    {
        return ::std::int32_t(__atomic_load_n(&phase_, __ATOMIC_ACQUIRE) - phase) > 0;
    }

    ::std::uint32_t expected_, left_, phase_;
};

/* Copies whose end a barrier or a pipeline tells. */

template <class Group, class T, class Shape, thread_scope Scope>
inline void memcpy_async(const Group &group, T *to, const T *from, const Shape &bytes,
                         barrier<Scope> &)
{
    rk__::copy_part(to, from, rk__::copy_bytes(bytes), group.thread_rank(), group.size());
}
template <class T, class Shape, thread_scope Scope>
inline void memcpy_async(T *to, const T *from, const Shape &bytes, barrier<Scope> &)
{
    rk__::copy_part(to, from, rk__::copy_bytes(bytes), 0, 1);
}

/** The two barriers of each stage: filled by all producers, emptied by all consumers. */
template <thread_scope Scope, ::std::uint8_t Stages>
struct pipeline_shared_state {
    barrier<Scope> filled[Stages], emptied[Stages];
};

enum class pipeline_role { producer, consumer };

/** One thread's view of a pipeline. Without shared state it is the thread's own: nothing waits. */
template <thread_scope Scope>
class pipeline
{
public:
    pipeline() = default;
    pipeline(barrier<Scope> *filled, barrier<Scope> *emptied, unsigned stages)
        : filled_(filled), emptied_(emptied), stages_(stages)
    {
    }

    void producer_acquire()
    {
        if (emptied_ && head_ >= stages_)
            emptied_[head_ % stages_].wait_phase(head_ / stages_ - 1);
    }
    void producer_commit()
    {
        if (filled_)
            filled_[head_ % stages_].arrive();
        head_++;
    }
    void consumer_wait()
    {
        if (filled_)
            filled_[tail_ % stages_].wait_phase(tail_ / stages_);
    }
    void consumer_release()
    {
        if (emptied_)
            emptied_[tail_ % stages_].arrive();
        tail_++;
    }
    template <class Rep>
    bool consumer_wait_for(const Rep &)
    {
        consumer_wait();
        return true;
    }
    /** Waits for all commits but the last `prior`. */
    void wait_prior(unsigned prior)
    {
        if (filled_ && head_ > prior)
            filled_[(head_ - prior - 1) % stages_].wait_phase((head_ - prior - 1) / stages_);
    }
    bool quit() { return true; }

private:
    barrier<Scope> *filled_ = nullptr, *emptied_ = nullptr;
    unsigned stages_ = 1, head_ = 0, tail_ = 0;
};

inline pipeline<thread_scope_thread> make_pipeline()
{
    return pipeline<thread_scope_thread>();
}

namespace detail {

template <class Group, thread_scope Scope, ::std::uint8_t Stages>
inline pipeline<Scope> start_pipeline(const Group &group,
                                      pipeline_shared_state<Scope, Stages> *state,
                                      ::std::size_t producers, ::std::size_t consumers)
{
    if (group.thread_rank() == 0)
        for (unsigned i = 0; i < Stages; i++) {
            state->filled[i].start(::std::ptrdiff_t(producers));
            state->emptied[i].start(::std::ptrdiff_t(consumers));
        }
    group.sync();
    return pipeline<Scope>(state->filled, state->emptied, Stages);
}

} // namespace detail

/** Each thread produces and consumes. */
template <class Group, thread_scope Scope, ::std::uint8_t Stages>
inline pipeline<Scope> make_pipeline(const Group &group,
                                     pipeline_shared_state<Scope, Stages> *state)
{
    return detail::start_pipeline(group, state, group.size(), group.size());
}
/** The first `producers` threads produce, the others consume. */
template <class Group, thread_scope Scope, ::std::uint8_t Stages>
inline pipeline<Scope> make_pipeline(const Group &group,
                                     pipeline_shared_state<Scope, Stages> *state,
                                     ::std::size_t producers)
{
    return detail::start_pipeline(group, state, producers, group.size() - producers);
}
template <class Group, thread_scope Scope, ::std::uint8_t Stages>
inline pipeline<Scope> make_pipeline(const Group &group,
                                     pipeline_shared_state<Scope, Stages> *state,
                                     pipeline_role role)
{
    const ::std::size_t producers = ::std::size_t(
        __syncthreads_count(role == pipeline_role::producer));
    return detail::start_pipeline(group, state, producers, group.size() - producers);
}

template <class Group, class T, class Shape, thread_scope Scope>
inline void memcpy_async(const Group &group, T *to, const T *from, const Shape &bytes,
                         pipeline<Scope> &)
{
    rk__::copy_part(to, from, rk__::copy_bytes(bytes), group.thread_rank(), group.size());
}
template <class T, class Shape, thread_scope Scope>
inline void memcpy_async(T *to, const T *from, const Shape &bytes, pipeline<Scope> &)
{
    rk__::copy_part(to, from, rk__::copy_bytes(bytes), 0, 1);
}

template <::std::uint8_t Prior, thread_scope Scope>
inline void pipeline_consumer_wait_prior(pipeline<Scope> &p)
{
    p.wait_prior(Prior);
}
template <thread_scope Scope, thread_scope Other>
inline void pipeline_producer_commit(pipeline<Scope> &p, barrier<Other> &)
{
    p.producer_commit();
}

} // namespace cuda

#endif
