#include "tests/unit/harvest_fixture.h"

/* Launches of what a function, a lambda or a variable holds: kernels that are passed, chosen or listed. */

#define KERNELS                                                                                    \
    "__global__ void k(float *p, int n); __global__ void l(float *p, int n);"                      \
    "template <int B> __global__ void t(float *p, int n) {} typedef void (*K)(float *, int);"

Test(convert_harvest_follow, one_of_several)
{
    expect(KERNELS "void f(float *p, int n, bool c) { auto q = c ? k : l; q<<<n, 1>>>(p, n); }",
           "k by f: (n, 1, 1) (1, 1, 1) 0 (p, n) when c\n"
           "l by f: (n, 1, 1) (1, 1, 1) 0 (p, n) when !c");
    expect(KERNELS "void f(float *p, int n) { K q = k; if (n > 9) q = t<4>; q<<<1, 2>>>(p, n); }",
           "k by f: (1, 1, 1) (2, 1, 1) 0 (p, n) when n <= 9\n"
           "t<4> by f: (1, 1, 1) (2, 1, 1) 0 (p, n) when n > 9");
    expect(KERNELS
           "void f(float *p, int n) { K q; switch (n) { case 1: q = k; break; case 2: q = l; break;"
           " default: q = t<1>; } if (n > 0) q<<<1, 2>>>(p, n); }",
           "k by f: (1, 1, 1) (2, 1, 1) 0 (p, n) when n > 0 && n == 1\n"
           "l by f: (1, 1, 1) (2, 1, 1) 0 (p, n) when n > 0 && (n != 1 && n == 2)\n"
           "t<1> by f: (1, 1, 1) (2, 1, 1) 0 (p, n) when n > 0 && (n != 1 && "
           "n != 2)");
    expect(KERNELS
           "void f(float *p, int n) { K q = k; if (cudaGetLastError() == cudaErrorUnknown) q = l;"
           " q<<<1, 2>>>(p, n); }",
           "k by f: (1, 1, 1) (2, 1, 1) 0 (p, n)");
    expect(KERNELS "void f(float *p, int n, bool c) { K q = c ? k : k; q<<<n, 1>>>(p, n); }",
           ONE("n", "1"));
    expect(
        KERNELS
        "K other(); void f(float *p, int n, bool c) { K q = c ? k : other(); q<<<n, 1>>>(p, n); }",
        "? by f: ! the kernel: a variable is one thing or another");
}

Test(convert_harvest_follow, lists)
{
    expect(
        KERNELS
        "void f(float *p, int n) { K q[] = {k, &l}; q[n]<<<1, 2>>>(p, n); q[1]<<<3, 2>>>(p, n); }",
        "k by f: (1, 1, 1) (2, 1, 1) 0 (p, n) when n != 1 && n == 0\n"
        "l by f: (1, 1, 1) (2, 1, 1) 0 (p, n) when n == 1\n"
        "l by f: (3, 1, 1) (2, 1, 1) 0 (p, n)");
    expect(KERNELS "static const K q[] = {k, l}; void f(float *p, int n) { q[1]<<<n, 2>>>(p, n); }",
           "l by f: (n, 1, 1) (2, 1, 1) 0 (p, n)");
    expect(KERNELS
           "struct S { const char *name; K q; }; static const S all[] = {{\"a\", k}, {\"b\", l}};"
           "void f(float *p, int n, int i) { all[i].q<<<n, 2>>>(p, n); }",
           "k by f: (n, 1, 1) (2, 1, 1) 0 (p, n) when i != 1\n"
           "l by f: (n, 1, 1) (2, 1, 1) 0 (p, n) when i == 1");
}

