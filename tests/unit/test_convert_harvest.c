#include "rkernel_lib/catalog/expr.h"
#include "tests/unit/harvest_fixture.h"

Test(convert_harvest, numbers_and_parameters)
{
    expect(K "void f(float *p, int n) { k<<<4, 128>>>(p, n); }", ONE("4", "128"));
    expect(K "void f(float *p, int n) { k<<<(n + 255) / 256, 256>>>(p, n); }",
           ONE("(n + 255) / 256", "256"));
    expect(
        K
        "void f(float *p, int n, cudaStream_t s) { k<<<n, 32, n * sizeof(float), s>>>(p, 2 * n); }",
        "k by f: (n, 1, 1) (32, 1, 1) n * 4 (p, 2 * n)");
    expect(K "enum { B = 64 }; constexpr int C = 2;\n#define D(a, b) (((a) + (b) - 1) / (b))\n"
             "void f(float *p, int n) { k<<<D(n, B * C), B * C>>>(p, n); }",
           ONE("(n + 127) / 128", "128"));
    expect(K "const int b = 96; const dim3 g(3, 4); void f(float *p, int n) { k<<<g, b>>>(p, n); }",
           "k by f: (3, 4, 1) (96, 1, 1) 0 (p, n)");
}

Test(convert_harvest, locals)
{
    expect(
        K
        "void f(float *p, int n) { int b = 128; const int g = (n + b - 1) / b; k<<<g, b>>>(p, n); }",
        ONE("(n + 127) / 128", "128"));
    expect(K "void f(float *p, int n) { int b; b = 64; b *= 2; b++; --b; k<<<n, b>>>(p, n); }",
           ONE("n", "128"));
    expect(K "void f(float *p, int n) { int b = 32, c = b; b = 64; k<<<b, c>>>(p, n); }",
           ONE("64", "32"));
    expect(K "void f(float *p, int n) { n = n * 2; k<<<n, 1>>>(p, n); }",
           "k by f: (n * 2, 1, 1) (1, 1, 1) 0 (p, n * 2)");
    expect(
        K "void f(float *p, int n) { int b = 32; int c = (b = 64); k<<<c, b>>>(p, n); }",
        "k by f: (64, 1, 1) (b, 1, 1) 0 (p, n) with open b: 'b' changes in a way that is not followed");
}

Test(convert_harvest, dim3)
{
    expect(K "void f(float *p, int n) { dim3 b(16, 16); dim3 g((n + b.x - 1) / b.x, n / 16 + 1);"
             " k<<<g, b>>>(p, n); }",
           "k by f: ((unsigned)(n + 15) / 16, n / 16 + 1, 1) (16, 16, 1) 0 (p, n)");
    expect(
        K
        "void f(float *p, int n) { dim3 g; g.x = n; g.z = 7; dim3 b = g; b.x = 32; k<<<g, b>>>(p, n); }",
        "k by f: (n, 1, 7) (32, 1, 7) 0 (p, n)");
    expect(
        K
        "void f(float *p, int n) { dim3 g = dim3(n, 2), b = {8u, 4u}; g = dim3(n); k<<<g, b>>>(p, n); }",
        "k by f: (n, 1, 1) (8, 4, 1) 0 (p, n)");
    expect(K "void f(float *p, int n) { k<<<dim3{2u, 3u}, dim3{4u, 5u, 6u}>>>(p, n); }",
           "k by f: (2, 3, 1) (4, 5, 6) 0 (p, n)");
    expect(K "void f(float *p, int n, dim3 g, const dim3 &b) { k<<<g, b>>>(p, g.y); }",
           "k by f: (g.x, g.y, g.z) (b.x, b.y, b.z) 0 (p, (int)g.y)");
    expect(K "void f(float *p, int n, uint3 g) { k<<<g, 1>>>(p, n); }",
           "k by f: (g.x, g.y, g.z) (1, 1, 1) 0 (p, n)");
}

