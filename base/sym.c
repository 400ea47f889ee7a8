#include "base/sym_internal.h"

#include "base/file.h"
#include "base/vec.h"

#include <string.h>

enum { MOST_TERMS = 64, MOST_ATOMS = 16 };

typedef struct {
    const void **slots; /**< NULL: free */
    size_t mask, count;
} table;

struct rk_syms {
    rk_arena *arena;
    table sums, atoms;
    const rk_atom *dims[RK_SYM_DIMS];
    size_t dim_count;
};

rk_syms *rk_syms_new(rk_arena *arena)
{
    rk_syms *syms = RK_NEW(arena, rk_syms);
    syms->arena = arena;
    return syms;
}

size_t rk_syms_dim_count(const rk_syms *syms)
{
    return syms->dim_count;
}

const char *rk_syms_dim_name(const rk_syms *syms, size_t dim)
{
    return syms->dims[dim]->name;
}

rk_sym_range rk_syms_dim_range(const rk_syms *syms, size_t dim)
{
    return syms->dims[dim]->range;
}

/* Order. */

static int order_int(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int order_atoms(const rk_atom *a, const rk_atom *b)
{
    if (a == b)
        return 0;
    int order = order_int(a->kind, b->kind);
    order = order ? order : order_int(a->dim, b->dim);
    order = order ? order : order_int(a->by, b->by);
    order = order ? order : order_int((int64_t)a->arg_count, (int64_t)b->arg_count);
    for (size_t i = 0; !order && i < a->arg_count; i++)
        order = rk_sym_order(a->args[i], b->args[i]);
    return order;
}

/** By atoms: longer products first, so that the constant is last. */
static int order_products(const rk_term *a, const rk_term *b)
{
    int order = order_int((int64_t)b->atom_count, (int64_t)a->atom_count);
    for (size_t i = 0; !order && i < a->atom_count; i++)
        order = order_atoms(a->atoms[i], b->atoms[i]);
    return order;
}

int rk_sym_order(rk_sym a, rk_sym b)
{
    if (a == b)
        return 0;
    int order = order_int((int64_t)a->term_count, (int64_t)b->term_count);
    for (size_t i = 0; !order && i < a->term_count; i++) {
        order = order_products(&a->terms[i], &b->terms[i]);
        order = order ? order : order_int(a->terms[i].factor, b->terms[i].factor);
    }
    return order;
}

/* Interning. */

static uint64_t hash_atom(const rk_atom *a)
{
    uint64_t hash = rk_hash(&a->by, sizeof a->by, (uint64_t)a->kind << 32 | a->dim);
    return a->arg_count ? rk_hash(a->args, a->arg_count * sizeof *a->args, hash) : hash;
}

static bool same_atom(const rk_atom *a, const rk_atom *b)
{
    return a->kind == b->kind && a->dim == b->dim && a->by == b->by &&
           a->arg_count == b->arg_count &&
           (!a->arg_count || memcmp(a->args, b->args, a->arg_count * sizeof *a->args) == 0);
}

static uint64_t hash_sum(rk_sym s)
{
    uint64_t hash = s->term_count;
    for (size_t i = 0; i < s->term_count; i++) {
        hash = rk_hash(&s->terms[i].factor, sizeof s->terms[i].factor, hash);
        if (s->terms[i].atom_count)
            hash = rk_hash(s->terms[i].atoms, s->terms[i].atom_count * sizeof *s->terms[i].atoms,
                           hash);
    }
    return hash;
}

static bool same_sum(rk_sym a, rk_sym b)
{
    bool same = a->term_count == b->term_count;
    for (size_t i = 0; same && i < a->term_count; i++)
        same = a->terms[i].factor == b->terms[i].factor &&
               order_products(&a->terms[i], &b->terms[i]) == 0;
    return same;
}

static uint64_t hash_slot(const void *item, bool sums)
{
    return sums ? hash_sum(item) : hash_atom(item);
}

static const void **find_slot(const table *t, const void *item, bool sums)
{
    size_t at = hash_slot(item, sums) & t->mask;
    while (t->slots[at] && !(sums ? same_sum(t->slots[at], item) : same_atom(t->slots[at], item)))
        at = (at + 1) & t->mask;
    return &t->slots[at];
}

/** The slot of what is equal to `item`, or a free one. */
static const void **intern(rk_syms *syms, table *t, const void *item)
{
    const bool sums = t == &syms->sums;
    if (!t->slots || 2 * t->count > t->mask) {
        const table old = *t;
        t->mask = old.slots ? 2 * old.mask + 1 : 31;
        t->slots = RK_NEW_ARRAY(syms->arena, const void *, t->mask + 1);
        for (size_t i = 0; old.slots && i <= old.mask; i++)
            if (old.slots[i])
                *find_slot(t, old.slots[i], sums) = old.slots[i];
    }
    const void **slot = find_slot(t, item, sums);
    t->count += *slot == NULL;
    return slot;
}

/** `made` is copied where it is new; its args are then the table's. */
static const rk_atom *intern_atom(rk_syms *syms, const rk_atom *made)
{
    const void **slot = intern(syms, &syms->atoms, made);
    if (!*slot) {
        rk_atom *atom = rk_arena_copy(syms->arena, made, sizeof *made);
        atom->args = rk_arena_copy(syms->arena, made->args, made->arg_count * sizeof *made->args);
        *slot = atom;
    }
    return *slot;
}

/* Ranges. */

static bool range_is_small(rk_sym_range r)
{
    return r.low >= -RK_SYM_MOST && r.high <= RK_SYM_MOST;
}

/** Of products of two ranges; false when it is too large. */
static bool range_times(rk_sym_range *out, rk_sym_range a, rk_sym_range b)
{
    const int64_t x[2] = {a.low, a.high};
    const int64_t y[2] = {b.low, b.high};
    for (int i = 0; i < 4; i++) {
        int64_t p;
        if (__builtin_mul_overflow(x[i / 2], y[i % 2], &p))
            return false;
        out->low = i == 0 || p < out->low ? p : out->low;
        out->high = i == 0 || p > out->high ? p : out->high;
    }
    return range_is_small(*out);
}

/** False when the product, or a part of it, is too large. */
static bool range_of_term(rk_sym_range *out, const rk_term *term)
{
    *out = (rk_sym_range){1, 1};
    for (size_t i = 0; i < term->atom_count; i++)
        if (!range_times(out, *out, term->atoms[i]->range))
            return false;
    return range_times(out, *out, (rk_sym_range){term->factor, term->factor});
}

/* Sums that are being made. */

typedef struct {
    rk_term terms[MOST_TERMS];
    size_t count;
    bool bad; /**< it has become too large */
} sum;

static void add_term(sum *s, rk_term term)
{
    size_t at = 0;
    int order = 1;
    while (at < s->count && (order = order_products(&s->terms[at], &term)) < 0)
        at++;
    if (at < s->count && order == 0) {
        s->bad |= __builtin_add_overflow(s->terms[at].factor, term.factor, &s->terms[at].factor);
        if (s->terms[at].factor == 0)
            memmove(&s->terms[at], &s->terms[at + 1], (--s->count - at) * sizeof *s->terms);
        return;
    }
    if (term.factor == 0)
        return;
    if (s->count == MOST_TERMS) {
        s->bad = true;
        return;
    }
    memmove(&s->terms[at + 1], &s->terms[at], (s->count++ - at) * sizeof *s->terms);
    s->terms[at] = term;
}

static void add_scaled(sum *s, rk_sym from, int64_t factor)
{
    for (size_t i = 0; i < from->term_count; i++) {
        rk_term term = from->terms[i];
        s->bad |= __builtin_mul_overflow(term.factor, factor, &term.factor);
        add_term(s, term);
    }
}

/** The interned sum. */
static rk_sym finish(rk_syms *syms, const sum *s)
{
    struct rk_sym_node made = {.terms = s->terms, .term_count = s->count};
    if (s->bad)
        return NULL;
    const void **slot = intern(syms, &syms->sums, &made);
    if (*slot)
        return *slot;
    bool small = true;
    for (size_t i = 0; i < s->count; i++) {
        rk_sym_range r;
        small = small && range_of_term(&r, &s->terms[i]);
        if (!small)
            break;
        made.range.low += r.low;
        made.range.high += r.high;
        small = range_is_small(made.range);
        for (size_t k = 0; k < s->terms[i].atom_count; k++)
            made.dims |= s->terms[i].atoms[k]->dims;
    }
    if (!small) {
        syms->sums.count--;
        return NULL;
    }
    if (made.dims && made.range.low == made.range.high) {
        syms->sums.count--;
        return rk_sym_number(syms, made.range.low);
    }
    made.terms = rk_arena_copy(syms->arena, s->terms, s->count * sizeof *s->terms);
    return *slot = rk_arena_copy(syms->arena, &made, sizeof made);
}

static rk_sym of_atom(rk_syms *syms, const rk_atom *made)
{
    if (!range_is_small(made->range))
        return NULL;
    const rk_atom *atom = intern_atom(syms, made);
    const rk_atom **atoms = rk_arena_copy(syms->arena, &atom, sizeof(const rk_atom *));
    sum s = {.terms = {{1, atoms, 1}}, .count = 1};
    return finish(syms, &s);
}

/** The atom that the expression is, NULL if it is anything else. */
static const rk_atom *sole_atom(rk_sym s)
{
    bool sole = s->term_count == 1 && s->terms[0].factor == 1 && s->terms[0].atom_count == 1;
    return sole ? s->terms[0].atoms[0] : NULL;
}

static int64_t constant_of(rk_sym s)
{
    bool has = s->term_count && s->terms[s->term_count - 1].atom_count == 0;
    return has ? s->terms[s->term_count - 1].factor : 0;
}

/* Making. */

rk_sym rk_sym_dim(rk_syms *syms, const char *name, int64_t low, int64_t high)
{
    size_t i = 0;
    while (i < syms->dim_count && strcmp(syms->dims[i]->name, name) != 0)
        i++;
    if (low > high || i == RK_SYM_DIMS)
        return NULL;
    if (i < syms->dim_count &&
        (syms->dims[i]->range.low != low || syms->dims[i]->range.high != high))
        return NULL;
    const rk_atom atom = {.kind = RK_ATOM_DIM,
                          .dim = (uint32_t)i,
                          .name = rk_arena_strdup(syms->arena, name),
                          .range = {low, high},
                          .dims = UINT64_C(1) << i};
    rk_sym made = of_atom(syms, &atom);
    if (made && i == syms->dim_count)
        syms->dims[syms->dim_count++] = intern_atom(syms, &atom);
    return made;
}

rk_sym rk_sym_number(rk_syms *syms, int64_t value)
{
    sum s = {0};
    add_term(&s, (rk_term){.factor = value});
    return finish(syms, &s);
}

rk_sym rk_sym_add(rk_syms *syms, rk_sym a, rk_sym b)
{
    sum s = {0};
    if (!a || !b)
        return NULL;
    add_scaled(&s, a, 1);
    add_scaled(&s, b, 1);
    return finish(syms, &s);
}

rk_sym rk_sym_sub(rk_syms *syms, rk_sym a, rk_sym b)
{
    sum s = {0};
    if (!a || !b)
        return NULL;
    add_scaled(&s, a, 1);
    add_scaled(&s, b, -1);
    return finish(syms, &s);
}

/** The atoms of both, in order. */
static bool product(rk_term *out, rk_syms *syms, const rk_term *a, const rk_term *b)
{
    *out = (rk_term){.atom_count = a->atom_count + b->atom_count};
    if (out->atom_count > MOST_ATOMS || __builtin_mul_overflow(a->factor, b->factor, &out->factor))
        return false;
    const rk_atom **atoms = RK_NEW_ARRAY(syms->arena, const rk_atom *, out->atom_count + 1);
    size_t i = 0;
    size_t k = 0;
    while (i + k < out->atom_count) {
        bool first =
            k == b->atom_count || (i < a->atom_count && order_atoms(a->atoms[i], b->atoms[k]) <= 0);
        atoms[i + k] = first ? a->atoms[i] : b->atoms[k];
        *(first ? &i : &k) += 1;
    }
    out->atoms = atoms;
    return true;
}

rk_sym rk_sym_mul(rk_syms *syms, rk_sym a, rk_sym b)
{
    sum s = {0};
    if (!a || !b)
        return NULL;
    for (size_t i = 0; i < a->term_count; i++) {
        for (size_t k = 0; k < b->term_count; k++) {
            rk_term term;
            if (!product(&term, syms, &a->terms[i], &b->terms[k]))
                return NULL;
            add_term(&s, term);
        }
    }
    return finish(syms, &s);
}

/** Operands of a min or max that is being made, in order, each once. */
typedef struct {
    rk_sym items[MOST_TERMS];
    size_t count;
    bool bad;
} operands;

/** Whether the bounds say that `arg` never counts beside `other`. */
static bool is_needless(rk_sym arg, rk_sym other, rk_syms *syms, bool most)
{
    return rk_sym_at_most(syms, most ? arg : other, most ? other : arg) == RK_SYM_ALWAYS;
}

static void add_operand(operands *list, rk_sym arg, rk_syms *syms, bool most)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (is_needless(arg, list->items[i], syms, most))
            return;
    for (size_t i = 0; i < list->count; i++)
        if (!is_needless(list->items[i], arg, syms, most))
            list->items[kept++] = list->items[i];
    list->count = kept;
    if (kept == MOST_TERMS) {
        list->bad = true;
        return;
    }
    size_t at = list->count++;
    for (; at > 0 && rk_sym_order(list->items[at - 1], arg) > 0; at--)
        list->items[at] = list->items[at - 1];
    list->items[at] = arg;
}

