/*
 * Tiles of products by the machine's own BLAS, as instances of a catalog for the CPU (catalog.json beside this). An
 * rTask is one call of the library, on the thread that runs the rTask. The library is found when the program runs:
 * $RK_BLAS names it, and is empty for none.
 */

#include "rk/cpu/cpu_abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Of cblas.h, which need not be installed. */
enum { ROW_MAJOR = 101, AS_IS = 111, TRANSPOSED = 112 };
typedef void sgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                      const float *a, int lda, const float *b, int ldb, float beta, float *c,
                      int ldc);
typedef void sgemv_fn(int order, int trans, int m, int n, float alpha, const float *a, int lda,
                      const float *x, int incx, float beta, float *y, int incy);
typedef void set_threads_fn(int threads);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sgemm_fn *sgemm;
static sgemv_fn *sgemv;

static void find(void *function, void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
}

static void load(void)
{
    const char *name = getenv("RK_BLAS");
    name = name ? name : "libopenblas.so.0";
    void *library = *name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        return;
    set_threads_fn *set_threads;
    find(&sgemm, library, "cblas_sgemm");
    find(&sgemv, library, "cblas_sgemv");
    find(&set_threads, library, "openblas_set_num_threads");
    if (set_threads)
        set_threads(1);
}

/** Whether there is a library; loads it. */
bool rk_products_there(void);
bool rk_products_there(void)
{
    pthread_once(&once, load);
    return sgemm && sgemv;
}

static bool is_there(const rk_cpu_call *call)
{
    if (rk_products_there())
        return true;
    call->veu->api->fault(call->veu, "there is no BLAS library: name one in RK_BLAS, or build with "
                                     "RK_BLAS= for this machine");
    return false;
}

static float *pointer(const rk_cpu_call *call, int i)
{
    return (float *)(uintptr_t)call->args[i];
}

static int number(const rk_cpu_call *call, int i)
{
    return (int)(uint32_t)call->args[i];
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/** C[batch] = A[batch] B[batch], a tile of at most rows x cols of one of the batch. */
static void gemm(const rk_cpu_call *call, int rows, int cols)
{
    const int m = number(call, 3), n = number(call, 4), k = number(call, 5);
    const uint32_t plane = call->grid[0] * call->grid[1], z = call->rtask / plane;
    const int col = (int)(call->rtask % call->grid[0]) * cols;
    const int row = (int)(call->rtask % plane / call->grid[0]) * rows;
    const float *a = pointer(call, 0) + (int64_t)call->args[6] * z + (ptrdiff_t)row * k;
    const float *b = pointer(call, 1) + (int64_t)call->args[7] * z + col;
    float *c = pointer(call, 2) + (ptrdiff_t)z * m * n + (ptrdiff_t)row * n + col;
    if (is_there(call))
        sgemm(ROW_MAJOR, AS_IS, AS_IS, least(rows, m - row), least(cols, n - col), k, 1, a, k, b, n,
              0, c, n);
}

/** y[m] = W[m, k] x[k], at most `rows` of it. */
static void gemv(const rk_cpu_call *call, int rows)
{
    const int m = number(call, 3), k = number(call, 4), row = (int)call->rtask * rows;
    if (is_there(call))
        sgemv(ROW_MAJOR, AS_IS, least(rows, m - row), k, 1, pointer(call, 0) + (ptrdiff_t)row * k,
              k, pointer(call, 1), 1, 0, pointer(call, 2) + row, 1);
}

/** y[n] = x[k] W[k, n], at most `cols` of it. */
static void gevm(const rk_cpu_call *call, int cols)
{
    const int k = number(call, 3), n = number(call, 4), col = (int)call->rtask * cols;
    if (is_there(call))
        sgemv(ROW_MAJOR, TRANSPOSED, k, least(cols, n - col), 1, pointer(call, 1) + col, n,
              pointer(call, 0), 1, 0, pointer(call, 2) + col, 1);
}

/* The entries that catalog.json names. */

#define ENTRY(name, ...)                                                                           \
    void name(const rk_cpu_call *call);                                                            \
    void name(const rk_cpu_call *call)                                                             \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

ENTRY(rk_sgemm_32_128, gemm(call, 32, 128))
ENTRY(rk_sgemm_64_256, gemm(call, 64, 256))
ENTRY(rk_sgemm_128_768, gemm(call, 128, 768))
ENTRY(rk_sgemv_64, gemv(call, 64))
ENTRY(rk_sgemv_256, gemv(call, 256))
ENTRY(rk_sgemv_1024, gemv(call, 1024))
ENTRY(rk_sgevm_64, gevm(call, 64))
ENTRY(rk_sgevm_256, gevm(call, 256))
ENTRY(rk_sgevm_1024, gevm(call, 1024))