Test(convert_harvest_follow, lists_that_may_change)
{
    expect(
        KERNELS
        "void change(K *); void f(float *p, int n) { K q[] = {k, l}; change(q); q[1]<<<3, 2>>>(p, n); }",
        "? by f: ! the kernel is 'q[1]', which is not followed");
    expect(KERNELS
           "void f(float *p, int n) { K q[] = {k, l}; K *r = q; r[1] = k; q[1]<<<3, 2>>>(p, n); }",
           "? by f: ! the kernel is 'q[1]', which is not followed");
    expect(KERNELS "void f(float *p, int n) { K q[] = {k, l}; q[n] = k; q[1]<<<3, 2>>>(p, n); }",
           "? by f: ! the kernel is 'q[1]', which is not followed");
    expect(KERNELS "static K q[] = {k, l}; void f(float *p, int n) { q[1]<<<3, 2>>>(p, n); }",
           "? by f: ! the kernel is 'q[1]', which is not followed");
}

Test(convert_harvest_follow, wrappers)
{
    expect(KERNELS "void w(K q, dim3 g, float *p, int n) { q<<<g, 32>>>(p, n); }"
                   "void f(float *x, int m) { w(k, m / 2, x, m); }"
                   "void h(float *y) { w(t<3>, dim3(1, 2), y, 5); }",
           "k by f: (m / 2, 1, 1) (32, 1, 1) 0 (x, m)\n"
           "t<3> by h: (1, 2, 1) (32, 1, 1) 0 (y, 5)");
    expect(KERNELS "void w(K q, float *p, int n) { q<<<n, 32>>>(p, n); }"
                   "void v(K r, float *p) { w(r, p, 7); }"
                   "void f(float *x, bool c) { if (c) v(l, x); }",
           "l by f: (7, 1, 1) (32, 1, 1) 0 (x, 7) when c");
    expect(
        KERNELS
        "template <class... P, class... A> void w(void (*q)(P...), int b, A... a) { q<<<2, b>>>(a...); }"
        "void f(float *x, int m) { w(k, m, x, 3); w(t<5>, 8, x, 4); }",
        "k by f: (2, 1, 1) (m, 1, 1) 0 (x, 3)\n"
        "t<5> by f: (2, 1, 1) (8, 1, 1) 0 (x, 4)");
    expect(
        KERNELS
        "void w(K q, float *p, int n, int b = 16) { q<<<n, b>>>(p, n); if (n) w(q, p, n - 1, b); }"
        "void f(float *x) { w(k, x, 2); }",
        "k by f: (2, 1, 1) (16, 1, 1) 0 (x, 2)");
    expect(KERNELS "void w(K q, float *p) { q<<<1, 1>>>(p, 1); k<<<2, 1>>>(p, 1); }",
           "? by w: ! the kernel is the parameter 'q', and no call of 'w' here tells which\n"
           "k by w: (2, 1, 1) (1, 1, 1) 0 (p, 1)");
    expect(KERNELS "K other(); void w(K q, float *p) { q<<<1, 1>>>(p, 1); l<<<2, 1>>>(p, 1); }"
                   "void f(float *x) { w(k, x); w(other(), x); }",
           "? by f: ! the kernel is 'other', which is not followed\n"
           "k by f: (1, 1, 1) (1, 1, 1) 0 (x, 1)\n"
           "l by w: (2, 1, 1) (1, 1, 1) 0 (p, 1)");
}

Test(convert_harvest_follow, lambdas)
{
    expect(
        KERNELS
        "void f(float *p, int n) { auto r = [&](int b) { k<<<n / b, b>>>(p, n); }; r(32); r(n); }",
        "k by f: (n / 32, 1, 1) (32, 1, 1) 0 (p, n)\n"
        "k by f: (n / n, 1, 1) (n, 1, 1) 0 (p, n)");
    expect(
        KERNELS
        "void f(float *p, int n) { auto r = [=](auto q, int b) { q<<<n, b>>>(p, n); }; r(k, 1); r(l, 2); }",
        "k by f: (n, 1, 1) (1, 1, 1) 0 (p, n)\n"
        "l by f: (n, 1, 1) (2, 1, 1) 0 (p, n)");
    expect(
        KERNELS
        "void f(float *p, int n) { int m = 4; auto r = [=](int b) { k<<<m, b>>>(p, n); }; m = 5; r(2); }",
        "k by f: (m, 1, 1) (2, 1, 1) 0 (p, n) with open m: 'm' changes after a lambda has captured it");
    expect(KERNELS "template <class F> void each(F g) { g(3); }"
                   "void f(float *p, int n) { each([=](int b) { k<<<n, b>>>(p, n); }); }",
           "k by f: (n, 1, 1) (3, 1, 1) 0 (p, n)");
    expect(
        KERNELS "void f(float *p, int n) { auto g = [=](int b) { k<<<n, b>>>(p, n); }; (void)g; }",
        "k by f: (n, 1, 1) (block.x, block.y, block.z) 0 (p, n) ... with open block.x = x of b: 'b' is a parameter of a lambda, open block.y = y of b: 'b' is a parameter of a lambda, open block.z = z of b: 'b' is a parameter of a lambda");
}