Test(convert_harvest, structs)
{
    expect(K "struct C { int n, b; }; void f(float *p, C c) { k<<<c.n, c.b>>>(p, c.n); }",
           "k by f: (c.n, 1, 1) (c.b, 1, 1) 0 (p, c.n)");
    expect(K "struct C { int n, b; }; void f(float *p, int n) { C c = {n, 64}; c.n += 1;"
             " k<<<c.n, c.b>>>(p, n); }",
           ONE("n + 1", "64"));
    expect(
        K "struct C { int n; void grow(); int size() const { return n; } };"
          "void f(float *p, int n) { C c = {n}; c.grow(); k<<<c.n, 1>>>(p, n); }",
        "k by f: (c.n, 1, 1) (1, 1, 1) 0 (p, n) with open c.n = n of c: 'c' is changed by a method");
    expect(K "struct C { int n; }; void f(float *p, const C *c) { k<<<c->n, 1>>>(p, 1); }",
           "k by f: (c->n, 1, 1) (1, 1, 1) 0 (p, 1) with memory c->n");
    expect(K "struct C { int n; void f(float *p) { k<<<n, 1>>>(p, n); } };",
           "k by C::f: (this->n, 1, 1) (1, 1, 1) 0 (p, this->n) with member this->n");
    expect(K
           "struct C { static constexpr int B = 32; void f(float *p) { k<<<B, B * 2>>>(p, B); } };",
           "k by C::f: (32, 1, 1) (64, 1, 1) 0 (p, 32)");
}

Test(convert_harvest, helpers)
{
    expect(K "static int ceil_div(int a, int b) { return (a + b - 1) / b; }"
             "void f(float *p, int n) { k<<<ceil_div(n, 32), 32>>>(p, n); }",
           ONE("(n + 31) / 32", "32"));
    expect(K "template <class T> T up(T a, T b) { T r = a + b - 1; r /= b; return r; }"
             "void f(float *p, int n) { k<<<up(n, 32), up<size_t>(64, 2)>>>(p, n); }",
           ONE("(n + 31) / 32", "32"));
    expect(K "int up(int n) { int r = n - 1; r |= r >> 1; r |= r >> 2; r = r >> 4 | r; return r + 1; }"
             "void f(float *p, int n) { k<<<1, up(n)>>>(p, n); }",
           ONE("1", "or_shifted(n - 1, 8) + 1"));
    expect(K "int up(int n) { n |= n >> 1; n |= n >> 3; return n; }" /* bit 2 is left out */
             "void f(float *p, int n) { k<<<1, up(n)>>>(p, n); }",
           ONE("1", "or_shifted(n, 2) | or_shifted(n, 2) >> 3"));
    expect(K "int block(int n) { if (n > 512) return 256; if (n > 128) return 128; return 64; }"
             "void f(float *p, int n) { k<<<1, block(n)>>>(p, n); }",
           ONE("1", "n > 512 ? 256 : n > 128 ? 128 : 64"));
    expect(
        K "dim3 grid(int n) { dim3 g; g.x = n; if (n > 9) { g.x = 9; g.y = n / 9; } return g; }"
          "void f(float *p, int n) { k<<<grid(n), 1>>>(p, n); }",
        "k by f: (n > 9 ? 9 : (unsigned)n, n > 9 ? (unsigned)(n / 9) : 1, 1) (1, 1, 1) 0 (p, n)");
    expect(K "int pow2(int n) { int t = 1; while (t < n) t *= 2; return t; }"
             "void f(float *p, int n) { k<<<1, pow2(n)>>>(p, n); }",
           "k by f: (1, 1, 1) (t, 1, 1) 0 (p, n) with after t (1; t < n; t * 2)");
    expect(K "int later(int); void f(float *p, int n) { k<<<later(n), 1>>>(p, n); }",
           "k by f: (later, 1, 1) (1, 1, 1) 0 (p, n) with call later = later(n)");
    expect(
        K
        "int loop(int n) { return loop(n); } void f(float *p, int n) { k<<<loop(n), 1>>>(p, n); }",
        "k by f: (loop, 1, 1) (1, 1, 1) 0 (p, n) with call loop = loop(n)");
    expect(K "void f(float *p, int n) { k<<<ceil(n / 256.0), 256>>>(p, n); }",
           "k by f: ((unsigned)ceil, 1, 1) (256, 1, 1) 0 (p, n) with call ceil = ceil(n / 256.0)");
}

