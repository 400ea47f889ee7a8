#include "rkernel_lib/include/rk/shim/cublasLt.h"

#include <stdlib.h>

struct cublasLtContext {
    int unused;
};

cublasStatus_t cublasLtCreate(cublasLtHandle_t *out)
{
    if (!out)
        return CUBLAS_STATUS_INVALID_VALUE;
    *out = calloc(1, sizeof **out);
    return *out ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    free(handle);
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
