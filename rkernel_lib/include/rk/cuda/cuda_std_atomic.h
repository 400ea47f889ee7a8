#ifndef RK_CUDA_STD_ATOMIC_H
#define RK_CUDA_STD_ATOMIC_H

/* libcu++'s atomics by the compiler's. Sizes that the processor has no atomic for do not compile. Those that
 * threads poll with let the other threads of the block run from time to time. */

#include "../cpu/cpu_atomic.h"
#include "../cpu/cpu_types.h"

#include <atomic>
#include <cstring>
#include <type_traits>

namespace cuda {

namespace std {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
using ::std::atomic_signal_fence;
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
} // namespace std
using ::cuda::std::thread_scope;
using ::cuda::std::thread_scope_block;
using ::cuda::std::thread_scope_device;
using ::cuda::std::thread_scope_system;
using ::cuda::std::thread_scope_thread;
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

inline void atomic_thread_fence(memory_order order, thread_scope = thread_scope_system)
{
    ::std::atomic_thread_fence(order);
}

/** The operations of atomics; `Self` says where the object is. */
template <class Self, class T>
class atomic_operations
{
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                  "an atomic of this size is not supported");
    using bits = ::std::conditional_t<
        sizeof(T) == 1, unsigned char,
        ::std::conditional_t<sizeof(T) == 2, unsigned short,
                             ::std::conditional_t<sizeof(T) == 4, unsigned, unsigned long>>>;

public:
    using value_type = T;
    static constexpr bool is_always_lock_free = true;

    bool is_lock_free() const { return true; }

    T load(memory_order order = memory_order_seq_cst) const
    {
        rk__::spin();
        return value(__atomic_load_n(place(), int(order)));
    }
    void store(T wanted, memory_order order = memory_order_seq_cst) const
    {
        __atomic_store_n(place(), to_bits(wanted), int(order));
    }
    T exchange(T wanted, memory_order order = memory_order_seq_cst) const
    {
        rk__::spin();
        return value(__atomic_exchange_n(place(), to_bits(wanted), int(order)));
    }
    bool compare_exchange_strong(T &expected, T wanted,
                                 memory_order order = memory_order_seq_cst) const
    {
        rk__::spin();
        bits seen = to_bits(expected);
        const bool done = __atomic_compare_exchange_n(place(), &seen, to_bits(wanted), false,
                                                      int(order), failure(order));
        expected = value(seen);
        return done;
    }
    bool compare_exchange_strong(T &expected, T wanted, memory_order order, memory_order) const
    {
        return compare_exchange_strong(expected, wanted, order);
    }
    bool compare_exchange_weak(T &expected, T wanted,
                               memory_order order = memory_order_seq_cst) const
    {
        return compare_exchange_strong(expected, wanted, order);
    }
    bool compare_exchange_weak(T &expected, T wanted, memory_order order, memory_order) const
    {
        return compare_exchange_strong(expected, wanted, order);
    }

    /** Replaces the value by change(value) and returns what it was. */
    template <class Function>
    T fetch_change(Function change, memory_order order = memory_order_seq_cst) const
    {
        T old = load(memory_order_relaxed);
        while (!compare_exchange_strong(old, change(old), order))
            ;
        return old;
    }
    template <class Number>
    T fetch_add(Number by, memory_order order = memory_order_seq_cst) const
    {
        return fetch_change([by](T old) { return T(old + by); }, order);
    }
    template <class Number>
    T fetch_sub(Number by, memory_order order = memory_order_seq_cst) const
    {
        return fetch_change([by](T old) { return T(old - by); }, order);
    }
    T fetch_and(T with, memory_order order = memory_order_seq_cst) const
    {
        return fetch_change([with](T old) { return T(old & with); }, order);
    }
    T fetch_or(T with, memory_order order = memory_order_seq_cst) const
    {
        return fetch_change([with](T old) { return T(old | with); }, order);
    }
    T fetch_xor(T with, memory_order order = memory_order_seq_cst) const
    {
        return fetch_change([with](T old) { return T(old ^ with); }, order);
    }
    T fetch_min(T with, memory_order order = memory_order_seq_cst) const
    {
        return fetch_change([with](T old) { return with < old ? with : old; }, order);
    }
    T fetch_max(T with, memory_order order = memory_order_seq_cst) const
    {
        return fetch_change([with](T old) { return old < with ? with : old; }, order);
    }

    operator T() const { return load(); }
    T operator=(T wanted) const
    {
        store(wanted);
        return wanted;
    }
    template <class Number>
    T operator+=(Number by) const
    {
        return T(fetch_add(by) + by);
    }
    template <class Number>
    T operator-=(Number by) const
    {
        return T(fetch_sub(by) - by);
    }
    T operator++() const { return T(fetch_add(1) + 1); }
    T operator--() const { return T(fetch_sub(1) - 1); }
    T operator++(int) const { return fetch_add(1); }
    T operator--(int) const { return fetch_sub(1); }

private:
    static bits to_bits(T from)
    {
        bits result;
        ::std::memcpy(&result, &from, sizeof result);
        return result;
    }
    static T value(bits from)
    {
        T result;
        ::std::memcpy(static_cast<void *>(&result), &from, sizeof result);
        return result;
    }
    static int failure(memory_order order)
    {
        return order == memory_order_acq_rel   ? int(memory_order_acquire)
               : order == memory_order_release ? int(memory_order_relaxed)
                                               : int(order);
    }

    bits *place() const
    {
        return reinterpret_cast<bits *>(static_cast<const Self *>(this)->object());
    }
};

/** Atomic operations on an object that is elsewhere. */
template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public atomic_operations<atomic_ref<T, Scope>, T>
{
    using base = atomic_operations<atomic_ref<T, Scope>, T>;

public:
    explicit atomic_ref(T &object) : object_(&object) {}
    using base::operator=;
    T *object() const { return object_; }

private:
    T *object_;
};

/** An object with atomic operations. */
template <class T, thread_scope Scope = thread_scope_system>
class atomic : public atomic_operations<atomic<T, Scope>, T>
{
    using base = atomic_operations<atomic<T, Scope>, T>;

public:
    atomic() = default;
    constexpr atomic(T value) : object_(value) {}
    atomic(const atomic &) = delete;
    atomic &operator=(const atomic &) = delete;
    using base::operator=;
    T *object() const { return &object_; }

private:
    alignas(sizeof(T)) mutable T object_;
};

namespace std {
template <class T>
using atomic = cuda::atomic<T>;
template <class T>
using atomic_ref = cuda::atomic_ref<T>;
} // namespace std

} // namespace cuda

#endif
