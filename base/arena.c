#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** Blocks grow from the first size to the last, so that small runs stay small. */
enum { FIRST_BLOCK = 16 * 1024, LAST_BLOCK = 4 * 1024 * 1024 };

typedef struct block {
    struct block *next; /**< the block filled before this one */
    size_t size;        /**< bytes in data */
    size_t used;        /**< bytes handed out */
    alignas(max_align_t) unsigned char data[];
} block;

/** A file that is mapped. It lies in a block. */
typedef struct mapping {
    struct mapping *next;
    void *data;
    size_t size;
} mapping;

struct rk_arena {
    mapping *mappings;
    block *current; /**< newest block, NULL while empty */
    size_t grow;    /**< size of the next block */
    size_t size;    /**< bytes of all blocks */
    int separate;   /**< one malloc for each item */
};

int rk_out_of_memory_status = EXIT_FAILURE;

_Thread_local jmp_buf *rk_out_of_memory_escape;

void rk_out_of_memory(void)
{
    if (rk_out_of_memory_escape)
        longjmp(*rk_out_of_memory_escape, 1);
    static const char message[] = "error: out of memory\n"; /* stdio may want memory, too */
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
        _exit(rk_out_of_memory_status);
    exit(rk_out_of_memory_status);
}

static void *must(void *memory)
{
    if (!memory)
        rk_out_of_memory();
    return memory;
}

rk_arena *rk_arena_new(void)
{
    rk_arena *arena = must(calloc(1, sizeof *arena));
    arena->grow = FIRST_BLOCK;
    const char *debug = getenv("RK_ARENA_DEBUG");
    arena->separate = debug && *debug && strcmp(debug, "0") != 0;
    return arena;
}

static void free_blocks(block *b)
{
    while (b) {
        block *next = b->next;
        free(b);
        b = next;
    }
}

void rk_arena_own_mapping(rk_arena *arena, void *data, size_t size)
{
    mapping *m = RK_NEW(arena, mapping);
    *m = (mapping){arena->mappings, data, size};
    arena->mappings = m;
}

static void unmap(rk_arena *arena)
{
    for (const mapping *m = arena->mappings; m; m = m->next)
        munmap(m->data, m->size);
    arena->mappings = NULL;
}

void rk_arena_free(rk_arena *arena)
{
    if (!arena)
        return;
    unmap(arena);
    free_blocks(arena->current);
    free(arena);
}

void rk_arena_reset(rk_arena *arena)
{
    unmap(arena);
    if (!arena->current)
        return;
    if (arena->separate) {
        free_blocks(arena->current);
        arena->current = NULL;
        arena->size = 0;
        return;
    }
    free_blocks(arena->current->next);
    arena->current->next = NULL;
    arena->size = arena->current->size;
    arena->current->used = 0;
}

static block *add_block(rk_arena *arena, size_t size)
{
    block *b = must(malloc(sizeof *b + size));
    b->next = arena->current;
    b->size = size;
    b->used = 0;
    arena->current = b;
    arena->size += size;
    return b;
}

size_t rk_arena_size(const rk_arena *arena)
{
    return arena->size;
}

void *rk_arena_alloc(rk_arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX / 2)
        rk_out_of_memory();
    size_t rounded = (size + align - 1) / align * align;
    block *b = arena->current;
    if (arena->separate) {
        b = add_block(arena, size);
        rounded = size;
    } else if (!b || b->size - b->used < rounded) {
        b = add_block(arena, rounded > arena->grow ? rounded : arena->grow);
        if (arena->grow < LAST_BLOCK)
            arena->grow *= 2;
    }
    void *item = b->data + b->used;
    b->used += rounded;
    return memset(item, 0, size);
}

void *rk_arena_calloc(rk_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        rk_out_of_memory();
    return rk_arena_alloc(arena, count * size);
}

void *rk_arena_copy(rk_arena *arena, const void *data, size_t size)
{
    void *copy = rk_arena_alloc(arena, size);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

char *rk_arena_strndup(rk_arena *arena, const char *s, size_t length)
{
    char *copy = rk_arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, s, length);
    return copy;
}

char *rk_arena_strdup(rk_arena *arena, const char *s)
{
    return rk_arena_strndup(arena, s, strlen(s));
}

char *rk_arena_vprintf(rk_arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0)
        rk_out_of_memory();
    char *text = rk_arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *rk_arena_printf(rk_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = rk_arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}
