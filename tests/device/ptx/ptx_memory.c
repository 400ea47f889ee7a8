#include "ptx_memory.h"

#include "alu.h"
#include "decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Addresses. */

static const ptx_range *find_range(run *c, uint64_t address, size_t bytes)
{
    for (int r = 0; r < c->m->range_count; r++) {
        const ptx_range *range = &c->m->ranges[r];
        if (address >= range->low && address + bytes <= range->high) {
            c->last = range;
            return range;
        }
    }
    return NULL;
}

static unsigned char *local_memory(run *c)
{
    if (!c->w->local)
        c->w->local = calloc(LANES, c->m->local_bytes ? c->m->local_bytes : 1);
    return c->w->local;
}

static _Noreturn void outside(run *c, const insn *i, int lane, uint64_t address, size_t bytes,
                              const char *what)
{
    const ptx_range *near = NULL;
    for (int r = 0; r < c->m->range_count; r++) {
        const ptx_range *range = &c->m->ranges[r];
        if (address >= range->low && (!near || range->low > near->low))
            near = range;
    }
    if (near && what[0] == 'g')
        ptx_fail(
            c, i, 1u << lane,
            "%zu bytes at 0x%llx are no memory: %llu bytes behind the begin of %s, which has %llu",
            bytes, (unsigned long long)address, (unsigned long long)(address - near->low),
            near->name, (unsigned long long)(near->high - near->low));
    ptx_fail(c, i, 1u << lane, "%zu bytes at 0x%llx are outside %s", bytes,
             (unsigned long long)address, what);
}

unsigned char *memory_resolve(run *c, const insn *i, int lane, uint64_t address, size_t bytes,
                              ptx_space space, bool generic, bool write, bool *global)
{
    *global = false;
    if (address & (bytes - 1))
        ptx_fail(c, i, 1u << lane, "the address 0x%llx is not a multiple of %zu",
                 (unsigned long long)address, bytes);
    if (generic && address >= PTX_SHARED_WINDOW && address < PTX_LOCAL_WINDOW + PTX_WINDOW) {
        space = address < PTX_LOCAL_WINDOW ? PTX_SHARED : PTX_LOCAL;
        address -= space == PTX_SHARED ? PTX_SHARED_WINDOW : PTX_LOCAL_WINDOW;
    }
    if (space == PTX_SHARED) {
        if (address + bytes > c->b->shared_bytes || address + bytes < address)
            outside(c, i, lane, address, bytes, "shared memory");
        if (c->b->shared_known) {
            unsigned char *known = c->b->shared_known + address;
            if (write)
                memset(known, 1, bytes);
            else if (memchr(known, 0, bytes))
                ptx_fail(c, i, 1u << lane, "shared memory at %llu is read before it is written",
                         (unsigned long long)address);
        }
        return c->b->shared + address;
    }
    if (space == PTX_LOCAL) {
        if (address + bytes > c->m->local_bytes || address + bytes < address)
            outside(c, i, lane, address, bytes, "local memory");
        return local_memory(c) + (size_t)lane * c->m->local_bytes + address;
    }
    const ptx_range *range = c->last;
    if (!range || address < range->low || address + bytes > range->high)
        range = find_range(c, address, bytes);
    if (!range)
        outside(c, i, lane, address, bytes, "global memory");
    if (write && range->constant)
        ptx_fail(c, i, 1u << lane, "%s is constant and is written", range->name);
    if (range->known) {
        unsigned char *known = range->known + (address - range->low);
        if (write)
            memset(known, 1, bytes);
        else if (memchr(known, 0, bytes))
            ptx_fail(c, i, 1u << lane, "%s is read at byte %llu before it is written", range->name,
                     (unsigned long long)(address - range->low));
    }
    *global = !range->constant;
    return (unsigned char *)(uintptr_t)address;
}

/* Loads and stores. */

