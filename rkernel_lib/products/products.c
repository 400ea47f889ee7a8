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

static float real(const rk_cpu_call *call, int i)
{
    float value;
    memcpy(&value, &call->args[i], sizeof value);
    return value;
}

/** A matrix, row after row; `turned`: what is multiplied is its transpose. */
typedef struct {
    const float *at;
    int row;
    bool turned;
} matrix;

/** c[m, n] = alpha a[m, k] b[k, n] + beta c; one row is a product of its own, for which nothing is packed. */
static void multiply(int m, int n, int k, float alpha, matrix a, matrix b, float beta, float *c,
                     int row)
{
    if (m == 1)
        sgemv(ROW_MAJOR, b.turned ? AS_IS : TRANSPOSED, b.turned ? n : k, b.turned ? k : n, alpha,
              b.at, b.row, a.at, a.turned ? a.row : 1, beta, c, 1);
    else
        sgemm(ROW_MAJOR, a.turned ? TRANSPOSED : AS_IS, b.turned ? TRANSPOSED : AS_IS, m, n, k,
              alpha, a.at, a.row, b.at, b.row, beta, c, row);
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
        multiply(least(rows, m - row), least(cols, n - col), k, 1, (matrix){a, k, false},
                 (matrix){b, n, false}, 0, c, n);
}

