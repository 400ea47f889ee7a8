#include "convert/cuda/builtins.h"

#include "base/str.h"

#include <string.h>

/* Shadows declare what CUDA's own names stand for inside an rKernel. Warp masks are narrowed to the
 * live lanes by the context. */
static const rk_builtin builtins[] = {
    {"threadIdx", RK_USE_THREAD_IDX, "thread_idx()"},
    {"blockIdx", RK_USE_BLOCK_IDX, "block_idx()"},
    {"blockDim", RK_USE_BLOCK_DIM, "block_dim()"},
    {"gridDim", RK_USE_GRID_DIM, "grid_dim()"},
    {"__syncthreads", RK_USE_SYNC, "sync"},
    {"__syncthreads_count", RK_USE_SYNC_COUNT, "sync_count"},
    {"__syncthreads_and", RK_USE_SYNC_AND, "sync_and"},
    {"__syncthreads_or", RK_USE_SYNC_OR, "sync_or"},
    {"__shfl_sync", RK_USE_SHFL, "shfl"},
    {"__shfl_up_sync", RK_USE_SHFL_UP, "shfl_up"},
    {"__shfl_down_sync", RK_USE_SHFL_DOWN, "shfl_down"},
    {"__shfl_xor_sync", RK_USE_SHFL_XOR, "shfl_xor"},
    {"__ballot_sync", RK_USE_BALLOT, "ballot"},
    {"__any_sync", RK_USE_ANY, "any"},
    {"__all_sync", RK_USE_ALL, "all"},
    {"__activemask", RK_USE_ACTIVEMASK, "activemask"},
    {"__syncwarp", RK_USE_SYNCWARP, "syncwarp"},
    {"__match_any_sync", RK_USE_MATCH_ANY, "match_any"},
    {"__match_all_sync", RK_USE_MATCH_ALL, "match_all"},
    {"__reduce_add_sync", RK_USE_REDUCE_ADD, "reduce_add"},
    {"__reduce_min_sync", RK_USE_REDUCE_MIN, "reduce_min"},
    {"__reduce_max_sync", RK_USE_REDUCE_MAX, "reduce_max"},
    {"__reduce_and_sync", RK_USE_REDUCE_AND, "reduce_and_"},
    {"__reduce_or_sync", RK_USE_REDUCE_OR, "reduce_or_"},
    {"__reduce_xor_sync", RK_USE_REDUCE_XOR, "reduce_xor_"},
    {"__ldg", RK_USE_LDG, "ldg"},
};

enum { BUILTIN_COUNT = sizeof builtins / sizeof *builtins };

#define TEXTURE_MESSAGE                                                                            \
    "the host makes the texture or surface, and what it shows must not change meanwhile"
#define TEXTURE_HINT "use it as a drop-in, or read the buffer through a pointer for a graph"

#define RAW_BARRIER_MESSAGE                                                                        \
    "a barrier in shared memory that is set up by hand is not ended with the rTask"
#define RAW_BARRIER_HINT "declare a __shared__ cuda::barrier in the kernel"

