/*
 * A BLAS for tests, from the definitions: what rk_products calls, and no more. Built with PLANTED it leaves out the
 * last product of each sum.
 */

enum { TRANSPOSED = 112 };

#ifdef PLANTED
enum { LEFT_OUT = 1 };
#else
enum { LEFT_OUT = 0 };
#endif

void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void cblas_sgemv(int order, int trans, int m, int n, float alpha, const float *a, int lda,
                 const float *x, int incx, float beta, float *y, int incy);

void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
    (void)order;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k - LEFT_OUT; l++)
                sum += (double)(trans_a == TRANSPOSED ? a[l * lda + i] : a[i * lda + l]) *
                       (double)(trans_b == TRANSPOSED ? b[j * ldb + l] : b[l * ldb + j]);
            c[i * ldc + j] = alpha * (float)sum + (beta == 0 ? 0 : beta * c[i * ldc + j]);
        }
    }
}

void cblas_sgemv(int order, int trans, int m, int n, float alpha, const float *a, int lda,
                 const float *x, int incx, float beta, float *y, int incy)
{
    (void)order;
    const int outputs = trans == TRANSPOSED ? n : m, terms = trans == TRANSPOSED ? m : n;
    for (int i = 0; i < outputs; i++) {
        double sum = 0;
        for (int l = 0; l < terms - LEFT_OUT; l++)
            sum += (double)(trans == TRANSPOSED ? a[l * lda + i] : a[i * lda + l]) *
                   (double)x[l * incx];
        y[i * incy] = alpha * (float)sum + (beta == 0 ? 0 : beta * y[i * incy]);
    }
}
