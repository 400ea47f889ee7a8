#include "tests/unit/harvest_fixture.h"

#define BY_F(gx, bx) "k by f: (" gx ", 1, 1) (" bx ", 1, 1) 0 (p, n)"
#define F "void f(float *p, int n) "

/* Launches after loops, of objects, behind helpers that end the program, and those that stay open. */

Test(convert_harvest_open, variables_after_loops)
{
    expect(K F "{ dim3 g(n); while (g.x > 100) g.x >>= 1; k<<<g, 1>>>(p, n); }",
           BY_F("g.x", "1") " with after g.x ((unsigned)n; g.x > 100; g.x >> 1)");
    expect(K F "{ int a = n, b = 1; while (a > 9) { a /= 2; b += a; } k<<<a, b>>>(p, n); }",
           BY_F("a", "b") " with after a (n; a > 9; a / 2), after b (1; a > 9; b + a / 2)");
    expect(K F "{ int t = 1; for (int i = 0; i < 3; i++) t *= 2 + i; k<<<t, 1>>>(p, n); }",
           BY_F("24", "1"));
    expect(K F "{ int t = n; for (int i = 0; i < 3; i++) { if (i == 1) continue; t += i; }"
               " k<<<t, 1>>>(p, n); }",
           BY_F("n + 2", "1"));
    expect(K F "{ for (int i = 0; i < n; i++) { while (i % 7) i++; k<<<i, 1>>>(p, n); } }",
           BY_F("i", "1") " when 0 < n with after i (i_2; i % 7 != 0; i + 1),"
                          " loop i_2 (0; i_2 < n; i + 1)");
    expect(K F "{ int t = n; while (t > 9) { t /= 2; if (t == 20) break; } k<<<t, 1>>>(p, n); }",
           BY_F("t", "1") " with open t: 't' changes in a way that is not followed");
}

Test(convert_harvest_open, what_is_read_once)
{
    expect(K "struct M { int m; void get(int *a, int *b) { *a = m; *b = m; } };" F
             "{ M m; int a, b; m.get(&a, &b); k<<<a, 1>>>(p, n); }",
           BY_F("a", "1") " with call a = m.get(&a, &b)");
    expect(K "struct M { void get(int *a); };" F "{ M m; int a; m.get(&a); k<<<a, 1>>>(p, n); }",
           BY_F("a", "1") " with open a: 'a' has its address taken");
    expect(K "template <class T> " F
             "{ const int a = T::size(n); const int b = sizeof(T) * n, c = T::of;"
             " k<<<a, b + c>>>(p, n); }",
           "k by f: (a, 1, 1) ((int)(sizeof_T * n_2) + c, 1, 1) 0 (p, n_2) with call a = T::size(n),"
           " template sizeof_T = sizeof(T), call n_2 = T::size(n), template c = T::of");
}

Test(convert_harvest_open, what_doubles_in_each_turn)
{
    expect(
        K F "{ float e = n; for (int i = 0; i < 60; i++) { float d = e * n; if (d > e) e = d; }"
            " int x = n; for (int i = 0; i < 40; i++) x = x * x; k<<<(int)e, x>>>(p, n); }",
        BY_F(
            "(int)e",
            "x") " with after e ((float)n; i < 60; (float)(e * (float)n) > e ? (float)(e * (float)n) : e), after"
                 " i (0; i < 60; i + 1), after x (n; i_2 < 40; x * x), after i_2 (0; i_2 < 40; i_2 + 1)");
    expect(K F "{ int t = n; while (t > 99) t /= 2; int g; if (n > 5) g = t / 3; else g = t / 7;"
               " k<<<g, t>>>(p, n); }",
           BY_F("n > 5 ? t / 3 : t / 7", "t") " with after t (n; t > 99; t / 2)");
    expect(
        K F
        "{ int b = n; int *q = &b; if (n > 3) k<<<b, 1>>>(p, n);\n else k<<<b, 2>>>(p, n); (void)q; }",
        BY_F("b", "1") " when n > 3 with open b: 'b' has its address taken\n" BY_F(
            "b", "2") " when n <= 3 with open b: 'b' has its address taken");
}

Test(convert_harvest_open, ways_out_of_loops)
{
    expect(K F "{ int b = 1; for (;;) { k<<<b, 1>>>(p, n); if (n > 4) { b = 7;"
               " k<<<b, 2>>>(p, n); break; } } k<<<b, 3>>>(p, n); }",
           BY_F("1", "1") " ...\n" BY_F("7", "2") " when n > 4 ...\n" BY_F(
               "b", "3") " with open b: 'b' changes in a way that is not followed");
    expect(K F "{ int b = n; while ((b = b / 2) > 1) k<<<b, 1>>>(p, n); }",
           BY_F("b", "1") " when n / 2 > 1 with open b: 'b' changes in a way that is not followed");
    expect(K F "{ int b = n; while (b-- > 1) k<<<b, 1>>>(p, n); }",
           BY_F("b", "1") " ... with open b: 'b' changes in a way that is not followed");
}