Test(convert_harvest, conversions_are_c_s)
{
    expect(K "void f(float *p, unsigned u) { k<<<(u - 1) / 32 + 1, 32>>>(p, u); }",
           "k by f: ((unsigned)(u - 1) / 32 + 1, 1, 1) (32, 1, 1) 0 (p, (int)u)");
    expect(K "void f(float *p, size_t s) { unsigned char c = s; k<<<c, 32>>>(p, s); }",
           "k by f: ((unsigned char)s, 1, 1) (32, 1, 1) 0 (p, (int)s)");
    expect(K "void f(float *p, int n) { float x = n; k<<<x / 3, 32>>>(p, n); }",
           "k by f: ((unsigned)(float)((float)n / 3.0), 1, 1) (32, 1, 1) 0 (p, n)");
    expect(K "void f(float *p, int n) { int h = n * 0.5; k<<<h, 32>>>(p, n); }",
           ONE("(int)((double)n * 0.5)", "32"));
    expect(K "void f(float *p, int n) { bool b = n; k<<<b ? n : 1, 1 << 5>>>(p, b + 1); }",
           "k by f: (n != 0 ? n : 1, 1, 1) (32, 1, 1) 0 (p, (n != 0) + 1)");
    expect(K "void f(float *p, int n) { k<<<n / sizeof(float4), -n>>>(p, ~n); }",
           "k by f: ((unsigned long)n / 16, 1, 1) (0 - n, 1, 1) 0 (p, ~n)");
}

Test(convert_harvest, conditions)
{
    expect(K "void f(float *p, int n) { if (n > 3) k<<<1, 1>>>(p, n); else k<<<2, 2>>>(p, n); }",
           ONE("1", "1") " when n > 3\n" ONE("2", "2") " when n <= 3");
    expect(K "void f(float *p, int n) { if (n == 0) return; if (!(n % 4)) { k<<<1, 1>>>(p, n); } }",
           ONE("1", "1") " when n != 0 && n % 4 == 0");
    expect(K "void f(float *p, int n, bool a, bool b) { if (a && b) k<<<1, 1>>>(p, n);"
             " else if (a) k<<<2, 1>>>(p, n); }",
           ONE("1", "1") " when a && b\n" ONE("2", "1") " when !(a && b) && a");
    expect(K "void f(float *p, int n) { if (!p) return; k<<<1, 1>>>(p, n); }",
           ONE("1", "1") " when p != 0");
    expect(K
           "void f(float *p, int n) { if (n < 0) exit(1); if (n > 9) throw n; k<<<1, 1>>>(p, n); }",
           ONE("1", "1") " when n >= 0 && n <= 9");
    expect(K "void f(float *p, int n) { int b = 32; if (n > 9) b = 64; k<<<1, b>>>(p, n); }",
           ONE("1", "n > 9 ? 64 : 32"));
    expect(K "bool odd(const float *); void f(float *p, int n) { if (odd(p)) k<<<1, 1>>>(p, n); }",
           ONE("1", "1") " ...");
    expect(
        K
        "bool odd(const float *); void f(float *p, int n) { if (odd(p)) return; k<<<1, 1>>>(p, n); }",
        ONE("1", "1") " ...");
    expect(K "void f(float *p, int n) { if constexpr (sizeof(int) == 4) k<<<1, 1>>>(p, n);"
             " else k<<<2, 1>>>(p, n); }",
           ONE("1", "1") "\nk by f: ! the launch is never reached");
    expect(K "void f(float *p, int n) { n > 2 ? k<<<1, 1>>>(p, n) : k<<<2, 1>>>(p, n); }",
           ONE("1", "1") " ...\n" ONE("2", "1") " ...");
}

Test(convert_harvest, cuda_calls_succeed)
{
    expect(
        K
        "void f(float *p, int n) { cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) return;"
        " if (cudaGetLastError()) exit(1); k<<<n, 1>>>(p, n); }",
        ONE("n", "1"));
    expect(K "void f(float *p, int n) { if (cudaGetLastError() == cudaSuccess) k<<<1, 1>>>(p, n);"
             " else k<<<2, 1>>>(p, n); k<<<3, 1>>>(p, n); }",
           ONE("1", "1") " ...\n" ONE("2", "1") " ...\n" ONE("3", "1"));
    expect(
        K
        "void f(float *p, int n) { if (cudaGetLastError() == cudaSuccess) return; k<<<1, 1>>>(p, n); }",
        ONE("1", "1") " ...");
    expect(
        K
        "void f(float *p, int n) { int b = 1; if (cudaGetLastError() && n > 2) b = 2; k<<<b, 1>>>(p, n); }",
        ONE("1", "1"));
    expect(
        K "void f(float *p, int n) { int b = cudaGetLastError() ? 1 : 2; k<<<b, 1>>>(p, n); }",
        "k by f: (grid.x, 1, 1) (1, 1, 1) 0 (p, n) with open grid.x = x of b: it depends on whether a CUDA call fails");
    expect(
        K
        "void f(float *p, int n) { while (cudaGetLastError() != cudaSuccess) k<<<1, 1>>>(p, n); }",
        ONE("1", "1") " ...");
}