static void add_operands(operands *list, rk_sym from, rk_syms *syms, rk_atom_kind kind)
{
    const rk_atom *atom = sole_atom(from);
    if (!atom || atom->kind != kind) {
        add_operand(list, from, syms, kind == RK_ATOM_MAX);
        return;
    }
    for (size_t i = 0; i < atom->arg_count; i++)
        add_operand(list, atom->args[i], syms, kind == RK_ATOM_MAX);
}

static rk_sym least_or_most(rk_syms *syms, rk_atom_kind kind, rk_sym a, rk_sym b)
{
    operands list = {0};
    if (!a || !b)
        return NULL;
    add_operands(&list, a, syms, kind);
    add_operands(&list, b, syms, kind);
    if (list.bad || list.count == 1)
        return list.bad ? NULL : list.items[0];
    rk_atom atom = {.kind = kind, .args = list.items, .arg_count = list.count};
    atom.range = list.items[0]->range;
    for (size_t i = 0; i < list.count; i++) {
        const rk_sym_range r = list.items[i]->range;
        const bool most = kind == RK_ATOM_MAX;
        atom.range.low = most == (r.low > atom.range.low) ? r.low : atom.range.low;
        atom.range.high = most == (r.high > atom.range.high) ? r.high : atom.range.high;
        atom.dims |= list.items[i]->dims;
    }
    return of_atom(syms, &atom);
}