/** Puts an element into a register that may be wider. */
static inline void put(run *c, const access_form *f, int k, int lane, const void *value)
{
    if (f->places[k] == INT32_MIN)
        return;
    unsigned char *to = (unsigned char *)at(c, f->places[k]) + lane * f->widths[k];
    if (f->widths[k] == f->bytes) {
        memcpy(to, value, (size_t)f->bytes);
        return;
    }
    uint64_t bits = 0;
    memcpy(&bits, value, (size_t)(f->bytes < 8 ? f->bytes : 8));
    const int shift = 64 - 8 * f->bytes;
    if (f->is_signed && shift > 0)
        bits = (uint64_t)((int64_t)(bits << shift) >> shift);
    memcpy(to, &bits, (size_t)f->widths[k]);
}

/** One lane's, with all checks. */
static void load_lane(run *c, const insn *i, int l)
{
    const access_form *f = i->more;
    bool global;
    const size_t all = (size_t)(f->bytes * f->count);
    const unsigned char *p =
        memory_resolve(c, i, l, memory_address(c, i, l), all, f->space, f->generic, false, &global);
    for (int k = 0; k < f->count; k++, p += f->bytes) {
        unsigned char value[16];
        weak_shared(c, i, l, p, f, false, NULL);
        if (c->m->weak && (global || f->sem != SEM_WEAK))
            weak_load(c, i, l, p, f, value);
        else
            memcpy(value, p, (size_t)f->bytes);
        put(c, f, k, l, value);
    }
}

static void store_lane(run *c, const insn *i, int l)
{
    const access_form *f = i->more;
    bool global;
    const size_t all = (size_t)(f->bytes * f->count);
    unsigned char *p =
        memory_resolve(c, i, l, memory_address(c, i, l), all, f->space, f->generic, true, &global);
    for (int k = 0; k < f->count; k++, p += f->bytes) {
        const unsigned char *value = (unsigned char *)at(c, f->places[k]) + l * f->widths[k];
        weak_shared(c, i, l, p, f, true, value);
        if (c->m->weak && (global || f->sem != SEM_WEAK))
            weak_store(c, i, l, p, f, value);
        else
            memcpy(p, value, (size_t)f->bytes);
    }
}

/** Whether all lanes' addresses are aligned and in one piece of memory; `to` has where they are. */
static bool all_inside(run *c, const insn *i, uint32_t mask, const access_form *f, bool write,
                       unsigned char *to[LANES])
{
    const uint64_t bytes = (uint64_t)(f->bytes * f->count);
    uint64_t low = UINT64_MAX, high = 0, bits = 0;
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        const uint64_t a = memory_address(c, i, l);
        low = a < low ? a : low;
        high = a > high ? a : high;
        bits |= a;
        to[l] = (unsigned char *)(uintptr_t)a;
    }
    if ((bits & (bytes - 1)) || high + bytes < high)
        return false;
    unsigned char *base = NULL;
    if (f->space == PTX_SHARED && !f->generic) {
        if (c->b->shared_known || c->b->shared_words || high + bytes > c->b->shared_bytes)
            return false;
        base = c->b->shared;
    } else if (f->space == PTX_LOCAL) {
        return false;
    } else {
        if (c->m->weak)
            return false;
        const ptx_range *r = c->last;
        if (!r || low < r->low || high + bytes > r->high)
            r = find_range(c, low, (size_t)(high - low + bytes));
        if (!r || r->known || (write && r->constant))
            return false;
    }
    for (int l = 0; base && l < LANES; l++)
        to[l] = base + (uintptr_t)to[l];
    return true;
}

