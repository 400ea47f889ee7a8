#include "decode.h"
#include "ptx_memory.h"
#include "ptx_run.h"

#include <stdlib.h>
#include <string.h>

/* What lanes of a warp and warps of a block do together. */

/* Barriers. */

enum { BARRIER_SYNC, BARRIER_POPC, BARRIER_AND, BARRIER_OR, BARRIER_ARRIVE };

/** Lanes of a warp that wait at a barrier; *places: at how many instructions. */
static uint32_t waiting(const warp *w, int number, int *places)
{
    uint32_t lanes = 0;
    int32_t pc = -1;
    *places = 0;
    for (int g = 0; g < w->group_count; g++) {
        const group *one = &w->groups[g];
        if (one->state != GROUP_AT_BARRIER || one->barrier != number)
            continue;
        lanes |= one->mask;
        *places += one->pc != pc;
        pc = one->pc;
    }
    return lanes;
}

static void release_barrier(run *c, int number, const uint32_t *lanes)
{
    block *b = c->b;
    uint32_t count = 0, brought = 0;
    for (int k = 0; k < b->warp_count; k++)
        for (int g = 0; g < b->warps[k].group_count; g++) {
            const group *one = &b->warps[k].groups[g];
            if (one->state == GROUP_AT_BARRIER && one->barrier == number) {
                count += (uint32_t)__builtin_popcount(one->mask);
                brought += (uint32_t)__builtin_popcount(one->brought & one->mask);
            }
        }
    b->barriers[number] = (barrier){0};
    for (int k = 0; k < b->warp_count; k++) {
        warp *w = &b->warps[k];
        for (int g = 0; g < w->group_count; g++) {
            group *one = &w->groups[g];
            if (one->state != GROUP_AT_BARRIER || one->barrier != number)
                continue;
            const insn *i = &one->frame->code->insns[one->pc];
            const uint32_t yes = i->extra[0] == BARRIER_AND ? brought == count : brought > 0;
            uint32_t *const to = (uint32_t *)(void *)(one->frame->bytes + i->o[0]);
            for (uint32_t m = one->mask; i->extra[0] == BARRIER_POPC && m; m &= m - 1)
                to[__builtin_ctz(m)] = brought;
            if (i->extra[0] == BARRIER_AND || i->extra[0] == BARRIER_OR)
                *to = (*to & ~one->mask) | (yes ? one->mask : 0);
            one->state = GROUP_RUNS;
            one->pc++;
            ready_add(w);
        }
    }
    if (c->m->weak)
        weak_meet(c->m->weak, b, lanes);
    c->m->quiet = 0;
}

/** Lets a barrier's threads go when all have come. */
static void barrier_check(run *c, int number)
{
    block *b = c->b;
    barrier *bar = &b->barriers[number];
    uint32_t lanes[LANES] = {0};
    int64_t total = bar->arrived;
    bool all = true;
    if (!bar->first)
        return;
    for (int k = 0; k < b->warp_count; k++) {
        const warp *w = &b->warps[k];
        int places;
        lanes[k] = waiting(w, number, &places);
        all = all && lanes[k] == w->live;
        /* Barriers count whole warps: lanes that have exited, or never were, count with theirs. */
        total += lanes[k] && lanes[k] == w->live ? LANES : __builtin_popcount(lanes[k]);
    }
    if (bar->count && total > bar->count)
        ptx_fail(c, bar->first, 1, "barrier %d waits for %lld threads, and %lld come", number,
                 (long long)bar->count, (long long)total);
    if (bar->count ? total < bar->count : !all)
        return;
    for (int k = 0; k < b->warp_count; k++) {
        int places;
        waiting(&b->warps[k], number, &places);
        if (lanes[k] && bar->first->extra[1] && (places > 1 || lanes[k] != b->warps[k].live))
            ptx_fail(
                c, bar->first, 1,
                "lanes %08x of warp %d, which has %08x, come to an aligned barrier at %d places",
                lanes[k], k, b->warps[k].live, places);
    }
    release_barrier(c, number, lanes);
}

void barrier_check_all(run *c)
{
    for (int n = 0; n < BARRIERS; n++)
        barrier_check(c, n);
}