Test(convert_harvest, switches)
{
    expect(
        K "void f(float *p, int n) { switch (n) { case 4: k<<<4, 1>>>(p, n); break; case 5: case 6:"
          " k<<<5, 1>>>(p, n); break; default: k<<<6, 1>>>(p, n); } }",
        ONE("4", "1") " when n == 4\n" ONE("5", "1") " when n == 5 || n == 6\n" ONE(
            "6", "1") " when n != 4 && n != 5 && n != 6");
    expect(
        K "void f(float *p, int n) { int b = 1; switch (n) { case 4: b = 2; break; case 5: b = 3; }"
          " k<<<1, b>>>(p, n); }",
        ONE("1", "n == 4 ? 2 : n == 5 ? 3 : 1"));
    expect(
        K
        "void f(float *p, int n) { switch (n) { case 4: return; default: break; } k<<<1, 1>>>(p, n); }",
        ONE("1", "1") " when n != 4");
    expect(
        K
        "void f(float *p, int n) { int b = 1; switch (n) { case 4: b = 2; case 5: k<<<1, b>>>(p, n); } }",
        "k by f: (1, 1, 1) (b, 1, 1) 0 (p, n) when n == 4 || n == 5 with open b: 'b' changes in a way that is not followed");
    expect(K "void f(float *p, int n) { switch (n) { case 4: n = 0; case 5: k<<<1, 1>>>(p, 1); } }",
           "k by f: (1, 1, 1) (1, 1, 1) 0 (p, 1) when n == 4 || n == 5");
    expect(
        K "void f(float *p, int n) { for (int i = 0; i < n; i++) { switch (n) { case 4: continue; }"
          " k<<<1, 1>>>(p, 1); } }",
        "k by f: (1, 1, 1) (1, 1, 1) 0 (p, 1) when 0 < n && n != 4");
}

Test(convert_harvest, loops)
{
    expect(K "void f(float *p, int n) { for (int i = 0; i < n; i++) k<<<n, 32>>>(p, n); }",
           ONE("n", "32") " when 0 < n");
    expect(K "void f(float *p, int n) { for (int i = 0; i < n; i++) k<<<i, 32>>>(p, n); }",
           "k by f: (i, 1, 1) (32, 1, 1) 0 (p, n) when 0 < n with loop i (0; i < n; i + 1)");
    expect(
        K
        "void f(float *p, int n) { int b = 32; while (n > 4) { int c = b; k<<<c, 1>>>(p, 1); b *= 2; } }",
        "k by f: (b, 1, 1) (1, 1, 1) 0 (p, 1) when n > 4 with loop b (32; n > 4; b * 2)");
    expect(
        K
        "void f(float *p, int n) { for (;;) { k<<<1, 1>>>(p, n); if (n) break; } k<<<2, 1>>>(p, n); }",
        ONE("1", "1") " ...\n" ONE("2", "1"));
    expect(
        K
        "void f(float *p, int n) { int b = 1; do { b = 2; k<<<1, b>>>(p, n); } while (0); k<<<2, b>>>(p, n); }",
        ONE("1", "2") "\n" ONE("2", "2"));
    expect(
        K
        "void f(float *p, int n) { do { if (n > 3) break; k<<<1, 1>>>(p, n); } while (0); k<<<2, 1>>>(p, n); }",
        ONE("1", "1") " when n <= 3\n" ONE("2", "1"));
    expect(
        K
        "void f(float *p, int n) { for (int i = 0; i < n; i++) if (i == 3) return; k<<<2, 1>>>(p, n); }",
        ONE("2", "1") " ...");
    expect(K "void f(float *p, int n) { int v[3] = {1, 2, 3}; for (int x : v) k<<<x, 1>>>(p, n); }",
           "k by f: (x, 1, 1) (1, 1, 1) 0 (p, n) ... with open x: 'x' changes in a loop");
    expect(
        K
        "void f(float *p, int n) { int b = 1; again: k<<<b, 1>>>(p, n); b++; if (b < n) goto again; }",
        "k by f: (b, 1, 1) (1, 1, 1) 0 (p, n) ... with open b: the address of 'b' is taken");
}