static void load(run *c, const insn *i, uint32_t mask)
{
    const access_form *f = i->more;
    unsigned char *from[LANES];
    if (!all_inside(c, i, mask, f, false, from) || (c->m->weak && f->sem != SEM_WEAK)) {
        for (uint32_t k = mask; k; k &= k - 1)
            load_lane(c, i, __builtin_ctz(k));
        return;
    }
    for (int k = 0; k < f->count; k++) {
        if (f->places[k] == INT32_MIN)
            continue;
        if (f->bytes == 4 && f->widths[k] == 4) {
            uint32_t *const d = at(c, f->places[k]);
            for (uint32_t m = mask; m; m &= m - 1) {
                const int l = __builtin_ctz(m);
                memcpy(&d[l], from[l] + 4 * k, 4);
            }
        } else {
            for (uint32_t m = mask; m; m &= m - 1) {
                const int l = __builtin_ctz(m);
                put(c, f, k, l, from[l] + k * f->bytes);
            }
        }
    }
}

static void store(run *c, const insn *i, uint32_t mask)
{
    const access_form *f = i->more;
    unsigned char *to[LANES];
    c->m->quiet = 0;
    if (!all_inside(c, i, mask, f, true, to) || (c->m->weak && f->sem != SEM_WEAK)) {
        for (uint32_t k = mask; k; k &= k - 1)
            store_lane(c, i, __builtin_ctz(k));
        return;
    }
    for (int k = 0; k < f->count; k++) {
        const unsigned char *values = at(c, f->places[k]);
        const int width = f->widths[k], bytes = f->bytes;
        for (uint32_t m = mask; m; m &= m - 1) {
            const int l = __builtin_ctz(m);
            if (bytes == 4)
                memcpy(to[l] + 4 * k, values + l * width, 4);
            else
                memcpy(to[l] + k * bytes, values + l * width, (size_t)bytes);
        }
    }
}

/* Atomics. */

#define INTEGER_ATOMIC(U, T)                                                                       \
    static U atomic_##T(atom_op op, U old, U b, U e)                                               \
    {                                                                                              \
        switch (op) {                                                                              \
        case ATOM_ADD:                                                                             \
            return (U)(old + b);                                                                   \
        case ATOM_MIN:                                                                             \
            return (T)old < (T)b ? old : b;                                                        \
        case ATOM_MAX:                                                                             \
            return (T)old > (T)b ? old : b;                                                        \
        case ATOM_AND:                                                                             \
            return old & b;                                                                        \
        case ATOM_OR:                                                                              \
            return old | b;                                                                        \
        case ATOM_XOR:                                                                             \
            return old ^ b;                                                                        \
        case ATOM_EXCH:                                                                            \
            return b;                                                                              \
        case ATOM_CAS:                                                                             \
            return old == b ? e : old;                                                             \
        case ATOM_INC:                                                                             \
            return old >= b ? 0 : (U)(old + 1);                                                    \
        case ATOM_DEC:                                                                             \
            return old == 0 || old > b ? b : (U)(old - 1);                                         \
        }                                                                                          \
        return old;                                                                                \
    }
INTEGER_ATOMIC(uint16_t, uint16_t)
INTEGER_ATOMIC(uint32_t, uint32_t)
INTEGER_ATOMIC(uint32_t, int32_t)
INTEGER_ATOMIC(uint64_t, uint64_t)
INTEGER_ATOMIC(uint64_t, int64_t)

static double pick(atom_op op, double a, double b)
{
    if (op == ATOM_ADD)
        return a + b;
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return (op == ATOM_MIN) == (a < b) ? a : b;
}

/** The new value of one or two narrow numbers. */
static uint32_t atomic_narrow(const access_form *f, uint32_t old, uint32_t b)
{
    uint32_t out = 0;
    const bool bf = f->type[0] == 'b';
    for (int h = 0; h < 8 * f->bytes; h += 16) {
        const uint16_t x = (uint16_t)(old >> h), y = (uint16_t)(b >> h);
        const double r = bf ? pick(f->op, bfloat_to_double(x), bfloat_to_double(y))
                            : pick(f->op, half_to_double(x), half_to_double(y));
        out |= (uint32_t)(bf ? double_to_bfloat(r) : double_to_half(r)) << h;
    }
    return out;
}

