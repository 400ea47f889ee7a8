#include "convert/launches/roles.h"
#include "tests/unit/harvest_fixture.h"

/* ---- roles ------------------------------------------------------------------------------- */

/** The roles of the parameters of the first launched kernel, as "a:read b:written". */
static void expect_roles(const char *source, const char *expected)
{
    fixture f = harvest_of(source);
    expect_parses(&f, source);
    cr_assert_geq(f.harvest.count, 1, "%s", source);
    rk_roles roles = rk_roles_infer(f.harvest.items[0].instance, NULL, 0, f.arena);
    rk_str all = {.arena = f.arena};
    for (size_t i = 0; i < roles.count; i++)
        rk_str_addf(&all, "%s%s:%s", i ? " " : "", roles.params[i].name,
                    rk_role_name(roles.params[i].role));
    rk_str_add(&all, roles.float_atomics ? " float atomics" : roles.atomics ? " atomics" : "");
    cr_expect_str_eq(rk_str_text(&all), expected, "%s\ngives %s", source, rk_str_text(&all));
    done(&f);
}

#define KERNEL(params, body, args)                                                                 \
    "__global__ void k(" params ") {" body "} void f(" params ") { k<<<1, 1>>>(" args "); }"
#define AB(body) KERNEL("float *a, float *b, int n", body, "a, b, n")

Test(convert_roles, direct)
{
    expect_roles(AB("a[n] = b[n];"), "a:written b:read n:scalar");
    expect_roles(AB("a[n] += b[n];"), "a:both b:read n:scalar");
    expect_roles(AB("*a = *b; ++*b;"), "a:written b:both n:scalar");
    expect_roles(AB("a[n] = a[n + 1];"), "a:both b:read n:scalar");
    expect_roles(AB("float x = a[(int)b[n]];"), "a:read b:read n:scalar");
    expect_roles(AB("if (a[n] > 0 && b) b[n]++;"), "a:read b:both n:scalar");
    expect_roles(AB("a[n] = b[n] = 3;"), "a:written b:both n:scalar");
    expect_roles(AB("for (int i = 0; i < n; i++) a[i] = n ? b[i] : 0;"),
                 "a:written b:read n:scalar");
}

Test(convert_roles, through_aliases)
{
    expect_roles(AB("float *p = a + n; *p = 1;"), "a:written b:read n:scalar");
    expect_roles(AB("float *p; p = b; p += 3; float x = *p; a[0] = x;"),
                 "a:written b:read n:scalar");
    expect_roles(AB("float &r = a[n]; r = b[n];"), "a:written b:read n:scalar");
    expect_roles(AB("const float &r = b[n]; a[n] = r;"), "a:written b:read n:scalar");
    expect_roles(AB("float *p = n ? a : b; *p = 1;"), "a:written b:written n:scalar");
    expect_roles(AB("b = a; b[n] = 1;"), "a:written b:written n:scalar");
    expect_roles(
        AB("float4 v = *reinterpret_cast<float4 *>(b + n); reinterpret_cast<float4 *>(a)[n] = v;"),
        "a:written b:read n:scalar");
    expect_roles(AB("float4 *p = (float4 *)a; p[n].x = b[n];"), "a:written b:read n:scalar");
    expect_roles(AB("float *p[2] = {a, b}; p[n][0] = 1;"), "a:written b:written n:scalar");
    expect_roles(AB("struct { float *q; } s; s.q = a; s.q[n] = b[n];"),
                 "a:written b:read n:scalar");
    expect_roles(AB("size_t bits = (size_t)a + 16; ((float *)bits)[0] = b[0];"),
                 "a:written b:read n:scalar");
    expect_roles(AB("bool odd = ((size_t)b & 15) != 0; if (odd) a[n] = b[n];"),
                 "a:written b:read n:scalar");
    expect_roles(AB("float *p = b; for (int i = 0; i < n; i++) { float *q = p; p = a; *q = 1; }"),
                 "a:written b:written n:scalar");
    expect_roles(AB("auto put = [&](int i) { a[i] = b[i]; }; put(n);"),
                 "a:written b:read n:scalar");
}

