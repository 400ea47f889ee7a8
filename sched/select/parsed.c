#include "sched/select/fitting.h"

#include "base/file.h"

#include <string.h>

/** The slot that holds the text, or the free one where it would go. */
static size_t slot_of(const rk_parsed *p, const char *text, size_t length)
{
    size_t slot = (size_t)rk_hash(text, length, 0) & (p->slots - 1);
    while (p->texts[slot] && strcmp(p->texts[slot], text) != 0)
        slot = (slot + 1) & (p->slots - 1);
    return slot;
}

static void grow(rk_parsed *p)
{
    rk_parsed old = *p;
    p->slots = old.slots ? 2 * old.slots : 256;
    p->texts = RK_NEW_ARRAY(p->arena, const char *, p->slots);
    p->exprs = RK_NEW_ARRAY(p->arena, const rk_expr *, p->slots);
    for (size_t i = 0; i < old.slots; i++)
        if (old.texts[i]) {
            size_t slot = slot_of(p, old.texts[i], strlen(old.texts[i]));
            p->texts[slot] = old.texts[i];
            p->exprs[slot] = old.exprs[i];
        }
}

const rk_expr *rk_parsed_get(rk_parsed *p, const char *text, rk_diag *diag)
{
    if (2 * (p->count + 1) > p->slots)
        grow(p);
    size_t length = strlen(text);
    size_t slot = slot_of(p, text, length);
    if (p->texts[slot])
        return p->exprs[slot];
    const rk_expr *e = rk_expr_parse(text, (rk_place){0}, p->arena, diag);
    if (!e)
        return NULL;
    p->texts[slot] = rk_arena_strndup(p->arena, text, length);
    p->exprs[slot] = e;
    p->count++;
    return e;
}
