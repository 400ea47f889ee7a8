#include "convert/ptx/ptx_internal.h"

#include <string.h>

/* `cvt`: to and from integers of all sizes, float, double, half and bfloat16. */

static const struct {
    const char *ptx, *cpp;
} numbers[] = {{"u8", "unsigned char"},
               {"s8", "signed char"},
               {"u16", "unsigned short"},
               {"s16", "short"},
               {"u32", "unsigned"},
               {"s32", "int"},
               {"u64", "unsigned long long"},
               {"s64", "long long"},
               {"f16", "rk__::ptx_half"},
               {"bf16", "rk__::ptx_bfloat16"},
               {"f32", "float"},
               {"f64", "double"}};

/** The type before `*end` in "cvt.rn.f32.s32", which is then moved to the dot before it; NULL for others. */
static const char *last_type(const char *name, size_t *end)
{
    size_t dot = *end;
    do
        dot--;
    while (dot > 0 && name[dot] != '.');
    for (size_t i = 0; dot > 0 && i < sizeof numbers / sizeof *numbers; i++)
        if (strlen(numbers[i].ptx) == *end - dot - 1 &&
            strncmp(numbers[i].ptx, name + dot + 1, *end - dot - 1) == 0) {
            *end = dot;
            return numbers[i].cpp;
        }
    return NULL;
}

static const char *rounding(const rk_ptx_instruction *in)
{
    return rk_ptx_has(in, "rz") || rk_ptx_has(in, "rzi")   ? "zero"
           : rk_ptx_has(in, "rm") || rk_ptx_has(in, "rmi") ? "down"
           : rk_ptx_has(in, "rp") || rk_ptx_has(in, "rpi") ? "up"
                                                           : "nearest";
}

bool rk_ptx_add_convert(rk_ptx *t, const char *name, const rk_ptx_instruction *in)
{
    static const char pieces[] = "rn rz rm rp rni rzi rmi rpi ftz sat f16 bf16";
    size_t end = strlen(name);
    if (strcmp(in->pieces[0], "cvt") != 0 || in->operand_count != 2 || !rk_ptx_only(in, pieces))
        return false;
    const char *from = last_type(name, &end), *to = from ? last_type(name, &end) : NULL;
    const char *into = rk_ptx_value(t, in->operands[0]);
    const char *what = rk_ptx_value(t, in->operands[1]);
    if (!from || !to || !into || !what)
        return false;
    const bool whole = rk_ptx_has(in, "rni") || rk_ptx_has(in, "rzi") || rk_ptx_has(in, "rmi") ||
                       rk_ptx_has(in, "rpi");
    rk_str_addf(&t->out,
                "rk__::ptx_put(%s, rk__::ptx_cvt<%s, %s, rk__::rounding::%s, %s, %s>(%s));", into,
                to, from, rounding(in), whole ? "true" : "false",
                rk_ptx_has(in, "sat") ? "true" : "false", what);
    return true;
}