/** The lanes for which an operand has the value that the first of them has; the others stay for later. */
static uint32_t uniform(run *c, int32_t operand, uint32_t mask)
{
    const uint32_t *const v = at(c, operand);
    const uint32_t value = v[__builtin_ctz(mask)];
    uint32_t same = 0;
    for (uint32_t k = mask; k; k &= k - 1)
        same |= v[__builtin_ctz(k)] == value ? k & -k : 0;
    if (same != mask)
        group_part(c->w, c->g, mask & ~same, c->g->pc);
    return same;
}

void barrier_come(run *c, const insn *i, uint32_t mask)
{
    group *g = c->g;
    mask = uniform(c, i->o[1], mask);
    if (i->extra[2])
        mask = uniform(c, i->o[2], mask);
    const uint32_t number = ((const uint32_t *)at(c, i->o[1]))[__builtin_ctz(mask)];
    const int64_t count = i->extra[2] ? ((const uint32_t *)at(c, i->o[2]))[__builtin_ctz(mask)] : 0;
    if (number >= BARRIERS)
        ptx_fail(c, i, mask, "there is no barrier %u", number);
    if (i->extra[2] && (count == 0 || count % LANES))
        ptx_fail(c, i, mask, "a barrier of %lld threads, which are no whole warps",
                 (long long)count);
    barrier *bar = &c->b->barriers[number];
    if (!bar->first) {
        bar->first = i;
        bar->count = count;
    } else if (bar->count != count) {
        ptx_fail(c, i, mask, "barrier %u waits for %lld threads; line %d has it wait for %lld",
                 number, (long long)count, bar->first->source->line, (long long)bar->count);
    } else if (i->extra[0] != bar->first->extra[0] && i->extra[0] != BARRIER_ARRIVE &&
               bar->first->extra[0] != BARRIER_ARRIVE) {
        ptx_fail(c, i, mask, "barrier %u does something else at line %d", number,
                 bar->first->source->line);
    }
    g->brought = i->extra[0] == BARRIER_SYNC || i->extra[0] == BARRIER_ARRIVE
                     ? 0
                     : predicate(c, i->o[3]) & mask;
    if (i->extra[0] == BARRIER_ARRIVE) {
        bar->arrived += mask == c->w->live ? LANES : __builtin_popcount(mask);
        g->pc++;
    } else {
        g->state = GROUP_AT_BARRIER;
        g->barrier = (int)number;
    }
    barrier_check(c, (int)number);
}

/* Instructions that wait for the lanes of a mask. */

static bool same_insn(const group *g, const insn *i)
{
    return strcmp(g->frame->code->insns[g->pc].source->opcode, i->source->opcode) == 0;
}

/** Lanes that wait for the same others at the same instruction as `g`. */
static uint32_t together(const warp *w, const group *g)
{
    const insn *i = &g->frame->code->insns[g->pc];
    uint32_t lanes = 0;
    for (int k = 0; k < w->group_count; k++) {
        const group *h = &w->groups[k];
        if (h->state == GROUP_AT_WARP && h->members == g->members && same_insn(h, i))
            lanes |= h->mask;
    }
    return lanes;
}

/** All have come: they bring their operands, then take their results. */
static void complete(run *c, warp *w, uint32_t members, const insn *i)
{
    run all = {.m = c->m, .b = c->b, .w = w, .constants = c->constants};
    all.x.lanes = members & w->live;
    for (all.phase = 1; all.phase <= 2; all.phase++) {
        for (int k = 0; k < w->group_count; k++) {
            group *g = &w->groups[k];
            if (g->state != GROUP_AT_WARP || g->members != members || !same_insn(g, i))
                continue;
            all.g = g;
            all.frame = g->frame->bytes;
            const insn *own = &g->frame->code->insns[g->pc];
            own->run(&all, own, g->mask);
        }
    }
    for (int k = 0; k < w->group_count; k++) {
        group *g = &w->groups[k];
        if (g->state == GROUP_AT_WARP && g->members == members && same_insn(g, i)) {
            g->state = GROUP_RUNS;
            g->members = 0;
            g->pc++;
        }
    }
    ready_add(w);
}

void warp_check(run *c, warp *w)
{
    for (int k = 0; k < w->group_count; k++) {
        const group *g = &w->groups[k];
        if (g->state == GROUP_AT_WARP && together(w, g) == (g->members & w->live)) {
            complete(c, w, g->members, &g->frame->code->insns[g->pc]);
            k = -1;
        }
    }
}

