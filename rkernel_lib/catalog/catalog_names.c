#include "rkernel_lib/catalog/catalog_internal.h"

#include <string.h>

const char *const rk_catalog_roles[] = {"scalar", "read", "written", "both", "accumulated"};
const char *const rk_catalog_outcomes[] = {"converted", "warned", "refused"};
const char *const rk_catalog_threads[] = {"loop", "fission", "fibers", "library"};

const char *rk_input_kind_name(rk_input_kind kind)
{
    static const char *const names[RK_INPUT_KINDS] = {
        "global", "member", "memory", "device", "call", "template", "loop", "after", "open"};
    return kind < RK_INPUT_KINDS ? names[kind] : "?";
}

const char *rk_barrier_form_name(rk_barrier_form form)
{
    static const char *const names[RK_BARRIER_FORMS] = {"auto", "named", "cg"};
    return form < RK_BARRIER_FORMS ? names[form] : "?";
}

bool rk_barrier_form_of(rk_barrier_form *out, const char *name)
{
    for (rk_barrier_form form = 0; form < RK_BARRIER_FORMS; form++) {
        if (strcmp(rk_barrier_form_name(form), name) != 0)
            continue;
        *out = form;
        return true;
    }
    return false;
}

const char *rk_role_name(rk_role role)
{
    return rk_catalog_roles[role];
}

const char *rk_outcome_name(rk_outcome outcome)
{
    return rk_catalog_outcomes[outcome];
}

int rk_catalog_compare_kernels(const void *a, const void *b)
{
    return strcmp(((const rk_kernel *)a)->id, ((const rk_kernel *)b)->id);
}