Test(convert_harvest_open, objects)
{
    expect(K "struct C { int t = 256; dim3 g; int m; C(int x) : g((x + 255) / 256), m(x) {} };" F
             "{ C c(n); k<<<c.g, c.t>>>(p, c.m); }",
           BY_F("(n + 255) / 256", "256"));
    expect(K
           "struct C { dim3 g, b; int s = 4; C(int x, int y) { b.x = y; g = dim3(x / y, s); } };" F
           "{ C c(n, 32); k<<<c.g, c.b>>>(p, n); }",
           "k by f: (n / 32, 4, 1) (32, 1, 1) 0 (p, n)");
    expect(
        K
        "struct C { int t = 64, u{32}; dim3 b; };" F
        "{ C c; k<<<c.u, c.t>>>(p, n); C d = {}; k<<<d.t, d.b>>>(p, n); C e{n}; k<<<e.t, e.u>>>(p, n); }",
        BY_F("32", "64") "\n" BY_F("64", "1") "\n" BY_F("n", "32"));
    expect(K "struct C { int t; void set(); C(int x) : t(x) { set(); } };" F
             "{ C c(n); k<<<c.t, 1>>>(p, n); }",
           BY_F("c.t", "1") " with open c.t: 't' changes in a constructor in a way that is"
                            " not followed");
    expect(K "struct C { int t; C(int x) : t(x) { if (x > 3) return; t = 3; } };" F
             "{ C c(n); k<<<c.t, 1>>>(p, n); }",
           BY_F("c.t", "1") " with open c.t = t of c: a constructor is not followed");
    expect(K "struct C { dim3 d; C(dim3 x) : d(x.y, x.z) {} };" F
             "{ dim3 g(1, 2, 3); C c(g); k<<<c.d, 1>>>(p, n); }",
           "k by f: (2, 3, 1) (1, 1, 1) 0 (p, n)");
    expect(K "struct C { int m; void g(); void f(float *p, int n) { m = 5; k<<<m, 1>>>(p, n); g();"
             " k<<<m, 2>>>(p, n); } };",
           "k by C::f: (5, 1, 1) (1, 1, 1) 0 (p, n)\n"
           "k by C::f: (this->m, 1, 1) (2, 1, 1) 0 (p, n) with member this->m");
}

Test(convert_harvest_open, helpers_that_end_the_program)
{
    static const char helpers[] =
        K "void say(int); static void die(int c) { if (c) say(c); else say(0); exit(1); }"
          "static void out(int c) { if (c) die(c); else throw c; }"
          "static void may(int c) { if (c) return; die(c); }";
    expect(rk_arena_printf(rk_arena_new(), "%s%s", helpers,
                           F "{ int t; switch (n) { case 1: t = 8; break; case 2: t = 16; break;"
                             " default: out(n); } k<<<n, t>>>(p, n); }"),
           BY_F("n", "n == 1 ? 8 : 16") " when !(n != 1 && n != 2)");
    expect(rk_arena_printf(rk_arena_new(), "%s%s", helpers,
                           F "{ if (n < 4) die(2); k<<<n, 1>>>(p, n); }"),
           BY_F("n", "1") " when n >= 4");
    expect(rk_arena_printf(rk_arena_new(), "%s%s", helpers,
                           F "{ if (n < 4) may(2); k<<<n, 1>>>(p, n); }"),
           BY_F("n", "1"));
}

Test(convert_harvest_open, another_instance_reaches_it)
{
    static const char source[] = K
        "template <class T> " F "{ if (sizeof(T) == 2) k<<<2, 1>>>(p, n); else k<<<4, 1>>>(p, n); }"
        "void g(float *p) { f<short>(p, 1); f<int>(p, 2); }"
        "template <class T> void h(float *p) { if (sizeof(T) == 2) k<<<2, 1>>>(p, 1); }"
        "void i(float *p) { h<int>(p); }";
    fixture f = harvest_of(source);
    expect_parses(&f, source);
    cr_assert_eq(f.harvest.count, 5u);
    for (size_t i = 0; i < f.harvest.count; i++) {
        cr_expect_eq(f.harvest.items[i].unreached, i == 0 || i == 3 || i == 4, "%zu", i);
        cr_expect_eq(f.harvest.items[i].elsewhere, i == 0 || i == 3, "%zu", i);
    }
    done(&f);
}
