#include "rkernel_lib/runtime/cuda/blas/blas.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Products of matrices whose elements have several types: widened to float or double, and rounded back. */

static float half_to_float(uint16_t half)
{
    const int exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
    const float value = exponent == 0x1f ? (fraction ? NAN : INFINITY)
                        : exponent == 0  ? ldexpf((float)fraction, -24)
                                         : ldexpf((float)(fraction + 0x400), exponent - 25);
    return half & 0x8000 ? -value : value;
}

/** To nearest, ties to even. */
static uint16_t half_from_float(float value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const double magnitude = fabs((double)value);
    int exponent;
    if (isnan(value))
        return 0x7fff;
    if (magnitude >= 65520)
        return sign | 0x7c00;
    frexp(magnitude, &exponent);
    exponent = exponent - 1 < -14 ? -14 : exponent - 1;
    const long units = lrint(ldexp(magnitude, 10 - exponent));
    return (uint16_t)(sign | (units + ((long)(exponent + 14) << 10)));
}

static float bfloat16_to_float(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static uint16_t bfloat16_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? 0x7fff : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static size_t type_size(cudaDataType type)
{
    return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

static double load(const void *base, cudaDataType type, size_t i)
{
    switch (type) {
    case CUDA_R_64F:
        return ((const double *)base)[i];
    case CUDA_R_32F:
        return (double)((const float *)base)[i];
    case CUDA_R_16F:
        return (double)half_to_float(((const uint16_t *)base)[i]);
    default:
        return (double)bfloat16_to_float(((const uint16_t *)base)[i]);
    }
}

static void store(void *base, cudaDataType type, size_t i, double value)
{
    switch (type) {
    case CUDA_R_64F:
        ((double *)base)[i] = value;
        break;
    case CUDA_R_32F:
        ((float *)base)[i] = (float)value;
        break;
    case CUDA_R_16F:
        ((uint16_t *)base)[i] = half_from_float((float)value);
        break;
    default:
        ((uint16_t *)base)[i] = bfloat16_from_float((float)value);
    }
}

/** A dense copy of a matrix as doubles or floats; NULL when memory is short. */
static void *widen(const void *matrix, cudaDataType type, int rows, int columns, int ld,
                   bool doubles)
{
    void *wide = malloc(((size_t)rows * (size_t)columns + 1) * (doubles ? 8 : 4));
    for (int j = 0; wide && j < columns; j++)
        for (int i = 0; i < rows; i++)
            store(wide, doubles ? CUDA_R_64F : CUDA_R_32F, (size_t)i + (size_t)j * (size_t)rows,
                  load(matrix, type, (size_t)i + (size_t)j * (size_t)ld));
    return wide;
}

static void multiply(const rk_blas_call *q, const void *a, const void *b, void *c)
{
    const bool na = q->transa == CUBLAS_OP_N, nb = q->transb == CUBLAS_OP_N;
    const int ra = na ? q->m : q->k, ca = na ? q->k : q->m;
    const int rb = nb ? q->k : q->n, cb = nb ? q->n : q->k;
    const int la = ra > 0 ? ra : 1, lb = rb > 0 ? rb : 1, lc = q->m > 0 ? q->m : 1;
    const double alpha = rk_blas_alpha(q), beta = rk_blas_beta(q);
    void *wa = widen(a, q->atype, ra, ca, q->lda, q->doubles);
    void *wb = widen(b, q->btype, rb, cb, q->ldb, q->doubles);
    void *wc = widen(c, q->ctype, q->m, q->n, q->ldc, q->doubles);
    if (!wa || !wb || !wc)
        rk_cuda_break(cudaErrorMemoryAllocation);
    else if (q->doubles)
        cblas_dgemm(CblasColMajor, na ? CblasNoTrans : CblasTrans, nb ? CblasNoTrans : CblasTrans,
                    q->m, q->n, q->k, alpha, wa, la, wb, lb, beta, wc, lc);
    else
        cblas_sgemm(CblasColMajor, na ? CblasNoTrans : CblasTrans, nb ? CblasNoTrans : CblasTrans,
                    q->m, q->n, q->k, (float)alpha, wa, la, wb, lb, (float)beta, wc, lc);
    for (int j = 0; wc && j < q->n; j++)
        for (int i = 0; i < q->m; i++)
            store(c, q->ctype, (size_t)i + (size_t)j * (size_t)q->ldc,
                  load(wc, q->doubles ? CUDA_R_64F : CUDA_R_32F,
                       (size_t)i + (size_t)j * (size_t)q->m));
    free(wa);
    free(wb);
    free(wc);
}

static const void *offset(const void *base, long long stride, cudaDataType type, int i)
{
    return (const unsigned char *)base + (ptrdiff_t)stride * i * (ptrdiff_t)type_size(type);
}

static void run_gemm(void *data)
{
    const rk_blas_call *q = data;
    for (int i = 0; i < q->count; i++)
        multiply(q, offset(q->a, q->stridea, q->atype, i), offset(q->b, q->strideb, q->btype, i),
                 (void *)(uintptr_t)offset(q->c, q->stridec, q->ctype, i));
}

static bool known(cudaDataType type)
{
    return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_R_16F || type == CUDA_R_16BF;
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType atype, int lda, long long stridea, const void *b,
    cudaDataType btype, int ldb, long long strideb, const void *beta, void *c, cudaDataType ctype,
    int ldc, long long stridec, int count, cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    (void)algorithm; /* there is one */
    const bool halves = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
    if (!known(atype) || !known(btype) || !known(ctype))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    rk_blas_call q = {.transa = transa, .transb = transb, .m = m, .n = n, .k = k};
    q.a = a, q.atype = atype, q.lda = lda, q.stridea = stridea;
    q.b = b, q.btype = btype, q.ldb = ldb, q.strideb = strideb;
    q.c = c, q.ctype = ctype, q.ldc = ldc, q.stridec = stridec;
    q.count = count;
    q.doubles = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
    if (halves) {
        q.alpha_value = (double)half_to_float(*(const uint16_t *)alpha);
        q.beta_value = (double)half_to_float(*(const uint16_t *)beta);
    } else {
        rk_blas_scalar(handle, &q.alpha, &q.alpha_value, alpha, q.doubles);
        rk_blas_scalar(handle, &q.beta, &q.beta_value, beta, q.doubles);
    }
    return rk_blas_submit(handle, run_gemm, &q);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType atype, int lda, const void *b,
                            cudaDataType btype, int ldb, const void *beta, void *c,
                            cudaDataType ctype, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
    return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, atype, lda, 0, b,
                                      btype, ldb, 0, beta, c, ctype, ldc, 0, 1, compute, algorithm);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float *alpha,
                             const void *a, cudaDataType atype, int lda, const void *b,
                             cudaDataType btype, int ldb, const float *beta, void *c,
                             cudaDataType ctype, int ldc)
{
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta,
                        c, ctype, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
