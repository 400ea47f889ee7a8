#include "convert/ptx/ptx_internal.h"

#include <string.h>

/** The piece among `all`, NULL-terminated, that the instruction has; NULL for none. */
static const char *one_of(const rk_ptx_instruction *in, const char *const *all)
{
    while (*all && !rk_ptx_has(in, *all))
        all++;
    return *all;
}

/** The operands from `first` on, as arguments; NULL when one is of another kind. */
static const char *arguments(rk_ptx *t, const rk_ptx_instruction *in, size_t first)
{
    rk_str out = {.arena = t->arena};
    for (size_t i = first; i < in->operand_count; i++) {
        const char *value = rk_ptx_value(t, in->operands[i]);
        if (!value)
            return NULL;
        rk_str_addf(&out, "%s%s", i > first ? ", " : "", value);
    }
    return rk_str_text(&out);
}

/** `shfl.sync.down.b32 d|p, a, b, c, mask`: p is whether the lane is in range. */
static bool add_shuffle(rk_ptx *t, const rk_ptx_instruction *in)
{
    static const char *const modes[] = {"idx", "up", "down", "bfly", NULL};
    const char *mode = one_of(in, modes);
    if (!mode || !rk_ptx_only(in, "sync idx up down bfly") || !rk_ptx_has(in, "sync") ||
        in->type_count != 1 || in->operand_count != 5)
        return false;
    const char *both = in->operands[0], *bar = strchr(both, '|');
    const char *into =
        rk_ptx_value(t, bar ? rk_arena_strndup(t->arena, both, (size_t)(bar - both)) : both);
    const char *in_range = bar ? rk_ptx_value(t, bar + 1) : "";
    const char *args = arguments(t, in, 1);
    if (!into || !in_range || !args)
        return false;
    rk_str_addf(&t->out,
                "{ const auto rk__s = rk__::ptx_shfl_%s(%s); rk__::ptx_put(%s, rk__s.value); ",
                mode, args, into);
    if (bar)
        rk_str_addf(&t->out, "rk__::ptx_put(%s, rk__s.in_range); ", in_range);
    rk_str_add(&t->out, "}");
    return true;
}

/** Those whose value is a function of rk/cpu/cpu_ptx.h of the operands: rk__::ptx_<operation>_<kind>. */
static bool add_collective(rk_ptx *t, const rk_ptx_instruction *in)
{
    static const struct {
        const char *operation, *kinds[8];
    } all[] = {{"vote", {"all", "any", "uni", "ballot", NULL}},
               {"match", {"any", NULL}},
               {"redux", {"add", "min", "max", "and", "or", "xor", NULL}}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(in->pieces[0], all[i].operation) != 0)
            continue;
        const char *kind = one_of(in, all[i].kinds);
        const char *into = in->operand_count == 3 ? rk_ptx_value(t, in->operands[0]) : NULL;
        const char *args = into ? arguments(t, in, 1) : NULL;
        if (!kind || !args || !rk_ptx_has(in, "sync") || in->piece_count != 3 ||
            in->type_count != 1)
            return false;
        rk_str_addf(&t->out, "rk__::ptx_put(%s, rk__::ptx_%s_%s<%s>(%s));", into, all[i].operation,
                    kind, in->types[0], args);
        return true;
    }
    return false;
}

/** `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {a, b, c, d}, [p]`. */
static bool add_matrix(rk_ptx *t, const rk_ptx_instruction *in)
{
    const char *each[4];
    if (strcmp(in->pieces[0], "ldmatrix") != 0 || in->operand_count != 2 || in->type_count != 1 ||
        strcmp(in->types[0], "unsigned short") != 0 || !rk_ptx_has(in, "m8n8") ||
        !rk_ptx_only(in, "sync aligned m8n8 x1 x2 x4 trans shared shared::cta"))
        return false;
    const bool shared = rk_ptx_has(in, "shared") || rk_ptx_has(in, "shared::cta");
    const char *at = rk_ptx_address(t, in->operands[1], shared);
    const size_t count = rk_ptx_elements(t, in->operands[0], each);
    if (!at || count != (rk_ptx_has(in, "x4") ? 4u : rk_ptx_has(in, "x2") ? 2u : 1u))
        return false;
    rk_str_addf(&t->out, "{ unsigned rk__m[%zu]; rk__::ptx_ldmatrix<%zu, %s>(rk__m, %s);", count,
                count, rk_ptx_has(in, "trans") ? "true" : "false", at);
    for (size_t i = 0; i < count; i++)
        rk_str_addf(&t->out, " rk__::ptx_put(%s, rk__m[%zu]);", each[i], i);
    rk_str_add(&t->out, " }");
    return true;
}

bool rk_ptx_add_warp(rk_ptx *t, const rk_ptx_instruction *in)
{
    return (strcmp(in->pieces[0], "shfl") == 0 && add_shuffle(t, in)) || add_collective(t, in) ||
           add_matrix(t, in);
}
