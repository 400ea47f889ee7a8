#include "rkernel_lib/runtime/cpu/record_internal.h"

#include <stdlib.h>
#include <unistd.h>

void rk_record_no_memory(void)
{
    static const char message[] = "rammer: no memory to record launches\n";
    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(1); /* at once: what runs at exit may want memory, too */
}

void *rk_record_grow(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    *room = *room ? *room * 2 : 16;
    void *more = realloc(items, *room * size);
    if (!more)
        rk_record_no_memory();
    return more;
}

static bool is_symbol(const rk_cpu_memory *memory)
{
    return memory->name != NULL;
}

const rk_record_state *rk_record_find(const rk_record_states *states, const rk_cpu_memory *memory)
{
    size_t low = 0, high = states->count; /* symbols come first, then serials in order */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const rk_cpu_memory *m = &states->items[middle].memory;
        const bool less =
            is_symbol(m) != is_symbol(memory) ? is_symbol(m) : m->serial < memory->serial;
        if (less)
            low = middle + 1;
        else
            high = middle;
    }
    return low < states->count && states->items[low].memory.base == memory->base
               ? &states->items[low]
               : NULL;
}
