#include "decode.h"
#include "ptx_memory.h"
#include "ptx_run.h"

#include <stdlib.h>
#include <string.h>

/* Asynchronous copies: they end when they are waited for, or before. */

typedef struct copy {
    int lane;
    uint32_t number; /**< of its group */
    const insn *insn;
    unsigned char *to;
    uint64_t from;
    size_t bytes, given;
} copy;

static void copy_now(run *c, const copy *one)
{
    static const access_form plain = {.sem = SEM_WEAK, .bytes = 1, .count = 1};
    bool global;
    memset(one->to, 0, one->bytes);
    if (one->given)
        memory_resolve(c, one->insn, one->lane, one->from & ~(uint64_t)3,
                       (one->given + 3) / 4 * 4 > 8 ? 4 : 4, PTX_GLOBAL, false, false, &global);
    for (size_t k = 0; k < one->given; k++) {
        const unsigned char *p = (const unsigned char *)(uintptr_t)one->from + k;
        memory_resolve(c, one->insn, one->lane, one->from + k, 1, PTX_GLOBAL, false, false,
                       &global);
        if (c->m->weak && global)
            weak_load(c, one->insn, one->lane, p, &plain, one->to + k);
        else
            one->to[k] = *p;
    }
}

void copies_finish(run *c, warp *w, uint32_t lanes, uint32_t left)
{
    for (int k = 0; k < w->copy_count;) {
        const copy one = w->copies[k];
        if (lanes >> one.lane & 1 && one.number + left < w->committed[one.lane]) {
            copy_now(c, &one);
            w->copies[k] = w->copies[--w->copy_count];
        } else {
            k++;
        }
    }
}

/** o[0] shared address, o[1] global address, o[2] bytes that are there; extra[0] bytes, extra[1..2] widths. */
static void copy_begin(run *c, const insn *i, uint32_t mask)
{
    warp *w = c->w;
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        bool global;
        uint64_t to = 0;
        memcpy(&to, (unsigned char *)at(c, i->o[0]) + l * i->extra[1], (size_t)i->extra[1]);
        copy one = {.lane = l, .number = w->committed[l], .insn = i, .bytes = (size_t)i->extra[0]};
        one.to = memory_resolve(c, i, l, to + (uint64_t)i->extra[3], one.bytes, PTX_SHARED, false,
                                true, &global);
        one.from = ((const uint64_t *)at(c, i->o[1]))[l] + (uint64_t)i->imm;
        one.given = i->extra[4] ? ((const uint32_t *)at(c, i->o[2]))[l] : one.bytes;
        if (one.given > one.bytes || one.from % one.bytes)
            ptx_fail(c, i, 1u << l, "%zu of %zu bytes from 0x%llx", one.given, one.bytes,
                     (unsigned long long)one.from);
        if (c->m->options.seed && ptx_random(c->m) % 2) {
            copy_now(c, &one);
            continue;
        }
        if (w->copy_count == w->copy_room) {
            w->copy_room = w->copy_room ? 2 * w->copy_room : 64;
            w->copies = realloc(w->copies, (size_t)w->copy_room * sizeof *w->copies);
            if (!w->copies)
                abort();
        }
        w->copies[w->copy_count++] = one;
    }
}

static void copy_commit(run *c, const insn *i, uint32_t mask)
{
    (void)i;
    for (uint32_t k = mask; k; k &= k - 1)
        c->w->committed[__builtin_ctz(k)]++;
}

static void copy_wait(run *c, const insn *i, uint32_t mask)
{
    if (i->extra[0] < 0)
        copy_commit(c, i, mask);
    copies_finish(c, c->w, mask, i->extra[0] < 0 ? 0 : (uint32_t)i->extra[0]);
}

/* mbarriers: one 64-bit word of shared memory. */

enum { MB_INIT, MB_INVAL, MB_ARRIVE, MB_DROP, MB_TEST, MB_PARITY, MB_COUNT };

