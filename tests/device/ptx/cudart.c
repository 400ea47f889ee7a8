#include "ptx_machine.h"

#include "rk/cuda/cuda_api.h"
#include "rk/cuda/cuda_hooks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/*
 * What nvcc's host code expects of the CUDA runtime besides its public API, which librk_cuda has: the PTX that the program
 * carries is read, and its kernels are launched on the PTX machine. A program compiled for a virtual architecture,
 * with --no-compress, and linked against these runs as it is.
 *
 *   RK_PTX_SEED=N      the interleaving; 0, which is usual, is a fixed order
 *   RK_PTX_MODE=...    words of: weak, races, known
 *   RK_PTX_LIMIT=N     warp instructions in which nothing changes, after which it hangs
 *   RK_PTX_STATS=1     prints counts at the end, on standard error
 *   RK_PTX_FILE=FILE   PTX in place of the program's own, where that has kernels
 *   RK_PTX_KEEP=FILE   writes the program's own there
 */

typedef struct module {
    ptx_module *ptx;
    struct module *next;
} module;

static rk_arena *arena;
static ptx_machine *machine;
static module *modules;
static double seconds;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void die(const char *text)
{
    fflush(stdout);
    fprintf(stderr, "%s\n", text);
    exit(3);
}

static void statistics(void)
{
    fprintf(stderr, "ptx: %.4g thread instructions in %.3f s, %.3g a second; %llu of warps; %llu stale loads\n",
            (double)machine->executed, seconds, (double)machine->executed / seconds,
            (unsigned long long)machine->issued, (unsigned long long)machine->stale);
}

static ptx_machine *the_machine(void)
{
    if (machine)
        return machine;
    const char *seed = getenv("RK_PTX_SEED"), *mode = getenv("RK_PTX_MODE");
    const char *limit = getenv("RK_PTX_LIMIT");
    const ptx_options options = {.limit = limit ? strtoull(limit, NULL, 0) : 0,
                                 .seed = seed ? strtoull(seed, NULL, 0) : 0,
                                 .weak = mode && strstr(mode, "weak"),
                                 .races = mode && strstr(mode, "races"),
                                 .known = mode && strstr(mode, "known")};
    arena = rk_arena_new();
    machine = ptx_machine_new(arena, &options);
    if (getenv("RK_PTX_STATS"))
        atexit(statistics);
    return machine;
}

/* What nvcc puts into a program. */

typedef struct {
    uint32_t magic, version;
    const unsigned char *data;
    void *unused;
} wrapper;

typedef struct {
    uint16_t kind, attributes;
    uint32_t header_bytes;
    uint64_t bytes;
    uint32_t compressed_bytes;
} part;

static char *ptx_of_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        die("RK_PTX_FILE cannot be read");
    const long size = ftell(file);
    rewind(file);
    char *text = rk_arena_calloc(arena, (size_t)size + 1, 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size)
        die("RK_PTX_FILE cannot be read");
    fclose(file);
    return text;
}

static char *ptx_of(const wrapper *w)
{
    uint16_t header;
    uint64_t bytes;
    memcpy(&header, w->data + 6, sizeof header);
    memcpy(&bytes, w->data + 8, sizeof bytes);
    for (const unsigned char *p = w->data + header, *end = p + bytes; p < end;) {
        part one;
        memcpy(&one, p, sizeof one);
        if (one.kind == 1 && one.compressed_bytes)
            die("the program's PTX is compressed: compile with --no-compress");
        if (one.kind == 1)
            return rk_arena_strndup(arena, (const char *)p + one.header_bytes, (size_t)one.bytes);
        p += one.header_bytes + one.bytes;
    }
    return NULL;
}

void **__cudaRegisterFatBinary(void *fatbin);
void **__cudaRegisterFatBinary(void *fatbin)
{
    char error[512];
    the_machine();
    module *m = rk_arena_calloc(arena, 1, sizeof *m);
    const char *file = getenv("RK_PTX_FILE"), *keep = getenv("RK_PTX_KEEP");
    const char *text = ptx_of(fatbin);
    if (!text)
        die("the program carries no PTX");
    const bool kernels = strstr(text, ".entry") != NULL;
    if (file && kernels)
        text = ptx_of_file(file);
    if (keep && kernels) {
        FILE *to = fopen(keep, "wb");
        if (to) {
            fputs(text, to);
            fclose(to);
        }
    }
    m->ptx = ptx_read(file ? file : "ptx", text, arena, error, sizeof error);
    if (!m->ptx)
        die(error);
    m->next = modules;
    modules = m;
    return (void **)m;
}

void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle)
{
    if (!ptx_machine_load(machine, ((module *)handle)->ptx))
        die(machine->error);
}

void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global)
{
    ptx_var *var = ptx_find_var(((module *)handle)->ptx, name);
    (void)device;
    (void)ext;
    (void)global;
    rk_cpu_symbol_add(name, host, size, constant ? RK_CPU_MEMORY_CONSTANT : RK_CPU_MEMORY_SYMBOL);
    if (!var)
        return; /* no kernel uses it */
    /* The host's side of what is const lies where nobody writes. */
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)host / page * page;
    if (mprotect((void *)first, (uintptr_t)host + size - first, PROT_READ | PROT_WRITE) != 0)
        die("a variable's memory cannot be written");
    var->address = (uint64_t)(uintptr_t)host;
    memset(host, 0, size);
    if (var->bytes)
        memcpy(host, var->bytes, var->size < size ? var->size : size);
}

