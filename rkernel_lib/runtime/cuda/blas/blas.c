#include "rkernel_lib/runtime/cuda/blas/blas.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>

cublasStatus_t rk_blas_submit(cublasHandle_t handle, void (*run)(void *call),
                              const rk_blas_call *call)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (call->m < 0 || call->n < 0 || call->k < 0 || call->count < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    return rk_stream_do(handle->stream, cudaGraphNodeTypeKernel, run, call, sizeof *call) ==
                   cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_EXECUTION_FAILED;
}

static double read_scalar(const void *scalar, bool is_double)
{
    return is_double ? *(const double *)scalar : (double)*(const float *)scalar;
}

void rk_blas_scalar(cublasHandle_t handle, const void **place, double *value, const void *scalar,
                    bool is_double)
{
    const bool later = handle && handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
    *place = later ? scalar : NULL;
    *value = later || !scalar ? 0 : read_scalar(scalar, is_double);
}

double rk_blas_alpha(const rk_blas_call *call)
{
    return call->alpha ? read_scalar(call->alpha, call->doubles) : call->alpha_value;
}

double rk_blas_beta(const rk_blas_call *call)
{
    return call->beta ? read_scalar(call->beta, call->doubles) : call->beta_value;
}

static enum CBLAS_TRANSPOSE trans(cublasOperation_t op)
{
    return op == CUBLAS_OP_N ? CblasNoTrans : op == CUBLAS_OP_T ? CblasTrans : CblasConjTrans;
}

/** Element `i` of a batch: by stride, or from an array of pointers. */
static void *batch(const void *base, bool arrays, long long stride, size_t element, int i)
{
    if (arrays)
        return ((void *const *)base)[i];
    return (unsigned char *)(uintptr_t)base + (ptrdiff_t)(stride * i) * (ptrdiff_t)element;
}

/*
 * Each function of one type: `run_` does a call's work, the function itself notes its arguments. x and y
 * are a and b, or a and c where y is written.
 */
