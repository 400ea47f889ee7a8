#include "rkernel_lib/runtime/cpu/fiber.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif

/** Pushes the callee-saved registers, stores the stack pointer in *save and takes up `load`, where it is 0. */
uint32_t rk_fiber_swap(void **save, void *load);

/** First code of a fiber: calls the function in a saved register with the argument in another. */
void rk_fiber_first(void);

#if defined(__x86_64__)

__asm__(".pushsection .text\n"
        ".globl rk_fiber_swap\n"
        ".hidden rk_fiber_swap\n"
        ".type rk_fiber_swap, @function\n"
        ".balign 16\n"
        "rk_fiber_swap:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rcx\n"
        "    xorl %eax, %eax\n"
        "    jmpq *%rcx\n"
        ".size rk_fiber_swap, .-rk_fiber_swap\n"
        ".globl rk_fiber_first\n"
        ".hidden rk_fiber_first\n"
        ".type rk_fiber_first, @function\n"
        ".balign 16\n"
        "rk_fiber_first:\n"
        "    movq %r12, %rdi\n"
        "    xorl %ebp, %ebp\n"
        "    callq *%r13\n"
        "    ud2\n"
        ".size rk_fiber_first, .-rk_fiber_first\n"
        ".popsection\n");

enum { SAVED_WORDS = 7, ARGUMENT_WORD = 3, FUNCTION_WORD = 2, RETURN_WORD = 6 };

#elif defined(__aarch64__)

__asm__(".pushsection .text\n"
        ".globl rk_fiber_swap\n"
        ".hidden rk_fiber_swap\n"
        ".type rk_fiber_swap, %function\n"
        ".balign 16\n"
        "rk_fiber_swap:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    mov w0, wzr\n"
        "    ret\n"
        ".size rk_fiber_swap, .-rk_fiber_swap\n"
        ".globl rk_fiber_first\n"
        ".hidden rk_fiber_first\n"
        ".type rk_fiber_first, %function\n"
        ".balign 16\n"
        "rk_fiber_first:\n"
        "    mov x0, x19\n"
        "    mov x29, xzr\n"
        "    blr x20\n"
        "    brk #1\n"
        ".size rk_fiber_first, .-rk_fiber_first\n"
        ".popsection\n");

enum { SAVED_WORDS = 20, ARGUMENT_WORD = 0, FUNCTION_WORD = 1, RETURN_WORD = 11 };

#else
#error "the context switch is written for x86-64 and AArch64"
#endif

/** Tells the sanitizers that `self` goes on, and learns the bounds of the OS thread's own stack. */
static void arrive(rk_fiber *self)
{
#ifdef UNDER_ASAN
    const void *bottom;
    size_t size;
    __sanitizer_finish_switch_fiber(self->fake_stack, &bottom, &size);
    if (!self->came_from->stack) {
        self->came_from->own_stack = bottom;
        self->came_from->size = size;
    }
#else
    (void)self;
#endif
}

static void begin(void *user)
{
    rk_fiber *self = user;
    arrive(self);
    self->entry(self->user);
    abort();
}

void rk_fiber_adopt(rk_fiber *self)
{
    *self = (rk_fiber){0};
#ifdef UNDER_TSAN
    self->context = __tsan_get_current_fiber();
#endif
}

void rk_fiber_prepare(rk_fiber *fiber, void (*entry)(void *user), void *user, size_t color)
{
    rk_fiber_discard(fiber);
#ifdef UNDER_TSAN
    fiber->context = __tsan_create_fiber(0);
#endif
    fiber->entry = entry;
    fiber->user = user;
    fiber->fake_stack = NULL;
    uintptr_t top = (uintptr_t)fiber->stack + fiber->size - color % 32 * 192;
    uintptr_t *words = (uintptr_t *)(top & ~(uintptr_t)15) - SAVED_WORDS;
    for (int i = 0; i < SAVED_WORDS; i++)
        words[i] = 0;
    words[ARGUMENT_WORD] = (uintptr_t)fiber;
    words[FUNCTION_WORD] = (uintptr_t)begin;
    words[RETURN_WORD] = (uintptr_t)rk_fiber_first;
    fiber->stack_pointer = words;
}

/** From one stack to the next: the guard page, then the stack. */
static size_t stride(void)
{
    return RK_FIBER_STACK + (size_t)sysconf(_SC_PAGESIZE);
}

bool rk_fiber_stacks_map(rk_fiber_stacks *out, size_t count)
{
    *out = (rk_fiber_stacks){.count = count};
    void *mapping = mmap(NULL, stride() * count, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (mapping == MAP_FAILED)
        return false;
    out->mapping = mapping;
    for (size_t i = 0; i < count; i++) {
        if (mprotect(out->mapping + i * stride(), stride() - RK_FIBER_STACK, PROT_NONE) != 0) {
            rk_fiber_stacks_unmap(out);
            return false;
        }
    }
    return true;
}

void rk_fiber_stacks_unmap(const rk_fiber_stacks *stacks)
{
    munmap(stacks->mapping, stride() * stacks->count);
}

void rk_fiber_place(rk_fiber *fiber, const rk_fiber_stacks *stacks, size_t index)
{
    fiber->stack = stacks->mapping + (index + 1) * stride() - RK_FIBER_STACK;
    fiber->size = RK_FIBER_STACK;
}

void rk_fiber_discard(rk_fiber *fiber)
{
#ifdef UNDER_ASAN
    __asan_unpoison_memory_region(fiber->stack, fiber->size);
#endif
#ifdef UNDER_TSAN
    if (fiber->context)
        __tsan_destroy_fiber(fiber->context);
#endif
    fiber->context = NULL;
}

uint32_t rk_fiber_switch(rk_fiber *from, rk_fiber *to)
{
#if !defined(UNDER_ASAN) && !defined(UNDER_TSAN)
    return rk_fiber_swap(&from->stack_pointer, to->stack_pointer); /* without a frame */
#else
    to->came_from = from;
#ifdef UNDER_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack ? to->stack : to->own_stack,
                                   to->size);
#endif
#ifdef UNDER_TSAN
    __tsan_switch_to_fiber(to->context, 0);
#endif
    rk_fiber_swap(&from->stack_pointer, to->stack_pointer);
    arrive(from);
    return 0;
#endif
}