Test(convert_roles, through_helpers)
{
    expect_roles(
        "__device__ float get(const float *p, int i) { return p[i]; }"
        "__device__ void put(float *p, int i, float x) { p[i] = x; }" AB("put(a, n, get(b, n));"),
        "a:written b:read n:scalar");
    expect_roles("__device__ void put(float &r, float x) { r = x; }" AB("put(a[n], b[n]);"),
                 "a:written b:read n:scalar");
    expect_roles("template <class T> __device__ T &at(T *p, int i) { return p[i]; }" AB(
                     "at(a, n) = at(b, n);"),
                 "a:written b:read n:scalar");
    expect_roles("__device__ void twice(float *p, int n) { if (n) twice(p, n - 1); p[n] = 0; }" AB(
                     "twice(a, n);"),
                 "a:both b:read n:scalar");
    expect_roles(AB("opaque(a); peek(b);"), "a:both b:read n:scalar");
    expect_roles("struct F { float *p; __device__ void operator()(int i) const { p[i] = 1; } };" AB(
                     "F f = {a}; f(n);"),
                 "a:both b:read n:scalar");
    expect_roles("__device__ float sq(float x) { return x * x; }" AB("a[n] = sq(b[n]);"),
                 "a:written b:read n:scalar");
    expect_roles(AB("a[n] = __ldg(b + n);"), "a:written b:read n:scalar");
    expect_roles(AB("asm volatile(\"\" :: \"l\"(a));"), "a:both b:read n:scalar");
}

/** Names that stand for other things than a declaration's own value. */
Test(convert_roles, through_names)
{
    expect_roles("struct two { float *p, *q; };" AB("two t{a, b}; auto [p, q] = t; p[n] = 1;"),
                 "a:written b:written n:scalar");
    expect_roles("struct two { float *p, *q; };" AB("two t{a, b}; auto &[p, q] = t; p[n] = 1;"),
                 "a:both b:both n:scalar");
    expect_roles(AB("float *v[2] = {a, b}; auto [p, q] = v; p[n] = 1;"),
                 "a:written b:written n:scalar");
    expect_roles(AB("float *v[2] = {a, b}; for (float *p : v) p[n] = 1;"),
                 "a:written b:written n:scalar");
    expect_roles(AB("float (&v)[4] = *(float (*)[4])a; for (float &x : v) x = b[n];"),
                 "a:both b:read n:scalar");
    expect_roles(AB("float (&v)[4] = *(float (*)[4])b; for (float x : v) a[n] = x;"),
                 "a:written b:read n:scalar");
    expect_roles("struct span { float *p; __device__ float *begin() const { return p; }"
                 " __device__ float *end() const { return p + 1; } };" AB(
                     "span s{a}; for (float &x : s) x = b[n];"),
                 "a:both b:read n:scalar");
    expect_roles(AB("auto f = [p = a](float x) { *p = x; }; f(b[n]);"),
                 "a:written b:read n:scalar");
}

#define HOLDER(constructor, destructor)                                                            \
    "struct holder { float *p; __device__ holder(float *q) : p(q) {" constructor                   \
    "} __device__ ~holder() {" destructor "} };"

Test(convert_roles, of_objects)
{
    expect_roles(HOLDER("", "") AB("holder h(a); float x = *h.p + b[n];"),
                 "a:read b:read n:scalar");
    expect_roles(HOLDER("*p = 1;", "") AB("holder h(a); float x = b[n];"),
                 "a:both b:read n:scalar");
    expect_roles(HOLDER("", "*p = 1;") AB("holder h(a); float x = b[n];"),
                 "a:both b:read n:scalar");
    expect_roles(HOLDER("", "*p = 1;") AB("holder{a}; float x = b[n];"), "a:both b:read n:scalar");
    expect_roles(HOLDER("*p = 1;", "") "struct outer { holder h; __device__ outer(float *q)"
                                       " : h(q) {} };" AB("outer o(a); float x = b[n];"),
                 "a:both b:read n:scalar");
    expect_roles("struct two { float *p, *q; }; __device__ two kept;" AB(
                     "kept = two{a, a}; *kept.p = b[n];"),
                 "a:both b:read n:scalar");
    expect_roles("struct four { float x, y; };" KERNEL("four *a, four *b", "a[0] = b[0];", "a, b"),
                 "a:written b:read");
    expect_roles("extern \"C\" __device__ void *memcpy(void *, const void *, size_t);" AB(
                     "float *v[1]; memcpy(v, &a, sizeof a); *v[0] = b[n];"),
                 "a:both b:read n:scalar");
}

