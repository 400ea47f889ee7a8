#include "convert/facts/branches.h"
#include "convert/cuda/builtins.h"

#include "convert/clang/arguments.h"
#include "convert/clang/parse.h"
#include "convert/facts/analyze.h"
#include "convert/facts/walk.h"
#include "convert/unit/problems.h"
#include "convert/unit/sources.h"
#include "rkernel_lib/catalog/expr.h"

#include <string.h>

#define ARCH "__CUDA_ARCH__"

_Static_assert(sizeof ARCH == sizeof RK_DEVICE_ARCH, "offsets stay");

/** Whether a directive decides by the name which text is there. */
static bool asks(const rk_tokens *tokens, size_t i, rk_arena *arena)
{
    if (tokens->items[i].kind != RK_TOKEN_DIRECTIVE)
        return false;
    const rk_directive d = rk_directive_of(tokens, i, arena);
    return (rk_str_starts(d.name, "if") || rk_str_starts(d.name, "elif")) && strstr(d.rest, ARCH);
}

bool rk_device_asks(const rk_unit *unit)
{
    for (size_t f = 0; f < unit->files.count; f++) {
        const rk_tokens *tokens = &unit->files.items[f]->tokens;
        for (size_t i = 0; i < tokens->count; i++)
            if (asks(tokens, i, unit->arena))
                return true;
    }
    return false;
}

rk_bytes *rk_device_texts(const rk_unit *unit, const rk_bytes *texts)
{
    rk_bytes *out = RK_NEW_ARRAY(unit->arena, rk_bytes, unit->files.count);
    for (size_t i = 0; i < unit->files.count; i++) {
        char *text = rk_arena_strndup(unit->arena, texts[i].data, texts[i].size);
        for (char *at = strstr(text, ARCH); at; at = strstr(at, ARCH))
            memcpy(at, RK_DEVICE_ARCH, strlen(ARCH));
        out[i] = (rk_bytes){text, texts[i].size};
    }
    return out;
}

bool rk_device_analyze(rk_unit *unit)
{
    unit->device_seen = false;
    if (!rk_device_asks(unit))
        return true;
    rk_bytes *texts = RK_NEW_ARRAY(unit->arena, rk_bytes, unit->files.count);
    for (size_t i = 0; i < unit->files.count; i++)
        texts[i] = unit->files.items[i]->bytes;
    if (!rk_parse_in_place(unit, rk_device_texts(unit, texts)))
        return false;
    unit->device_seen = rk_parse_is_clean(unit);
    if (unit->device_seen)
        rk_facts_find_part(unit);
    return true;
}

/* Branches that neither sees. */

/**
 * The compilations that a branch may be for: each device, for each value that names which the text cannot tell may have.
 * Of a device the bits of all such values lie in a row of their own; those in SEEN were parsed.
 */
static const int archs[] = {0, RK_DEVICE_ARCH_VALUE, 750, 800, 860, 870, 890, 1000, 1030, 1200};
static const int64_t unknown[] = {0, 1, INT32_MAX};
enum {
    ARCH_COUNT = sizeof archs / sizeof *archs,
    WORLDS = sizeof unknown / sizeof *unknown,
    SEEN = 3,
    EACH = (1 << ARCH_COUNT) - 1,
    ALL = (1 << ARCH_COUNT * WORLDS) - 1
};

/** What a condition is evaluated for. */
typedef struct {
    int arch;
    int version;   /**< of CUDA */
    int64_t value; /**< of names that the text does not tell */
} compilation;

static int64_t value_of(const compilation *c, const char *name)
{
    if (strcmp(name, ARCH) == 0)
        return c->arch;
    if (strcmp(name, "CUDART_VERSION") == 0 || strcmp(name, "CUDA_VERSION") == 0)
        return c->version;
    if (strcmp(name, "__CUDACC_VER_MAJOR__") == 0)
        return c->version / 1000;
    if (strcmp(name, "__CUDACC_VER_MINOR__") == 0)
        return c->version % 1000 / 10;
    return c->value;
}

static bool name_value(void *user, rk_value *out, const char *name)
{
    *out = rk_value_int(value_of(user, name));
    return true;
}

/** Whether the name is defined: __CUDA_ARCH__ for a device, others where they have a value. */
static bool is_defined(const compilation *c, const char *name)
{
    return value_of(c, name) != 0 || strcmp(name, "__CUDACC_VER_MINOR__") == 0;
}

/** The condition without `defined`: "(1) && (__CUDA_ARCH__ >= 800)". */
static const char *without_defined(const rk_unit *unit, const char *text, const compilation *c)
{
    const rk_tokens t = rk_lex(text, strlen(text), unit->arena);
    rk_str out = {.arena = unit->arena};
    size_t done = 0;
    for (size_t i = 0; i < t.count; i++) {
        if (!rk_token_is(&t, i, "defined"))
            continue;
        rk_str_addn(&out, text + done, t.items[i].offset - done);
        const bool round = rk_token_is(&t, i + 1, "(");
        i += round ? 2 : 1;
        rk_str_addf(&out, "%d", i < t.count && is_defined(c, rk_token_text(&t, i, unit->arena)));
        i += round;
        done = i < t.count ? t.items[i].offset + t.items[i].length : strlen(text);
    }
    rk_str_add(&out, text + done);
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}

/** Whether the condition holds in a compilation; -1 when it cannot be told. */
static int holds_in(const rk_unit *unit, const rk_directive *d, compilation *c)
{
    if (strcmp(d->name, "ifdef") == 0 || strcmp(d->name, "ifndef") == 0)
        return is_defined(c, d->rest) == (strcmp(d->name, "ifdef") == 0);
    int64_t value;
    const rk_env env = {.user = c, .name = name_value};
    if (!rk_expr_eval_int(&value, without_defined(unit, d->rest, c), &env, (rk_place){0},
                          unit->arena, rk_diag_new(unit->arena)))
        return -1;
    return value != 0;
}

