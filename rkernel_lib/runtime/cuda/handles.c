#include "rkernel_lib/runtime/cuda/handles.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/** A slot without a handle was never used; one with a handle and no kind was, and may be again. */
typedef struct {
    const void *handle;
    rk_handle_kind kind;
} slot;

static struct {
    pthread_rwlock_t lock;
    slot *slots;
    size_t used, capacity; /**< slots that have a handle, and all: a power of two, or 0 */
} table = {.lock = PTHREAD_RWLOCK_INITIALIZER};

/** The handle's slot, or the unused one where it belongs; NULL in an empty table. */
static slot *find(const void *handle)
{
    if (!table.capacity)
        return NULL;
    size_t i = (size_t)(((uint64_t)(uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 20);
    for (;; i++) {
        slot *s = &table.slots[i & (table.capacity - 1)];
        if (!s->handle || s->handle == handle)
            return s;
    }
}

/** Makes room for one more, leaving out what is forgotten. */
static bool grow(void)
{
    if (2 * table.used < table.capacity)
        return true;
    size_t alive = 0;
    for (size_t i = 0; i < table.capacity; i++)
        alive += table.slots[i].kind != RK_HANDLE_NONE;
    size_t capacity = 64;
    while (capacity < 4 * (alive + 1))
        capacity *= 2;
    slot *const old = table.slots;
    const size_t count = table.capacity;
    slot *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    table.slots = slots;
    table.capacity = capacity;
    table.used = alive;
    for (size_t i = 0; i < count; i++)
        if (old[i].kind != RK_HANDLE_NONE)
            *find(old[i].handle) = old[i];
    free(old);
    return true;
}

bool rk_handle_add(const void *handle, rk_handle_kind kind)
{
    pthread_rwlock_wrlock(&table.lock);
    const bool room = grow();
    if (room) {
        slot *s = find(handle);
        table.used += !s->handle;
        *s = (slot){handle, kind};
    }
    pthread_rwlock_unlock(&table.lock);
    return room;
}

bool rk_handle_is(const void *handle, rk_handle_kind kind)
{
    if (!handle)
        return false;
    pthread_rwlock_rdlock(&table.lock);
    const slot *s = find(handle);
    const bool is = s && s->handle && s->kind == kind;
    pthread_rwlock_unlock(&table.lock);
    return is;
}

void rk_handle_drop(const void *handle)
{
    pthread_rwlock_wrlock(&table.lock);
    slot *s = handle ? find(handle) : NULL;
    if (s && s->handle)
        s->kind = RK_HANDLE_NONE;
    pthread_rwlock_unlock(&table.lock);
}