#define BLAS(X, x, I, T, is_double)                                                                \
    static void run_##x##copy(void *data)                                                          \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        cblas_##x##copy(q->n, q->a, q->lda, q->c, q->ldc);                                         \
    }                                                                                              \
    cublasStatus_t cublas##X##copy_v2(cublasHandle_t handle, int n, const T *a, int incx, T *c,    \
                                      int incy)                                                    \
    {                                                                                              \
        const rk_blas_call q = {.n = n, .a = a, .lda = incx, .c = c, .ldc = incy};                 \
        return rk_blas_submit(handle, run_##x##copy, &q);                                          \
    }                                                                                              \
    static void run_##x##swap(void *data)                                                          \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        cblas_##x##swap(q->n, q->result, q->lda, q->c, q->ldc);                                    \
    }                                                                                              \
    cublasStatus_t cublas##X##swap_v2(cublasHandle_t handle, int n, T *a, int incx, T *c,          \
                                      int incy)                                                    \
    {                                                                                              \
        const rk_blas_call q = {.n = n, .result = a, .lda = incx, .c = c, .ldc = incy};            \
        return rk_blas_submit(handle, run_##x##swap, &q);                                          \
    }                                                                                              \
    static void run_##x##scal(void *data)                                                          \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        cblas_##x##scal(q->n, (T)rk_blas_alpha(q), q->c, q->ldc);                                  \
    }                                                                                              \
    cublasStatus_t cublas##X##scal_v2(cublasHandle_t handle, int n, const T *alpha, T *c,          \
                                      int incx)                                                    \
    {                                                                                              \
        rk_blas_call q = {.n = n, .c = c, .ldc = incx, .doubles = is_double};                      \
        rk_blas_scalar(handle, &q.alpha, &q.alpha_value, alpha, is_double);                        \
        return rk_blas_submit(handle, run_##x##scal, &q);                                          \
    }                                                                                              \
    static void run_##x##axpy(void *data)                                                          \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        cblas_##x##axpy(q->n, (T)rk_blas_alpha(q), q->a, q->lda, q->c, q->ldc);                    \
    }                                                                                              \
    cublasStatus_t cublas##X##axpy_v2(cublasHandle_t handle, int n, const T *alpha, const T *a,    \
                                      int incx, T *c, int incy)                                    \
    {                                                                                              \
        rk_blas_call q = {.n = n, .a = a, .lda = incx, .c = c, .ldc = incy, .doubles = is_double}; \
        rk_blas_scalar(handle, &q.alpha, &q.alpha_value, alpha, is_double);                        \
        return rk_blas_submit(handle, run_##x##axpy, &q);                                          \
    }                                                                                              \
    static void run_##x##dot(void *data)                                                           \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        *(T *)q->result = cblas_##x##dot(q->n, q->a, q->lda, q->b, q->ldb);                        \
    }                                                                                              \
    cublasStatus_t cublas##X##dot_v2(cublasHandle_t handle, int n, const T *a, int incx,           \
                                     const T *b, int incy, T *result)                              \
    {                                                                                              \
        const rk_blas_call q = {                                                                   \
            .n = n, .a = a, .lda = incx, .b = b, .ldb = incy, .result = result};                   \
        return rk_blas_submit(handle, run_##x##dot, &q);                                           \
    }                                                                                              \
    static void run_##x##nrm2(void *data)                                                          \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        *(T *)q->result = cblas_##x##nrm2(q->n, q->a, q->lda);                                     \
    }                                                                                              \
    cublasStatus_t cublas##X##nrm2_v2(cublasHandle_t handle, int n, const T *a, int incx,          \
                                      T *result)                                                   \
    {                                                                                              \
        const rk_blas_call q = {.n = n, .a = a, .lda = incx, .result = result};                    \
        return rk_blas_submit(handle, run_##x##nrm2, &q);                                          \
    }                                                                                              \
    static void run_##x##asum(void *data)                                                          \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        *(T *)q->result = cblas_##x##asum(q->n, q->a, q->lda);                                     \
    }                                                                                              \
    cublasStatus_t cublas##X##asum_v2(cublasHandle_t handle, int n, const T *a, int incx,          \
                                      T *result)                                                   \
    {                                                                                              \
        const rk_blas_call q = {.n = n, .a = a, .lda = incx, .result = result};                    \
        return rk_blas_submit(handle, run_##x##asum, &q);                                          \
    }                                                                                              \
    static void run_i##x##amax(void *data)                                                         \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        *(int *)q->result = q->n > 0 ? (int)cblas_i##x##amax(q->n, q->a, q->lda) + 1 : 0;          \
    }                                                                                              \
    cublasStatus_t cublasI##I##amax_v2(cublasHandle_t handle, int n, const T *a, int incx,         \
                                       int *result)                                                \
    {                                                                                              \
        const rk_blas_call q = {.n = n, .a = a, .lda = incx, .result = result};                    \
        return rk_blas_submit(handle, run_i##x##amax, &q);                                         \
    }                                                                                              \
    static void run_i##x##amin(void *data)                                                         \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        const T *values = q->a;                                                                    \
        int best = 0;                                                                              \
        for (int i = 1; i < q->n; i++)                                                             \
            if (fabs((double)values[(ptrdiff_t)i * q->lda]) <                                      \
                fabs((double)values[(ptrdiff_t)best * q->lda]))                                    \
                best = i;                                                                          \
        *(int *)q->result = q->n > 0 ? best + 1 : 0;                                               \
    }                                                                                              \
    cublasStatus_t cublasI##I##amin_v2(cublasHandle_t handle, int n, const T *a, int incx,         \
                                       int *result)                                                \
    {                                                                                              \
        const rk_blas_call q = {.n = n, .a = a, .lda = incx, .result = result};                    \
        return rk_blas_submit(handle, run_i##x##amin, &q);                                         \
    }                                                                                              \
    static void run_##x##gemv(void *data)                                                          \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        cblas_##x##gemv(CblasColMajor, trans(q->transa), q->m, q->n, (T)rk_blas_alpha(q), q->a,    \
                        q->lda, q->b, q->ldb, (T)rk_blas_beta(q), q->c, q->ldc);                   \
    }                                                                                              \
    cublasStatus_t cublas##X##gemv_v2(cublasHandle_t handle, cublasOperation_t transa, int m,      \
                                      int n, const T *alpha, const T *a, int lda, const T *b,      \
                                      int incx, const T *beta, T *c, int incy)                     \
    {                                                                                              \
        rk_blas_call q = {.transa = transa,                                                        \
                          .m = m,                                                                  \
                          .n = n,                                                                  \
                          .a = a,                                                                  \
                          .lda = lda,                                                              \
                          .b = b,                                                                  \
                          .ldb = incx,                                                             \
                          .c = c,                                                                  \
                          .ldc = incy,                                                             \
                          .doubles = is_double};                                                   \
        rk_blas_scalar(handle, &q.alpha, &q.alpha_value, alpha, is_double);                        \
        rk_blas_scalar(handle, &q.beta, &q.beta_value, beta, is_double);                           \
        return rk_blas_submit(handle, run_##x##gemv, &q);                                          \
    }                                                                                              \
    static void run_##x##ger(void *data)                                                           \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        cblas_##x##ger(CblasColMajor, q->m, q->n, (T)rk_blas_alpha(q), q->a, q->lda, q->b, q->ldb, \
                       q->c, q->ldc);                                                              \
    }                                                                                              \
    cublasStatus_t cublas##X##ger_v2(cublasHandle_t handle, int m, int n, const T *alpha,          \
                                     const T *a, int incx, const T *b, int incy, T *c, int ldc)    \
    {                                                                                              \
        rk_blas_call q = {.m = m,                                                                  \
                          .n = n,                                                                  \
                          .a = a,                                                                  \
                          .lda = incx,                                                             \
                          .b = b,                                                                  \
                          .ldb = incy,                                                             \
                          .c = c,                                                                  \
                          .ldc = ldc,                                                              \
                          .doubles = is_double};                                                   \
        rk_blas_scalar(handle, &q.alpha, &q.alpha_value, alpha, is_double);                        \
        return rk_blas_submit(handle, run_##x##ger, &q);                                           \
    }                                                                                              \
    static void run_##x##gemm(void *data)                                                          \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        for (int i = 0; i < q->count; i++)                                                         \
            cblas_##x##gemm(CblasColMajor, trans(q->transa), trans(q->transb), q->m, q->n, q->k,   \
                            (T)rk_blas_alpha(q), batch(q->a, q->arrays, q->stridea, sizeof(T), i), \
                            q->lda, batch(q->b, q->arrays, q->strideb, sizeof(T), i), q->ldb,      \
                            (T)rk_blas_beta(q), batch(q->c, q->arrays, q->stridec, sizeof(T), i),  \
                            q->ldc);                                                               \
    }                                                                                              \
    cublasStatus_t cublas##X##gemmStridedBatched(                                                  \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
        int k, const T *alpha, const T *a, int lda, long long stridea, const T *b, int ldb,        \
        long long strideb, const T *beta, T *c, int ldc, long long stridec, int count)             \
    {                                                                                              \
        rk_blas_call q = {.transa = transa, .transb = transb, .m = m, .n = n, .k = k};             \
        q.a = a, q.lda = lda, q.stridea = stridea;                                                 \
        q.b = b, q.ldb = ldb, q.strideb = strideb;                                                 \
        q.c = c, q.ldc = ldc, q.stridec = stridec;                                                 \
        q.count = count, q.doubles = is_double;                                                    \
        rk_blas_scalar(handle, &q.alpha, &q.alpha_value, alpha, is_double);                        \
        rk_blas_scalar(handle, &q.beta, &q.beta_value, beta, is_double);                           \
        return rk_blas_submit(handle, run_##x##gemm, &q);                                          \
    }                                                                                              \
    cublasStatus_t cublas##X##gemm_v2(cublasHandle_t handle, cublasOperation_t transa,             \
                                      cublasOperation_t transb, int m, int n, int k,               \
                                      const T *alpha, const T *a, int lda, const T *b, int ldb,    \
                                      const T *beta, T *c, int ldc)                                \
    {                                                                                              \
        return cublas##X##gemmStridedBatched(handle, transa, transb, m, n, k, alpha, a, lda, 0, b, \
                                             ldb, 0, beta, c, ldc, 0, 1);                          \
    }                                                                                              \
    cublasStatus_t cublas##X##gemmBatched(                                                         \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
        int k, const T *alpha, const T *const a[], int lda, const T *const b[], int ldb,           \
        const T *beta, T *const c[], int ldc, int count)                                           \
    {                                                                                              \
        rk_blas_call q = {.transa = transa, .transb = transb, .m = m, .n = n, .k = k};             \
        q.a = a, q.lda = lda, q.b = b, q.ldb = ldb, q.c = (void *)(uintptr_t)c, q.ldc = ldc;       \
        q.count = count, q.arrays = true, q.doubles = is_double;                                   \
        rk_blas_scalar(handle, &q.alpha, &q.alpha_value, alpha, is_double);                        \
        rk_blas_scalar(handle, &q.beta, &q.beta_value, beta, is_double);                           \
        return rk_blas_submit(handle, run_##x##gemm, &q);                                          \
    }                                                                                              \
    static T element_##x(const void *matrix, cublasOperation_t op, int ld, int row, int column)    \
    {                                                                                              \
        const T *values = matrix;                                                                  \
        return op == CUBLAS_OP_N ? values[row + (ptrdiff_t)column * ld]                            \
                                 : values[column + (ptrdiff_t)row * ld];                           \
    }                                                                                              \
    static void run_##x##geam(void *data)                                                          \
    {                                                                                              \
        const rk_blas_call *q = data;                                                              \
        const T alpha = (T)rk_blas_alpha(q), beta = (T)rk_blas_beta(q);                            \
        for (int j = 0; j < q->n; j++)                                                             \
            for (int i = 0; i < q->m; i++) {                                                       \
                T sum = 0;                                                                         \
                if (alpha != 0)                                                                    \
                    sum += alpha * element_##x(q->a, q->transa, q->lda, i, j);                     \
                if (beta != 0)                                                                     \
                    sum += beta * element_##x(q->b, q->transb, q->ldb, i, j);                      \
                ((T *)q->c)[i + (ptrdiff_t)j * q->ldc] = sum;                                      \
            }                                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##geam(                                                                \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
        const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc)    \
    {                                                                                              \
        rk_blas_call q = {.transa = transa, .transb = transb, .m = m, .n = n};                     \
        q.a = a, q.lda = lda, q.b = b, q.ldb = ldb, q.c = c, q.ldc = ldc, q.doubles = is_double;   \
        rk_blas_scalar(handle, &q.alpha, &q.alpha_value, alpha, is_double);                        \
        rk_blas_scalar(handle, &q.beta, &q.beta_value, beta, is_double);                           \
        return rk_blas_submit(handle, run_##x##geam, &q);                                          \
    }

BLAS(S, s, s, float, false)
BLAS(D, d, d, double, true)
