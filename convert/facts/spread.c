#include "convert/facts/spread.h"
#include "convert/facts/specialised.h"

/** What a function does takes in what another one does; whether that was new. */
static bool take_in(rk_function *f, const rk_function *callee)
{
    const unsigned reach = f->reach, does = f->reach_does;
    const int dims = f->reach_dims;
    f->reach |= callee->reach;
    f->reach_does |= callee->reach_does;
    f->reach_dims = dims < callee->reach_dims ? callee->reach_dims : dims;
    return f->reach != reach || f->reach_does != does || f->reach_dims != dims;
}

void rk_spread(rk_unit *unit)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->functions.count; i++) {
            rk_function *f = unit->functions.items[i];
            for (size_t c = 0; c < f->calls.count; c++)
                changed |= take_in(f, unit->functions.items[f->calls.items[c].callee]);
        }
    }
}

rk_reached rk_reached_none(const rk_unit *unit, bool converted)
{
    return (rk_reached){.unit = unit,
                        .converted = converted,
                        .seen = RK_NEW_ARRAY(unit->arena, bool, unit->functions.count)};
}

void rk_reached_add(rk_reached *r, size_t function)
{
    const rk_unit *unit = r->unit;
    const rk_function *f = unit->functions.items[function];
    if (r->seen[function])
        return;
    r->seen[function] = true;
    *rk_push(unit->arena, &r->list) = function;
    for (size_t c = 0; c < f->calls.count; c++) {
        const rk_function *to = unit->functions.items[f->calls.items[c].callee];
        if (!r->converted || to->kernel || to->device)
            rk_reached_add(r, f->calls.items[c].callee);
    }
    for (size_t k = 0; r->converted && f->needs_context && !f->kernel && k < unit->functions.count;
         k++)
        if (rk_specialised_related(unit, function, k))
            rk_reached_add(r, k);
}

rk_reached rk_reached_from(const rk_unit *unit, size_t function, bool converted)
{
    rk_reached r = rk_reached_none(unit, converted);
    rk_reached_add(&r, function);
    return r;
}
