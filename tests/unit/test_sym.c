#include "base/sym.h"
#include "base/sym_fit.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    rk_arena *arena;
    rk_syms *syms;
} fixture;

/** n = 1..512, m = 0..9, k = -3..4 */
static fixture fresh(void)
{
    rk_arena *arena = rk_arena_new();
    fixture f = {arena, rk_syms_new(arena)};
    rk_sym_dim(f.syms, "n", 1, 512);
    rk_sym_dim(f.syms, "m", 0, 9);
    rk_sym_dim(f.syms, "k", -3, 4);
    return f;
}

static rk_sym parse(const fixture *f, const char *text)
{
    const char *problem;
    rk_sym sym = rk_sym_parse(f->syms, text, &problem);
    cr_assert(sym, "'%s': %s", text, problem);
    return sym;
}

Test(sym, one_form)
{
    fixture f = fresh();
    static const char *const equal[][2] = {
        {"n + m", "m + n"},
        {"(n + 1)*(n - 1)", "n*n - 1"},
        {"2*n - n - n", "0"},
        {"(n*64 + 64)/64", "n + 1"},
        {"(n + 31)/32 + 1", "(n + 63)/32"},
        {"(6*n + 3)/4", "(6*n + 3)/4"},
        {"(2*n + 1)/4", "n/2"},
        {"n/2/3", "n/6"},
        {"(n/4 + 3)/2", "(n + 12)/8"},
        {"(64*n + m)%64", "m"},
        {"(6*n)%4", "2*((3*n)%2)"},
        {"(6*n)%4", "2*(n%2)"},
        {"min(n, min(m + 5, 40))", "min(min(40, n), m + 5)"},
        {"min(n, n + m)", "n"},
        {"max(n, n + m)", "n + m"},
        {"max(n, 0)", "n"},
        {"min(m, 9)", "m"},
        {"m/10", "0"},
        {"-k/1", "0 - k"},
        {"k%8 + 3*n - n", "2*n + k%8"},
    };
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++)
        cr_expect_eq(parse(&f, equal[i][0]), parse(&f, equal[i][1]), "%s and %s: %s and %s",
                     equal[i][0], equal[i][1], rk_sym_text(parse(&f, equal[i][0]), f.arena),
                     rk_sym_text(parse(&f, equal[i][1]), f.arena));
    cr_expect_neq(parse(&f, "n"), parse(&f, "m"));
    cr_expect_neq(parse(&f, "n%8"), parse(&f, "n%9"));
    rk_arena_free(f.arena);
}

Test(sym, exact_quotients)
{
    fixture f = fresh();
    const rk_sym n = parse(&f, "n");
    cr_expect_eq(rk_sym_quotient(f.syms, parse(&f, "64*n*m"), parse(&f, "16*n")), parse(&f, "4*m"));
    cr_expect_eq(rk_sym_quotient(f.syms, parse(&f, "n*n*n + 2*n*n"), parse(&f, "n*n")),
                 parse(&f, "n + 2"));
    cr_expect_null(rk_sym_quotient(f.syms, parse(&f, "n*n + 1"), n));
    cr_expect_null(rk_sym_quotient(f.syms, parse(&f, "3*n"), parse(&f, "2*n")));
    cr_expect_null(rk_sym_quotient(f.syms, parse(&f, "n*m"), parse(&f, "m")), "m may be 0");
    cr_expect_null(rk_sym_quotient(f.syms, n, parse(&f, "n + 1")));
    rk_arena_free(f.arena);
}