Test(convert_harvest, parts_of_a_for)
{
    expect(K "void f(float *p, int n) { int i; for (i = 0; i < n; i++) k<<<1, 1>>>(p, n); }",
           ONE("1", "1") " when 0 < n");
    expect(K "void f(float *p, int n) { int i; for (i = 0; i < n;) k<<<1, 1>>>(p, n); }",
           ONE("1", "1") " ...");
    expect(K "void f(float *p, int n) { int i = 2; for (; i < n; i++) k<<<1, 1>>>(p, n); }",
           ONE("1", "1") " when 2 < n");
    expect(K "void f(float *p, int n) { for (int i = 0;; i++) k<<<1, 1>>>(p, n); }",
           ONE("1", "1") " ...");
}

Test(convert_harvest, what_may_change_is_unknown)
{
    expect(K "void set(int *); void f(float *p, int n) { int b = 1; set(&b); k<<<b, 1>>>(p, n); }",
           "k by f: (b, 1, 1) (1, 1, 1) 0 (p, n) with open b: 'b' has its address taken");
    expect(
        K
        "void set(int *); void f(float *p, int n) { int b = 1; set(&b); b = 2; k<<<b, 1>>>(p, n); }",
        "k by f: (b, 1, 1) (1, 1, 1) 0 (p, n) with open b: the address of 'b' is taken");
    expect(K "void set(int &); void f(float *p, int n) { int b = 1; set(b); k<<<b, 1>>>(p, n); }",
           "k by f: (b, 1, 1) (1, 1, 1) 0 (p, n) with call b = set(b)");
    expect(
        K
        "void see(const int &); void f(float *p, int n) { int b = 1; see(b); k<<<b, 1>>>(p, n); }",
        ONE("1", "1"));
    expect(K "void f(float *p, int n) { int b = 1; int &r = b; r = 2; k<<<b, 1>>>(p, n); }",
           "k by f: (b, 1, 1) (1, 1, 1) 0 (p, n) with open b: 'b' has a reference to it");
    expect(
        K "void f(float *p, int n) { int b = 1; auto l = [&] { b = 2; }; l(); k<<<b, 1>>>(p, n); }",
        "k by f: (b, 1, 1) (1, 1, 1) 0 (p, n) with open b: 'b' changes in a way that is not followed");
    expect(K "int g = 3; void f(float *p, int n) { k<<<g, 1>>>(p, n); }",
           "k by f: (g, 1, 1) (1, 1, 1) 0 (p, n) with global g");
    expect(K "void f(float *p, int n) { static int b = 3; k<<<b, 1>>>(p, n); b++; }",
           "k by f: (b, 1, 1) (1, 1, 1) 0 (p, n) with global b");
    expect(K "void f(float *p, int n) { int b; k<<<b, 1>>>(p, n); }",
           "k by f: (b, 1, 1) (1, 1, 1) 0 (p, n) with open b: 'b' is not set");
    expect(K "void f(float *p, int *n) { k<<<*n, n[1]>>>(p, 1); }",
           "k by f: (at_n, 1, 1) (n_1, 1, 1) 0 (p, 1) with memory at_n = *n, memory n_1 = n[1]");
    expect(
        K
        "void f(float *p, int n) { int b = 1; try { b = 2; set: ; } catch (...) { b = 3; } k<<<b, 1>>>(p, n); }",
        "k by f: (b, 1, 1) (1, 1, 1) 0 (p, n) ... with open b: 'b' changes in a way that is not followed");
}

