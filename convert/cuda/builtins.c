#include "convert/cuda/builtins.h"

/* Shadows declare what CUDA's own names stand for inside an rKernel. Warp masks are narrowed to the
 * live lanes by the context. */

const rk_cuda_name *rk_builtin_find(const char *name)
{
    const rk_cuda_name *row = rk_cuda_find(RK_IN_PLAIN, name);
    return row->use ? row : NULL;
}

/** The next built-in of `uses`, in the order of rk_use; `from` is where the last one was found, 0 at first. */
static const rk_cuda_name *next_of(unsigned uses, unsigned *from)
{
    for (unsigned use = *from ? *from << 1 : 1; use <= RK_USE_LDG; use <<= 1)
        if (uses & use) {
            *from = use;
            return rk_cuda_of_use((rk_use)use);
        }
    return NULL;
}

/** A variable or a lambda of that name, which asks the context. */
static void add_shadow(rk_str *out, const rk_cuda_name *b)
{
    if (b->use & RK_USE_PLACES)
        rk_str_addf(out, " const ::%s %s = rk__ctx.%s;",
                    b->use & (RK_USE_THREAD_IDX | RK_USE_BLOCK_IDX) ? "uint3" : "dim3", b->name,
                    b->text);
    else if (b->use == RK_USE_SYNC)
        rk_str_addf(out, " const auto %s = [&rk__ctx] { rk__ctx.%s(); };", b->name, b->text);
    else
        rk_str_addf(out,
                    " const auto %s = [&rk__ctx](auto... rk__v) { return rk__ctx.%s(rk__v...); };",
                    b->name, b->text);
}

char *rk_builtin_shadows(unsigned uses, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    const rk_cuda_name *b;
    for (unsigned from = 0; (b = next_of(uses, &from));)
        add_shadow(&out, b);
    return rk_arena_strdup(arena, rk_str_text(&out));
}

void rk_builtin_names(rk_str *out, unsigned uses)
{
    const rk_cuda_name *b;
    for (unsigned from = 0; (b = next_of(uses, &from));)
        rk_str_addf(out, " %s", b->name);
}

char *rk_builtin_captures(unsigned uses, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    const rk_cuda_name *b;
    if (uses & (RK_USE_CONTEXT | RK_USE_STATIC_SHARED | RK_USE_DYNAMIC_SHARED))
        rk_str_add(&out, ", &rk__ctx");
    for (unsigned from = 0; (b = next_of(uses, &from));)
        rk_str_addf(&out, ", &%s", b->name);
    return rk_arena_strdup(arena, rk_str_text(&out));
}
