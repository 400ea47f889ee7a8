/*
 * The C library's functions that compilers call for copies and fills without a word to -fsanitize=thread, and the
 * one that gives memory back: they stand before its own in a program that is checked.
 */
#include "rkernel_lib/runtime/check/sanitizer.h"

#include <malloc.h>

#define CALLER ((uintptr_t)__builtin_return_address(0))

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

void free(void *memory);
/** The C library's own. */
void __libc_free(void *memory);

/* Loops that the compiler does not make into calls of themselves. */

static void copy_up(unsigned char *to, const unsigned char *from, size_t size)
{
#if defined(__x86_64__)
    __asm__ __volatile__("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
#else
    for (; size > 0; size--) {
        *to++ = *from++;
        __asm__ __volatile__("" : : : "memory");
    }
#endif
}

static void copy_down(unsigned char *to, const unsigned char *from, size_t size)
{
    while (size-- > 0) {
        to[size] = from[size];
        __asm__ __volatile__("" : : : "memory");
    }
}

void *memcpy(void *to, const void *from, size_t size)
{
    rk_check_access_memory(from, size, 0, CALLER);
    rk_check_access_memory(to, size, RK_CHECK_WRITE, CALLER);
    copy_up(to, from, size);
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    rk_check_access_memory(from, size, 0, CALLER);
    rk_check_access_memory(to, size, RK_CHECK_WRITE, CALLER);
    if ((uintptr_t)to - (uintptr_t)from >= size)
        copy_up(to, from, size);
    else
        copy_down(to, from, size);
    return to;
}

void *memset(void *to, int value, size_t size)
{
    rk_check_access_memory(to, size, RK_CHECK_WRITE, CALLER);
    unsigned char *at = to;
#if defined(__x86_64__)
    __asm__ __volatile__("rep stosb" : "+D"(at), "+c"(size) : "a"(value) : "memory");
#else
    for (; size > 0; size--) {
        *at++ = (unsigned char)value;
        __asm__ __volatile__("" : : : "memory");
    }
#endif
    return to;
}

void free(void *memory)
{
    if (memory)
        rk_check_forget(memory, malloc_usable_size(memory));
    __libc_free(memory);
}
