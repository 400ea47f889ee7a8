#include "convert/clang/ast.h"
#include "convert/facts/undefined.h"
#include "convert/unit/sources.h"

/** Whether an edit replaces text that is around an operand or in it. */
static bool is_replaced(const rk_edits *edits, const rk_range *at)
{
    for (size_t i = 0; i < edits->list.count; i++) {
        const rk_edit *e = &edits->list.items[i];
        if (e->length && ((e->offset < at->begin && at->begin < e->offset + e->length) ||
                          (e->offset < at->end && at->end < e->offset + e->length)))
            return true;
    }
    return false;
}

void rk_undefined_edit(rk_unit *unit, rk_edits *edits, size_t file, size_t begin, size_t end)
{
    /* Of other insertions those that open a statement come before, those for what an operand reads after. */
    enum { OPENS = 1 << 20, CLOSES = -(1 << 20) };
    for (size_t i = 0; i < unit->undefined.count; i++) {
        const rk_undefined *u = &unit->undefined.items[i];
        if (u->at.file != file || u->at.begin < begin || u->at.end > end ||
            is_replaced(edits, &u->at))
            continue;
        unit->files.items[file]->touched |= edits == &unit->files.items[file]->edits;
        rk_edits_insert(edits, u->at.begin, OPENS + (int)i, u->before);
        if (u->at.begin < u->at.end)
            rk_edits_insert(edits, u->at.end, CLOSES - (int)i, ")");
    }
}

void rk_undefined_text(const rk_unit *unit, rk_str *out, const rk_range *within, size_t at,
                       bool ends)
{
    for (size_t i = 0; i < unit->undefined.count; i++) {
        const rk_undefined *u = &unit->undefined.items[i];
        if (u->at.file == within->file && u->at.begin >= within->begin &&
            u->at.end <= within->end && (ends ? u->at.end : u->at.begin) == at)
            rk_str_add(out, ends ? ")" : u->before);
    }
}