void warp_come(run *c, const insn *i, uint32_t mask)
{
    warp *w = c->w;
    group *g = c->g;
    uint32_t members = ALL_LANES;
    if (i->members >= 0 || (i->members & IN_CONSTANTS && i->members != -1)) {
        mask = uniform(c, i->members, mask);
        members = ((const uint32_t *)at(c, i->members))[__builtin_ctz(mask)];
    }
    if (mask & ~members)
        ptx_fail(c, i, mask & ~members, "lanes %08x are not in their own mask %08x",
                 mask & ~members, members);
    if (mask == (members & w->live)) {
        c->x.lanes = mask;
        for (c->phase = 1; c->phase <= 2; c->phase++)
            i->run(c, i, mask);
        g->pc++;
        return;
    }
    g->state = GROUP_AT_WARP;
    g->members = members;
    warp_check(c, w);
}

enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };

static void shfl(run *c, const insn *i, uint32_t mask)
{
    uint32_t *const d = at(c, i->o[0]), *const p = at(c, i->o[1]);
    const uint32_t *const a = at(c, i->o[2]), *const b = at(c, i->o[3]), *const e = at(c, i->o[4]);
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        if (c->phase == 1) {
            c->x.a[l] = a[l];
            continue;
        }
        const int clamp = (int)(e[l] & 31), segment = (int)(e[l] >> 8 & 31), by = (int)(b[l] & 31);
        const int most = (l & segment) | (clamp & ~segment), least = l & segment;
        int j = l;
        bool in = false;
        switch (i->extra[0]) {
        case SHFL_UP:
            j = l - by;
            in = j >= most;
            break;
        case SHFL_DOWN:
            j = l + by;
            in = j <= most;
            break;
        case SHFL_BFLY:
            j = l ^ by;
            in = j <= most;
            break;
        default:
            j = least | (by & ~segment);
            in = j <= most;
            break;
        }
        j = in ? j : l;
        /* What a lane that is not there would give is not defined. */
        d[l] = c->x.lanes >> j & 1 ? (uint32_t)c->x.a[j] : 0xBAD0BAD0u;
        if (i->extra[1])
            *p = (*p & ~(1u << l)) | (uint32_t)in << l;
    }
}

enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };

static void vote(run *c, const insn *i, uint32_t mask)
{
    if (c->phase == 1) {
        c->x.p = (c->x.p & ~mask) | (predicate(c, i->o[1]) & mask);
        return;
    }
    const uint32_t yes = c->x.p & c->x.lanes;
    uint32_t *const d = at(c, i->o[0]);
    const bool r = i->extra[0] == VOTE_ALL   ? yes == c->x.lanes
                   : i->extra[0] == VOTE_ANY ? yes != 0
                                             : yes == 0 || yes == c->x.lanes;
    if (i->extra[0] != VOTE_BALLOT)
        *d = (*d & ~mask) | (r ? mask : 0);
    else
        EACH_LANE(d[l] = yes;)
}

/** extra[0]: all must be equal; extra[1]: bytes. */
static void match(run *c, const insn *i, uint32_t mask)
{
    uint32_t *const d = at(c, i->o[0]), *const p = at(c, i->o[1]);
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        if (c->phase == 1) {
            c->x.a[l] = 0;
            memcpy(&c->x.a[l], (unsigned char *)at(c, i->o[2]) + l * i->extra[1],
                   (size_t)i->extra[1]);
            continue;
        }
        uint32_t same = 0;
        for (uint32_t o = c->x.lanes; o; o &= o - 1)
            same |= c->x.a[__builtin_ctz(o)] == c->x.a[l] ? o & -o : 0;
        const bool equal = same == c->x.lanes;
        d[l] = !i->extra[0] || equal ? same : 0;
        if (i->extra[2])
            *p = (*p & ~(1u << l)) | (uint32_t)equal << l;
    }
}

static uint32_t reduce(uint32_t a, uint32_t b, int op)
{
    switch (op) {
    case 0:
        return a + b;
    case 1:
        return a < b ? a : b;
    case 2:
        return a > b ? a : b;
    case 3:
        return (int32_t)a < (int32_t)b ? a : b;
    case 4:
        return (int32_t)a > (int32_t)b ? a : b;
    case 5:
        return a & b;
    case 6:
        return a | b;
    default:
        return a ^ b;
    }
}