/** Bits 0 to 19 who is still awaited, 20 to 39 how many each phase has, 63 the phase. */
static uint64_t mbarrier_arrive(run *c, const insn *i, int l, uint64_t state, uint64_t count,
                                bool drop)
{
    uint64_t pending = state & 0xFFFFF, expected = state >> 20 & 0xFFFFF;
    if (count > pending)
        ptx_fail(c, i, 1u << l, "%llu arrive at an mbarrier that waits for %llu",
                 (unsigned long long)count, (unsigned long long)pending);
    expected -= drop ? count : 0;
    pending -= count;
    state = (state & UINT64_C(1) << 63) | expected << 20 | pending;
    return pending ? state : (~state & UINT64_C(1) << 63) | expected << 20 | expected;
}

static void mbarrier_lane(run *c, const insn *i, int l, const access_form *f)
{
    bool global;
    unsigned char *p = memory_resolve(c, i, l, memory_address(c, i, l), 8, PTX_SHARED, f->generic,
                                      i->extra[0] == MB_INIT, &global);
    const uint32_t *const b32 = at(c, i->o[2]);
    const uint64_t *const b64 = at(c, i->o[2]);
    uint64_t state, old;
    if (c->m->weak && i->extra[0] >= MB_ARRIVE)
        weak_atomic_begin(c, i, l, p, f);
    memcpy(&state, p, 8);
    old = state;
    switch (i->extra[0]) {
    case MB_INIT:
        state = (uint64_t)b32[l] << 20 | b32[l];
        break;
    case MB_INVAL:
        state = 0;
        break;
    case MB_ARRIVE:
    case MB_DROP:
        state = mbarrier_arrive(c, i, l, state, i->extra[2] ? b32[l] : 1, i->extra[0] == MB_DROP);
        if (i->extra[3])
            ((uint64_t *)at(c, i->o[0]))[l] = old;
        break;
    default: {
        uint32_t *const d = at(c, i->o[0]);
        const uint64_t phase = i->extra[0] == MB_PARITY ? (uint64_t)(b32[l] & 1) : b64[l] >> 63;
        *d = (*d & ~(1u << l)) | (uint32_t)(state >> 63 != phase) << l;
        break;
    }
    }
    if (state != old)
        c->m->quiet = 0;
    memcpy(p, &state, 8);
    if (c->m->weak && i->extra[0] >= MB_ARRIVE)
        weak_atomic_end(c, i, l, p, f);
}

static void mbarrier(run *c, const insn *i, uint32_t mask)
{
    for (uint32_t k = mask; k; k &= k - 1)
        mbarrier_lane(c, i, __builtin_ctz(k), i->more);
}

static void pending_count(run *c, const insn *i, uint32_t mask)
{
    uint32_t *const d = at(c, i->o[0]);
    const uint64_t *const a = at(c, i->o[1]);
    EACH_LANE(d[l] = (uint32_t)(a[l] & 0xFFFFF);)
}

/* Decoding. */

