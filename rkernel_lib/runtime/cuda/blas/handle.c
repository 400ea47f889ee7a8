#include "rkernel_lib/runtime/cuda/blas/blas.h"

#include <stdlib.h>

cublasStatus_t cublasCreate_v2(cublasHandle_t *out)
{
    if (!out)
        return CUBLAS_STATUS_INVALID_VALUE;
    *out = calloc(1, sizeof **out);
    return *out ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    free(handle);
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

/** A setting's getter and setter. */
#define SETTING(set, get, type, field)                                                             \
    cublasStatus_t set(cublasHandle_t handle, type value)                                          \
    {                                                                                              \
        if (!handle)                                                                               \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        handle->field = value;                                                                     \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t get(cublasHandle_t handle, type *value)                                         \
    {                                                                                              \
        if (!handle)                                                                               \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        *value = handle->field;                                                                    \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
SETTING(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointer_mode)
SETTING(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math_mode)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics_mode)
#undef SETTING

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    (void)workspace; /* OpenBLAS has its own */
    (void)bytes;
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    *version = CUBLAS_VERSION;
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

static const struct {
    cublasStatus_t status;
    const char *name, *text;
} statuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires an architectural feature absent from the architecture of the device"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR",
     "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the functionality requested is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR",
     "the functionality requested requires some license"},
};

const char *cublasGetStatusName(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "CUBLAS_STATUS_UNKNOWN";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "unknown status";
}

/* Copies between host and device, with steps between elements. */

static cublasStatus_t status_of(cudaError_t error)
{
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

static cublasStatus_t move(int rows, int columns, int bytes, const void *from, int from_step,
                           void *to, int to_step, enum cudaMemcpyKind kind)
{
    if (rows < 0 || columns < 0 || bytes <= 0 || from_step <= 0 || to_step <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (rows == 0 || columns == 0)
        return CUBLAS_STATUS_SUCCESS;
    const size_t size = (size_t)bytes;
    return status_of(cudaMemcpy2D(to, (size_t)to_step * size, from, (size_t)from_step * size,
                                  (size_t)rows * size, (size_t)columns, kind));
}

cublasStatus_t cublasSetVector(int n, int bytes, const void *from, int from_step, void *to,
                               int to_step)
{
    return move(1, n, bytes, from, from_step, to, to_step, cudaMemcpyHostToDevice);
}

cublasStatus_t cublasGetVector(int n, int bytes, const void *from, int from_step, void *to,
                               int to_step)
{
    return move(1, n, bytes, from, from_step, to, to_step, cudaMemcpyDeviceToHost);
}

cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void *from, int from_rows,
                               void *to, int to_rows)
{
    return move(rows, columns, bytes, from, from_rows, to, to_rows, cudaMemcpyHostToDevice);
}

cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void *from, int from_rows,
                               void *to, int to_rows)
{
    return move(rows, columns, bytes, from, from_rows, to, to_rows, cudaMemcpyDeviceToHost);
}