static uint64_t atomic_value(const access_form *f, uint64_t old, uint64_t b, uint64_t e)
{
    if (strcmp(f->type, "f32") == 0) {
        float x, y;
        memcpy(&x, &old, sizeof x);
        memcpy(&y, &b, sizeof y);
        x = f->op == ATOM_ADD ? x + y : (float)pick(f->op, x, y);
        uint64_t out = 0;
        memcpy(&out, &x, sizeof x);
        return out;
    }
    if (strcmp(f->type, "f64") == 0) {
        double x, y;
        memcpy(&x, &old, sizeof x);
        memcpy(&y, &b, sizeof y);
        x = pick(f->op, x, y);
        memcpy(&old, &x, sizeof x);
        return old;
    }
    if (strchr(f->type, 'f'))
        return atomic_narrow(f, (uint32_t)old, (uint32_t)b);
    if (f->bytes == 2)
        return atomic_uint16_t(f->op, (uint16_t)old, (uint16_t)b, (uint16_t)e);
    if (f->bytes == 4)
        return f->is_signed ? atomic_int32_t(f->op, (uint32_t)old, (uint32_t)b, (uint32_t)e)
                            : atomic_uint32_t(f->op, (uint32_t)old, (uint32_t)b, (uint32_t)e);
    return f->is_signed ? atomic_int64_t(f->op, old, b, e) : atomic_uint64_t(f->op, old, b, e);
}

static void atomic_lane(run *c, const insn *i, int l)
{
    const access_form *f = i->more;
    bool global;
    const size_t n = (size_t)f->bytes;
    unsigned char *p =
        memory_resolve(c, i, l, memory_address(c, i, l), n, f->space, f->generic, false, &global);
    if (global)
        memory_resolve(c, i, l, memory_address(c, i, l), n, f->space, f->generic, true, &global);
    uint64_t old = 0, b = 0, e = 0;
    weak_shared(c, i, l, p, f, true, NULL);
    if (c->m->weak)
        weak_atomic_begin(c, i, l, p, f);
    memcpy(&old, p, n);
    memcpy(&b, (unsigned char *)at(c, i->o[2]) + l * f->bytes, n);
    if (f->op == ATOM_CAS)
        memcpy(&e, (unsigned char *)at(c, i->o[3]) + l * f->bytes, n);
    const uint64_t value = atomic_value(f, old, b, e);
    if (memcmp(&value, &old, n) != 0)
        c->m->quiet = 0;
    memcpy(p, &value, n);
    if (c->m->weak)
        weak_atomic_end(c, i, l, p, f);
    if (f->result)
        memcpy((unsigned char *)at(c, i->o[0]) + l * f->bytes, &old, n);
}

/** Lanes in any order: it begins with any of them. */
static void atomic(run *c, const insn *i, uint32_t mask)
{
    const uint32_t first = c->m->options.seed ? ptx_random(c->m) % LANES : 0;
    for (uint32_t k = 0; k < LANES; k++) {
        const uint32_t l = (first + k) % LANES;
        if (mask >> l & 1)
            atomic_lane(c, i, (int)l);
    }
}

/* Fences and addresses' spaces. */

static void fence(run *c, const insn *i, uint32_t mask)
{
    (void)mask;
    if (c->m->weak)
        weak_fence(c, (semantics)i->extra[0], (scope)i->extra[1]);
}

/** To a generic address of shared or local memory, or back; global and constant addresses are generic ones. */
static void add_window(run *c, const insn *i, uint32_t mask)
{
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        uint64_t v = 0;
        memcpy(&v, (unsigned char *)at(c, i->o[1]) + l * i->extra[1], (size_t)i->extra[1]);
        v += (uint64_t)i->imm;
        memcpy((unsigned char *)at(c, i->o[0]) + l * i->extra[0], &v, (size_t)i->extra[0]);
    }
}