Test(sym, refused)
{
    fixture f = fresh();
    static const char *const bad[][2] = {
        {"", "an operand is missing"},
        {"n +", "an operand is missing"},
        {"n m", "something follows it"},
        {"(n", "a ')' is missing"},
        {"min(n", "a ')' is missing"},
        {"q", "it names an unknown dimension"},
        {"n/m", "it divides by what is no constant of at least 1"},
        {"n/0", "it divides by what is no constant of at least 1"},
        {"n%(0 - 2)", "it divides by what is no constant of at least 1"},
        {"99999999999999999999999999", "its value is too large"},
        {"n*n*n*n*n*n*n", "its value is too large"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *problem;
        cr_expect_null(rk_sym_parse(f.syms, bad[i][0], &problem), "%s", bad[i][0]);
        cr_expect_str_eq(problem, bad[i][1], "%s: %s", bad[i][0], problem);
    }
    char deep[1000];
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    const char *problem;
    cr_expect_null(rk_sym_parse(f.syms, deep, &problem));
    cr_expect_null(rk_sym_dim(f.syms, "n", 1, 64), "a dimension has one range");
    cr_expect_null(rk_sym_add(f.syms, NULL, rk_sym_number(f.syms, 1)));
    rk_arena_free(f.arena);
}

Test(sym, bounds_and_directions)
{
    fixture f = fresh();
    const rk_sym n = parse(&f, "n");
    rk_sym_range r = rk_sym_bounds(parse(&f, "(n + 31)/32"));
    cr_expect(r.low == 1 && r.high == 16);
    r = rk_sym_bounds(parse(&f, "min(n, 40)*m - 3"));
    cr_expect(r.low == -3 && r.high == 357);
    r = rk_sym_bounds(parse(&f, "n%32"));
    cr_expect(r.low == 0 && r.high == 31);
    cr_expect_eq(rk_sym_monotone(n, 0), RK_SYM_RISES);
    cr_expect_eq(rk_sym_monotone(n, 1), RK_SYM_CONSTANT);
    cr_expect_eq(rk_sym_monotone(parse(&f, "n*m + (n + 31)/32"), 0), RK_SYM_RISES);
    cr_expect_eq(rk_sym_monotone(parse(&f, "9 - m"), 1), RK_SYM_FALLS);
    cr_expect_eq(rk_sym_monotone(parse(&f, "n*k"), 0), RK_SYM_MIXED);
    cr_expect_eq(rk_sym_monotone(parse(&f, "n%8"), 0), RK_SYM_MIXED);
    cr_expect_eq(rk_sym_same(f.syms, n, n), RK_SYM_ALWAYS);
    cr_expect_eq(rk_sym_same(f.syms, n, parse(&f, "n + 1")), RK_SYM_NEVER);
    cr_expect_eq(rk_sym_same(f.syms, n, parse(&f, "7")), RK_SYM_OPEN);
    cr_expect_eq(rk_sym_same(f.syms, n, parse(&f, "600")), RK_SYM_NEVER);
    cr_expect_eq(rk_sym_at_most(f.syms, n, parse(&f, "n + m")), RK_SYM_ALWAYS);
    cr_expect_eq(rk_sym_at_most(f.syms, parse(&f, "n + 1"), n), RK_SYM_NEVER);
    int64_t value;
    cr_expect(rk_sym_is_number(parse(&f, "n - n + 7"), &value) && value == 7);
    cr_expect_not(rk_sym_is_number(n, &value));
    rk_arena_free(f.arena);
}

/* Random expressions against what they mean. */

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static int64_t floor_div(int64_t a, int64_t by)
{
    int64_t q = a / by;
    return q * by > a ? q - 1 : q;
}

enum { BINDINGS = 40 };

/** An expression, NULL where it is too large, and what it means at each binding. */
typedef struct {
    rk_sym sym;
    int64_t values[BINDINGS];
} meant;

static meant make(const fixture *f, int64_t bindings[BINDINGS][3], int depth)
{
    meant out = {0};
    uint32_t kind = depth == 0 ? draw(2) : draw(9);
    if (kind < 2) {
        const uint32_t dim = draw(3);
        const int64_t number = (int64_t)draw(70) - 20;
        static const char *const names[] = {"n", "m", "k"};
        out.sym = kind ? parse(f, names[dim]) : rk_sym_number(f->syms, number);
        for (int i = 0; i < BINDINGS; i++)
            out.values[i] = kind ? bindings[i][dim] : number;
        return out;
    }
    meant a = make(f, bindings, depth - 1);
    meant b = make(f, bindings, depth - 1);
    const int64_t by = 1 + draw(12);
    if (!a.sym || !b.sym)
        return out;
    out.sym = kind < 4    ? rk_sym_add(f->syms, a.sym, b.sym)
              : kind == 4 ? rk_sym_sub(f->syms, a.sym, b.sym)
              : kind == 5 ? rk_sym_mul(f->syms, a.sym, b.sym)
              : kind == 6 ? (by % 2 ? rk_sym_min : rk_sym_max)(f->syms, a.sym, b.sym)
              : kind == 7 ? rk_sym_div(f->syms, a.sym, by)
                          : rk_sym_mod(f->syms, a.sym, by);
    for (int i = 0; out.sym && i < BINDINGS; i++) {
        const int64_t x = a.values[i];
        const int64_t y = b.values[i];
        out.values[i] = kind < 4    ? x + y
                        : kind == 4 ? x - y
                        : kind == 5 ? x * y
                        : kind == 6 ? ((x < y) == (by % 2) ? x : y)
                        : kind == 7 ? floor_div(x, by)
                                    : x - floor_div(x, by) * by;
    }
    return out;
}

/** Of one dimension, from one binding to another that differs in it alone. */
static void check_direction(const fixture *f, const meant *m, const int64_t binding[3],
                            int64_t value)
{
    const size_t dim = draw(3);
    const rk_sym_range range = rk_syms_dim_range(f->syms, dim);
    int64_t other[3];
    memcpy(other, binding, sizeof other);
    other[dim] = range.low + draw((uint32_t)(range.high - range.low) + 1);
    const int64_t there = rk_sym_eval(m->sym, other);
    const int64_t change = other[dim] > binding[dim] ? there - value : value - there;
    const rk_sym_direction d = rk_sym_monotone(m->sym, dim);
    cr_assert(d == RK_SYM_MIXED || (d == RK_SYM_RISES && change >= 0) ||
                  (d == RK_SYM_FALLS && change <= 0) || (d == RK_SYM_CONSTANT && change == 0),
              "%s does not go in direction %d", rk_sym_text(m->sym, f->arena), d);
}

Test(sym, means_what_it_says, .timeout = 60)
{
    size_t made = 0;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        fixture f = fresh();
        int64_t bindings[BINDINGS][3];
        state = seed;
        for (int i = 0; i < BINDINGS; i++)
            for (size_t d = 0; d < 3; d++) {
                const rk_sym_range r = rk_syms_dim_range(f.syms, d);
                bindings[i][d] = i == 0   ? r.low
                                 : i == 1 ? r.high
                                          : r.low + draw((uint32_t)(r.high - r.low) + 1);
            }
        const meant m = make(&f, bindings, 1 + (int)draw(4));
        const rk_sym_range bounds = m.sym ? rk_sym_bounds(m.sym) : (rk_sym_range){0, 0};
        made += m.sym != NULL;
        for (int i = 0; m.sym && i < BINDINGS; i++) {
            const int64_t value = rk_sym_eval(m.sym, bindings[i]);
            cr_assert_eq(value, m.values[i], "seed %llu: %s is %lld and not %lld",
                         (unsigned long long)seed, rk_sym_text(m.sym, f.arena), (long long)value,
                         (long long)m.values[i]);
            cr_assert(value >= bounds.low && value <= bounds.high, "seed %llu",
                      (unsigned long long)seed);
            check_direction(&f, &m, bindings[i], value);
        }
        if (m.sym) {
            const char *text = rk_sym_text(m.sym, f.arena);
            cr_assert_eq(parse(&f, text), m.sym, "seed %llu: %s is read as %s",
                         (unsigned long long)seed, text, rk_sym_text(parse(&f, text), f.arena));
        }
        rk_arena_free(f.arena);
    }
    cr_assert_gt(made, 15000);
}