Test(convert_harvest, arguments)
{
    expect("__global__ void k(const float *a, float *b); void f(const float *a, float *b, int n)"
           "{ k<<<1, 1>>>(a + n, &b[2 * n]); k<<<1, 1>>>(nullptr, (float *)a + 3); }",
           "k by f: (1, 1, 1) (1, 1, 1) 0 (a + n, b + 2 * n)\n"
           "k by f: (1, 1, 1) (1, 1, 1) 0 (0, a + 3)");
    expect(
        "__global__ void k(float4 *a); void f(float *a, int n) { k<<<1, 1>>>((float4 *)a + n); }",
        "k by f: (1, 1, 1) (1, 1, 1) 0 (a + n * 4)");
    expect(
        "__global__ void k(float *a); void f(void *a, int n) { char *c = (char *)a + n; k<<<1, 1>>>((float *)c); }",
        "k by f: (1, 1, 1) (1, 1, 1) 0 (?)");
    expect(K "void f(int n) { float *d; cudaMalloc((void **)&d, n); k<<<n, 1>>>(d, n); }",
           "k by f: (n, 1, 1) (1, 1, 1) 0 (?, n)");
    expect("__global__ void k(float a, bool b); void f(double d, int n) { k<<<1, 1>>>(d, n > 2); }",
           "k by f: (1, 1, 1) (1, 1, 1) 0 ((float)d, n > 2)");
    expect("struct C { int n; }; __global__ void k(C c); void f(C c) { k<<<1, 1>>>(c); }",
           "k by f: (1, 1, 1) (1, 1, 1) 0 (c)");
    expect("__global__ void k(float *p, int n = 7); void f(float *p) { k<<<1, 1>>>(p); }",
           "k by f: (1, 1, 1) (1, 1, 1) 0 (p, 7)");
}

Test(convert_harvest, kernel_templates)
{
    expect("template <int A, int B> __global__ void g(float *p) {} enum { E = 4 };"
           "void f(float *p) { g<32, E * 2><<<1, 1>>>(p); }",
           "g<32, 8> by f: (1, 1, 1) (1, 1, 1) 0 (p)");
    expect(
        "template <class T> __global__ void g(T *p) {} typedef unsigned u;"
        "void f(u *p, double *q) { g<<<1, 1>>>(p); g<<<1, 1>>>(q); }",
        "g<unsigned int> by f: (1, 1, 1) (1, 1, 1) 0 (p)\ng<double> by f: (1, 1, 1) (1, 1, 1) 0 (q)");
    expect("enum class Op { sum, most }; template <Op O, bool B, class T = float, unsigned U = 3>"
           "__global__ void g() {} void f() { g<Op::most, true><<<1, 1>>>(); }",
           "g<Op::most, true, float, 3> by f: (1, 1, 1) (1, 1, 1) 0 ()");
    expect("template <int A> __global__ void g() {} template <> __global__ void g<3>() {}"
           "void f() { g<3><<<1, 1>>>(); }",
           "g<3> by f: (1, 1, 1) (1, 1, 1) 0 ()");
    expect(
        "template <class F> __global__ void g(F x) {} void f() { auto l = [] {}; g<<<1, 1>>>(l); }",
        "?g by f: (1, 1, 1) (1, 1, 1) 0 (?)");
}

Test(convert_harvest, launcher_templates)
{
    const char *source =
        "template <int B, class T> __global__ void g(T *p, int n) {}"
        "template <int B, class T> void launch(T *p, int n) { g<B><<<(n + B - 1) / B, B, sizeof(T)>>>(p, n); }"
        "void f(float *p, double *q) { launch<64>(p, 100); launch<128>(q, 7); launch<64>(p, 3); }";
    expect(source,
           "g<128, double> by launch<128, double>: ((n + 127) / 128, 1, 1) (128, 1, 1) 8 (p, n)\n"
           "g<64, float> by launch<64, float>: ((n + 63) / 64, 1, 1) (64, 1, 1) 4 (p, n)");
    expect("template <class T> __global__ void g(T *p) {}"
           "template <class T> struct L { void go(T *p, int n) { g<T><<<n, sizeof(T)>>>(p); } };"
           "void f(float *p) { L<float> l; l.go(p, 3); }",
           "g<float> by L<float>::go: (n, 1, 1) (4, 1, 1) 0 (p)\n"
           "g<float> by f: (3, 1, 1) (4, 1, 1) 0 (p)");
    expect(
        "template <int B> __global__ void g() {} template <int B> void inner() { g<B><<<B, 1>>>(); }"
        "template <int B> void outer() { inner<B * 2>(); } void f() { outer<4>(); }",
        "g<8> by inner<8>: (8, 1, 1) (1, 1, 1) 0 ()");
    expect(
        "template <int B> __global__ void g() {} template <int B> void never(int n) { g<B><<<n, B>>>(); }",
        "?g by never: (n, 1, 1) (B, 1, 1) 0 () with template B");
    expect(
        "namespace a { namespace b { __global__ void g(); struct S { static void f() { g<<<1, 1>>>(); } }; } }",
        "g by a::b::S::f: (1, 1, 1) (1, 1, 1) 0 ()");
}