static void redux(run *c, const insn *i, uint32_t mask)
{
    uint32_t *const d = at(c, i->o[0]);
    const uint32_t *const a = at(c, i->o[1]);
    for (uint32_t k = mask; k && c->phase == 1; k &= k - 1)
        c->x.a[__builtin_ctz(k)] = a[__builtin_ctz(k)];
    if (c->phase == 1)
        return;
    uint32_t rest = c->x.lanes, sum = (uint32_t)c->x.a[__builtin_ctz(rest)];
    for (rest &= rest - 1; rest; rest &= rest - 1)
        sum = reduce(sum, (uint32_t)c->x.a[__builtin_ctz(rest)], i->extra[0]);
    EACH_LANE(d[l] = sum;)
}

static void elect(run *c, const insn *i, uint32_t mask)
{
    const uint32_t first = (uint32_t)__builtin_ctz(c->x.lanes);
    uint32_t *const d = at(c, i->o[0]), *const p = at(c, i->o[1]);
    if (c->phase == 1)
        return;
    EACH_LANE(d[l] = first;)
    *p = (*p & ~mask) | (1u << first & mask);
}

static void nothing(run *c, const insn *i, uint32_t mask)
{
    (void)c;
    (void)i;
    (void)mask;
}

static void active(run *c, const insn *i, uint32_t mask)
{
    uint32_t *const d = at(c, i->o[0]);
    EACH_LANE(d[l] = mask;)
}

/* Decoding. */

static insn *waits(insn *i, int32_t members)
{
    i->flow = FLOW_WARP;
    i->members = members;
    return i;
}

static bool decode_barrier(decoder *d, opcode_words *w)
{
    static const char *const kinds[] = {"sync", "red", "arrive", NULL};
    static const char *const reductions[] = {"popc", "and", "or", NULL};
    const ptx_operand *o = d->source->operands;
    const bool bar = strcmp(w->words[0], "bar") == 0;
    decode_take(w, "cta");
    if (bar && decode_take(w, "warp")) {
        if (!decode_take(w, "sync") || w->count != 1)
            return false;
        decode_count(d, 1, 1);
        const int32_t mask = decode_source(d, &o[0], 4);
        waits(decode_emit(d, nothing), mask);
        return true;
    }
    const int kind = decode_one_of(w, kinds), red = kind == 1 ? decode_one_of(w, reductions) : -1;
    const bool aligned = decode_take(w, "aligned") || bar;
    if (kind < 0 || (kind == 1 && red < 0))
        return false;
    if (kind == 1)
        w->count--; /* .u32 or .pred */
    if (w->count != 1)
        return false;
    int n = 0;
    int32_t place[4] = {0};
    decode_count(d, kind == 1 ? 3 : 1, kind == 1 ? 4 : 2);
    if (kind == 1)
        place[0] = decode_result(d, &o[n++], red == 0 ? 4 : 0);
    place[1] = decode_source(d, &o[n++], 4);
    const bool counted = d->source->operand_count - n - (kind == 1) > 0;
    if (counted)
        place[2] = decode_source(d, &o[n++], 4);
    if (kind == 1)
        place[3] = decode_source(d, &o[n], 0);
    insn *i = decode_emit(d, nothing);
    memcpy(i->o, place, sizeof place);
    i->flow = FLOW_BARRIER;
    i->extra[0] = kind == 0 ? BARRIER_SYNC : kind == 2 ? BARRIER_ARRIVE : BARRIER_POPC + red;
    i->extra[1] = aligned;
    i->extra[2] = counted;
    return true;
}

static bool decode_shfl(decoder *d, opcode_words *w)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx", NULL};
    const ptx_operand *o = d->source->operands;
    const int mode = decode_one_of(w, modes);
    if (!decode_take(w, "sync") || mode < 0 || !decode_take(w, "b32") || w->count != 1)
        return false;
    decode_count(d, 5, 5);
    const bool pair = o[0].kind == PTX_PAIR;
    const int32_t a = decode_source(d, &o[1], 4), b = decode_source(d, &o[2], 4),
                  e = decode_source(d, &o[3], 4);
    const int32_t members = decode_source(d, &o[4], 4);
    const int32_t to = decode_result(d, pair ? &o[0].parts[0] : &o[0], 4);
    const int32_t p = pair ? decode_result(d, &o[0].parts[1], 0) : to;
    insn *i = waits(decode_emit(d, shfl), members);
    memcpy(i->o, (int32_t[]){to, p, a, b, e}, 5 * sizeof(int32_t));
    i->extra[0] = mode;
    i->extra[1] = pair;
    return true;
}