static void is_space(run *c, const insn *i, uint32_t mask)
{
    const uint64_t *const a = at(c, i->o[1]);
    uint32_t *const d = at(c, i->o[0]);
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        const ptx_space space = a[l] >= PTX_LOCAL_WINDOW    ? PTX_LOCAL
                                : a[l] >= PTX_SHARED_WINDOW ? PTX_SHARED
                                                            : PTX_GLOBAL;
        const bool constant = space == PTX_GLOBAL && find_range(c, a[l], 1) && c->last->constant;
        const bool yes = i->extra[0] == PTX_CONST    ? constant
                         : i->extra[0] == PTX_GLOBAL ? space == PTX_GLOBAL && !constant
                                                     : (int)space == i->extra[0];
        *d = (*d & ~(1u << l)) | (uint32_t)yes << l;
    }
}

static void nothing(run *c, const insn *i, uint32_t mask)
{
    (void)c;
    (void)i;
    (void)mask;
}

/* Decoding. */

static bool take_space(opcode_words *w, access_form *f)
{
    static const struct {
        const char *name;
        ptx_space space;
    } spaces[] = {{"global", PTX_GLOBAL},      {"const", PTX_CONST},      {"shared", PTX_SHARED},
                  {"shared::cta", PTX_SHARED}, {"local", PTX_LOCAL},      {"param", PTX_PARAM},
                  {"param::entry", PTX_PARAM}, {"param::func", PTX_PARAM}};
    for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++) {
        if (decode_take(w, spaces[k].name)) {
            f->space = spaces[k].space;
            return true;
        }
    }
    return false;
}

static scope take_scope(opcode_words *w, scope usual)
{
    return decode_take(w, "cta")       ? SCOPE_CTA
           : decode_take(w, "cluster") ? SCOPE_CLUSTER
           : decode_take(w, "gpu")     ? SCOPE_GPU
           : decode_take(w, "sys")     ? SCOPE_SYS
                                       : usual;
}

static semantics take_semantics(opcode_words *w, semantics usual)
{
    return decode_take(w, "weak")      ? SEM_WEAK
           : decode_take(w, "relaxed") ? SEM_RELAXED
           : decode_take(w, "acquire") ? SEM_ACQUIRE
           : decode_take(w, "release") ? SEM_RELEASE
           : decode_take(w, "acq_rel") ? SEM_ACQ_REL
           : decode_take(w, "sc")      ? SEM_SC
                                       : usual;
}

/** Hints to caches change nothing here. */
static void take_hints(opcode_words *w)
{
    static const char *const hints[] = {"ca", "cg", "cs", "cv", "lu", "wb", "wt"};
    for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
        decode_take(w, hints[k]);
    for (int k = w->count - 1; k > 0; k--)
        if (strncmp(w->words[k], "L1::", 4) == 0 || strncmp(w->words[k], "L2::", 4) == 0)
            decode_take(w, w->words[k]);
}

static bool take_type(opcode_words *w, access_form *f)
{
    if (w->count < 2)
        return false;
    const char *type = w->words[--w->count];
    const size_t length = strlen(type);
    const int bits = atoi(type + strcspn(type, "0123456789"));
    f->bytes = strcmp(type, "f16x2") == 0 || strcmp(type, "bf16x2") == 0 ? 4 : bits / 8;
    f->is_signed = type[0] == 's';
    snprintf(f->type, sizeof f->type, "%s", type);
    return length < 8 && strchr("busf", type[0]) &&
           (f->bytes == 1 || f->bytes == 2 || f->bytes == 4 || f->bytes == 8);
}

static void read_address(decoder *d, const ptx_operand *operand, access_form *f, insn *i)
{
    const ptx_operand *base = operand->part_count ? &operand->parts[0] : NULL;
    int width;
    if (f->space == PTX_PARAM) {
        const bool own =
            base && base->var ? decode_is_kernel_parameter(d, base->var) : d->function->entry;
        f->space = own ? PTX_CONST : PTX_LOCAL;
    }
    i->o[1] = decode_address(d, operand, f->space, &i->imm, &width);
    i->extra[1] = width;
}

