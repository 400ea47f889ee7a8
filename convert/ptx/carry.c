#include "convert/ptx/ptx_internal.h"

#include <string.h>

/*
 * Sums with the carry of the sum before: `add.cc`, `addc`, `addc.cc`, the same of `sub`, `mad.lo`, `mad.hi`. The carry
 * is the thread's own and stays from one statement to the next (rk/cpu/cpu_ptx.h).
 */

static const struct {
    const char *name;
    bool takes;      /**< the carry, where there is one */
    const char *cpp; /**< rk__::ptx_<cpp><type, takes, gives> */
    size_t sources;
} operations[] = {{"add", false, "add_carry", 2},  {"addc", true, "add_carry", 2},
                  {"sub", false, "sub_borrow", 2}, {"subc", true, "sub_borrow", 2},
                  {"mad", false, "mad_carry", 3},  {"madc", true, "mad_carry", 3}};

bool rk_ptx_add_carry(rk_ptx *t, const rk_ptx_instruction *in)
{
    const bool gives = rk_ptx_has(in, "cc"), high = rk_ptx_has(in, "hi");
    const char *to = in->operand_count ? rk_ptx_value(t, in->operands[0]) : NULL;
    for (size_t i = 0; to && i < sizeof operations / sizeof *operations; i++) {
        const bool product = operations[i].sources == 3;
        if (strcmp(in->pieces[0], operations[i].name) != 0)
            continue;
        if (in->type_count != 1 || in->operand_count != operations[i].sources + 1 ||
            !(gives || operations[i].takes || (product && high)) ||
            !rk_ptx_only(in, product ? "cc lo hi" : "cc") ||
            (product && high == rk_ptx_has(in, "lo")))
            return false;
        rk_str_addf(&t->out, "rk__::ptx_put(%s, rk__::ptx_%s<%s, %s, %s%s>(", to, operations[i].cpp,
                    in->types[0], operations[i].takes ? "true" : "false", gives ? "true" : "false",
                    !product ? ""
                    : high   ? ", true"
                             : ", false");
        if (!rk_ptx_add_sources(t, in))
            return false;
        rk_str_add(&t->out, "));");
        return true;
    }
    return false;
}
