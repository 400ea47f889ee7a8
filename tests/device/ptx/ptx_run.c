#include "ptx_run.h"

#include "ptx_memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE = 4096, MOST_RESIDENT = 1024, MOST_WARPS = 16384, PARAM_BYTES = 32768 };
const char ptx_heap[] = "what malloc gave";
static const uint64_t usual_limit = 100000000;

/* What goes wrong. */

static void append(ptx_machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(ptx_machine *m, const char *format, ...)
{
    const size_t used = strlen(m->error);
    va_list args;
    va_start(args, format);
    vsnprintf(m->error + used, sizeof m->error - used, format, args);
    va_end(args);
}

void ptx_fail(run *c, const insn *i, uint32_t lanes, const char *format, ...)
{
    ptx_machine *m = c->m;
    va_list args;
    const uint32_t *n = m->launch->block;
    const uint32_t thread = (uint32_t)(c->w->index * LANES + (lanes ? __builtin_ctz(lanes) : 0));
    m->error[0] = '\0';
    append(m, "%s:%d: %s: ", m->kernel->module->file, i->source ? i->source->line : 0,
           i->source ? i->source->opcode : "ret");
    const size_t used = strlen(m->error);
    va_start(args, format);
    vsnprintf(m->error + used, sizeof m->error - used, format, args);
    va_end(args);
    append(m, "; %s, block (%u, %u, %u), thread (%u, %u, %u)", m->kernel->function->name,
           c->b->id[0], c->b->id[1], c->b->id[2], thread % n[0], thread / n[0] % n[1],
           thread / n[0] / n[1]);
    longjmp(m->failed, 1);
}

static const insn *insn_of(const group *g)
{
    return &g->frame->code->insns[g->pc];
}

static void describe(ptx_machine *m, const warp *w, const group *g)
{
    const insn *i = insn_of(g);
    append(m, "\n  block %u, warp %d, lanes %08x, line %d (%s)", w->block->linear, w->index,
           g->mask, i->source ? i->source->line : 0, i->source ? i->source->opcode : "ret");
    if (g->state == GROUP_AT_BARRIER) {
        const barrier *b = &w->block->barriers[g->barrier];
        append(m, ": barrier %d of %lld threads", g->barrier,
               b->count ? (long long)b->count : (long long)w->block->live_warps * LANES);
    } else if (g->state == GROUP_AT_WARP) {
        append(m, ": waits for lanes %08x", g->members & w->live);
    }
}

void describe_all(ptx_machine *m)
{
    int said = 0, more = 0;
    for (int b = 0; b < m->resident; b++)
        for (int k = 0; m->blocks[b].warps && k < m->blocks[b].warp_count; k++)
            for (int g = 0; g < m->blocks[b].warps[k].group_count; g++) {
                if (said < 24)
                    describe(m, &m->blocks[b].warps[k], &m->blocks[b].warps[k].groups[g]);
                more += said++ >= 24;
            }
    if (more)
        append(m, "\n  and %d more", more);
}

/* Warps that can run. */

void ready_add(warp *w)
{
    ptx_machine *m = w->block->machine;
    if (w->ready >= 0)
        return;
    w->ready = m->ready_count;
    m->ready[m->ready_count++] = w;
}

void ready_remove(warp *w)
{
    ptx_machine *m = w->block->machine;
    if (w->ready < 0)
        return;
    m->ready[w->ready] = m->ready[--m->ready_count];
    m->ready[w->ready]->ready = w->ready;
    w->ready = -1;
}

/* Groups. */

group *group_part(warp *w, group *g, uint32_t lanes, int32_t pc)
{
    group *to = &w->groups[w->group_count++];
    *to = *g;
    to->mask = lanes;
    to->pc = pc;
    to->state = GROUP_RUNS;
    g->mask &= ~lanes;
    return to;
}

void group_drop(warp *w, group *g)
{
    *g = w->groups[--w->group_count];
}

static void join_groups(warp *w)
{
    for (int a = 0; a < w->group_count; a++) {
        group *g = &w->groups[a];
        for (int b = a + 1; b < w->group_count && g->state == GROUP_RUNS;) {
            const group *h = &w->groups[b];
            if (h->state == GROUP_RUNS && h->pc == g->pc && h->frame == g->frame) {
                g->mask |= h->mask;
                group_drop(w, &w->groups[b]);
            } else {
                b++;
            }
        }
    }
}

/** Those that are deeper, then those that are behind, go first, so that ways meet again where they can. */
static bool goes_before(const group *g, const group *h)
{
    return g->frame->depth != h->frame->depth ? g->frame->depth > h->frame->depth : g->pc < h->pc;
}

/** The group to run next; NULL for none. *free: it does not stop where others are. */
static group *choose(run *c, warp *w, bool *free)
{
    ptx_machine *m = c->m;
    group *best = NULL, *oldest = NULL;
    int count = 0;
    *free = false;
    if (w->group_count > 1)
        join_groups(w);
    for (int k = 0; k < w->group_count; k++) {
        group *g = &w->groups[k];
        if (g->state != GROUP_RUNS)
            continue;
        count++;
        best = !best || goes_before(g, best) ? g : best;
        oldest = !oldest || g->turn < oldest->turn ? g : oldest;
    }
    if (!best)
        return NULL;
    m->turns++;
    w->turns++;
    const bool any = m->options.seed && ptx_random(m) % 16 == 0;
    if (any && w->group_count < LANES && (best->mask & (best->mask - 1))) {
        /* Lanes part where nothing makes them: PTX promises no more. */
        const uint32_t lanes = best->mask & ptx_random(m);
        if (lanes && lanes != best->mask)
            group_part(w, best, lanes, best->pc);
        *free = true;
    } else if (count > 1 && (any || w->turns % 64 == 0)) {
        best = oldest;
        *free = true;
    }
    best->turn = m->turns;
    return best;
}

/** Where the group stops because another one is there. */
static int32_t next_meeting(const warp *w, const group *g)
{
    int32_t stop = INT32_MAX;
    for (int k = 0; k < w->group_count; k++) {
        const group *h = &w->groups[k];
        if (h != g && h->state == GROUP_RUNS && h->frame == g->frame && h->pc > g->pc &&
            h->pc < stop)
            stop = h->pc;
    }
    return stop;
}

static void lanes_exit(run *c, uint32_t mask)
{
    warp *w = c->w;
    group *g = c->g;
    copies_finish(c, w, mask, 0);
    w->live &= ~mask;
    g->mask &= ~mask;
    c->m->quiet = 0;
    frame_leave(g->frame, mask);
    if (!g->mask)
        group_drop(w, g);
    warp_check(c, w);
    if (!w->live)
        w->block->live_warps--;
    barrier_check_all(c);
}

/** What the instruction does to its group beside its handler. Returns whether the group goes on at g->pc. */
static bool flow_step(run *c, const insn *i, uint32_t mask)
{
    group *g = c->g;
    switch (i->flow) {
    case FLOW_NEXT:
    case FLOW_POLL:
        if (mask)
            i->run(c, i, mask);
        g->pc++;
        if (i->flow == FLOW_POLL)
            c->stop = c->m->options.seed ? ptx_random(c->m) % 4 == 0 : ++c->polls >= 4;
        return !c->stop;
    case FLOW_BRANCH:
        if (mask && mask != g->mask)
            group_part(c->w, g, mask, i->target);
        g->pc = mask == g->mask && mask ? i->target : g->pc + 1;
        return c->w->group_count == 1;
    case FLOW_TABLE: {
        const uint32_t *index = at(c, i->o[0]);
        const int first = __builtin_ctz(mask ? mask : 1);
        uint32_t same = 0;
        if (!mask) {
            g->pc++;
            return true;
        }
        for (uint32_t k = mask; k; k &= k - 1)
            same |= index[__builtin_ctz(k)] == index[first] ? k & -k : 0;
        if (index[first] >= (uint32_t)i->extra[0])
            ptx_fail(c, i, mask, "branch %u of %d", index[first], i->extra[0]);
        if (same != g->mask) {
            const uint32_t passed = g->mask & ~mask, others = mask & ~same;
            if (passed)
                group_part(c->w, g, passed, g->pc + 1);
            if (others)
                group_part(c->w, g, others, g->pc);
        }
        g->pc = ((const int32_t *)i->more)[index[first]];
        return c->w->group_count == 1;
    }
    default:
        break;
    }
    if (!mask) {
        g->pc++;
        return true;
    }
    if (mask != g->mask)
        group_part(c->w, g, g->mask & ~mask, g->pc + 1);
    if (i->flow == FLOW_CALL)
        call_begin(c, i, mask);
    else if (i->flow == FLOW_RETURN && g->frame->caller)
        call_end(c, mask);
    else if (i->flow == FLOW_WARP) {
        warp_come(c, i, mask);
        return c->w->group_count == 1 && g->state == GROUP_RUNS;
    } else if (i->flow == FLOW_BARRIER)
        barrier_come(c, i, mask);
    else if (i->flow == FLOW_TRAP)
        ptx_fail(c, i, mask, "the kernel stops itself");
    else
        lanes_exit(c, mask);
    return false;
}

/** Runs a group for at most `budget` instructions. Returns how many it ran. */
static int64_t run_group(run *c, group *g, int64_t budget, bool is_free)
{
    const warp *w = c->w;
    const insn *const insns = g->frame->code->insns;
    const int32_t stop = is_free || w->group_count == 1 ? INT32_MAX : next_meeting(w, g);
    const int64_t lanes = __builtin_popcount(g->mask);
    int64_t n = 0;
    c->g = g;
    c->frame = g->frame->bytes;
    while (n < budget && g->pc < stop) {
        const insn *i = &insns[g->pc];
        uint32_t mask = g->mask;
        n++;
        if (i->predicate >= 0)
            mask &= *(const uint32_t *)(const void *)(c->frame + i->predicate) ^ i->negate;
        if (i->flow == FLOW_NEXT) {
            if (mask)
                i->run(c, i, mask);
            g->pc++;
        } else if (!flow_step(c, i, mask)) {
            break;
        }
    }
    c->m->executed += (uint64_t)(n * lanes);
    c->m->issued += (uint64_t)n;
    return n;
}

static bool can_run(const warp *w)
{
    for (int k = 0; k < w->group_count; k++)
        if (w->groups[k].state == GROUP_RUNS)
            return true;
    return false;
}

static void run_warp(ptx_machine *m, warp *w)
{
    run c = {.m = m, .b = w->block, .w = w, .constants = m->kernel->constants};
    int64_t budget = SLICE;
    if (m->options.seed)
        budget = ptx_random(m) % 4 ? 1 + ptx_random(m) % 64 : 1 + ptx_random(m) % 1024;
    while (budget > 0 && !c.stop) {
        bool is_free;
        group *g = choose(&c, w, &is_free);
        if (!g)
            break;
        const int64_t most = is_free && budget > 32 ? 32 : budget;
        const int64_t n = run_group(&c, g, most, is_free);
        budget -= n;
        m->clock += (uint64_t)n;
        m->quiet += (uint64_t)n;
    }
    if (!can_run(w))
        ready_remove(w);
    if (m->weak && ptx_random(m) % 4 == 0)
        weak_drain_some(m->weak, ptx_random(m) % 2
                                     ? w->block
                                     : &m->blocks[ptx_random(m) % (uint32_t)m->resident]);
}

/* Blocks. */

static void block_begin(ptx_machine *m, block *b)
{
    const ptx_launch *l = m->launch;
    const uint32_t n = m->next_block++, threads = l->block[0] * l->block[1] * l->block[2];
    const code *own = m->kernel->codes;
    b->linear = n;
    b->id[0] = n % l->grid[0];
    b->id[1] = n / l->grid[0] % l->grid[1];
    b->id[2] = n / l->grid[0] / l->grid[1];
    memset(b->barriers, 0, sizeof b->barriers);
    memset(b->shared, 0xA5, b->shared_bytes);
    if (b->shared_known)
        memset(b->shared_known, 0, b->shared_bytes);
    if (b->shared_words)
        weak_shared_begin(b);
    b->live_warps = b->warp_count;
    for (int k = 0; k < b->warp_count; k++) {
        warp *w = &b->warps[k];
        const uint32_t left = threads - (uint32_t)k * LANES;
        w->live = left >= LANES ? ALL_LANES : (1u << left) - 1;
        w->group_count = 1;
        w->copy_count = 0;
        memset(w->committed, 0, sizeof w->committed);
        w->groups[0] = (group){.mask = w->live, .frame = frame_new(own, NULL, w->live)};
        ready_add(w);
    }
    if (m->weak)
        weak_block_begin(m->weak, b);
}

static bool block_new(ptx_machine *m, int slot)
{
    const ptx_launch *l = m->launch;
    block *b = &m->blocks[slot];
    const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    b->machine = m;
    b->slot = slot;
    b->warp_count = (int)((threads + LANES - 1) / LANES);
    b->warps = calloc((size_t)b->warp_count, sizeof *b->warps);
    b->shared_bytes = m->kernel->shared_bytes + l->shared;
    b->shared = aligned_alloc(1024, (b->shared_bytes + 1024) / 1024 * 1024);
    if (m->options.known)
        b->shared_known = malloc(b->shared_bytes + 1);
    if (m->options.races)
        b->shared_words = weak_shared_new(b->shared_bytes);
    if (!b->warps || !b->shared || (m->options.known && !b->shared_known) ||
        (m->options.races && !b->shared_words))
        return false;
    for (int k = 0; k < b->warp_count; k++)
        b->warps[k] = (warp){.block = b, .index = k, .ready = -1};
    return true;
}

static void release_all(ptx_machine *m)
{
    for (int b = 0; m->blocks && b < m->resident; b++) {
        for (int k = 0; m->blocks[b].warps && k < m->blocks[b].warp_count; k++) {
            warp *w = &m->blocks[b].warps[k];
            for (int g = 0; g < w->group_count; g++)
                frame_leave(w->groups[g].frame, w->groups[g].mask);
            free(w->local);
            free(w->copies);
        }
        free(m->blocks[b].warps);
        free(m->blocks[b].shared);
        free(m->blocks[b].shared_known);
        free(m->blocks[b].shared_words);
    }
    free(m->blocks);
    free(m->ready);
    weak_free(m->weak);
    m->blocks = NULL;
    m->ready = NULL;
    m->weak = NULL;
}

static bool begin(ptx_machine *m)
{
    const ptx_launch *l = m->launch;
    const uint64_t total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    const uint64_t warps = (threads + LANES - 1) / LANES;
    if (total == 0 || threads == 0 || threads > 1024 || total > UINT32_MAX) {
        snprintf(m->error, sizeof m->error, "a launch of %llu blocks of %u threads",
                 (unsigned long long)total, threads);
        return false;
    }
    uint64_t resident = m->options.resident ? (uint64_t)m->options.resident : MOST_RESIDENT;
    const uint64_t most = m->options.weak || m->options.races ? MOST_WARPS / 4 : MOST_WARPS;
    resident = resident * warps > most ? most / warps : resident;
    m->resident = (int)(resident < total ? resident : total);
    m->block_total = m->live_blocks = (uint32_t)total;
    m->next_block = 0;
    m->ready_count = 0;
    m->quiet = 0;
    m->local_bytes = m->kernel->codes->local_bytes;
    for (const code *c = m->kernel->codes->next; c; c = c->next)
        m->local_bytes += 8 * c->local_bytes;
    /* Functions that only pointers name are decoded when they are called. */
    m->local_bytes += m->kernel->module->function_count > 1 ? 16384 : 0;
    m->blocks = calloc((size_t)m->resident, sizeof *m->blocks);
    m->ready = calloc((size_t)m->resident * warps, sizeof *m->ready);
    bool good = m->blocks && m->ready;
    for (int b = 0; good && b < m->resident; b++)
        good = block_new(m, b);
    if (good && (m->options.weak || m->options.races))
        good = (m->weak = weak_new(m)) != NULL;
    if (!good)
        snprintf(m->error, sizeof m->error, "no memory for a launch");
    return good;
}

static void run_blocks(ptx_machine *m)
{
    const uint64_t limit = m->options.limit ? m->options.limit : usual_limit;
    uint64_t turn = 0;
    for (int b = 0; b < m->resident; b++)
        block_begin(m, &m->blocks[b]);
    while (m->live_blocks) {
        if (m->ready_count == 0 || m->quiet > limit) {
            snprintf(m->error, sizeof m->error, "%s: %s", m->kernel->function->name,
                     m->ready_count ? "it hangs: nothing has changed for a long time"
                                    : "deadlock: nobody can go on");
            describe_all(m);
            longjmp(m->failed, 1);
        }
        const uint64_t pick = m->options.seed ? ptx_random(m) : turn++;
        warp *w = m->ready[pick % (uint64_t)m->ready_count];
        block *b = w->block;
        run_warp(m, w);
        if (b->live_warps)
            continue;
        b->live_warps = -1;
        m->live_blocks--;
        if (m->next_block < m->block_total) {
            if (m->weak)
                weak_block_end(m->weak, b);
            block_begin(m, b);
        }
    }
    for (int b = 0; m->weak && b < m->resident; b++)
        weak_block_end(m->weak, &m->blocks[b]);
}

bool ptx_machine_run(ptx_machine *m, const ptx_module *module, const ptx_launch *launch)
{
    m->error[0] = '\0';
    m->kernel = ptx_decode(m, module, launch->function);
    m->launch = launch;
    if (!m->kernel)
        return false;
    if (m->kernel->param_bytes > PARAM_BYTES) {
        snprintf(m->error, sizeof m->error, "%s has %zu bytes of parameters",
                 launch->function->name, m->kernel->param_bytes);
        return false;
    }
    if (m->kernel->param_bytes)
        memcpy(m->params, launch->params, m->kernel->param_bytes);
    bool good = begin(m);
    if (good) {
        good = setjmp(m->failed) == 0;
        if (good)
            run_blocks(m);
    }
    release_all(m);
    return m->error[0] == '\0' && good;
}

/* The machine. */

ptx_machine *ptx_machine_new(rk_arena *arena, const ptx_options *options)
{
    ptx_machine *m = rk_arena_calloc(arena, 1, sizeof *m);
    m->arena = arena;
    m->options = *options;
    m->random = 88172645463325252u ^ (options->seed * 0x9E3779B97F4A7C15u);
    for (int k = 0; k < 8; k++)
        ptx_random(m);
    m->params = rk_arena_calloc(arena, 1, PARAM_BYTES + 64);
    m->params = (unsigned char *)(((uintptr_t)m->params + 63) / 64 * 64);
    m->workspace = rk_arena_calloc(arena, 1, PTX_WORKSPACE + 64);
    m->workspace = (unsigned char *)(((uintptr_t)m->workspace + 63) / 64 * 64);
    ptx_machine_forget_ranges(m);
    return m;
}

void ptx_machine_forget_ranges(ptx_machine *m)
{
    int kept = 0;
    for (int r = 0; r < m->range_count; r++)
        if (m->ranges[r].name == ptx_heap)
            m->ranges[kept++] = m->ranges[r];
    m->range_count = kept;
    ptx_machine_range(m, m->workspace, PTX_WORKSPACE, "the grid's workspace", false, NULL);
    ptx_machine_range(m, m->params, PARAM_BYTES, "the parameters", true, NULL);
}

void ptx_machine_range(ptx_machine *m, const void *base, size_t size, const char *name,
                       bool constant, unsigned char *known)
{
    if (m->range_count == m->range_room) {
        m->range_room = m->range_room ? 2 * m->range_room : 32;
        ptx_range *more = rk_arena_calloc(m->arena, (size_t)m->range_room, sizeof *more);
        if (m->range_count)
            memcpy(more, m->ranges, (size_t)m->range_count * sizeof *more);
        m->ranges = more;
    }
    m->ranges[m->range_count++] = (ptx_range){
        (uint64_t)(uintptr_t)base, (uint64_t)(uintptr_t)base + size, name, constant, known};
}

bool ptx_machine_load(ptx_machine *m, const ptx_module *module)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int v = 0; v < module->var_count; v++) {
            ptx_var *var = module->vars[v];
            if ((var->space != PTX_GLOBAL && var->space != PTX_CONST) || var->external)
                continue;
            if (pass == 0 && !var->address) {
                unsigned char *memory = rk_arena_calloc(m->arena, 1, var->size + 256);
                memory = (unsigned char *)(((uintptr_t)memory + 255) / 256 * 256);
                var->address = (uint64_t)(uintptr_t)memory;
                if (var->bytes)
                    memcpy(memory, var->bytes, var->size);
            }
            for (size_t r = 0; pass == 1 && r < var->reloc_count; r++) {
                const ptx_var *to = ptx_find_var(module, var->relocs[r].name);
                const ptx_function *f = ptx_find_function(module, var->relocs[r].name);
                const uint64_t value =
                    to ? to->address + (uint64_t)var->relocs[r].addend : (uint64_t)(uintptr_t)f;
                if (!value) {
                    snprintf(m->error, sizeof m->error, "%s: %s is not known", module->file,
                             var->relocs[r].name);
                    return false;
                }
                memcpy((unsigned char *)(uintptr_t)var->address + var->relocs[r].at, &value, 8);
            }
        }
    }
    return true;
}
