#include "base/sym_fit.h"

#include <math.h>
#include <string.h>

enum { MOST_TERMS = 35, MOST_DEGREE = 3 };

/** What is fitted. */
typedef struct {
    rk_syms *syms;
    const rk_sym_points *points;
    const int64_t *numbers;
    size_t dims;
    size_t still; /**< a dimension that is the same at all points, in no term; `dims`: none */
    int exponents[MOST_TERMS][RK_SYM_FIT_DIMS]; /**< by term, then dimension */
    size_t terms;
} fitting;

/** Makes the terms those up to a degree. */
static void set_terms(fitting *f, int degree)
{
    int now[RK_SYM_FIT_DIMS] = {0};
    f->terms = 0;
    for (;;) {
        int sum = 0;
        for (size_t d = 0; d < f->dims; d++)
            sum += now[d] + (d == f->still && now[d] ? degree : 0);
        if (sum <= degree)
            memcpy(f->exponents[f->terms++], now, sizeof now);
        size_t d = 0;
        while (d < f->dims && ++now[d] > degree)
            now[d++] = 0;
        if (d == f->dims)
            return;
    }
}

static double term_at(const fitting *f, size_t term, const int64_t *values)
{
    double product = 1;
    for (size_t d = 0; d < f->dims; d++)
        for (int e = 0; e < f->exponents[term][d]; e++)
            product *= (double)values[d];
    return product;
}

/** The equation of a point, less the rows that are there. */
static void set_row(double *row, const fitting *f, size_t p, double rows[][MOST_TERMS + 1],
                    const size_t *pivots, size_t found)
{
    for (size_t t = 0; t < f->terms; t++)
        row[t] = term_at(f, t, &f->points->values[p * f->dims]);
    row[f->terms] = (double)f->numbers[p];
    for (size_t r = 0; r < found; r++) {
        const double by = row[pivots[r]];
        for (size_t t = 0; t <= f->terms; t++)
            row[t] -= by * rows[r][t];
    }
}

/** Solves for the factors of the terms by as many points as make them unique; false when none do. */
static bool solve(double *factors, const fitting *f)
{
    double rows[MOST_TERMS][MOST_TERMS + 1];
    size_t pivots[MOST_TERMS], found = 0;
    for (size_t p = 0; p < f->points->count && found < f->terms; p++) {
        double *row = rows[found];
        set_row(row, f, p, rows, pivots, found);
        size_t best = 0;
        for (size_t t = 1; t < f->terms; t++)
            if (fabs(row[t]) > fabs(row[best]))
                best = t;
        if (fabs(row[best]) < 1e-6)
            continue;
        const double by = row[best];
        for (size_t t = 0; t <= f->terms; t++)
            row[t] /= by;
        for (size_t r = 0; r < found; r++) {
            const double times = rows[r][best];
            for (size_t t = 0; t <= f->terms; t++)
                rows[r][t] -= times * row[t];
        }
        pivots[found++] = best;
    }
    for (size_t r = 0; r < found; r++)
        factors[pivots[r]] = rows[r][f->terms];
    return found == f->terms;
}

static rk_sym dim_of(const fitting *f, size_t d)
{
    const rk_sym_range range = rk_syms_dim_range(f->syms, d);
    return rk_sym_dim(f->syms, rk_syms_dim_name(f->syms, d), range.low, range.high);
}

/** The sum of the terms, their factors made whole numbers; NULL where it is too large. */
static rk_sym sum_of(const fitting *f, const double *factors)
{
    rk_sym sum = rk_sym_number(f->syms, 0);
    for (size_t t = 0; t < f->terms; t++) {
        rk_sym product = rk_sym_number(f->syms, llround(factors[t]));
        for (size_t d = 0; d < f->dims; d++)
            for (int e = 0; e < f->exponents[t][d]; e++)
                product = rk_sym_mul(f->syms, product, dim_of(f, d));
        sum = rk_sym_add(f->syms, sum, product);
    }
    return sum;
}

static bool fits(const fitting *f, rk_sym sym)
{
    for (size_t p = 0; p < f->points->count; p++)
        if (rk_sym_eval(sym, &f->points->values[p * f->dims]) != f->numbers[p])
            return false;
    return true;
}

static rk_sym fit_polynomial(fitting *f)
{
    bool fixed = f->points->count > 0;
    for (size_t p = 1; p < f->points->count && fixed; p++)
        fixed = f->numbers[p] == f->numbers[0];
    if (fixed)
        return rk_sym_number(f->syms, f->numbers[0]);
    for (int degree = 1; degree <= MOST_DEGREE; degree++) {
        double factors[MOST_TERMS] = {0};
        set_terms(f, degree);
        if (!solve(factors, f))
            return NULL;
        const rk_sym sym = sum_of(f, factors);
        if (sym && fits(f, sym))
            return sym;
    }
    return NULL;
}

/** The polynomial of those points at which a dimension is least, or is not. */
static rk_sym fit_part(const fitting *f, size_t dim, bool least, rk_arena *arena)
{
    const int64_t low = rk_syms_dim_range(f->syms, dim).low;
    int64_t *values = RK_NEW_ARRAY(arena, int64_t, f->points->count * f->dims + 1);
    int64_t *numbers = RK_NEW_ARRAY(arena, int64_t, f->points->count + 1);
    rk_sym_points points = {values, 0};
    for (size_t p = 0; p < f->points->count; p++) {
        const int64_t *from = &f->points->values[p * f->dims];
        if ((from[dim] == low) != least)
            continue;
        memcpy(&values[points.count * f->dims], from, f->dims * sizeof *from);
        numbers[points.count++] = f->numbers[p];
    }
    fitting part = {.syms = f->syms,
                    .points = &points,
                    .numbers = numbers,
                    .dims = f->dims,
                    .still = least ? dim : f->dims};
    return fit_polynomial(&part);
}

/** One polynomial where the dimension is least, another where it is more. */
static rk_sym fit_step(const fitting *f, size_t dim)
{
    rk_arena *scratch = rk_arena_new();
    rk_sym least = fit_part(f, dim, true, scratch), more = fit_part(f, dim, false, scratch);
    rk_arena_free(scratch);
    const int64_t low = rk_syms_dim_range(f->syms, dim).low;
    rk_sym above = rk_sym_sub(f->syms, dim_of(f, dim), rk_sym_number(f->syms, low));
    rk_sym step = rk_sym_min(f->syms, above, rk_sym_number(f->syms, 1));
    rk_sym sym =
        rk_sym_add(f->syms, least, rk_sym_mul(f->syms, step, rk_sym_sub(f->syms, more, least)));
    return sym && fits(f, sym) ? sym : NULL;
}

rk_sym rk_sym_fit(rk_syms *syms, const rk_sym_points *points, const int64_t *numbers)
{
    const size_t dims = rk_syms_dim_count(syms);
    fitting f = {
        .syms = syms, .points = points, .numbers = numbers, .dims = dims, .still = dims};
    if (f.dims > RK_SYM_FIT_DIMS)
        return NULL;
    rk_sym sym = fit_polynomial(&f);
    for (size_t d = 0; d < f.dims && !sym; d++)
        sym = fit_step(&f, d);
    return sym;
}