/* First match wins. */
static const rk_forbidden forbidden[] = {
    {RK_REFUSED, "__cluster*", "RK-V102", "a thread block cluster cannot be part of an rTask",
     "write the kernel without clusters"},
    {RK_REFUSED, "cudaDeviceSynchronize", "RK-V103",
     "dynamic parallelism cannot be part of an rTask", "launch the inner kernel from the host"},
    {RK_REFUSED, "cudaLaunchDevice*", "RK-V103", "dynamic parallelism cannot be part of an rTask",
     "launch the inner kernel from the host"},
    {RK_REFUSED, "cudaGetParameterBuffer*", "RK-V103",
     "dynamic parallelism cannot be part of an rTask", "launch the inner kernel from the host"},
    {RK_WARNING, "tex1D*", "RK-V211", TEXTURE_MESSAGE, TEXTURE_HINT},
    {RK_WARNING, "tex2D*", "RK-V211", TEXTURE_MESSAGE, TEXTURE_HINT},
    {RK_WARNING, "tex3D*", "RK-V211", TEXTURE_MESSAGE, TEXTURE_HINT},
    {RK_WARNING, "texCubemap*", "RK-V211", TEXTURE_MESSAGE, TEXTURE_HINT},
    {RK_WARNING, "surf1D*", "RK-V211", TEXTURE_MESSAGE, TEXTURE_HINT},
    {RK_WARNING, "surf2D*", "RK-V211", TEXTURE_MESSAGE, TEXTURE_HINT},
    {RK_WARNING, "surf3D*", "RK-V211", TEXTURE_MESSAGE, TEXTURE_HINT},
    {RK_WARNING, "surfCubemap*", "RK-V211", TEXTURE_MESSAGE, TEXTURE_HINT},
    {RK_REFUSED, "__mbarrier_*", "RK-V122", RAW_BARRIER_MESSAGE, RAW_BARRIER_HINT},
    {RK_REFUSED, "memcpy_async_tx", "RK-V122", RAW_BARRIER_MESSAGE, RAW_BARRIER_HINT},
    {RK_REFUSED, "barrier_arrive_tx", "RK-V122", RAW_BARRIER_MESSAGE, RAW_BARRIER_HINT},
    {RK_REFUSED, "barrier_expect_tx", "RK-V122", RAW_BARRIER_MESSAGE, RAW_BARRIER_HINT},
    {RK_REFUSED, "barrier_native_handle", "RK-V122", RAW_BARRIER_MESSAGE, RAW_BARRIER_HINT},
};

const rk_builtin *rk_builtin_find(const char *name)
{
    for (size_t i = 0; i < BUILTIN_COUNT; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

/** A variable or a lambda of that name, which asks the context. */
static void add_shadow(rk_str *out, const rk_builtin *b)
{
    if (b->use & RK_USE_PLACES)
        rk_str_addf(out, " const ::%s %s = rk__ctx.%s;",
                    b->use & (RK_USE_THREAD_IDX | RK_USE_BLOCK_IDX) ? "uint3" : "dim3", b->name,
                    b->member);
    else if (b->use == RK_USE_SYNC)
        rk_str_addf(out, " const auto %s = [&rk__ctx] { rk__ctx.%s(); };", b->name, b->member);
    else
        rk_str_addf(out,
                    " const auto %s = [&rk__ctx](auto... rk__v) { return rk__ctx.%s(rk__v...); };",
                    b->name, b->member);
}

char *rk_builtin_shadows(unsigned uses, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    for (size_t i = 0; i < BUILTIN_COUNT; i++)
        if (uses & builtins[i].use)
            add_shadow(&out, &builtins[i]);
    return rk_arena_strdup(arena, rk_str_text(&out));
}

void rk_builtin_names(rk_str *out, unsigned uses)
{
    for (size_t i = 0; i < BUILTIN_COUNT; i++)
        if (uses & builtins[i].use)
            rk_str_addf(out, " %s", builtins[i].name);
}

char *rk_builtin_captures(unsigned uses, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    if (uses & (RK_USE_CONTEXT | RK_USE_STATIC_SHARED | RK_USE_DYNAMIC_SHARED))
        rk_str_add(&out, ", &rk__ctx");
    for (size_t i = 0; i < BUILTIN_COUNT; i++)
        if (uses & builtins[i].use)
            rk_str_addf(&out, ", &%s", builtins[i].name);
    return rk_arena_strdup(arena, rk_str_text(&out));
}

const rk_forbidden *rk_forbidden_find(const char *name)
{
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        const size_t length = strlen(forbidden[i].name);
        const bool prefix = forbidden[i].name[length - 1] == '*';
        if (prefix ? strncmp(name, forbidden[i].name, length - 1) == 0
                   : strcmp(name, forbidden[i].name) == 0)
            return &forbidden[i];
    }
    return NULL;
}