Test(convert_harvest, ways_to_launch)
{
    expect(
        K
        "\n#define LAUNCH(g) k<<<g, 32>>>(p, n)\nvoid f(float *p, int n) { LAUNCH(n); LAUNCH(2); }",
        ONE("n", "32") "\n" ONE("2", "32"));
    expect(
        K "\n#define CHECK(x) do { x; if (cudaGetLastError() != cudaSuccess) exit(1); } while (0)\n"
          "void f(float *p, int n) { CHECK((k<<<n, 1>>>(p, n))); CHECK((k<<<n, 2>>>(p, n))); }",
        ONE("n", "1") "\n" ONE("n", "2"));
    expect(K "void f(float *p, int n) { auto l = [=](int m) { k<<<n, m>>>(p, n); }; l(3); }",
           ONE("n", "3"));
    expect(K "void f(float *p, int n) { [&] { k<<<n, 1>>>(p, n); }(); }", ONE("n", "1") " ...");
    expect(K "void f(float *p, int n) { void (*q)(float *, int) = k; q<<<n, 1>>>(p, n); }",
           ONE("n", "1"));
    expect(K "void f(void (*q)(float *, int), float *p, int n) { q<<<n, 1>>>(p, n); }",
           "? by f: ! the kernel is the parameter 'q', and no call of 'f' here tells which");
    expect(K "void f(float *p, int n) { void *a[] = {&p, &n}; int b = n;"
             " cudaLaunchKernel((const void *)k, dim3(n, 2), b, a, 64, 0); }",
           "k by f: (n, 2, 1) (n, 1, 1) 64 (p, n)");
    expect(
        K "void f(float *p, int n) { cudaError_t e = cudaLaunchKernel((void *)k, 1, 2, 0, 0, 0); }",
        "k by f: (1, 1, 1) (2, 1, 1) 0 (?, ?)");
    expect("extern \"C\" { " K " void f(float *p, int n) { k<<<1, 1>>>(p, n); } }", ONE("1", "1"));
    expect("void f() {}", "");
}

Test(convert_harvest, places_and_kernels)
{
    fixture f = harvest_of(
        "template <int B> __global__ void g(int n) {}\nvoid f(int n)\n{\n    g<4><<<n, 32>>>(n);\n}\n");
    cr_assert_eq(f.harvest.count, 1);
    const rk_harvested *item = &f.harvest.items[0];
    cr_expect_eq(clang_getCursorKind(item->kernel), CXCursor_FunctionTemplate);
    cr_expect_eq(clang_getCursorKind(item->instance), CXCursor_FunctionDecl);
    cr_expect(item->instance_known);
    cr_expect_str_eq(item->kernel_name, "g");
    cr_expect_gt(strlen(item->kernel_usr), 0);
    cr_expect_str_eq(item->template_args[0], "4");
    cr_expect_eq(item->launch.param_count, 1);
    cr_expect_str_eq(item->launch.params[0].name, "n");
    cr_expect_str_eq(item->launch.params[0].type, "int");
    done(&f);
}

/* ---- what is harvested equals what the code computes ------------------------------------- */

#define COMPUTED(name, ...)                                                                        \
    static unsigned name(__attribute__((unused)) int n, __attribute__((unused)) unsigned u,        \
                         __attribute__((unused)) long l)                                           \
        __VA_ARGS__ static const char name##_text[] =                                              \
            "unsigned name(int n, unsigned u, long l) " #__VA_ARGS__;