Test(convert_roles, of_atomics)
{
    expect_roles(AB("atomicAdd(a, b[n]);"), "a:accumulated b:read n:scalar float atomics");
    expect_roles(AB("atomicAdd(&a[n], 1.0f); atomicAdd(a + 1, b[0]);"),
                 "a:accumulated b:read n:scalar float atomics");
    expect_roles(AB("b[n] = atomicAdd(a, 1.0f);"), "a:both b:written n:scalar float atomics");
    expect_roles(AB("atomicAdd(a, 1.0f); b[0] = a[0];"), "a:both b:written n:scalar float atomics");
    expect_roles(KERNEL("int *c, int n", "atomicAdd(c, 1);", "c, n"),
                 "c:accumulated n:scalar atomics");
    expect_roles(KERNEL("int *c, int n", "atomicMax(c, 1);", "c, n"), "c:both n:scalar atomics");
    expect_roles(KERNEL("int *c, int n", "while (atomicCAS(c, 0, 1)) {}", "c, n"),
                 "c:both n:scalar atomics");
    expect_roles(
        "__device__ void add(float *p, float x) { atomicAdd(p, x); }" AB("add(a + n, b[n]);"),
        "a:accumulated b:read n:scalar float atomics");
}

Test(convert_roles, of_what_cannot_be_seen)
{
    expect_roles("__global__ void k(float *a, const float *b, int n);"
                 "void f(float *a, const float *b, int n) { k<<<1, 1>>>(a, b, n); }",
                 "a:both b:read n:scalar");
    expect_roles("__device__ float *g;" AB("g = a;"), "a:both b:read n:scalar");
    expect_roles(KERNEL("float **a, int n", "a[0][n] = 1;", "a, n"), "a:both n:scalar");
    expect_roles(KERNEL("const float *a, float *b",
                        "const float *p = a; *(float *)p = 1; b[0] = 2;", "a, b"),
                 "a:written b:written");
}

Test(convert_roles, types)
{
    fixture f = harvest_of(
        "template <class T, int N> __global__ void k(const T *__restrict__ a, float4 *b, "
        "__half *c, long long d, bool e, T g, int (*h)[4]) {}\n"
        "void f(const double *a, float4 *b, __half *c) "
        "{ k<double, 3><<<1, 1>>>(a, b, c, 1, true, 2.0, nullptr); }");
    cr_assert_eq(f.harvest.count, 1);
    static const char *const types[] = {"const double *", "float4 *", "__half *",  "long long",
                                        "bool",           "double",   "int (*)[4]"};
    static const rk_dtype dtypes[] = {RK_F64, RK_F32, RK_F16, RK_I64, RK_BOOL, RK_F64, RK_I32};
    static const char *const args[] = {"double", "3"};
    const CXCursor kernels[] = {f.harvest.items[0].instance, f.harvest.items[0].kernel};
    for (size_t k = 0; k < 2; k++) {
        rk_roles roles = rk_roles_infer(kernels[k], args, 2, f.arena);
        cr_assert_eq(roles.count, 7);
        for (size_t i = 0; i < 7; i++) {
            cr_expect_str_eq(roles.params[i].type, types[i]);
            cr_expect_eq(roles.params[i].dtype, dtypes[i], "%s is %s", types[i],
                         rk_dtype_name(roles.params[i].dtype));
            cr_expect_eq(roles.params[i].pointer, strchr(types[i], '*') != NULL);
        }
    }
    done(&f);
}

Test(convert_roles, of_deep_expressions_take_no_time)
{
    rk_arena *arena = rk_arena_new();
    rk_str text = {.arena = arena};
    for (int i = 0; i < 60; i++)
        rk_str_add(&text, "pick(");
    rk_str_add(&text, "b");
    for (int i = 0; i < 60; i++)
        rk_str_add(&text, ", n)");
    expect_roles(rk_arena_printf(arena,
                                 "__device__ const float *pick(const float *p, int n) "
                                 "{ return p + n; }" AB("a[n] = *%s;"),
                                 rk_str_text(&text)),
                 "a:written b:read n:scalar");
    rk_arena_free(arena);
}
