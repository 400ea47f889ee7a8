#include "ptx_run.h"

#include <stdlib.h>
#include <string.h>

frame *frame_new(const code *code, frame *caller, uint32_t lanes)
{
    const size_t size = (sizeof(frame) + code->frame_bytes + 63) / 64 * 64;
    frame *f = aligned_alloc(64, size);
    if (!f)
        abort();
    memset(f->bytes, 0xA5, size - sizeof *f);
    f->code = code;
    f->caller = caller;
    f->lanes = lanes;
    f->depth = caller ? caller->depth + 1 : 0;
    f->local = caller ? caller->local + caller->code->local_bytes : 0;
    f->call = NULL;
    return f;
}

void frame_leave(frame *f, uint32_t lanes)
{
    while (f) {
        frame *caller = f->caller;
        f->lanes &= ~lanes;
        if (!f->lanes)
            free(f);
        f = caller;
    }
}

static unsigned char *local_of(run *c, int lane, const frame *f, const ptx_var *var)
{
    if (!c->w->local)
        c->w->local = calloc(LANES, c->m->local_bytes ? c->m->local_bytes : 1);
    return c->w->local + (size_t)lane * c->m->local_bytes + f->local + (size_t)var->offset;
}

/** A parameter's or result's bytes between two frames, for all lanes. */
static void pass(run *c, uint32_t mask, const frame *to, const ptx_var *to_var, const frame *from,
                 const ptx_var *from_var)
{
    const size_t bytes = to_var->size < from_var->size ? to_var->size : from_var->size;
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        memcpy(local_of(c, l, to, to_var), local_of(c, l, from, from_var), bytes);
    }
}

static const ptx_function *callee(run *c, const insn *i, uint32_t mask, uint32_t *same)
{
    const uint64_t *const targets = at(c, i->o[0]);
    const uint64_t target = targets[__builtin_ctz(mask)];
    *same = 0;
    for (uint32_t k = mask; k; k &= k - 1)
        *same |= targets[__builtin_ctz(k)] == target ? k & -k : 0;
    const ptx_module *module = c->m->kernel->module;
    for (int f = 0; f < module->function_count; f++)
        if ((uint64_t)(uintptr_t)module->functions[f] == target)
            return module->functions[f];
    ptx_fail(c, i, mask, "0x%llx is no function", (unsigned long long)target);
}

void call_begin(run *c, const insn *i, uint32_t mask)
{
    group *g = c->g;
    uint32_t same;
    const ptx_function *f = callee(c, i, mask, &same);
    if (same != mask)
        group_part(c->w, g, mask & ~same, g->pc);
    if (i->extra[0] != f->result_count || i->extra[1] != f->param_count)
        ptx_fail(c, i, mask, "%s is called with %d arguments", f->name, i->extra[1]);
    if (!f->defined) {
        if (!builtin_call(c, i, f, same))
            ptx_fail(c, i, mask, "%s is defined nowhere", f->name);
        g->pc++;
        return;
    }
    const code *code = ptx_code_of(c->m, c->m->kernel, f);
    frame *to = frame_new(code, g->frame, same);
    if (to->local + code->local_bytes > c->m->local_bytes)
        ptx_fail(c, i, mask, "local memory ends: %u calls deep", to->depth);
    ptx_var *const *vars = i->more;
    for (int p = 0; p < f->param_count; p++)
        pass(c, same, to, f->params[p], g->frame, vars[i->extra[0] + p]);
    to->call = i;
    g->frame = to;
    g->pc = 0;
}

void call_end(run *c, uint32_t mask)
{
    group *g = c->g;
    frame *from = g->frame, *to = from->caller;
    const insn *i = from->call;
    ptx_var *const *vars = i->more;
    for (int r = 0; r < i->extra[0]; r++)
        pass(c, mask, to, vars[r], from, from->code->function->results[r]);
    g->frame = to;
    g->pc = (int32_t)(i - to->code->insns) + 1;
    from->lanes &= ~mask;
    if (!from->lanes)
        free(from);
}

/* What no module defines. */

static uint64_t argument(run *c, const insn *i, int lane, int p)
{
    ptx_var *const *vars = i->more;
    uint64_t value = 0;
    const ptx_var *v = vars[i->extra[0] + p];
    memcpy(&value, local_of(c, lane, c->g->frame, v), v->size < 8 ? v->size : 8);
    return value;
}

static void result(run *c, const insn *i, int lane, uint64_t value)
{
    ptx_var *const *vars = i->more;
    memcpy(local_of(c, lane, c->g->frame, vars[0]), &value, vars[0]->size < 8 ? vars[0]->size : 8);
}