COMPUTED(unsigned_wrap, { return (u - 7) / 3 + (u * 3 - 1) % 5 + (~u >> 3); })
COMPUTED(mixed_signs, { return (unsigned)((n - 5) / 2 * 3) + (unsigned)(n - 5) / 2; })
COMPUTED(narrowing, {
    unsigned char c = (unsigned char)(l * 7);
    short s = (short)(u + 40000);
    return (unsigned)(c + s);
})
COMPUTED(reals, {
    float x = (float)n / 3;
    double d = x * 2.5;
    return (unsigned)(long)(d + 100000) + (n > x);
})
COMPUTED(branches, {
    int b = 1;
    if (n > 10)
        b = n % 7 ? 3 : 4;
    else if (l < 5) {
        b += 2;
        b *= b;
    }
    switch (b) {
    case 3:
        b = 30;
        break;
    case 9:
        return 5;
    default:
        b -= 1;
    }
    return (unsigned)(b + 1000);
})
COMPUTED(compound, {
    int i = (n & 1023) + 3;
    i -= 3;
    i <<= 2;
    i |= 5;
    i ^= 1;
    i >>= 1;
    i /= 3;
    i %= 17;
    i += (int)u;
    return (unsigned)i;
})
COMPUTED(scopes, {
    int a = n;
    {
        int b = a;
        b = 5;
        a += b;
    }
    unsigned r = (unsigned)a;
    return r * 2 - 1;
})
COMPUTED(logic,
         { return (unsigned)((n > 3 && u < 100) || !l ? n - 1 : -n) % 1000u + (n == 4) * 8u; })
COMPUTED(sizes, { return (unsigned)((unsigned long)(n + 100) * sizeof(short) / (u % 4 + 1)); })
COMPUTED(early, {
    if (n < 0)
        return 1;
    if (n > 100) {
        if (u & 1)
            return 2;
        return 3;
    }
    return (unsigned)n + 4;
})

typedef struct {
    int64_t n, u, l;
} inputs;

static bool input(void *user, rk_value *out, const char *name)
{
    const inputs *in = user;
    *out = rk_value_int(*name == 'n' ? in->n : *name == 'u' ? in->u : in->l);
    return strlen(name) == 1;
}

static void expect_computed(unsigned (*native)(int, unsigned, long), const char *text)
{
    rk_arena *arena = rk_arena_new();
    fixture f = harvest_of(
        rk_arena_printf(arena,
                        "__global__ void k(); %s\n"
                        "void f(int n, unsigned u, long l) { k<<<name(n, u, l), 1>>>(); }",
                        text));
    cr_assert_eq(f.harvest.count, 1, "%s", text);
    const rk_launch *launch = &f.harvest.items[0].launch;
    cr_assert(launch->resolved, "%s: %s", text, launch->reason);
    rk_diag *diag = rk_diag_new(arena);
    const rk_expr *e = rk_expr_parse(launch->grid[0], rk_place_file("t"), arena, diag);
    cr_assert(e, "%s", launch->grid[0]);
    int valued = 0;
    for (int i = 0; i < 4000; i++) {
        inputs in = {.n = i % 41 * (i % 3 ? 7 : -5),
                     .u = (unsigned)i * (i % 5 ? 13u : 300000007u),
                     .l = i % 29 * 1001 - 9};
        in.u &= 0xffffffff;
        const rk_env env = {.user = &in, .name = input};
        rk_value value = {0};
        if (!rk_expr_eval(&value, e, &env,
                          diag)) { /* 64 unsigned bits are out of its reach, and said so */
            size_t last = rk_diag_count(diag) - 1;
            cr_assert_str_eq(rk_diag_at(diag, last)->code, "RK-E004", "%s", launch->grid[0]);
            continue;
        }
        valued++;
        unsigned expected = native((int)in.n, (unsigned)in.u, (long)in.l);
        cr_assert_eq((unsigned)value.i, expected, "%s with n=%d u=%u l=%ld: %u and not %u\n%s",
                     text, (int)in.n, (unsigned)in.u, (long)in.l, (unsigned)value.i, expected,
                     launch->grid[0]);
    }
    cr_expect_gt(valued, 2000, "%s has only %d values", launch->grid[0], valued);
    done(&f);
    rk_arena_free(arena);
}

Test(convert_harvest, expressions_compute_what_the_code_computes)
{
    expect_computed(unsigned_wrap, unsigned_wrap_text);
    expect_computed(mixed_signs, mixed_signs_text);
    expect_computed(narrowing, narrowing_text);
    expect_computed(reals, reals_text);
    expect_computed(branches, branches_text);
    expect_computed(compound, compound_text);
    expect_computed(scopes, scopes_text);
    expect_computed(logic, logic_text);
    expect_computed(sizes, sizes_text);
    expect_computed(early, early_text);
}
