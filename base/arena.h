#ifndef RK_BASE_ARENA_H
#define RK_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/** A region of memory freed at once. Every module takes the arena it allocates from; none frees. */
typedef struct rk_arena rk_arena;

/**
 * Says so on standard error and ends the process with rk_out_of_memory_status, 1 unless a process that another waits
 * for sets it. What must not be left behind is removed at exit. For every allocation of the commands that fails.
 */
_Noreturn void rk_out_of_memory(void);
extern int rk_out_of_memory_status;

/** Where rk_out_of_memory jumps to, with 1, in place of ending the process; NULL: nowhere. Of this thread. */
extern _Thread_local jmp_buf *rk_out_of_memory_escape;

/** A new, empty arena, owned by the caller. Running out of memory ends the process: rk_out_of_memory. */
rk_arena *rk_arena_new(void);

/** Frees the arena and all that was allocated from it; NULL is fine. */
void rk_arena_free(rk_arena *arena);

/** Forgets all allocations and keeps the memory for the next pass. */
void rk_arena_reset(rk_arena *arena);

/** Has the arena unmap `size` bytes at `data`, of mmap, when it is reset or freed. */
void rk_arena_own_mapping(rk_arena *arena, void *data, size_t size);

/** Bytes that it has taken from the system. */
size_t rk_arena_size(const rk_arena *arena);

/**
 * `size` zeroed bytes, aligned for any type, valid until the arena is reset or freed.
 * With RK_ARENA_DEBUG=1 in the environment each item is its own malloc, so that AddressSanitizer
 * sees overruns.
 */
void *rk_arena_alloc(rk_arena *arena, size_t size);

/** `count * size` zeroed bytes; an overflowing product ends the process as running out of memory does. */
void *rk_arena_calloc(rk_arena *arena, size_t count, size_t size);

/** A copy of `size` bytes at `data`. */
void *rk_arena_copy(rk_arena *arena, const void *data, size_t size);

/** A NUL-terminated copy of `s`. */
char *rk_arena_strdup(rk_arena *arena, const char *s);

/** A NUL-terminated copy of the first `length` bytes of `s`. */
char *rk_arena_strndup(rk_arena *arena, const char *s, size_t length);

/** printf into the arena. */
char *rk_arena_printf(rk_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *rk_arena_vprintf(rk_arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

#define RK_NEW(arena, type) ((type *)rk_arena_alloc((arena), sizeof(type)))
#define RK_NEW_ARRAY(arena, type, count) ((type *)rk_arena_calloc((arena), (count), sizeof(type)))

#endif