/* Fitting. */

enum { FITTED = 11 * 7 };

/** Fits `text` by its numbers at all of n = 1..11, m = 3..9, of which the fit at `changed` is another. */
static rk_sym fit_text(fixture *f, const char *text, size_t changed)
{
    int64_t values[2 * FITTED], numbers[FITTED];
    f->arena = rk_arena_new();
    f->syms = rk_syms_new(f->arena);
    rk_sym_dim(f->syms, "n", 1, 11);
    rk_sym_dim(f->syms, "m", 3, 9);
    rk_sym sym = parse(f, text);
    for (size_t p = 0; p < FITTED; p++) {
        values[2 * p] = 1 + (int64_t)p % 11;
        values[2 * p + 1] = 3 + (int64_t)p / 11;
        numbers[p] = rk_sym_eval(sym, &values[2 * p]) + (p == changed);
    }
    return rk_sym_fit(f->syms, &(rk_sym_points){values, FITTED}, numbers);
}

Test(sym, is_fitted_to_numbers)
{
    static const char *const fitted[] = {"7", "n", "3*n - 2", "n*m + 5", "2*n*n*m - m", "m*m*m",
                                         "12*min(n - 1, 1)", "m*n*min(n - 1, 1)",
                                         "n*min(m - 3, 1) + 4"};
    static const char *const others[] = {"n / 3", "n % 2", "n*n*m*m", "max(n, m)"};
    fixture f;
    for (size_t i = 0; i < sizeof fitted / sizeof *fitted; i++) {
        const rk_sym found = fit_text(&f, fitted[i], FITTED);
        cr_expect_eq(found, parse(&f, fitted[i]), "%s is fitted by %s", fitted[i],
                     found ? rk_sym_text(found, f.arena) : "nothing");
        rk_arena_free(f.arena);
        cr_expect_null(fit_text(&f, fitted[i], FITTED / 2), "%s but for one", fitted[i]);
        rk_arena_free(f.arena);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        cr_expect_null(fit_text(&f, others[i], FITTED), "%s", others[i]);
        rk_arena_free(f.arena);
    }
}
