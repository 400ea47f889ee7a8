#include "rkernel_lib/runtime/cuda/blas/blas.h"

#include <f77blas.h>
#include <stdlib.h>
#include <string.h>

/* LU factorisations of batches: k counts right-hand sides, b is the pivots, result the infos. */

/** The first zero on the diagonal of a factor, from 1; 0 for none. */
#define SINGULAR(T, n, a, lda, info)                                                               \
    do {                                                                                           \
        info = 0;                                                                                  \
        for (int i_ = 0; i_ < (n) && !info; i_++)                                                  \
            if (((const T *)(a))[i_ + (ptrdiff_t)i_ * (lda)] == 0)                                 \
                info = i_ + 1;                                                                     \
    } while (0)

/** The pivots of matrix `i`: those of the call, or in `own`, which is free'd by the caller, rows in order. */
static const int *pivots_of(const rk_blas_call *q, int i, int **own)
{
    *own = NULL;
    if (q->b)
        return (const int *)q->b + (ptrdiff_t)i * q->n;
    *own = malloc(((size_t)q->n + 1) * sizeof **own);
    for (int k = 0; *own && k < q->n; k++)
        (*own)[k] = k + 1;
    return *own;
}

static cublasStatus_t submit_lu(cublasHandle_t handle, void (*run)(void *call),
                                const rk_blas_call *call)
{
    const int least = call->n > 1 ? call->n : 1;
    if (call->lda < least || call->ldc < least)
        return handle ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;
    return rk_blas_submit(handle, run, call);
}

#define LU(X, x, T)                                                                                  \
    /* Without pivots, which LAPACK has no function for. A zero on the diagonal gives infinities. */ \
    static int x##factor(int n, T *a, int lda)                                                       \
    {                                                                                                \
        int info = 0;                                                                                \
        for (ptrdiff_t k = 0; k < n; k++) {                                                          \
            const T diagonal = a[k + k * lda];                                                       \
            if (diagonal == 0 && info == 0)                                                          \
                info = (int)k + 1;                                                                   \
            for (ptrdiff_t i = k + 1; i < n; i++)                                                    \
                a[i + k * lda] /= diagonal;                                                          \
            for (ptrdiff_t j = k + 1; j < n; j++)                                                    \
                for (ptrdiff_t i = k + 1; i < n; i++)                                                \
                    a[i + j * lda] -= a[i + k * lda] * a[k + j * lda];                               \
        }                                                                                            \
        return info;                                                                                 \
    }                                                                                                \
    static void run_##x##getrf(void *data)                                                           \
    {                                                                                                \
        const rk_blas_call *q = data;                                                                \
        for (int i = 0; i < q->count; i++) {                                                         \
            T *a = ((T *const *)q->c)[i];                                                            \
            int n = q->n, lda = q->lda, *info = (int *)q->result + i;                                \
            if (q->b)                                                                                \
                x##getrf_(&n, &n, a, &lda, (int *)(uintptr_t)q->b + (ptrdiff_t)i * n, info);         \
            else                                                                                     \
                *info = x##factor(n, a, lda);                                                        \
        }                                                                                            \
    }                                                                                                \
    cublasStatus_t cublas##X##getrfBatched(cublasHandle_t handle, int n, T *const a[], int lda,      \
                                           int *pivots, int *info, int count)                        \
    {                                                                                                \
        const rk_blas_call q = {.n = n,                                                              \
                                .c = (void *)(uintptr_t)a,                                           \
                                .lda = lda,                                                          \
                                .ldc = lda,                                                          \
                                .b = pivots,                                                         \
                                .result = info,                                                      \
                                .count = count};                                                     \
        return submit_lu(handle, run_##x##getrf, &q);                                                \
    }                                                                                                \
    static int x##solve(const rk_blas_call *q, int i, T *b, int ldb, int columns)                    \
    {                                                                                                \
        T *a = ((T *const *)q->a)[i];                                                                \
        int n = q->n, lda = q->lda, info = 0, *own;                                                  \
        char trans = q->transa == CUBLAS_OP_N ? 'N' : 'T';                                           \
        const int *pivots = pivots_of(q, i, &own);                                                   \
        if (pivots)                                                                                  \
            x##getrs_(&trans, &n, &columns, a, &lda, (int *)(uintptr_t)pivots, b, &ldb, &info);      \
        else                                                                                         \
            rk_cuda_break(cudaErrorMemoryAllocation);                                                \
        free(own);                                                                                   \
        return info;                                                                                 \
    }                                                                                                \
    static void run_##x##getrs(void *data)                                                           \
    {                                                                                                \
        const rk_blas_call *q = data;                                                                \
        for (int i = 0; i < q->count; i++)                                                           \
            x##solve(q, i, ((T *const *)q->c)[i], q->ldc, q->k);                                     \
    }                                                                                                \
    cublasStatus_t cublas##X##getrsBatched(                                                          \
        cublasHandle_t handle, cublasOperation_t trans, int n, int columns, const T *const a[],      \
        int lda, const int *pivots, T *const b[], int ldb, int *info, int count)                     \
    {                                                                                                \
        const rk_blas_call q = {.transa = trans,                                                     \
                                .n = n,                                                              \
                                .k = columns,                                                        \
                                .a = a,                                                              \
                                .lda = lda,                                                          \
                                .b = pivots,                                                         \
                                .c = (void *)(uintptr_t)b,                                           \
                                .ldc = ldb,                                                          \
                                .count = count};                                                     \
        if (info)                                                                                    \
            *info = n < 0                   ? -2                                                     \
                    : columns < 0           ? -3                                                     \
                    : lda < (n > 1 ? n : 1) ? -5                                                     \
                    : ldb < (n > 1 ? n : 1) ? -8                                                     \
                                            : 0;                                                     \
        return submit_lu(handle, run_##x##getrs, &q);                                                \
    }                                                                                                \
    static void run_##x##getri(void *data)                                                           \
    {                                                                                                \
        const rk_blas_call *q = data;                                                                \
        for (int i = 0; i < q->count; i++) {                                                         \
            T *c = ((T *const *)q->c)[i];                                                            \
            int *info = (int *)q->result + i;                                                        \
            SINGULAR(T, q->n, ((T *const *)q->a)[i], q->lda, *info);                                 \
            if (*info)                                                                               \
                continue;                                                                            \
            for (ptrdiff_t j = 0; j < q->n; j++)                                                     \
                for (ptrdiff_t r = 0; r < q->n; r++)                                                 \
                    c[r + j * q->ldc] = r == j;                                                      \
            x##solve(q, i, c, q->ldc, q->n);                                                         \
        }                                                                                            \
    }                                                                                                \
    cublasStatus_t cublas##X##getriBatched(cublasHandle_t handle, int n, const T *const a[],         \
                                           int lda, const int *pivots, T *const c[], int ldc,        \
                                           int *info, int count)                                     \
    {                                                                                                \
        const rk_blas_call q = {.n = n,                                                              \
                                .a = a,                                                              \
                                .lda = lda,                                                          \
                                .b = pivots,                                                         \
                                .c = (void *)(uintptr_t)c,                                           \
                                .ldc = ldc,                                                          \
                                .result = info,                                                      \
                                .count = count};                                                     \
        return submit_lu(handle, run_##x##getri, &q);                                                \
    }
LU(S, s, float)
LU(D, d, double)