static bool decode_vote(decoder *d, opcode_words *w)
{
    static const char *const modes[] = {"all", "any", "uni", "ballot", NULL};
    const ptx_operand *o = d->source->operands;
    const int mode = decode_one_of(w, modes);
    if (!decode_take(w, "sync") || mode < 0 ||
        !decode_take(w, mode == VOTE_BALLOT ? "b32" : "pred") || w->count != 1)
        return false;
    decode_count(d, 3, 3);
    const int32_t a = decode_source(d, &o[1], 0), members = decode_source(d, &o[2], 4);
    const int32_t to = decode_result(d, &o[0], mode == VOTE_BALLOT ? 4 : 0);
    insn *i = waits(decode_emit(d, vote), members);
    i->o[0] = to;
    i->o[1] = a;
    i->extra[0] = mode;
    return true;
}

static bool decode_match(decoder *d, opcode_words *w)
{
    const ptx_operand *o = d->source->operands;
    const bool all = decode_take(w, "all");
    if ((!all && !decode_take(w, "any")) || !decode_take(w, "sync"))
        return false;
    const int bytes = decode_take(w, "b32") ? 4 : decode_take(w, "b64") ? 8 : 0;
    if (!bytes || w->count != 1)
        return false;
    decode_count(d, 3, 3);
    const bool pair = o[0].kind == PTX_PAIR;
    const int32_t a = decode_source(d, &o[1], bytes), members = decode_source(d, &o[2], 4);
    const int32_t to = decode_result(d, pair ? &o[0].parts[0] : &o[0], 4);
    const int32_t p = pair ? decode_result(d, &o[0].parts[1], 0) : to;
    insn *i = waits(decode_emit(d, match), members);
    memcpy(i->o, (int32_t[]){to, p, a}, 3 * sizeof(int32_t));
    i->extra[0] = all;
    i->extra[1] = bytes;
    i->extra[2] = pair;
    return true;
}

static bool decode_redux(decoder *d, opcode_words *w)
{
    static const char *const ops[] = {"add", "min", "max", "and", "or", "xor", NULL};
    const int op = decode_one_of(w, ops);
    if (!decode_take(w, "sync") || op < 0)
        return false;
    const bool is_signed = decode_take(w, "s32");
    if ((!is_signed && !decode_take(w, "u32") && !decode_take(w, "b32")) || w->count != 1)
        return false;
    decode_count(d, 3, 3);
    const int32_t a = decode_source(d, &d->source->operands[1], 4);
    const int32_t members = decode_source(d, &d->source->operands[2], 4);
    const int32_t to = decode_result(d, &d->source->operands[0], 4);
    insn *i = waits(decode_emit(d, redux), members);
    i->o[0] = to;
    i->o[1] = a;
    i->extra[0] = op == 0 ? 0 : op < 3 ? op + 2 * is_signed : op + 2;
    return true;
}

static bool decode_elect(decoder *d)
{
    const ptx_operand *o = d->source->operands;
    decode_count(d, 2, 2);
    if (strcmp(d->source->opcode, "elect.sync") != 0 || o[0].kind != PTX_PAIR)
        return false;
    const int32_t members = decode_source(d, &o[1], 4);
    const int32_t to = decode_result(d, &o[0].parts[0], 4), p = decode_result(d, &o[0].parts[1], 0);
    insn *i = waits(decode_emit(d, elect), members);
    i->o[0] = to;
    i->o[1] = p;
    return true;
}

bool decode_warp(decoder *d)
{
    opcode_words w;
    decode_words(&w, d->source->opcode);
    const char *name = w.words[0];
    if (strcmp(name, "bar") == 0 || strcmp(name, "barrier") == 0)
        return decode_barrier(d, &w);
    if (strcmp(name, "shfl") == 0)
        return decode_shfl(d, &w);
    if (strcmp(name, "vote") == 0)
        return decode_vote(d, &w);
    if (strcmp(name, "match") == 0)
        return decode_match(d, &w);
    if (strcmp(name, "redux") == 0)
        return decode_redux(d, &w);
    if (strcmp(name, "elect") == 0)
        return decode_elect(d);
    if (strcmp(name, "cp") == 0)
        return decode_copy(d, &w);
    if (strcmp(name, "mbarrier") == 0)
        return decode_mbarrier(d, &w);
    if (strcmp(d->source->opcode, "activemask.b32") == 0) {
        decode_count(d, 1, 1);
        const int32_t to = decode_result(d, &d->source->operands[0], 4);
        decode_emit(d, active)->o[0] = to;
        return true;
    }
    return false;
}
