#include "rkernel_lib/runtime/cuda/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/**
 * What fresh memory holds at its begin: zeros, as a GPU gives them to a new process, and programs count on;
 * in the checking modes a pattern, so that it shows where they do.
 */
enum { FILL = 0, FILL_CHECKED = 0xcd };
static const size_t most_filled = (size_t)64 << 20;
static const size_t device_alignment = 256;

typedef struct {
    rk_cpu_memory memory;
    bool held; /**< by a graph */
} entry;

/** Sorted by address; ranges do not overlap, except that registered memory may lie in what malloc gave. */
static struct {
    pthread_mutex_t lock;
    entry *items;
    size_t count, room;
    uint64_t allocations, symbols; /**< the last serial numbers given */
    size_t used;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_symbol(rk_cpu_memory_kind kind)
{
    return kind == RK_CPU_MEMORY_SYMBOL || kind == RK_CPU_MEMORY_CONSTANT ||
           kind == RK_CPU_MEMORY_MANAGED_SYMBOL;
}

/** Whether it counts against the device's memory. */
static bool on_device(rk_cpu_memory_kind kind)
{
    return kind == RK_CPU_MEMORY_DEVICE || kind == RK_CPU_MEMORY_MANAGED ||
           kind == RK_CPU_MEMORY_ARRAY;
}

/** Index of the first entry whose base is above `pointer`. */
static size_t upper(const void *pointer)
{
    size_t low = 0, high = all.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)all.items[middle].memory.base <= (uintptr_t)pointer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** The entry that `pointer` lies in, NULL for none. The lock is held. */
static entry *find(const void *pointer)
{
    const size_t i = upper(pointer);
    if (i == 0)
        return NULL;
    entry *e = &all.items[i - 1];
    return (uintptr_t)pointer - (uintptr_t)e->memory.base < e->memory.size ? e : NULL;
}

/** The lock is held. */
static bool insert(void *base, size_t size, rk_cpu_memory_kind kind, const char *name)
{
    if (all.count == all.room) {
        const size_t room = all.room ? 2 * all.room : 64;
        entry *items = realloc(all.items, room * sizeof *items);
        if (!items)
            return false;
        all.items = items;
        all.room = room;
    }
    const size_t at = upper(base);
    memmove(all.items + at + 1, all.items + at, (all.count - at) * sizeof *all.items);
    all.items[at] =
        (entry){.memory = {.base = base,
                           .size = size,
                           .serial = is_symbol(kind) ? ++all.symbols : ++all.allocations,
                           .kind = kind,
                           .name = name}};
    all.count++;
    if (on_device(kind))
        all.used += size;
    return true;
}

static void erase(entry *e)
{
    if (on_device(e->memory.kind))
        all.used -= e->memory.size;
    const size_t at = (size_t)(e - all.items);
    memmove(e, e + 1, (all.count - at - 1) * sizeof *e);
    all.count--;
}

bool rk_memory_add(void *base, size_t size, rk_cpu_memory_kind kind)
{
    pthread_mutex_lock(&all.lock);
    const bool good = insert(base, size, kind, NULL);
    pthread_mutex_unlock(&all.lock);
    return good;
}

/** Librk_check and AddressSanitizer, which are there only in the checking modes. */
extern void rk_check_ignore(const void *address, size_t size) __attribute__((weak));
extern void __asan_init(void) __attribute__((weak));

static bool checked(void)
{
    return rk_check_ignore || __asan_init;
}

void *rk_memory_new(size_t size, rk_cpu_memory_kind kind)
{
    const size_t total = rk_cuda_device_get()->prop.totalGlobalMem;
    if (on_device(kind) && (size > total || rk_memory_used() > total - size))
        return NULL;
    void *base = NULL;
    if (posix_memalign(&base, device_alignment, size) != 0)
        return NULL;
    if (on_device(kind))
        memset(base, checked() ? FILL_CHECKED : FILL, size < most_filled ? size : most_filled);
    if (!rk_memory_add(base, size, kind)) {
        free(base);
        return NULL;
    }
    return base;
}

cudaError_t rk_memory_free(void *base, rk_cpu_memory_kind kind, rk_cpu_memory_kind other)
{
    pthread_mutex_lock(&all.lock);
    entry *e = find(base);
    const bool good =
        e && e->memory.base == base && (e->memory.kind == kind || e->memory.kind == other);
    const bool held = good && e->held;
    const bool ours = good && e->memory.kind != RK_CPU_MEMORY_REGISTERED;
    if (good && !held)
        erase(e);
    pthread_mutex_unlock(&all.lock);
    if (ours && !held)
        free(base);
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

void rk_memory_hold(void *base)
{
    pthread_mutex_lock(&all.lock);
    entry *e = find(base);
    if (e)
        e->held = true;
    pthread_mutex_unlock(&all.lock);
}

void rk_memory_release(void *base)
{
    pthread_mutex_lock(&all.lock);
    entry *e = find(base);
    const bool known = e && e->held;
    if (known)
        erase(e);
    pthread_mutex_unlock(&all.lock);
    if (known)
        free(base);
}

void rk_memory_reset(void)
{
    pthread_mutex_lock(&all.lock);
    size_t kept = 0;
    for (size_t i = 0; i < all.count; i++) {
        const entry *e = &all.items[i];
        const bool keep =
            is_symbol(e->memory.kind) || e->held || e->memory.kind == RK_CPU_MEMORY_ARRAY;
        if (keep)
            all.items[kept++] = *e;
        else if (e->memory.kind != RK_CPU_MEMORY_REGISTERED)
            free(e->memory.base);
        if (!keep && on_device(e->memory.kind))
            all.used -= e->memory.size;
    }
    all.count = kept;
    pthread_mutex_unlock(&all.lock);
}

size_t rk_memory_used(void)
{
    pthread_mutex_lock(&all.lock);
    const size_t used = all.used;
    pthread_mutex_unlock(&all.lock);
    return used;
}

bool rk_cpu_memory_look(rk_cpu_memory *memory, const void *pointer)
{
    pthread_mutex_lock(&all.lock);
    const entry *e = find(pointer);
    if (e)
        *memory = e->memory;
    pthread_mutex_unlock(&all.lock);
    return e != NULL;
}

bool rk_cpu_memory_find(const void *pointer, void **base, size_t *size, uint64_t *serial)
{
    rk_cpu_memory memory;
    if (!rk_cpu_memory_look(&memory, pointer))
        return false;
    if (base)
        *base = memory.base;
    if (size)
        *size = memory.size;
    if (serial)
        *serial = memory.serial;
    return true;
}

bool rk_memory_good(const void *pointer, size_t bytes, bool device)
{
    rk_cpu_memory memory;
    if (!rk_cpu_memory_look(&memory, pointer))
        return !device && pointer;
    return bytes <= memory.size - ((uintptr_t)pointer - (uintptr_t)memory.base);
}

static int in_order(const void *a, const void *b)
{
    const rk_cpu_memory *x = a, *y = b;
    if (is_symbol(x->kind) != is_symbol(y->kind))
        return is_symbol(x->kind) ? -1 : 1;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

void rk_cpu_memory_each(void (*fn)(const rk_cpu_memory *memory, void *user), void *user)
{
    pthread_mutex_lock(&all.lock);
    const size_t count = all.count;
    rk_cpu_memory *copy = malloc((count ? count : 1) * sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        copy[i] = all.items[i].memory;
    pthread_mutex_unlock(&all.lock);
    if (!copy)
        rk_cuda_no_memory();
    qsort(copy, count, sizeof *copy, in_order);
    for (size_t i = 0; i < count; i++)
        fn(&copy[i], user);
    free(copy);
}

void rk_cpu_symbol_add(const char *name, void *address, size_t size, rk_cpu_memory_kind kind)
{
    pthread_mutex_lock(&all.lock);
    const entry *e = find(address);
    if (!(e && e->memory.base == address) && size > 0 && !insert(address, size, kind, name))
        rk_cuda_no_memory();
    pthread_mutex_unlock(&all.lock);
}

size_t rk_memory_held(void)
{
    size_t held = 0;
    pthread_mutex_lock(&all.lock);
    for (size_t i = 0; i < all.count; i++)
        held += all.items[i].held ? all.items[i].memory.size : 0;
    pthread_mutex_unlock(&all.lock);
    return held;
}