rk_sym rk_sym_min(rk_syms *syms, rk_sym a, rk_sym b)
{
    return least_or_most(syms, RK_ATOM_MIN, a, b);
}

rk_sym rk_sym_max(rk_syms *syms, rk_sym a, rk_sym b)
{
    return least_or_most(syms, RK_ATOM_MAX, a, b);
}

static int64_t floor_div(int64_t a, int64_t by)
{
    return a / by - (a % by < 0);
}

/** whole * by + rest, the factors of rest in [0, by). */
static void split(sum *whole, sum *rest, rk_sym a, int64_t by)
{
    *whole = *rest = (sum){0};
    for (size_t i = 0; i < a->term_count; i++) {
        rk_term q = a->terms[i];
        rk_term r = a->terms[i];
        q.factor = floor_div(q.factor, by);
        r.factor -= q.factor * by;
        add_term(whole, q);
        add_term(rest, r);
    }
}

static int64_t gcd(int64_t a, int64_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/** What `by` and all factors but the constant have in common. */
static int64_t common_factor(rk_sym a, int64_t by)
{
    int64_t common = by;
    for (size_t i = 0; i < a->term_count; i++)
        if (a->terms[i].atom_count)
            common = gcd(common, a->terms[i].factor);
    return common;
}

/** The terms over `common`, the constant rounded down. */
static rk_sym over(rk_syms *syms, rk_sym a, int64_t common)
{
    sum s = {0};
    for (size_t i = 0; i < a->term_count; i++) {
        rk_term term = a->terms[i];
        term.factor = floor_div(term.factor, common);
        add_term(&s, term);
    }
    return finish(syms, &s);
}

static rk_sym div_atom(rk_syms *syms, rk_sym a, int64_t by)
{
    const rk_atom atom = {.kind = RK_ATOM_DIV,
                          .by = by,
                          .args = &a,
                          .arg_count = 1,
                          .range = {floor_div(a->range.low, by), floor_div(a->range.high, by)},
                          .dims = a->dims};
    return atom.range.low == atom.range.high ? rk_sym_number(syms, atom.range.low)
                                             : of_atom(syms, &atom);
}

/** (x / k + c) / by is (x + k c) / (k by): the quotient that `a` but for a constant is, or NULL. */
static rk_sym nested(rk_syms *syms, rk_sym a, int64_t by)
{
    int64_t c = constant_of(a);
    rk_sym rest = rk_sym_sub(syms, a, rk_sym_number(syms, c));
    const rk_atom *atom = rest ? sole_atom(rest) : NULL;
    int64_t kc;
    int64_t both;
    if (!atom || atom->kind != RK_ATOM_DIV || __builtin_mul_overflow(atom->by, c, &kc) ||
        __builtin_mul_overflow(atom->by, by, &both))
        return NULL;
    return rk_sym_div(syms, rk_sym_add(syms, atom->args[0], rk_sym_number(syms, kc)), both);
}

rk_sym rk_sym_div(rk_syms *syms, rk_sym a, int64_t by)
{
    sum whole;
    sum rest;
    if (!a || by < 1)
        return NULL;
    split(&whole, &rest, a, by);
    rk_sym q = finish(syms, &whole);
    rk_sym r = finish(syms, &rest);
    if (!q || !r)
        return NULL;
    const int64_t common = common_factor(r, by);
    if (common > 1) {
        r = over(syms, r, common);
        by /= common;
    }
    rk_sym inner = r ? nested(syms, r, by) : NULL;
    return rk_sym_add(syms, q, inner ? inner : r ? div_atom(syms, r, by) : NULL);
}

rk_sym rk_sym_mod(rk_syms *syms, rk_sym a, int64_t by)
{
    sum whole;
    sum rest;
    if (!a || by < 1)
        return NULL;
    split(&whole, &rest, a, by);
    rk_sym r = finish(syms, &rest);
    if (!r)
        return NULL;
    const int64_t block = floor_div(r->range.low, by);
    if (block == floor_div(r->range.high, by))
        return rk_sym_sub(syms, r, rk_sym_number(syms, block * by));
    const int64_t common = gcd(common_factor(r, by), constant_of(r));
    if (common > 1)
        return rk_sym_mul(syms, rk_sym_number(syms, common),
                          rk_sym_mod(syms, over(syms, r, common), by / common));
    const rk_atom atom = {.kind = RK_ATOM_MOD,
                          .by = by,
                          .args = &r,
                          .arg_count = 1,
                          .range = {0, by - 1},
                          .dims = r->dims};
    return of_atom(syms, &atom);
}

/** The term without the atoms of `by`, all of which it has; false where it does not. */
static bool term_over(rk_term *out, rk_syms *syms, const rk_term *term, const rk_term *by)
{
    const rk_atom **atoms = RK_NEW_ARRAY(syms->arena, const rk_atom *, term->atom_count + 1);
    size_t used = 0;
    *out = (rk_term){.factor = term->factor / by->factor, .atoms = atoms};
    for (size_t i = 0; i < term->atom_count; i++) {
        if (used < by->atom_count && term->atoms[i] == by->atoms[used])
            used++;
        else
            atoms[out->atom_count++] = term->atoms[i];
    }
    return used == by->atom_count && term->factor % by->factor == 0;
}

rk_sym rk_sym_quotient(rk_syms *syms, rk_sym a, rk_sym b)
{
    sum s = {0};
    if (!a || !b || b->term_count != 1 || (b->range.low <= 0 && b->range.high >= 0))
        return NULL;
    for (size_t i = 0; i < a->term_count; i++) {
        rk_term term;
        if (!term_over(&term, syms, &a->terms[i], &b->terms[0]))
            return NULL;
        add_term(&s, term);
    }
    return finish(syms, &s);
}

/* Asking. */

bool rk_sym_is_number(rk_sym sym, int64_t *value)
{
    *value = constant_of(sym);
    return sym->dims == 0;
}

rk_sym_range rk_sym_bounds(rk_sym sym)
{
    return sym->range;
}

static rk_sym_direction both(rk_sym_direction a, rk_sym_direction b)
{
    if (a == RK_SYM_CONSTANT || a == b)
        return b;
    return b == RK_SYM_CONSTANT ? a : RK_SYM_MIXED;
}

static rk_sym_direction turned(rk_sym_direction d)
{
    return d == RK_SYM_RISES ? RK_SYM_FALLS : d == RK_SYM_FALLS ? RK_SYM_RISES : d;
}

static rk_sym_direction atom_monotone(const rk_atom *atom, size_t dim)
{
    rk_sym_direction d = RK_SYM_CONSTANT;
    if (!(atom->dims >> dim & 1))
        return d;
    if (atom->kind == RK_ATOM_DIM)
        return RK_SYM_RISES;
    for (size_t i = 0; i < atom->arg_count; i++)
        d = both(d, rk_sym_monotone(atom->args[i], dim));
    return atom->kind == RK_ATOM_MOD ? RK_SYM_MIXED : d;
}

/** Of factors that are not negative; RK_SYM_MIXED where one that counts may be. */
static rk_sym_direction term_monotone(const rk_term *term, size_t dim)
{
    rk_sym_direction d = RK_SYM_CONSTANT;
    bool negative = false;
    for (size_t i = 0; i < term->atom_count; i++) {
        d = both(d, atom_monotone(term->atoms[i], dim));
        negative = negative || term->atoms[i]->range.low < 0;
    }
    if (d == RK_SYM_CONSTANT || (negative && term->atom_count > 1))
        return d == RK_SYM_CONSTANT ? d : RK_SYM_MIXED;
    return term->factor < 0 ? turned(d) : d;
}

rk_sym_direction rk_sym_monotone(rk_sym sym, size_t dim)
{
    rk_sym_direction d = RK_SYM_CONSTANT;
    for (size_t i = 0; i < sym->term_count; i++)
        d = both(d, term_monotone(&sym->terms[i], dim));
    return d;
}

static int64_t eval_atom(const rk_atom *atom, const int64_t *values)
{
    if (atom->kind == RK_ATOM_DIM)
        return values[atom->dim];
    int64_t value = rk_sym_eval(atom->args[0], values);
    if (atom->kind == RK_ATOM_DIV)
        return floor_div(value, atom->by);
    if (atom->kind == RK_ATOM_MOD)
        return value - floor_div(value, atom->by) * atom->by;
    for (size_t i = 1; i < atom->arg_count; i++) {
        int64_t other = rk_sym_eval(atom->args[i], values);
        value = (atom->kind == RK_ATOM_MIN) == (other < value) ? other : value;
    }
    return value;
}

int64_t rk_sym_eval(rk_sym sym, const int64_t *values)
{
    int64_t total = 0;
    for (size_t i = 0; i < sym->term_count; i++) {
        int64_t product = 1;
        for (size_t k = 0; k < sym->terms[i].atom_count; k++)
            product *= eval_atom(sym->terms[i].atoms[k], values);
        total += product * sym->terms[i].factor;
    }
    return total;
}

rk_sym_truth rk_sym_at_most(rk_syms *syms, rk_sym a, rk_sym b)
{
    rk_sym less = rk_sym_sub(syms, b, a);
    if (!less)
        return RK_SYM_OPEN;
    return less->range.low >= 0 ? RK_SYM_ALWAYS : less->range.high < 0 ? RK_SYM_NEVER : RK_SYM_OPEN;
}

rk_sym_truth rk_sym_same(rk_syms *syms, rk_sym a, rk_sym b)
{
    if (a == b)
        return RK_SYM_ALWAYS;
    rk_sym less = rk_sym_sub(syms, b, a);
    return less && (less->range.low > 0 || less->range.high < 0) ? RK_SYM_NEVER : RK_SYM_OPEN;
}