Test(convert_harvest_follow, variables_that_keep_their_first_value)
{
    expect(KERNELS
           "static int b = 64; static dim3 g(2, 3); void f(float *p, int n) { k<<<g, b>>>(p, n); }",
           "k by f: (2, 3, 1) (64, 1, 1) 0 (p, n)");
    expect(
        KERNELS
        "namespace { int b = 64; } void f(float *p, int n) { static int c = 2; k<<<c, b>>>(p, n); }",
        ONE("2", "64"));
    expect(KERNELS "int b = 64; void f(float *p, int n) { k<<<1, b>>>(p, n); }",
           ONE("1", "b") " with global b");
    const char *const changes[] = {"void g() { b = 2; }",
                                   "void g() { b++; }",
                                   "int *g() { return &b; }",
                                   "void h(int &); void g() { h(b); }",
                                   "int &g() { return b; }",
                                   "void g() { [] { b -= 1; }(); }",
                                   "template <class T> void g(T t) { t(b); }"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char source[1024];
        snprintf(source, sizeof source,
                 "%sstatic int b = 64; %s void f(float *p, int n) { k<<<1, b>>>(p, n); }", KERNELS,
                 changes[i]);
        expect(source, ONE("1", "b") " with global b");
    }
}

#define NODES                                                                                                          \
    "struct cudaKernelNodeParams { void *func; dim3 gridDim, blockDim; unsigned sharedMemBytes;"                       \
    " void **kernelParams, **extra; }; typedef struct G *cudaGraph_t; typedef struct N *cudaGraphNode_t;"              \
    "extern \"C\" cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t," \
    " const cudaKernelNodeParams *);"

Test(convert_harvest_follow, nodes_of_graphs)
{
    expect(
        KERNELS NODES
        "void f(cudaGraph_t g, float *p, int n) { void *a[] = {&p, &n}; cudaKernelNodeParams q = {};"
        " q.func = (void *)k; q.gridDim = dim3(n, 2); q.blockDim = 32; q.kernelParams = a; cudaGraphNode_t node;"
        " cudaGraphAddKernelNode(&node, g, 0, 0, &q); n = 7; q.blockDim.y = 4; q.func = (void *)l;"
        " cudaGraphAddKernelNode(&node, g, 0, 0, &q); }",
        "k by f: (n, 2, 1) (32, 1, 1) 0 (p, n)\n"
        "l by f: (n, 2, 1) (32, 4, 1) 0 (p, 7)");
    expect(KERNELS NODES
           "void f(cudaGraph_t g, const cudaKernelNodeParams *q) { cudaGraphNode_t node;"
           " cudaGraphAddKernelNode(&node, g, 0, 0, q); }",
           "? by f: ! the kernel: the node's parameters are not followed");
}

Test(convert_harvest_follow, arguments_are_those_at_the_launch)
{
    expect(
        K
        "void f(float *p, int n) { void *a[] = {&p, &n}; n = 3; cudaLaunchKernel((void *)k, 1, 2, a, 0, 0); }",
        "k by f: (1, 1, 1) (2, 1, 1) 0 (p, 3)");
}