static void read_registers(decoder *d, const ptx_operand *operand, access_form *f, bool load)
{
    const bool vector = operand->kind == PTX_VECTOR;
    const int count = vector ? operand->part_count : 1;
    if (count != f->count || count > 8)
        decode_fail(d, "%s of %d registers", d->source->opcode, count);
    for (int k = 0; k < count; k++) {
        const ptx_operand *one = vector ? &operand->parts[k] : operand;
        f->widths[k] = decode_width(d, one, f->bytes);
        if (f->widths[k] < f->bytes)
            decode_fail(d, "%s: %s is too narrow", d->source->opcode, one->name);
        f->places[k] = !load                   ? decode_source(d, one, f->widths[k])
                       : one->kind == PTX_SINK ? INT32_MIN
                                               : decode_result(d, one, f->widths[k]);
    }
}

static bool decode_access(decoder *d, opcode_words *w, bool load_)
{
    access_form f = {.scope = SCOPE_SYS, .count = 1};
    insn fields = {.o = {0}};
    const bool is_volatile = decode_take(w, "volatile") | decode_take(w, "mmio");
    f.sem = take_semantics(w, is_volatile ? SEM_RELAXED : SEM_WEAK);
    f.scope = take_scope(w, SCOPE_SYS);
    f.generic = !take_space(w, &f);
    f.nc = decode_take(w, "nc") || strcmp(w->words[0], "ldu") == 0;
    take_hints(w);
    f.count = decode_take(w, "v2") ? 2 : decode_take(w, "v4") ? 4 : decode_take(w, "v8") ? 8 : 1;
    if (!take_type(w, &f) || w->count != 1)
        return false;
    const int hint = d->source->operand_count == 3; /* a cache policy */
    decode_count(d, 2, 2 + hint);
    read_address(d, &d->source->operands[load_ ? 1 : 0], &f, &fields);
    read_registers(d, &d->source->operands[load_ ? 0 : 1], &f, load_);
    insn *i = decode_emit(d, load_ ? load : store);
    i->o[1] = fields.o[1];
    i->imm = fields.imm;
    i->extra[1] = fields.extra[1];
    i->more = rk_arena_copy(d->m->arena, &f, sizeof f);
    i->flow = f.sem != SEM_WEAK ? FLOW_POLL : FLOW_NEXT;
    return true;
}

static bool decode_atomic(decoder *d, opcode_words *w, bool result)
{
    static const char *const names[] = {"add", "min",  "max", "and", "or",
                                        "xor", "exch", "cas", "inc", "dec"};
    access_form f = {.count = 1, .result = result};
    insn fields = {.o = {0}};
    f.sem = take_semantics(w, SEM_RELAXED);
    f.scope = take_scope(w, SCOPE_GPU);
    f.generic = !take_space(w, &f);
    take_hints(w);
    decode_take(w, "noftz");
    int op = 0;
    while (op < 10 && !decode_take(w, names[op]))
        op++;
    f.op = (atom_op)op;
    if (op == 10 || !take_type(w, &f) || w->count != 1 || f.bytes < 2)
        return false;
    const int first = result ? 1 : 0, cas = op == ATOM_CAS;
    decode_count(d, first + 2 + cas, first + 2 + cas);
    const ptx_operand *o = d->source->operands;
    read_address(d, &o[first], &f, &fields);
    fields.o[0] = result ? decode_result(d, &o[0], f.bytes) : 0;
    fields.o[2] = decode_source(d, &o[first + 1], f.bytes);
    fields.o[3] = cas ? decode_source(d, &o[first + 2], f.bytes) : 0;
    insn *i = decode_emit(d, atomic);
    memcpy(i->o, fields.o, sizeof i->o);
    i->imm = fields.imm;
    i->extra[1] = fields.extra[1];
    i->more = rk_arena_copy(d->m->arena, &f, sizeof f);
    i->flow = FLOW_POLL;
    return true;
}

