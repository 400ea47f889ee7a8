#include "targets.h"

#include "rkernel_lib/catalog/expr.h"

#include <stdio.h>
#include <string.h>

static bool any_name(void *user, rk_value *out, const char *name)
{
    (void)user;
    *out = name[0] == 'h' ? rk_value_real(0.5) : rk_value_int((int64_t)strlen(name) * 7 - 20);
    return name[0] != 'x';
}

bool fuzz_fail(const char *why)
{
    fprintf(stderr, "%s\n", why);
    return false;
}

bool fuzz_expr(const char *text, rk_arena *arena, rk_diag *diag)
{
    static const rk_env env = {.name = any_name};
    const rk_expr *e = rk_expr_parse(text, rk_place_file("fuzz"), arena, diag);
    if (!e)
        return rk_diag_count(diag) == 1 || fuzz_fail("refused without one diagnostic");
    const char *printed = rk_expr_print(e, arena);
    const rk_expr *again = rk_expr_parse(printed, rk_place_file("fuzz"), arena, diag);
    if (!again)
        return fuzz_fail("its own text does not parse");
    if (strcmp(rk_expr_print(again, arena), printed) != 0)
        return fuzz_fail("its own text prints otherwise");
    rk_value a, b;
    bool valued = rk_expr_eval(&a, e, &env, diag);
    if (!valued && rk_diag_count(diag) == 0)
        return fuzz_fail("no value and no diagnostic");
    if (rk_expr_eval(&b, again, &env, diag) != valued)
        return fuzz_fail("its own text has a value, or none");
    if (valued && (a.is_real != b.is_real || (a.is_real ? a.d != b.d : a.i != b.i)))
        return fuzz_fail("its own text has another value");
    return true;
}
