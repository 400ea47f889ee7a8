/*
 * What -fsanitize=thread makes the compilers call. Names and types are theirs.
 */
#include "rkernel_lib/runtime/check/sanitizer.h"

#include <stdatomic.h>
#include <string.h>

#define CALLER ((uintptr_t)__builtin_return_address(0))

void __tsan_init(void);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);
void __tsan_vptr_read(void **address);
void __tsan_vptr_update(void **address, void *value);
void __tsan_read_range(void *address, unsigned long size);
void __tsan_write_range(void *address, unsigned long size);
void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memmove(void *to, const void *from, size_t size);
void *__tsan_memset(void *to, int value, size_t size);
void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc)
{
    (void)pc;
}

void __tsan_func_exit(void)
{
}

void __tsan_vptr_read(void **address)
{
    rk_check_access_memory(address, sizeof *address, 0, CALLER);
}

void __tsan_vptr_update(void **address, void *value)
{
    (void)value;
    rk_check_access_memory(address, sizeof *address, RK_CHECK_WRITE, CALLER);
}

void __tsan_read_range(void *address, unsigned long size)
{
    rk_check_access_memory(address, size, 0, CALLER);
}

void __tsan_write_range(void *address, unsigned long size)
{
    rk_check_access_memory(address, size, RK_CHECK_WRITE, CALLER);
}

void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    rk_check_access_memory(from, size, 0, CALLER);
    rk_check_access_memory(to, size, RK_CHECK_WRITE, CALLER);
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
    rk_check_access_memory(from, size, 0, CALLER);
    rk_check_access_memory(to, size, RK_CHECK_WRITE, CALLER);
    return memmove(to, from, size);
}

void *__tsan_memset(void *to, int value, size_t size)
{
    rk_check_access_memory(to, size, RK_CHECK_WRITE, CALLER);
    return memset(to, value, size);
}

#define ACCESS(name, size, kind)                                                                   \
    void __tsan_##name(void *address);                                                             \
    void __tsan_##name(void *address)                                                              \
    {                                                                                              \
        rk_check_access_memory(address, size, kind, CALLER);                                       \
    }

#define BOTH(name, size)                                                                           \
    void __tsan_##name(void *address);                                                             \
    void __tsan_##name(void *address)                                                              \
    {                                                                                              \
        rk_check_access_memory(address, size, 0, CALLER);                                          \
        rk_check_access_memory(address, size, RK_CHECK_WRITE, CALLER);                             \
    }

#define ACCESSES(size)                                                                             \
    ACCESS(read##size, size, 0)                                                                    \
    ACCESS(write##size, size, RK_CHECK_WRITE)                                                      \
    ACCESS(volatile_read##size, size, 0)                                                           \
    ACCESS(volatile_write##size, size, RK_CHECK_WRITE)                                             \
    BOTH(read_write##size, size)

#define UNALIGNED(size)                                                                            \
    ACCESS(unaligned_read##size, size, 0)                                                          \
    ACCESS(unaligned_write##size, size, RK_CHECK_WRITE)                                            \
    ACCESS(unaligned_volatile_read##size, size, 0)                                                 \
    ACCESS(unaligned_volatile_write##size, size, RK_CHECK_WRITE)                                   \
    BOTH(unaligned_read_write##size, size)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

/* Atomics: carried out as they are. */

static void fence(void)
{
    if (!rk_check_now.block || !rk_cpu_block_running(rk_check_now.block) ||
        rk_cpu_block_thread(rk_check_now.block) >= rk_check_now.threads)
        return;
    rk_check_lock();
    rk_check_fence(rk_cpu_block_thread(rk_check_now.block));
    rk_check_unlock();
}

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    atomic_thread_fence(memory_order_seq_cst);
    fence();
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    atomic_signal_fence(memory_order_seq_cst);
}

#define BEGIN(T, kind)                                                                             \
    const bool watched = rk_check_atomic_begin((const void *)(uintptr_t)a, sizeof(T), kind, CALLER)

#define END(did, order)                                                                            \
    if (watched)                                                                                   \
    rk_check_atomic_end((const void *)(uintptr_t)a, did, order)

#define UPDATE(T, operation)                                                                       \
    BEGIN(T, RK_CHECK_WRITE);                                                                      \
    const T old = operation;                                                                       \
    END(RK_CHECK_UPDATED, order);                                                                  \
    return old

#define FETCH(bits, T, name)                                                                       \
    T __tsan_atomic##bits##_fetch_##name(volatile T *a, T v, int order);                           \
    T __tsan_atomic##bits##_fetch_##name(volatile T *a, T v, int order)                            \
    {                                                                                              \
        UPDATE(T, __atomic_fetch_##name(a, v, __ATOMIC_SEQ_CST));                                  \
    }

#define COMPARE(T, c)                                                                              \
    BEGIN(T, RK_CHECK_WRITE);                                                                      \
    const bool done = __atomic_compare_exchange_n(a, c, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    END(done ? RK_CHECK_UPDATED : RK_CHECK_LOADED, done ? order : failed)

#define EXCHANGE(bits, T, name)                                                                    \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile T *a, T *c, T v, int order,         \
                                                      int failed);                                 \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile T *a, T *c, T v, int order,         \
                                                      int failed)                                  \
    {                                                                                              \
        COMPARE(T, c);                                                                             \
        return done;                                                                               \
    }

#define ATOMICS(bits, T)                                                                           \
    T __tsan_atomic##bits##_load(const volatile T *a, int order);                                  \
    T __tsan_atomic##bits##_load(const volatile T *a, int order)                                   \
    {                                                                                              \
        BEGIN(T, 0);                                                                               \
        const T value = __atomic_load_n(a, __ATOMIC_SEQ_CST);                                      \
        END(RK_CHECK_LOADED, order);                                                               \
        return value;                                                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile T *a, T v, int order);                               \
    void __tsan_atomic##bits##_store(volatile T *a, T v, int order)                                \
    {                                                                                              \
        BEGIN(T, RK_CHECK_WRITE);                                                                  \
        __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                                  \
        END(RK_CHECK_STORED, order);                                                               \
    }                                                                                              \
    T __tsan_atomic##bits##_exchange(volatile T *a, T v, int order);                               \
    T __tsan_atomic##bits##_exchange(volatile T *a, T v, int order)                                \
    {                                                                                              \
        UPDATE(T, __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST));                                    \
    }                                                                                              \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T *a, T c, T v, int order, int failed);  \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T *a, T c, T v, int order, int failed)   \
    {                                                                                              \
        COMPARE(T, &c);                                                                            \
        return c;                                                                                  \
    }                                                                                              \
    EXCHANGE(bits, T, strong)                                                                      \
    EXCHANGE(bits, T, weak)                                                                        \
    FETCH(bits, T, add)                                                                            \
    FETCH(bits, T, sub)                                                                            \
    FETCH(bits, T, and)                                                                            \
    FETCH(bits, T, or)                                                                             \
    FETCH(bits, T, xor)                                                                            \
    FETCH(bits, T, nand)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
