#include "convert/facts/specialised.h"
#include "convert/facts/template_heads.h"

#include <string.h>

bool rk_specialised_related(const rk_unit *unit, size_t a, size_t b)
{
    const size_t of_a = unit->functions.items[a]->specialises;
    const size_t of_b = unit->functions.items[b]->specialises;
    return a != b && (of_a == b || of_b == a || (of_a != RK_NONE && of_a == of_b));
}

static bool has_names(const rk_function *f)
{
    bool all = true;
    for (size_t i = 0; i < f->params.count; i++)
        all &= *f->params.items[i].name != '\0';
    for (size_t i = 0; i < f->parameters.count; i++)
        all &= *f->parameters.items[i].name != '\0';
    return all;
}

const char *rk_specialised_wrong(const rk_unit *unit, size_t function)
{
    const rk_function *f = unit->functions.items[function];
    const rk_tokens *tokens = &unit->files.items[f->definition.file]->tokens;
    const size_t first = rk_tokens_at(tokens, f->definition.begin);
    const size_t name = rk_tokens_at(tokens, f->definition.name);
    const bool own_head =
        rk_token_is(tokens, first, "template") && rk_token_is(tokens, first + 2, ">");
    const bool declared = f->others.count || name == 0 || !rk_token_is(tokens, name - 1, "::");
    if (f->kernel) /* called by nobody: it becomes a template of its own name */
        return own_head && declared
                   ? NULL
                   : "'%s' is an explicit specialisation of a kernel outside of its "
                     "namespace, or without `template <>`";
    if (f->method || f->others.count || f->has_class || !own_head)
        return "'%s', an explicit specialisation of a function that needs the rTask's context, is a "
               "method, a template argument or declared before";
    if (f->specialises == RK_NONE || !f->special_args)
        return "'%s' is an explicit specialisation, with the rTask's context, of a template without "
               "a body, or for arguments without a name";
    if (!has_names(unit->functions.items[f->specialises]))
        return "'%s' is an explicit specialisation of a template whose parameters have no names, "
               "and which needs the rTask's context";
    return NULL;
}

const char *rk_specialised_name(const rk_unit *unit, const rk_function *f)
{
    return rk_arena_printf(unit->arena, "%s%s", f->name, unit->options->drop_in ? "_rk__" : "");
}

const char *rk_specialised_class(const rk_unit *unit, const rk_function *f)
{
    return rk_arena_printf(unit->arena, "%s_rk__special%s", f->name,
                           f->specialises == RK_NONE ? rk_heads_own_args(f, unit->arena)
                                                     : f->special_args);
}

const char *rk_specialised_question(const rk_unit *unit, const rk_function *f)
{
    bool any = false;
    for (size_t i = 0; i < unit->functions.count && !f->kernel; i++) {
        const size_t of = unit->functions.items[i]->specialises;
        any |= of != RK_NONE && unit->functions.items[of] == f && !rk_specialised_wrong(unit, i);
    }
    if (!any)
        return NULL;
    rk_str args = {.arena = unit->arena};
    for (size_t i = 0; i < f->parameters.count; i++)
        rk_str_addf(&args, ", %s%s", f->parameters.items[i].name,
                    f->parameters.items[i].pack ? "..." : "");
    const char *class = rk_specialised_class(unit, f);
    return rk_arena_printf(unit->arena,
                           " if constexpr (%s::there) return %s::%s(rk__ctx%s); else {", class,
                           class, rk_specialised_name(unit, f), rk_str_text(&args));
}