/** A host pointer to what a lane's generic address shows: text, or what printf is given. */
static const unsigned char *host_pointer(run *c, int lane, uint64_t address)
{
    if (address >= PTX_LOCAL_WINDOW && address < PTX_LOCAL_WINDOW + c->m->local_bytes)
        return c->w->local + (size_t)lane * c->m->local_bytes + (address - PTX_LOCAL_WINDOW);
    if (address >= PTX_SHARED_WINDOW && address < PTX_SHARED_WINDOW + c->b->shared_bytes)
        return c->b->shared + (address - PTX_SHARED_WINDOW);
    return (const unsigned char *)(uintptr_t)address;
}

/** printf's arguments lie one behind the other, each at a multiple of its size. */
static int print(run *c, int lane, const char *format, const unsigned char *args)
{
    char text[4096], spec[64];
    size_t used = 0, at_arg = 0;
    int count = 0;
    for (const char *p = format; *p && used < sizeof text - 512;) {
        if (*p != '%' || p[1] == '%') {
            text[used++] = *p;
            p += *p == '%' ? 2 : 1;
            continue;
        }
        const size_t flags = strspn(p + 1, "-+ #0123456789.hlzjt");
        const char kind = p[1 + flags];
        const bool wide = memchr(p, 'l', flags + 1) || memchr(p, 'z', flags + 1) ||
                          memchr(p, 'j', flags + 1) || strchr("feEgGaApsF", kind);
        if (!kind || flags > 48)
            break;
        memcpy(spec, p, flags + 2);
        spec[flags + 2] = '\0';
        at_arg = wide ? (at_arg + 7) / 8 * 8 : at_arg;
        union {
            double d;
            uint64_t u;
            uint32_t w;
        } v = {.u = 0};
        memcpy(&v, args + at_arg, wide ? 8 : 4);
        at_arg += wide ? 8 : 4;
        char *to = text + used;
        const size_t room = sizeof text - used;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        if (kind == 's')
            used += (size_t)snprintf(to, room, spec, (const char *)host_pointer(c, lane, v.u));
        else if (kind == 'p')
            used += (size_t)snprintf(to, room, spec, (void *)(uintptr_t)v.u);
        else if (strchr("feEgGaAF", kind))
            used += (size_t)snprintf(to, room, spec, v.d);
        else if (wide)
            used += (size_t)snprintf(to, room, spec, v.u);
        else
            used += (size_t)snprintf(to, room, spec, v.w);
#pragma GCC diagnostic pop
        used = used < sizeof text ? used : sizeof text - 1;
        count++;
        p += flags + 2;
    }
    text[used] = '\0';
    if (c->m->report)
        c->m->report(c->m->user, text);
    else
        fputs(text, stdout);
    return count;
}

static void assert_failed(run *c, const insn *i, uint32_t mask)
{
    const int l = __builtin_ctz(mask);
    ptx_fail(c, i, mask, "%s:%u: %s: assertion `%s' failed",
             (const char *)host_pointer(c, l, argument(c, i, l, 1)), (unsigned)argument(c, i, l, 2),
             (const char *)host_pointer(c, l, argument(c, i, l, 3)),
             (const char *)host_pointer(c, l, argument(c, i, l, 0)));
}

bool builtin_call(run *c, const insn *i, const ptx_function *f, uint32_t mask)
{
    const bool is_print = strcmp(f->name, "vprintf") == 0,
               is_malloc = strcmp(f->name, "malloc") == 0;
    const bool is_free = strcmp(f->name, "free") == 0;
    if (strcmp(f->name, "__assertfail") == 0 || strcmp(f->name, "__assert_fail") == 0)
        assert_failed(c, i, mask);
    if (!is_print && !is_malloc && !is_free)
        return false;
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        const uint64_t a = argument(c, i, l, 0);
        if (is_print) {
            result(c, i, l,
                   (uint64_t)print(c, l, (const char *)host_pointer(c, l, a),
                                   host_pointer(c, l, argument(c, i, l, 1))));
        } else if (is_malloc) {
            void *p = a < (8u << 20) ? rk_arena_calloc(c->m->arena, 1, (size_t)a + 16) : NULL;
            if (p)
                ptx_machine_range(c->m, p, (size_t)a, ptx_heap, false, NULL);
            result(c, i, l, (uint64_t)(uintptr_t)p);
        } else {
            for (int r = 0; a && r < c->m->range_count; r++)
                if (c->m->ranges[r].low == a && c->m->ranges[r].name == ptx_heap)
                    c->m->ranges[r].high = c->m->ranges[r].low = 0;
            /* The memory stays: stores to it may not have left. */
        }
    }
    c->last = NULL;
    c->m->quiet = 0;
    return true;
}
