#include "base/str.h"
#include "base/sym_internal.h"

#include <ctype.h>
#include <string.h>

/* Writing. */

static void add_sum(rk_str *out, rk_sym sym);

static void add_atom(rk_str *out, const rk_atom *atom)
{
    if (atom->kind == RK_ATOM_DIM) {
        rk_str_add(out, atom->name);
        return;
    }
    if (atom->kind == RK_ATOM_DIV || atom->kind == RK_ATOM_MOD) {
        rk_str_add(out, "((");
        add_sum(out, atom->args[0]);
        rk_str_addf(out, ")%c%lld)", atom->kind == RK_ATOM_DIV ? '/' : '%', (long long)atom->by);
        return;
    }
    rk_str_add(out, atom->kind == RK_ATOM_MIN ? "min(" : "max(");
    for (size_t i = 0; i < atom->arg_count; i++) {
        rk_str_add(out, i ? ", " : "");
        add_sum(out, atom->args[i]);
    }
    rk_str_add(out, ")");
}

static void add_term(rk_str *out, const rk_term *term, bool first)
{
    const long long factor = term->factor;
    const long long size = factor < 0 ? -factor : factor;
    rk_str_add(out, first ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ");
    if (size != 1 || term->atom_count == 0)
        rk_str_addf(out, "%lld%s", size, term->atom_count ? "*" : "");
    for (size_t i = 0; i < term->atom_count; i++) {
        rk_str_add(out, i ? "*" : "");
        add_atom(out, term->atoms[i]);
    }
}

static void add_sum(rk_str *out, rk_sym sym)
{
    if (sym->term_count == 0)
        rk_str_add(out, "0");
    for (size_t i = 0; i < sym->term_count; i++)
        add_term(out, &sym->terms[i], i == 0);
}

char *rk_sym_text(rk_sym sym, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    add_sum(&out, sym);
    return out.text;
}

/* Reading. */

enum { MOST_DEPTH = 100 };

typedef struct {
    rk_syms *syms;
    const char *at;
    const char *problem; /**< the first */
    int depth;
} reader;

static rk_sym read_sum(reader *r);

static rk_sym fail(reader *r, const char *problem)
{
    r->problem = r->problem ? r->problem : problem;
    return NULL;
}

static void skip_space(reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

/** Whether the next character is `c`, which is then passed. */
static bool take(reader *r, char c)
{
    skip_space(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static rk_sym find_dim(reader *r, const char *name, size_t length)
{
    for (size_t i = 0; i < rk_syms_dim_count(r->syms); i++) {
        const char *known = rk_syms_dim_name(r->syms, i);
        const rk_sym_range range = rk_syms_dim_range(r->syms, i);
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return rk_sym_dim(r->syms, known, range.low, range.high);
    }
    return fail(r, "it names an unknown dimension");
}

static rk_sym read_arguments(reader *r, bool most)
{
    rk_sym all = read_sum(r);
    while (all && take(r, ',')) {
        rk_sym next = read_sum(r);
        all = most ? rk_sym_max(r->syms, all, next) : rk_sym_min(r->syms, all, next);
    }
    return take(r, ')') ? all : fail(r, "a ')' is missing");
}

static rk_sym read_name(reader *r)
{
    const char *name = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    const size_t length = (size_t)(r->at - name);
    const bool most = length == 3 && memcmp(name, "max", 3) == 0;
    if ((most || (length == 3 && memcmp(name, "min", 3) == 0)) && take(r, '('))
        return read_arguments(r, most);
    return find_dim(r, name, length);
}

static rk_sym read_number(reader *r)
{
    int64_t value = 0;
    for (; isdigit((unsigned char)*r->at); r->at++)
        if (value <= RK_SYM_MOST)
            value = value * 10 + (*r->at - '0');
    return rk_sym_number(r->syms, value);
}

static rk_sym read_unsigned(reader *r)
{
    if (take(r, '(')) {
        rk_sym inner = read_sum(r);
        return take(r, ')') ? inner : fail(r, "a ')' is missing");
    }
    if (isdigit((unsigned char)*r->at))
        return read_number(r);
    if (isalpha((unsigned char)*r->at) || *r->at == '_')
        return read_name(r);
    return fail(r, "an operand is missing");
}

static rk_sym read_operand(reader *r)
{
    bool negative = false;
    while (take(r, '-'))
        negative = !negative;
    rk_sym a = read_unsigned(r);
    return negative ? rk_sym_sub(r->syms, rk_sym_number(r->syms, 0), a) : a;
}

static rk_sym divided(reader *r, rk_sym a, rk_sym by, bool quotient)
{
    int64_t value = 0;
    if (!a || !by)
        return NULL;
    if (!rk_sym_is_number(by, &value) || value < 1)
        return fail(r, "it divides by what is no constant of at least 1");
    return quotient ? rk_sym_div(r->syms, a, value) : rk_sym_mod(r->syms, a, value);
}

static rk_sym read_product(reader *r)
{
    rk_sym a = read_operand(r);
    for (; a;) {
        if (take(r, '*'))
            a = rk_sym_mul(r->syms, a, read_operand(r));
        else if (take(r, '/'))
            a = divided(r, a, read_operand(r), true);
        else if (take(r, '%'))
            a = divided(r, a, read_operand(r), false);
        else
            break;
    }
    return a;
}

static rk_sym read_sum(reader *r)
{
    if (r->depth++ == MOST_DEPTH)
        return fail(r, "it is too deep");
    rk_sym a = read_product(r);
    for (; a;) {
        if (take(r, '+'))
            a = rk_sym_add(r->syms, a, read_product(r));
        else if (take(r, '-'))
            a = rk_sym_sub(r->syms, a, read_product(r));
        else
            break;
    }
    r->depth--;
    return a;
}

rk_sym rk_sym_parse(rk_syms *syms, const char *text, const char **problem)
{
    reader r = {.syms = syms, .at = text};
    rk_sym sym = read_sum(&r);
    skip_space(&r);
    if (sym && *r.at != '\0')
        sym = fail(&r, "something follows it");
    *problem = sym ? NULL : r.problem ? r.problem : "its value is too large";
    return sym;
}