bool decode_copy(decoder *d, opcode_words *w)
{
    const ptx_operand *o = d->source->operands;
    if (!decode_take(w, "async"))
        return false;
    if (w->count == 2 &&
        (strcmp(w->words[1], "commit_group") == 0 || strcmp(w->words[1], "wait_all") == 0)) {
        const bool commit = w->words[1][0] == 'c';
        decode_emit(d, commit ? copy_commit : copy_wait)->extra[0] = -1;
        return true;
    }
    if (w->count == 2 && strcmp(w->words[1], "wait_group") == 0) {
        decode_count(d, 1, 1);
        decode_emit(d, copy_wait)->extra[0] = (int32_t)o[0].imm;
        return true;
    }
    decode_take(w, "shared::cta");
    decode_take(w, "shared");
    if (!decode_take(w, "ca") && !decode_take(w, "cg"))
        return false;
    for (int k = w->count - 1; k > 0; k--)
        if (strncmp(w->words[k], "L2::", 4) == 0)
            decode_take(w, w->words[k]);
    if (!decode_take(w, "global") || w->count != 1)
        return false;
    decode_count(d, 3, 4);
    int64_t to_offset, from_offset;
    int to_width, from_width;
    const int32_t to = decode_address(d, &o[0], PTX_SHARED, &to_offset, &to_width);
    const int32_t from = decode_address(d, &o[1], PTX_GLOBAL, &from_offset, &from_width);
    const bool part = d->source->operand_count == 4;
    const int32_t given = part ? decode_source(d, &o[3], 4) : 0;
    insn *i = decode_emit(d, copy_begin);
    memcpy(i->o, (int32_t[]){to, from, given}, 3 * sizeof(int32_t));
    i->imm = from_offset;
    memcpy(i->extra, (int32_t[]){(int32_t)o[2].imm, to_width, from_width, (int32_t)to_offset, part},
           5 * sizeof(int32_t));
    if (o[2].kind != PTX_IMM || (i->extra[0] != 4 && i->extra[0] != 8 && i->extra[0] != 16) ||
        from_width != 8)
        decode_fail(d, "%s of so many bytes", d->source->opcode);
    return true;
}

bool decode_mbarrier(decoder *d, opcode_words *w)
{
    static const char *const kinds[] = {"init",      "inval",    "arrive",        "arrive_drop",
                                        "test_wait", "try_wait", "pending_count", NULL};
    static const int ops[] = {MB_INIT, MB_INVAL, MB_ARRIVE, MB_DROP, MB_TEST, MB_TEST, MB_COUNT};
    const ptx_operand *o = d->source->operands;
    int kind = decode_one_of(w, kinds);
    if (kind < 0)
        return false;
    int op = ops[kind];
    access_form f = {
        .bytes = 8, .count = 1, .space = PTX_SHARED, .op = ATOM_EXCH, .scope = SCOPE_CTA};
    f.sem = op == MB_ARRIVE || op == MB_DROP ? SEM_RELEASE : SEM_ACQUIRE;
    decode_take(w, "release");
    decode_take(w, "acquire");
    if (decode_take(w, "relaxed"))
        f.sem = SEM_RELAXED;
    decode_take(w, "cta");
    f.generic = !decode_take(w, "shared::cta") && !decode_take(w, "shared");
    decode_take(w, "noComplete");
    if (decode_take(w, "parity"))
        op = MB_PARITY;
    if (!decode_take(w, "b64") || w->count != 1)
        return false;
    if (op == MB_COUNT) {
        decode_count(d, 2, 2);
        const int32_t a = decode_source(d, &o[1], 8), to = decode_result(d, &o[0], 4);
        insn *i = decode_emit(d, pending_count);
        i->o[0] = to;
        i->o[1] = a;
        return true;
    }
    const bool result = op >= MB_ARRIVE && o[0].kind != PTX_ADDRESS;
    const int n = result, more = d->source->operand_count - n - 1;
    decode_count(d, n + 1, n + (op == MB_INVAL ? 1 : op == MB_TEST || op == MB_PARITY ? 3 : 2));
    int64_t offset;
    int width;
    const int32_t a =
        decode_address(d, &o[n], f.generic ? PTX_GLOBAL : PTX_SHARED, &offset, &width);
    const int32_t b = more > 0 ? decode_source(d, &o[n + 1], op == MB_TEST ? 8 : 4) : 0;
    const int32_t to = result ? decode_result(d, &o[0], op >= MB_TEST ? 0 : 8) : 0;
    insn *i = decode_emit(d, mbarrier);
    memcpy(i->o, (int32_t[]){to, a, b}, 3 * sizeof(int32_t));
    i->imm = offset;
    memcpy(i->extra, (int32_t[]){op, width, more > 0, result}, 4 * sizeof(int32_t));
    i->more = rk_arena_copy(d->m->arena, &f, sizeof f);
    i->flow = op >= MB_TEST ? FLOW_POLL : FLOW_NEXT;
    return true;
}