/** The compilations, as bits, for which the condition holds; those not seen when it cannot be told. */
static unsigned holds_for(const rk_unit *unit, const rk_directive *d, int version)
{
    compilation c = {.version = version};
    unsigned bits = 0;
    for (int k = 0; k < ARCH_COUNT * WORLDS; k++) {
        c.arch = archs[k % ARCH_COUNT];
        c.value = unknown[k / ARCH_COUNT];
        const int holds = holds_in(unit, d, &c);
        const bool seen = SEEN >> k % ARCH_COUNT & 1;
        bits |= (holds < 0 ? !seen : holds) ? 1u << k : 0;
    }
    return bits;
}

/** A conditional that is open. */
typedef struct {
    bool asks;      /**< some condition of it so far names __CUDA_ARCH__ */
    unsigned left;  /**< compilations that took none of its branches so far */
    unsigned taken; /**< those that take the present one */
} conditional;

static void enter(const rk_unit *unit, conditional *c, const rk_tokens *tokens, size_t i,
                  int version)
{
    const rk_directive d = rk_directive_of(tokens, i, unit->arena);
    c->asks |= asks(tokens, i, unit->arena);
    const unsigned holds = strcmp(d.name, "else") == 0 ? ALL
                           : c->asks                   ? holds_for(unit, &d, version)
                                                       : ALL;
    c->taken = c->left & holds;
    c->left &= ~holds;
}

static bool is_unseen(const rk_unit *unit, const conditional *c)
{
    if (!c->asks)
        return false;
    if (!unit->device_seen)
        return true;
    for (unsigned taken = c->taken; taken; taken >>= ARCH_COUNT)
        if ((taken & EACH) && !(taken & SEEN))
            return true;
    return false;
}

/** Whether the token is a name that means something else in an rKernel. */
static bool sensitive(const rk_unit *unit, const rk_tokens *tokens, size_t i)
{
    const char *name = rk_token_text(tokens, i, unit->arena);
    if (rk_builtin_find(name) || rk_cuda_find(RK_IN_PLAIN, name)->refusal ||
        rk_groups_is_name(name) || strcmp(name, "asm") == 0 || strcmp(name, "__shared__") == 0)
        return true;
    for (size_t k = 0; k < unit->functions.count; k++)
        if (unit->functions.items[k]->needs_context &&
            strcmp(unit->functions.items[k]->name, name) == 0)
            return true;
    return false;
}

static void refuse(rk_unit *unit, size_t function, size_t file, size_t offset, const char *name)
{
    rk_problem_add(unit, function, RK_REFUSED, "RK-V116", rk_sources_place(unit, file, offset),
                   "move what depends on it into a function of its own",
                   "'%s' is in a branch on __CUDA_ARCH__ that is for other devices than those seen",
                   name);
}

/** Another definition or use of a function that changes would no longer fit it. */
static void check_outside(rk_unit *unit, size_t file, size_t i)
{
    const rk_tokens *tokens = &unit->files.items[file]->tokens;
    if (!rk_token_is(tokens, i + 1, "<") && !rk_token_is(tokens, i + 1, "("))
        return;
    const char *name = NULL;
    for (size_t k = 0; k < unit->functions.count; k++)
        if (unit->functions.items[k]->needs_context &&
            rk_token_is(tokens, i, unit->functions.items[k]->name))
            name = unit->functions.items[k]->name;
    for (size_t k = 0; name && k < unit->functions.count; k++)
        if (unit->functions.items[k]->kernel)
            refuse(unit, k, file, tokens->items[i].offset, name);
}

static void check_unseen(rk_unit *unit, size_t file, size_t i)
{
    const rk_tokens *tokens = &unit->files.items[file]->tokens;
    const size_t offset = tokens->items[i].offset;
    if (tokens->items[i].kind != RK_TOKEN_NAME)
        return;
    bool inside = false;
    for (size_t k = 0; k < unit->functions.count; k++) {
        const rk_function *f = unit->functions.items[k];
        if (f->definition.file != file || offset < f->definition.begin || offset >= f->end)
            continue;
        inside = true;
        if ((f->kernel || f->device) && sensitive(unit, tokens, i))
            refuse(unit, k, file, offset, rk_token_text(tokens, i, unit->arena));
    }
    if (!inside)
        check_outside(unit, file, i);
}

void rk_device_branches(rk_unit *unit)
{
    bool other;
    const int version = rk_parse_cuda_version(&other, unit->options, unit->arena);
    for (size_t f = 0; f < unit->files.count; f++) {
        const rk_tokens *tokens = &unit->files.items[f]->tokens;
        RK_VEC(conditional) open = {0};
        size_t unseen = 0; /* of the open ones */
        for (size_t i = 0; i < tokens->count; i++) {
            if (tokens->items[i].kind != RK_TOKEN_DIRECTIVE) {
                if (unseen)
                    check_unseen(unit, f, i);
                continue;
            }
            const char *name = rk_directive_of(tokens, i, unit->arena).name;
            const bool begins = rk_str_starts(name, "if");
            if (!begins && (!open.count || (!rk_str_starts(name, "el") && strcmp(name, "endif"))))
                continue;
            if (begins)
                *rk_push(unit->arena, &open) = (conditional){.left = ALL};
            conditional *c = &open.items[open.count - 1];
            unseen -= !begins && is_unseen(unit, c);
            if (strcmp(name, "endif") == 0) {
                open.count--;
                continue;
            }
            enter(unit, c, tokens, i, version);
            unseen += is_unseen(unit, c);
        }
    }
}
