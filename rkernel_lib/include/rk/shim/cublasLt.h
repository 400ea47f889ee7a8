#ifndef RK_SHIM_CUBLASLT_H
#define RK_SHIM_CUBLASLT_H

/* Stands for cuBLASLt's header: handles. A product does not compile. C and C++. */

#include "cublas_v2.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cublasLtContext *cublasLtHandle_t;

cublasStatus_t cublasLtCreate(cublasLtHandle_t *out);
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle);

#ifdef __cplusplus
}
#endif

#endif
