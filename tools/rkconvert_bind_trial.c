#include "rkconvert_bind.h"

#include "base/vec.h"
#include "rkernel_lib/catalog/files.h"
#include "rkernel_lib/runtime/cpu/veu.h"
#include "sched/model/model.h"
#include "sched/select/fitting.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/** Address space behind each buffer that may not be touched: what is out of bounds ends the process. */
#define GUARD ((size_t)64 << 20)
enum { PAGE = 4096, SHARED_MOST = 20000 };

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/** Memory that ends where its mapping does, with a hole before and behind it. */
static void *guarded(size_t size)
{
    const size_t whole = (size + PAGE - 1) / PAGE * PAGE;
    char *at = mmap(NULL, whole + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
    if (at == MAP_FAILED || (whole && mprotect(at + GUARD, whole, PROT_READ | PROT_WRITE) != 0))
        return NULL;
    return at + GUARD + whole - size;
}

/* Cases. */

static bool is_optional(const char *declared)
{
    return strchr(declared, '?') != NULL;
}

const char *bind_operand_name(const char *declared, rk_arena *arena)
{
    return rk_arena_strndup(arena, declared, strcspn(declared, "?."));
}

static void fill(void *data, const rk_tensor *t, uint64_t *random)
{
    for (int64_t i = 0; i < rk_tensor_elements(t); i++) {
        const uint64_t bits = next_random(random);
        const double unit = (double)(bits >> 11) * 0x1p-53 * 2 - 1;
        if (t->dtype == RK_F32)
            ((float *)data)[i] = (float)unit;
        else if (t->dtype == RK_F64)
            ((double *)data)[i] = unit;
        else if (t->dtype == RK_I64)
            ((int64_t *)data)[i] = (int64_t)(bits % 4);
        else
            memset((char *)data + (size_t)i * rk_dtype_size(t->dtype), (int)(bits % 2), 1);
    }
}

/** Inputs with random values, and what the op's definition makes of them. */
static bool evaluate(bind_case *c, uint64_t *random, rk_arena *arena)
{
    const size_t slots = c->call.in_count + c->call.out_count;
    c->data = RK_NEW_ARRAY(arena, void *, slots + 1);
    const void **in = RK_NEW_ARRAY(arena, const void *, slots + 1);
    for (size_t i = 0; i < slots; i++) {
        const rk_tensor *t = rk_slot_tensor(&c->call, (int)i);
        if (!t)
            continue;
        if (rk_tensor_elements(t) > SHARED_MOST)
            return false;
        c->data[i] = rk_arena_alloc(arena, (size_t)rk_tensor_bytes(t) + 1);
        in[i] = c->data[i];
        if (i < c->call.in_count)
            fill(c->data[i], t, random);
    }
    return c->call.node->op->eval &&
           c->call.node->op->eval(&c->call, in, c->data + c->call.in_count);
}

bool bind_case_make(bind_case *out, const rk_op *op, const rk_dtype *dtypes, uint64_t seed,
                    rk_arena *arena)
{
    static const int64_t sizes[] = {1, 2, 3, 5, 7, 16, 17, 31, 33, 64, 65};
    uint64_t random = seed;
    int64_t pool[3], shape[RK_MAX_RANK];
    rk_id ids[BIND_MOST_OPERANDS], outs[BIND_MOST_OPERANDS];
    rk_graph *graph = rk_graph_new(arena, "case");
    rk_str key = {.arena = arena};
    size_t inputs = 0, outputs = 0;
    for (int i = 0; i < 3; i++)
        pool[i] = sizes[next_random(&random) % (sizeof sizes / sizeof *sizes)];
    for (; op->inputs[inputs] && inputs < BIND_MOST_OPERANDS; inputs++) {
        const bool there = !is_optional(op->inputs[inputs]) || next_random(&random) % 2;
        const int rank = 1 + (int)(next_random(&random) % 4);
        for (int d = 0; d < rank; d++)
            shape[d] = pool[next_random(&random) % 3];
        rk_str_addf(&key, "%d ", there ? rank : 0);
        ids[inputs] = RK_NO_ID;
        if (!there)
            continue;
        ids[inputs] = rk_graph_tensor(graph, rk_arena_printf(arena, "t%zu", inputs), dtypes[inputs],
                                      rank, shape);
        rk_graph_input(graph, ids[inputs]);
    }
    for (; op->outputs[outputs] && outputs < BIND_MOST_OPERANDS; outputs++) {
        outs[outputs] = rk_graph_tensor_inferred(graph, rk_arena_printf(arena, "y%zu", outputs),
                                                 dtypes[inputs + outputs]);
        rk_graph_output(graph, outs[outputs]);
    }
    const rk_id node = rk_graph_node(graph, "node", op->name, ids, inputs, outs, outputs);
    for (const rk_attr_spec *a = op->attrs; a && a->name; a++)
        if (a->type == RK_ATTR_REAL)
            rk_graph_attr_real(graph, node, a->name, a->d + (double)(next_random(&random) % 7) / 4);
    *out = (bind_case){.graph = graph, .key = rk_str_text(&key)};
    if (!rk_graph_validate(graph, rk_diag_new(arena)))
        return false;
    out->call = rk_op_call_of(graph, &graph->nodes[0], arena);
    return evaluate(out, &random, arena);
}

/* Runs. */

static uint64_t scalar_bits(rk_dtype dtype, const rk_kernel_arg *arg)
{
    uint64_t bits = 0;
    const float single = (float)arg->real;
    if (dtype == RK_F32)
        memcpy(&bits, &single, sizeof single);
    else if (dtype == RK_F64)
        memcpy(&bits, &arg->real, sizeof arg->real);
    else
        bits = (uint64_t)arg->integer;
    return bits;
}

/** The kernel's arguments over copies of the operands, with the outputs full of something else. */
static uint64_t *slots_of(const rk_candidate *c, const bind_case *test, void **copies,
                          rk_arena *arena)
{
    uint64_t *slots = RK_NEW_ARRAY(arena, uint64_t, c->kernel->param_count + 1);
    for (size_t i = 0; i < test->call.in_count + test->call.out_count; i++) {
        const rk_tensor *t = rk_slot_tensor(&test->call, (int)i);
        if (!t || !(copies[i] = guarded((size_t)rk_tensor_bytes(t))))
            continue;
        memset(copies[i], 0xFF, (size_t)rk_tensor_bytes(t));
        if (i < test->call.in_count)
            memcpy(copies[i], test->data[i], (size_t)rk_tensor_bytes(t));
    }
    for (size_t i = 0; i < c->kernel->param_count; i++) {
        const rk_param *param = &c->kernel->params[i];
        const rk_kernel_arg *arg = &c->args[i];
        if (!param->pointer)
            slots[i] = scalar_bits(param->dtype, arg);
        else if (arg->tensor != RK_NO_ID)
            slots[i] = (uint64_t)(uintptr_t)copies[arg->tensor] +
                       (uint64_t)arg->offset * rk_dtype_size(param->dtype);
    }
    return slots;
}

static bool run_blocks(const rk_candidate *c, rk_cpu_entry entry, const uint64_t *slots)
{
    rk_cpu_block *block = rk_cpu_block_new();
    rk_cpu_veu *veu = block ? rk_cpu_veu_new(block, (uint64_t)c->demand.shared) : NULL;
    if (!veu)
        return false;
    rk_cpu_call call = {.veu_threads = (uint32_t)c->demand.threads,
                        .dynamic_shared = (uint32_t)c->shared,
                        .args = slots,
                        .veu = veu};
    for (int i = 0; i < 3; i++) {
        call.grid[i] = (uint32_t)c->grid[i];
        call.block[i] = (uint32_t)c->block[i];
    }
    bool good = true;
    for (call.rtask = 0; good && call.rtask < c->rtasks; call.rtask++) {
        entry(&call);
        good = !rk_cpu_take_fault(veu);
    }
    rk_cpu_veu_free(veu);
    rk_cpu_block_free(block);
    return good;
}

static bool near(const rk_tensor *t, const void *got, const void *want)
{
    if (t->dtype != RK_F32 && t->dtype != RK_F64)
        return memcmp(got, want, (size_t)rk_tensor_bytes(t)) == 0;
    for (int64_t i = 0; i < rk_tensor_elements(t); i++) {
        const bool single = t->dtype == RK_F32;
        const double g = single ? (double)((const float *)got)[i] : ((const double *)got)[i];
        const double w = single ? (double)((const float *)want)[i] : ((const double *)want)[i];
        if (isnan(w) ? !isnan(g) : isinf(w) ? g != w : !(fabs(g - w) <= 1e-4 * (1 + fabs(w))))
            return false;
    }
    return true;
}

/** The kernel's function for the CPU; NULL where there is none. */
static rk_cpu_entry entry_of(const bind_world *w, rk_arena *arena)
{
    rk_cpu_entry entry = NULL;
    const char *library = w->kernel->cpu_library;
    const char *path = library ? rk_catalog_path(w->catalog, library, arena) : NULL;
    const char *exact = path && !strchr(path, '/') ? rk_arena_printf(arena, "./%s", path) : path;
    void *handle = exact ? dlopen(exact, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *found = handle ? dlsym(handle, w->kernel->cpu_entry) : NULL;
    memcpy(&entry, &found, sizeof entry);
    return entry;
}

bind_end bind_try(const bind_world *w, const rk_binding *binding, const bind_case *test)
{
    rk_arena *arena = rk_arena_new();
    rk_parsed parsed = {.arena = arena};
    rk_fitting f = {.call = &test->call,
                    .kernel = w->kernel,
                    .launch = rk_binding_launch(binding, w->kernel),
                    .binding = binding,
                    .device = w->device,
                    .arena = arena,
                    .parsed = &parsed,
                    .scratch = arena};
    rk_candidate candidate;
    bind_end end = BIND_UNFIT;
    rk_cpu_entry entry = entry_of(w, arena);
    if (entry && rk_fitting_run(&candidate, &f)) {
        void **copies = RK_NEW_ARRAY(arena, void *, test->call.in_count + test->call.out_count + 1);
        uint64_t *slots = slots_of(&candidate, test, copies, arena);
        bool good = run_blocks(&candidate, entry, slots);
        for (size_t i = test->call.in_count; good && i < test->call.in_count + test->call.out_count;
             i++)
            good = near(rk_slot_tensor(&test->call, (int)i), copies[i], test->data[i]);
        end = good ? BIND_SAME : BIND_OTHER;
        for (size_t i = 0; i < test->call.in_count + test->call.out_count; i++) {
            const rk_tensor *t = rk_slot_tensor(&test->call, (int)i);
            const size_t size = t ? (size_t)rk_tensor_bytes(t) : 0;
            const size_t whole = (size + PAGE - 1) / PAGE * PAGE;
            if (copies[i])
                munmap((char *)copies[i] + size - whole - GUARD, whole + 2 * GUARD);
        }
    }
    rk_arena_free(arena);
    return end;
}
