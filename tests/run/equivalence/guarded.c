#include "guarded.h"

#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define GUARD ((size_t)4096)
enum { CANARY = 0xC5 };

static size_t whole_size(const eq_guarded *b)
{
    return (2 * GUARD + b->shift + b->size + 255) / 256 * 256;
}

static size_t behind(const eq_guarded *b)
{
    return whole_size(b) - GUARD - b->shift - b->size;
}

eq_guarded eq_guarded_new(size_t size, size_t shift)
{
    eq_guarded b = {.size = size, .shift = shift};
    b.whole = aligned_alloc(256, whole_size(&b));
    if (!b.whole)
        abort();
    memset(b.whole, CANARY, whole_size(&b));
    b.data = b.whole + GUARD + shift;
    memset(b.data, 0xFF, size);
    ASAN_POISON_MEMORY_REGION(b.whole, GUARD + shift);
    ASAN_POISON_MEMORY_REGION(b.data + size, behind(&b));
    return b;
}

void eq_guarded_free(eq_guarded *buffer)
{
    if (buffer->whole)
        ASAN_UNPOISON_MEMORY_REGION(buffer->whole, whole_size(buffer));
    free(buffer->whole);
    *buffer = (eq_guarded){0};
}

static bool all_canaries(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != CANARY)
            return false;
    return true;
}

bool eq_guarded_intact(const eq_guarded *b)
{
    ASAN_UNPOISON_MEMORY_REGION(b->whole, whole_size(b));
    bool intact =
        all_canaries(b->whole, GUARD + b->shift) && all_canaries(b->data + b->size, behind(b));
    ASAN_POISON_MEMORY_REGION(b->whole, GUARD + b->shift);
    ASAN_POISON_MEMORY_REGION(b->data + b->size, behind(b));
    return intact;
}
