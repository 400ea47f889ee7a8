#ifndef RK_RKERNEL_LIB_CUDA_BLAS_BLAS_H
#define RK_RKERNEL_LIB_CUDA_BLAS_BLAS_H

/* cuBLAS over OpenBLAS: handles, and how a call becomes work on its stream. */

#include "rkernel_lib/include/rk/shim/cublas_v2.h"
#include "rkernel_lib/runtime/cuda/internal.h"

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasMath_t math_mode;
    cublasAtomicsMode_t atomics_mode;
};

/**
 * A call's arguments, by the names that BLAS gives them. Scalars in host memory are read when the call is
 * made, others when it runs.
 */
typedef struct {
    cublasOperation_t transa, transb;
    int m, n, k;
    const void *alpha, *beta; /**< in device memory, else NULL */
    double alpha_value, beta_value;
    const void *a, *b;
    void *c, *result;
    int lda, ldb, ldc; /**< or the steps of vectors */
    long long stridea, strideb, stridec;
    int count;
    bool arrays;                      /**< a, b and c are arrays of pointers */
    cudaDataType atype, btype, ctype; /**< of cublasGemmEx */
    bool doubles;                     /**< scalars are double */
} rk_blas_call;

/** Runs a call in order on the handle's stream. */
cublasStatus_t rk_blas_submit(cublasHandle_t handle, void (*run)(void *call),
                              const rk_blas_call *call);

/** Reads or notes a scalar of a call. */
void rk_blas_scalar(cublasHandle_t handle, const void **place, double *value, const void *scalar,
                    bool is_double);

/** The scalars when the call runs. */
double rk_blas_alpha(const rk_blas_call *call);
double rk_blas_beta(const rk_blas_call *call);

#endif
