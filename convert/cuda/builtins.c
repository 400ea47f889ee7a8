#include "convert/cuda/builtins.h"

#include "base/str.h"

#include <string.h>

/* Shadows declare what CUDA's own names stand for inside an rKernel. Warp masks are narrowed to the
 * live lanes by the context. */
static const rk_builtin builtins[] = {
    {"threadIdx", RK_USE_THREAD_IDX, "const uint3 threadIdx = rk__ctx.thread_idx();",
     "thread_idx()"},
    {"blockIdx", RK_USE_BLOCK_IDX, "const uint3 blockIdx = rk__ctx.block_idx();", "block_idx()"},
    {"blockDim", RK_USE_BLOCK_DIM, "const dim3 blockDim = rk__ctx.block_dim();", "block_dim()"},
    {"gridDim", RK_USE_GRID_DIM, "const dim3 gridDim = rk__ctx.grid_dim();", "grid_dim()"},
    {"__syncthreads", RK_USE_SYNC, "const auto __syncthreads = [&rk__ctx] { rk__ctx.sync(); };",
     "sync"},
    {"__syncthreads_count", RK_USE_SYNC_COUNT,
     "const auto __syncthreads_count = [&rk__ctx](int p) { return rk__ctx.sync_count(p); };",
     "sync_count"},
    {"__syncthreads_and", RK_USE_SYNC_AND,
     "const auto __syncthreads_and = [&rk__ctx](int p) { return rk__ctx.sync_and(p); };",
     "sync_and"},
    {"__syncthreads_or", RK_USE_SYNC_OR,
     "const auto __syncthreads_or = [&rk__ctx](int p) { return rk__ctx.sync_or(p); };", "sync_or"},
    {"__shfl_sync", RK_USE_SHFL,
     "const auto __shfl_sync = [&rk__ctx](unsigned m, auto v, int l, int w = 32) "
     "{ return rk__ctx.shfl(m, v, l, w); };",
     "shfl"},
    {"__shfl_up_sync", RK_USE_SHFL_UP,
     "const auto __shfl_up_sync = [&rk__ctx](unsigned m, auto v, unsigned d, int w = 32) "
     "{ return rk__ctx.shfl_up(m, v, d, w); };",
     "shfl_up"},
    {"__shfl_down_sync", RK_USE_SHFL_DOWN,
     "const auto __shfl_down_sync = [&rk__ctx](unsigned m, auto v, unsigned d, int w = 32) "
     "{ return rk__ctx.shfl_down(m, v, d, w); };",
     "shfl_down"},
    {"__shfl_xor_sync", RK_USE_SHFL_XOR,
     "const auto __shfl_xor_sync = [&rk__ctx](unsigned m, auto v, int x, int w = 32) "
     "{ return rk__ctx.shfl_xor(m, v, x, w); };",
     "shfl_xor"},
    {"__ballot_sync", RK_USE_BALLOT,
     "const auto __ballot_sync = [&rk__ctx](unsigned m, int p) { return rk__ctx.ballot(m, p); };",
     "ballot"},
    {"__any_sync", RK_USE_ANY,
     "const auto __any_sync = [&rk__ctx](unsigned m, int p) { return rk__ctx.any(m, p); };", "any"},
    {"__all_sync", RK_USE_ALL,
     "const auto __all_sync = [&rk__ctx](unsigned m, int p) { return rk__ctx.all(m, p); };", "all"},
    {"__activemask", RK_USE_ACTIVEMASK,
     "const auto __activemask = [&rk__ctx] { return rk__ctx.activemask(); };", "activemask"},
    {"__syncwarp", RK_USE_SYNCWARP,
     "const auto __syncwarp = [&rk__ctx](unsigned m = 0xffffffffu) { rk__ctx.syncwarp(m); };",
     "syncwarp"},
    {"__match_any_sync", RK_USE_MATCH_ANY,
     "const auto __match_any_sync = [&rk__ctx](unsigned m, auto v) "
     "{ return rk__ctx.match_any(m, v); };",
     "match_any"},
    {"__match_all_sync", RK_USE_MATCH_ALL,
     "const auto __match_all_sync = [&rk__ctx](unsigned m, auto v, int *p) "
     "{ return rk__ctx.match_all(m, v, p); };",
     "match_all"},
    {"__reduce_add_sync", RK_USE_REDUCE_ADD,
     "const auto __reduce_add_sync = [&rk__ctx](unsigned m, auto v) "
     "{ return rk__ctx.reduce_add(m, v); };",
     "reduce_add"},
    {"__reduce_min_sync", RK_USE_REDUCE_MIN,
     "const auto __reduce_min_sync = [&rk__ctx](unsigned m, auto v) "
     "{ return rk__ctx.reduce_min(m, v); };",
     "reduce_min"},
    {"__reduce_max_sync", RK_USE_REDUCE_MAX,
     "const auto __reduce_max_sync = [&rk__ctx](unsigned m, auto v) "
     "{ return rk__ctx.reduce_max(m, v); };",
     "reduce_max"},
    {"__reduce_and_sync", RK_USE_REDUCE_AND,
     "const auto __reduce_and_sync = [&rk__ctx](unsigned m, auto v) "
     "{ return rk__ctx.reduce_and_(m, v); };",
     "reduce_and_"},
    {"__reduce_or_sync", RK_USE_REDUCE_OR,
     "const auto __reduce_or_sync = [&rk__ctx](unsigned m, auto v) "
     "{ return rk__ctx.reduce_or_(m, v); };",
     "reduce_or_"},
    {"__reduce_xor_sync", RK_USE_REDUCE_XOR,
     "const auto __reduce_xor_sync = [&rk__ctx](unsigned m, auto v) "
     "{ return rk__ctx.reduce_xor_(m, v); };",
     "reduce_xor_"},
    {"__ldg", RK_USE_LDG,
     "const auto __ldg = [&rk__ctx](const auto *p) { return rk__ctx.ldg(p); };", "ldg"},
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

char *rk_builtin_shadows(unsigned uses, bool hides_types, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    for (size_t i = 0; i < BUILTIN_COUNT; i++) {
        const char *text = builtins[i].shadow;
        if (!(uses & builtins[i].use))
            continue;
        if (hides_types && (builtins[i].use & RK_USE_PLACES))
            rk_str_addf(&out, " const ::%s", text + strlen("const "));
        else
            rk_str_addf(&out, " %s", text);
    }
    return rk_arena_strdup(arena, rk_str_text(&out));
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
