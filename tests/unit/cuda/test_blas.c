/* cuBLAS over OpenBLAS, against sums written out, from C. */

#include "expect.h"

#include <cublas_v2.h>
#include <math.h>

static int near(double x, double y)
{
    return fabs(x - y) < 1e-14;
}

/* A = P L U of two matrices by columns; the second is singular. */
static void factors(cublasHandle_t handle)
{
    const double matrices[2][4] = {{1, 3, 2, 4}, {1, 2, 2, 4}};
    double *d, *inverse, *right, *a[2], *c[2], *b[2];
    double host[8], **da, **dc, **db;
    int *pivots, *info, most[4], infos[2], one;
    GOOD(cudaMalloc((void **)&d, sizeof matrices));
    GOOD(cudaMalloc((void **)&inverse, sizeof matrices));
    GOOD(cudaMalloc((void **)&right, 32));
    GOOD(cudaMalloc((void **)&pivots, sizeof most));
    GOOD(cudaMalloc((void **)&info, sizeof infos));
    GOOD(cudaMalloc((void **)&da, sizeof a));
    GOOD(cudaMalloc((void **)&dc, sizeof c));
    GOOD(cudaMalloc((void **)&db, sizeof b));
    for (int i = 0; i < 2; i++)
        a[i] = d + 4 * i, c[i] = inverse + 4 * i, b[i] = right + 2 * i;
    GOOD(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy(dc, c, sizeof c, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy(d, matrices, sizeof matrices, cudaMemcpyHostToDevice));
    CHECK(cublasDgetrfBatched(handle, 2, da, 2, pivots, info, 2) == CUBLAS_STATUS_SUCCESS);
    GOOD(cudaMemcpy(infos, info, sizeof infos, cudaMemcpyDeviceToHost));
    GOOD(cudaMemcpy(most, pivots, sizeof most, cudaMemcpyDeviceToHost));
    GOOD(cudaMemcpy(host, d, 64, cudaMemcpyDeviceToHost));
    CHECK(infos[0] == 0 && infos[1] == 2 && most[0] == 2 && most[1] == 2 && most[2] == 2);
    CHECK(host[0] == 3 && host[2] == 4 && near(host[1], 1 / 3.0) && near(host[3], 2 / 3.0));

    CHECK(cublasDgetriBatched(handle, 2, (const double *const *)da, 2, pivots, dc, 2, info, 2) ==
          CUBLAS_STATUS_SUCCESS);
    GOOD(cudaMemcpy(infos, info, sizeof infos, cudaMemcpyDeviceToHost));
    GOOD(cudaMemcpy(host, inverse, 64, cudaMemcpyDeviceToHost));
    CHECK(infos[0] == 0 && infos[1] == 2);
    CHECK(near(host[0], -2) && near(host[1], 1.5) && near(host[2], 1) && near(host[3], -0.5));

    const double ones[4] = {1, 1, 1, 1};
    GOOD(cudaMemcpy(right, ones, sizeof ones, cudaMemcpyHostToDevice));
    CHECK(cublasDgetrsBatched(handle, CUBLAS_OP_T, 2, 1, (const double *const *)da, 2, pivots, db,
                              2, &one, 1) == CUBLAS_STATUS_SUCCESS);
    GOOD(cudaMemcpy(host, right, 32, cudaMemcpyDeviceToHost));
    CHECK(one == 0 && near(host[0], -0.5) && near(host[1], 0.5) && host[2] == 1);
    CHECK(cublasDgetrsBatched(handle, CUBLAS_OP_N, 2, 1, (const double *const *)da, 1, pivots, db,
                              2, &one, 1) == CUBLAS_STATUS_INVALID_VALUE && one == -5);

    /* Without pivots the first row stays first. */
    GOOD(cudaMemcpy(d, matrices, sizeof matrices, cudaMemcpyHostToDevice));
    CHECK(cublasDgetrfBatched(handle, 2, da, 2, NULL, info, 2) == CUBLAS_STATUS_SUCCESS);
    GOOD(cudaMemcpy(host, d, 64, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 1 && host[1] == 3 && host[2] == 2 && host[3] == -2);
    CHECK(cublasDgetriBatched(handle, 2, (const double *const *)da, 2, NULL, dc, 2, info, 1) ==
          CUBLAS_STATUS_SUCCESS);
    GOOD(cudaMemcpy(host, inverse, 64, cudaMemcpyDeviceToHost));
    CHECK(near(host[0], -2) && near(host[1], 1.5) && near(host[2], 1) && near(host[3], -0.5));
    cudaFree(d), cudaFree(inverse), cudaFree(right), cudaFree(pivots), cudaFree(info);
    cudaFree(da), cudaFree(dc), cudaFree(db);
}

int main(void)
{
    cublasHandle_t handle;
    const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 2, -1, 3, 1}; /* 2x3 and 3x2 */
    float *da, *db, *dc, c[4], alpha = 2, beta = 0, result;
    int best;
    CHECK(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    GOOD(cudaMalloc((void **)&da, sizeof a));
    GOOD(cudaMalloc((void **)&db, sizeof b));
    GOOD(cudaMalloc((void **)&dc, sizeof c));
    CHECK(cublasSetMatrix(2, 3, 4, a, 2, da, 2) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSetVector(6, 4, b, 1, db, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &alpha, da, 2, db, 3, &beta, dc,
                      2) == CUBLAS_STATUS_SUCCESS);
    GOOD(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    CHECK(c[0] == 22 && c[1] == 28 && c[2] == 26 && c[3] == 32);
    CHECK(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_T, 2, 2, 3, &alpha, db, 3, da, 2, &beta, dc,
                      2) == CUBLAS_STATUS_SUCCESS);
    GOOD(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    CHECK(c[0] == 22 && c[1] == 26 && c[2] == 28 && c[3] == 32);
    CHECK(cublasSdot(handle, 6, da, 1, db, 1, &result) == CUBLAS_STATUS_SUCCESS && result == 24);
    CHECK(cublasIsamax(handle, 6, da, 1, &best) == CUBLAS_STATUS_SUCCESS && best == 6);
    CHECK(cublasIsamin(handle, 6, db, 1, &best) == CUBLAS_STATUS_SUCCESS && best == 2);
    CHECK(cublasSasum(handle, 6, db, 1, &result) == CUBLAS_STATUS_SUCCESS && result == 8);

    /* Scalars on the device are read when the call runs. */
    float *scalar;
    GOOD(cudaMalloc((void **)&scalar, 4));
    GOOD(cudaMemcpy(scalar, &alpha, 4, cudaMemcpyHostToDevice));
    CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSscal(handle, 4, scalar, dc, 1) == CUBLAS_STATUS_SUCCESS);
    GOOD(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    CHECK(c[3] == 64);
    CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST) == CUBLAS_STATUS_SUCCESS);

    /* Halves: 1.5 * 2 + 0.25 * 4 */
    const unsigned short halves[4] = {0x3e00, 0x3400, 0x4000, 0x4400};
    const float unit = 1;
    unsigned short *dh, out;
    GOOD(cudaMalloc((void **)&dh, 10));
    GOOD(cudaMemcpy(dh, halves, 8, cudaMemcpyHostToDevice));
    CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 2, &unit, dh, CUDA_R_16F, 1, dh + 2,
                       CUDA_R_16F, 2, &beta, dh + 4, CUDA_R_16F, 1, CUBLAS_COMPUTE_32F,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
    GOOD(cudaMemcpy(&out, dh + 4, 2, cudaMemcpyDeviceToHost));
    CHECK(out == 0x4400);
    factors(handle);
    CHECK(cublasSscal(NULL, 4, scalar, dc, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasSscal(handle, -1, &alpha, dc, 1) == CUBLAS_STATUS_INVALID_VALUE);
    cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(scalar), cudaFree(dh);
    CHECK(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
    return failures != 0;
}