void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name,
                              int ext, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name,
                              int ext, size_t size, int constant, int global)
{
    ptx_var *var = ptx_find_var(((module *)handle)->ptx, name);
    unsigned char *memory = rk_arena_calloc(arena, 1, size + 256);
    memory = (unsigned char *)(((uintptr_t)memory + 255) / 256 * 256);
    (void)device;
    (void)ext;
    (void)constant;
    (void)global;
    *pointer = memory;
    rk_cpu_symbol_add(name, memory, size, RK_CPU_MEMORY_MANAGED_SYMBOL);
    if (!var)
        return;
    var->address = (uint64_t)(uintptr_t)memory;
    if (var->bytes)
        memcpy(memory, var->bytes, size);
}

/* Launches. */

static void add_range(const rk_cpu_memory *memory, void *user)
{
    (void)user;
    const bool constant = memory->kind == RK_CPU_MEMORY_CONSTANT;
    const char *name = memory->name ? memory->name
                                    : rk_arena_printf(arena, "allocation %llu",
                                                      (unsigned long long)memory->serial);
    ptx_machine_range(machine, memory->base, memory->size, name, constant, NULL);
}

/** Variables that no host code names. */
static void add_own(const ptx_module *ptx)
{
    for (int v = 0; v < ptx->var_count; v++) {
        const ptx_var *var = ptx->vars[v];
        if (var->address && (var->space == PTX_GLOBAL || var->space == PTX_CONST))
            ptx_machine_range(machine, (void *)(uintptr_t)var->address, var->size, var->name,
                              var->space == PTX_CONST, NULL);
    }
}

/** One launch at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void call(const void *function, const rk_cuda_launch *launch, void **args)
{
    pthread_mutex_lock(&lock);
    const rk_cuda_kernel_info *info = rk_cuda_kernel_find(function);
    ptx_module *ptx = NULL;
    ptx_function *kernel = NULL;
    for (module *m = modules; m && !kernel; m = m->next) {
        ptx = m->ptx;
        kernel = ptx_find_function(ptx, info->name);
    }
    unsigned char params[32768] = {0};
    size_t at = 0;
    for (int p = 0; p < kernel->param_count; p++) {
        const ptx_var *v = kernel->params[p];
        at = (at + (size_t)v->align - 1) / (size_t)v->align * (size_t)v->align;
        memcpy(params + at, args[p], v->size);
        at += v->size;
    }
    ptx_machine_forget_ranges(machine);
    rk_cpu_memory_each(add_range, NULL);
    for (module *m = modules; m; m = m->next)
        add_own(m->ptx);
    const ptx_launch l = {.function = kernel,
                          .grid = {launch->grid.x, launch->grid.y, launch->grid.z},
                          .block = {launch->block.x, launch->block.y, launch->block.z},
                          .shared = launch->shared,
                          .params = params};
    const double begin = now();
    const bool good = ptx_machine_run(machine, ptx, &l);
    seconds += now() - begin;
    if (good) {
        pthread_mutex_unlock(&lock);
        return;
    }
    fflush(stdout);
    fprintf(stderr, "%s\n", machine->error);
    rk_cuda_break(strstr(machine->error, "are no memory") || strstr(machine->error, "are outside")
                      ? cudaErrorIllegalAddress
                  : strstr(machine->error, "assertion") ? cudaErrorAssert
                                                        : cudaErrorLaunchFailure);
    pthread_mutex_unlock(&lock);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid, int *warp)
{
    const ptx_function *f = ptx_find_function(((module *)handle)->ptx, name);
    (void)device;
    (void)tid;
    (void)bid;
    (void)block;
    (void)grid;
    (void)warp;
    if (!f)
        return;
    size_t *sizes = rk_arena_calloc(arena, (size_t)f->param_count + 1, sizeof *sizes);
    for (int p = 0; p < f->param_count; p++)
        sizes[p] = f->params[p]->size;
    size_t shared = 0;
    for (int v = 0; v < f->var_count; v++)
        shared += f->vars[v]->space == PTX_SHARED ? f->vars[v]->size : 0;
    const rk_cuda_kernel_info info = {.function = host,
                                      .name = f->name,
                                      .parameter_count = (size_t)f->param_count,
                                      .parameter_sizes = sizes,
                                      .call = call,
                                      .static_shared = shared,
                                      .max_threads =
                                          limit > 0 ? (unsigned)limit : (unsigned)f->max_threads};
    rk_cuda_kernel_add(&info);
}

typedef struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} configuration;
static _Thread_local configuration pushed[16];
static _Thread_local int pushed_count;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    if (pushed_count == 16)
        return 1;
    pushed[pushed_count++] = (configuration){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    const configuration c = pushed[--pushed_count];
    *grid = c.grid;
    *block = c.block;
    *shared = c.shared;
    memcpy(stream, &c.stream, sizeof c.stream);
    return cudaSuccess;
}

/* As CUDA 13 launches: a kernel's handle is its stub's address here. */

cudaError_t __cudaGetKernel(void **kernel, const void *function);
cudaError_t __cudaGetKernel(void **kernel, const void *function)
{
    memcpy(kernel, &function, sizeof function);
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args,
                               size_t shared, cudaStream_t stream);
cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args,
                               size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}