/** Y = alpha A' B' + beta C, ONNX's Gemm, a tile of at most rows x cols; steps of 0 repeat what C has one of. */
static void gemm_ex(const rk_cpu_call *call, int rows, int cols)
{
    const int m = number(call, 4), n = number(call, 5), k = number(call, 6);
    const int c_row = number(call, 9), c_col = number(call, 10);
    const bool turned_a = number(call, 11) != 0, turned_b = number(call, 12) != 0;
    const float alpha = real(call, 7), beta = real(call, 8);
    const int col = (int)(call->rtask % call->grid[0]) * cols;
    const int row = (int)(call->rtask / call->grid[0]) * rows;
    const int height = least(rows, m - row), width = least(cols, n - col);
    const matrix a = {pointer(call, 0) + (ptrdiff_t)row * (turned_a ? 1 : k), turned_a ? m : k,
                      turned_a};
    const matrix b = {pointer(call, 1) + (ptrdiff_t)col * (turned_b ? k : 1), turned_b ? k : n,
                      turned_b};
    const float *c = pointer(call, 2);
    float *y = pointer(call, 3) + (ptrdiff_t)row * n + col;
    if (!is_there(call))
        return;
    for (int i = 0; c && i < height; i++)
        for (int j = 0; j < width; j++)
            y[(ptrdiff_t)i * n + j] =
                c[(ptrdiff_t)(row + i) * c_row + (ptrdiff_t)(col + j) * c_col];
    multiply(height, width, k, alpha, a, b, c ? beta : 0, y, n);
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

/** A convolution, with its place in the tensors for one group of one image. */
typedef struct {
    const float *x, *w, *bias;
    float *y;
    int channels, height, width, filters, out_height, out_width, kh, kw, stride_h, stride_w, pad_h,
        pad_w, dil_h, dil_w;
    bool relu;
} conv;

static conv conv_of(const rk_cpu_call *call, int z)
{
    conv c = {.channels = number(call, 5),
              .height = number(call, 6),
              .width = number(call, 7),
              .filters = number(call, 8),
              .out_height = number(call, 9),
              .out_width = number(call, 10),
              .kh = number(call, 11),
              .kw = number(call, 12),
              .stride_h = number(call, 13),
              .stride_w = number(call, 14),
              .pad_h = number(call, 15),
              .pad_w = number(call, 16),
              .dil_h = number(call, 17),
              .dil_w = number(call, 18),
              .relu = number(call, 20) != 0};
    const ptrdiff_t group = z % number(call, 19);
    c.x = pointer(call, 0) + (ptrdiff_t)z * c.channels * c.height * c.width;
    c.w = pointer(call, 1) + group * c.filters * c.channels * c.kh * c.kw;
    c.bias = pointer(call, 2) ? pointer(call, 2) + group * c.filters : NULL;
    c.y = pointer(call, 3) + (ptrdiff_t)z * c.filters * c.out_height * c.out_width;
    return c;
}

/** The elements of a row of the image that lie under pixels [col, col + count) of a row of the output; 0 outside. */
static void copy_row(float *out, const float *in, const conv *c, int first, int count)
{
    if (c->stride_w == 1) {
        const int before = first < 0 ? least(-first, count) : 0;
        const int inside = least(count, c->width - first) - before;
        memset(out, 0, (size_t)before * sizeof *out);
        if (inside > 0)
            memcpy(out + before, in + first + before, (size_t)inside * sizeof *out);
        const int filled = before + (inside > 0 ? inside : 0);
        memset(out + filled, 0, (size_t)(count - filled) * sizeof *out);
        return;
    }
    for (int i = 0; i < count; i++) {
        const int at = first + i * c->stride_w;
        out[i] = at >= 0 && at < c->width ? in[at] : 0;
    }
}

/** What the weight `k` of each filter is multiplied with for the pixels [begin, end) of the output. */
static void gather(float *out, const conv *c, int k, int begin, int end)
{
    const int i = k / c->kw % c->kh, j = k % c->kw;
    const float *plane = c->x + (ptrdiff_t)(k / c->kw / c->kh) * c->height * c->width;
    for (int p = begin; p < end;) {
        const int row = p / c->out_width, col = p % c->out_width;
        const int count = least(c->out_width - col, end - p);
        const int at = row * c->stride_h - c->pad_h + i * c->dil_h;
        if (at >= 0 && at < c->height)
            copy_row(out, plane + (ptrdiff_t)at * c->width, c,
                     col * c->stride_w - c->pad_w + j * c->dil_w, count);
        else
            memset(out, 0, (size_t)count * sizeof *out);
        out += count;
        p += count;
    }
}

/** Whether pixels of the output are those of the image. */
static bool is_plain(const conv *c)
{
    return c->kh == 1 && c->kw == 1 && c->stride_h == 1 && c->stride_w == 1 && c->pad_h == 0 &&
           c->pad_w == 0 && c->out_height == c->height && c->out_width == c->width;
}

/** The bias of each filter, or 0, where its pixels come. */
static void fill(const conv *c, float *y, int filter, int filters, int pixels)
{
    for (int i = 0; i < filters; i++)
        for (int p = 0; p < pixels; p++)
            y[(ptrdiff_t)i * c->out_height * c->out_width + p] = c->bias ? c->bias[filter + i] : 0;
}

static void rectify(const conv *c, float *y, int filters, int pixels)
{
    for (int i = 0; i < filters; i++)
        for (int p = 0; p < pixels; p++) {
            float *at = &y[(ptrdiff_t)i * c->out_height * c->out_width + p];
            *at = *at > 0 ? *at : 0;
        }
}

/**
 * Filters times pixels, at most most_filters and most_pixels of them: the pixels' neighbours are gathered, so many
 * weights at once as a core's cache holds.
 */
static void convolve(const rk_cpu_call *call, int most_filters, int most_pixels)
{
    enum { GATHERED = 1 << 16 };
    static _Thread_local float gathered[GATHERED];
    const uint32_t plane = call->grid[0] * call->grid[1];
    const conv c = conv_of(call, (int)(call->rtask / plane));
    const int filter = (int)(call->rtask % plane / call->grid[0]) * most_filters;
    const int begin = (int)(call->rtask % call->grid[0]) * most_pixels;
    const int size = c.out_height * c.out_width, weights = c.channels * c.kh * c.kw;
    const int filters = least(most_filters, c.filters - filter);
    const int pixels = least(most_pixels, size - begin);
    float *y = c.y + (ptrdiff_t)filter * size + begin;
    const float *w = c.w + (ptrdiff_t)filter * weights;
    if (!is_there(call))
        return;
    fill(&c, y, filter, filters, pixels);
    const int part = is_plain(&c) ? weights : GATHERED / pixels;
    for (int k = 0; k < weights; k += part) {
        const int count = least(part, weights - k);
        matrix b = {c.x + begin, size, false};
        if (!is_plain(&c)) {
            for (int i = 0; i < count; i++)
                gather(gathered + (ptrdiff_t)i * pixels, &c, k + i, begin, begin + pixels);
            b = (matrix){gathered, pixels, false};
        }
        multiply(filters, pixels, count, 1, (matrix){w + k, weights, false}, b, 1, y, size);
    }
    if (c.relu)
        rectify(&c, y, filters, pixels);
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
ENTRY(rk_sgemm_ex_32_128, gemm_ex(call, 32, 128))
ENTRY(rk_sgemm_ex_64_256, gemm_ex(call, 64, 256))
ENTRY(rk_sgemm_ex_128_768, gemm_ex(call, 128, 768))
ENTRY(rk_sconv_64_256, convolve(call, 64, 256))
ENTRY(rk_sconv_256_256, convolve(call, 256, 256))
ENTRY(rk_sconv_64_1024, convolve(call, 64, 1024))