static bool decode_fence(decoder *d, opcode_words *w)
{
    decode_take(w, "aligned");
    if (w->count > 1 &&
        (strcmp(w->words[1], "proxy") == 0 || strcmp(w->words[1], "mbarrier_init") == 0)) {
        decode_emit(d, nothing); /* one kind of memory and one way to it are all there is */
        return true;
    }
    const bool membar = strcmp(w->words[0], "membar") == 0;
    const semantics sem = membar ? SEM_SC : take_semantics(w, SEM_ACQ_REL);
    scope s = SCOPE_GPU;
    if (membar && decode_take(w, "gl"))
        s = SCOPE_GPU;
    else
        s = take_scope(w, SCOPE_SYS);
    if (w->count != 1)
        return false;
    insn *i = decode_emit(d, fence);
    i->extra[0] = sem;
    i->extra[1] = s;
    return true;
}

static bool decode_cvta(decoder *d, opcode_words *w)
{
    access_form f = {.space = PTX_GLOBAL};
    const bool to = decode_take(w, "to");
    if (!take_space(w, &f) || !take_type(w, &f) || w->count != 1 || f.bytes != 8)
        return false;
    decode_count(d, 2, 2);
    if (f.space == PTX_PARAM)
        f.space = d->function->entry ? PTX_CONST : PTX_LOCAL;
    const int64_t window = (int64_t)(f.space == PTX_SHARED  ? PTX_SHARED_WINDOW
                                     : f.space == PTX_LOCAL ? PTX_LOCAL_WINDOW
                                                            : 0);
    const int32_t a = decode_source(d, &d->source->operands[1], 8);
    const int32_t to_place = decode_result(d, &d->source->operands[0], 8);
    insn *i = decode_emit(d, add_window);
    i->o[0] = to_place;
    i->o[1] = a;
    i->imm = to ? -window : window;
    i->extra[0] = i->extra[1] = 8;
    return true;
}

static bool decode_isspacep(decoder *d, opcode_words *w)
{
    access_form f = {.space = PTX_GLOBAL};
    if (!take_space(w, &f) || w->count != 1)
        return false;
    decode_count(d, 2, 2);
    const int32_t a = decode_source(d, &d->source->operands[1], 8);
    const int32_t p = decode_result(d, &d->source->operands[0], 0);
    insn *i = decode_emit(d, is_space);
    i->o[0] = p;
    i->o[1] = a;
    i->extra[0] = f.space;
    return true;
}

bool decode_memory(decoder *d)
{
    opcode_words w;
    decode_words(&w, d->source->opcode);
    const char *name = w.words[0];
    if (strcmp(name, "ld") == 0 || strcmp(name, "ldu") == 0)
        return decode_access(d, &w, true);
    if (strcmp(name, "st") == 0 && !(w.count > 1 && strcmp(w.words[1], "async") == 0))
        return decode_access(d, &w, false);
    if (strcmp(name, "atom") == 0 ||
        (strcmp(name, "red") == 0 && !(w.count > 1 && strcmp(w.words[1], "async") == 0)))
        return decode_atomic(d, &w, name[0] == 'a');
    if (strcmp(name, "fence") == 0 || strcmp(name, "membar") == 0)
        return decode_fence(d, &w);
    if (strcmp(name, "cvta") == 0)
        return decode_cvta(d, &w);
    if (strcmp(name, "isspacep") == 0)
        return decode_isspacep(d, &w);
    if (strcmp(name, "prefetch") == 0 || strcmp(name, "prefetchu") == 0 ||
        strcmp(name, "discard") == 0) {
        decode_emit(d, nothing);
        return true;
    }
    return false;
}
