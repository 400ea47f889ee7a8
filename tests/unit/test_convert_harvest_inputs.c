#include "tests/unit/harvest_fixture.h"

#define BY_F(gx, bx) "k by f: (" gx ", 1, 1) (" bx ", 1, 1) 0 (p, n)"

Test(convert_harvest_inputs, one_name_for_one_value)
{
    expect(K "int T; void f(float *p, int n) { k<<<(n + T - 1) / T, T>>>(p, n); }",
           BY_F("(n + T - 1) / T", "T") " with global T");
    expect(
        K "int T; void set(); void f(float *p, int n) { int g = n / T; set(); k<<<g, T>>>(p, n); }",
        BY_F("n / T", "T_2") " with global T, global T_2 = T");
    expect(K "int T; void f(float *p, int n) { int g = n / T; T = 64; k<<<g, T>>>(p, n); }",
           BY_F("n / T", "64") " with global T");
    expect(K "int T; void g(); void f(float *p, int n) { T = 64; g(); k<<<n, T>>>(p, n); }",
           BY_F("n", "T") " with global T");
    expect(K "int T; void f(float *p, int n) { if (n > 3) T = 64; k<<<n, T>>>(p, n); }",
           BY_F("n", "T") " with global T");
    expect(K "int T; int see(int x) { return x + 1; }"
             "void f(float *p, int n) { int g = n / T; see(n); k<<<g, T>>>(p, n); }",
           BY_F("n / T", "T") " with global T");
    expect(K "int n; void f(float *p, int m) { k<<<n, 1>>>(p, m); }",
           "k by f: (n, 1, 1) (1, 1, 1) 0 (p, m) with global n");
    expect(K "int m; struct S { void f(float *p, int m) { k<<<::m, m>>>(p, m); } };",
           "k by S::f: (m_2, 1, 1) (m, 1, 1) 0 (p, m) with global m_2 = m");
}

Test(convert_harvest_inputs, memory)
{
    expect(K "void f(float *p, int *v, int n) { int a = v[0]; v[0] = 2; k<<<a, v[0]>>>(p, n); }",
           BY_F("v_0", "v_0_2") " with memory v_0 = v[0], memory v_0_2 = v[0]");
    expect(K "void f(float *p, int n) { int v[2]; v[0] = n; int a = v[0]; v[0] = 2;"
             " k<<<a, v[0]>>>(p, n); }",
           BY_F("v_0", "v_0_2") " with memory v_0 = v[0], memory v_0_2 = v[0]");
    expect(K "struct C { int n; int get() { return n; } void f(float *p) { int a = n; n = 3;"
             " k<<<a, n>>>(p, 1); } };",
           "k by C::f: (this->n, 1, 1) (3, 1, 1) 0 (p, 1) with member this->n");
}

Test(convert_harvest_inputs, what_calls_leave)
{
    expect(K "static void set(int *b) { *b = 4; }"
             "void f(float *p, int n) { int b = 1; set(&b); k<<<b, 1>>>(p, n); }",
           BY_F("b", "1") " with call b = set(&b)");
    expect(K
           "void f(float *p, int n) { int b = 1; cudaMalloc((void **)&p, n); k<<<b, 1>>>(p, n); }",
           "k by f: (1, 1, 1) (1, 1, 1) 0 (?, n)");
    expect(K "static void set(int *b) { *b = 4; } void f(float *p, int n, bool c)"
             "{ int b = 1; c && (set(&b), true); k<<<b, 1>>>(p, n); }",
           "k by f: (b, 1, 1) (1, 1, 1) 0 (p, n) with open b: 'b' has its address taken");
    expect(K "struct cudaDeviceProp { int warpSize; }; cudaDeviceProp prop;"
             "void f(float *p, int n) { k<<<n, prop.warpSize * 4>>>(p, n); }",
           BY_F("n", "prop.warpSize * 4") " with device prop.warpSize = warpSize of prop");
    expect(K "int get(const char *); void f(float *p, int n)"
             "{ int b = get(\"b\"), c = get(\"c\"); k<<<b, c>>>(p, n); }",
           BY_F("get", "get_2") " with call get = get(\"b\"), call get_2 = get(\"c\")");
}

Test(convert_harvest_inputs, loops)
{
    expect(K "void f(float *p, int n) { for (int s = n / 2; s > 0; s >>= 1) k<<<s, 32>>>(p, n); }",
           BY_F("s", "32") " when n / 2 > 0 with loop s (n / 2; s > 0; s >> 1)");
    expect(
        K
        "void f(float *p, int n) { for (int i = 2; i <= n; i *= 2) for (int j = i / 2; j > 0; j /= 2)"
        " k<<<i, j>>>(p, n); }",
        BY_F("i", "j") " when 2 <= n ... with loop i (2; i <= n; i * 2), "
                       "loop j (i / 2; j > 0; j / 2)");
    expect(K "void f(float *p, int n) { int m = n; while (m > 1) { int b = (m + 31) / 32;"
             " k<<<b, 32>>>(p, n); m = b; } }",
           BY_F("(m + 31) / 32", "32") " when n > 1 with loop m (n; m > 1; (m + 31) / 32)");
    expect(K "void f(float *p, int n) { for (int i = 1; i < n; i++) { if (i == 7) continue;"
             " k<<<i, 1>>>(p, n); } }",
           "k by f: (i, 1, 1) (1, 1, 1) 0 (p, n) when 1 < n ... with loop i (1; i < n; i + 1)");
    expect(K "int next(int); void f(float *p, int n) { int i = 1; while (i < n) {"
             " k<<<i, 1>>>(p, n); i = next(i); } }",
           BY_F("i", "1") " when 1 < n with loop i (1; i < n; next), call next = next(i)");
    expect(K "void f(float *p, int n) { int i; for (i = 1; i < n; i *= 3) ; k<<<i, 1>>>(p, n); }",
           "k by f: (i, 1, 1) (1, 1, 1) 0 (p, n) with after i (1; i < n; i * 3)");
}

Test(convert_harvest_inputs, streams)
{
    static const char source[] =
        K "void f(float *p, int n, cudaStream_t s) { k<<<n, 1>>>(p, n); k<<<n, 1, 0, s>>>(p, n);"
          " k<<<n, 1, 0, 0>>>(p, n); }";
    fixture f = harvest_of(source);
    expect_parses(&f, source);
    cr_assert_eq(f.harvest.count, 3u);
    cr_expect_null(f.harvest.items[0].launch.stream);
    cr_expect_str_eq(f.harvest.items[1].launch.stream, "s");
    cr_expect_null(f.harvest.items[2].launch.stream);
    done(&f);
}
