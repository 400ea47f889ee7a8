#include "convert/text/edits.h"

#include <stdlib.h>
#include <string.h>

static void add(rk_edits *edits, const rk_edit *edit)
{
    for (size_t i = 0; i < edits->list.count; i++) {
        const rk_edit *old = &edits->list.items[i];
        if (old->offset == edit->offset && old->length == edit->length && old->rank == edit->rank &&
            strcmp(old->text, edit->text) == 0)
            return;
    }
    rk_edit *own = rk_push(edits->arena, &edits->list);
    *own = *edit;
    own->text = rk_arena_strdup(edits->arena, edit->text);
}

void rk_edits_add(rk_edits *edits, size_t offset, size_t length, const char *text)
{
    add(edits, &(rk_edit){.offset = offset, .length = length, .text = text});
}

void rk_edits_insert(rk_edits *edits, size_t offset, int rank, const char *text)
{
    add(edits, &(rk_edit){.offset = offset, .text = text, .rank = rank});
}

void rk_edits_enter(rk_edits *edits, size_t offset, int rank, const char *text)
{
    add(edits, &(rk_edit){.offset = offset, .text = text, .rank = rank, .entry = true});
}

/** Insertions come before the replacement that starts at the same byte. */
static int compare(const rk_edit *a, const rk_edit *b)
{
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if ((a->length == 0) != (b->length == 0))
        return a->length == 0 ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/** Sorts and keeps the order of equals, which qsort does not promise. */
static void sort(rk_edit *items, rk_edit *scratch, size_t count)
{
    if (count < 2)
        return;
    const size_t half = count / 2;
    sort(items, scratch, half);
    sort(items + half, scratch, count - half);
    memcpy(scratch, items, count * sizeof *items);
    for (size_t i = 0, a = 0, b = half; i < count; i++) {
        const bool left = b == count || (a < half && compare(&scratch[a], &scratch[b]) <= 0);
        items[i] = scratch[left ? a++ : b++];
    }
}

static void sort_edits(rk_edits *edits)
{
    rk_edit *scratch = RK_NEW_ARRAY(edits->arena, rk_edit, edits->list.count);
    sort(edits->list.items, scratch, edits->list.count);
}

char *rk_edits_apply(rk_edits *edits, const char *text, size_t size, size_t *out_size,
                     size_t conflict[2])
{
    sort_edits(edits);
    rk_str out = {.arena = edits->arena};
    size_t done = 0, last = 0;
    for (size_t i = 0; i < edits->list.count; i++) {
        const rk_edit *edit = &edits->list.items[i];
        if (edit->offset < done || edit->offset + edit->length > size) {
            conflict[0] = last;
            conflict[1] = i;
            return NULL;
        }
        rk_str_addn(&out, text + done, edit->offset - done);
        rk_str_add(&out, edit->text);
        done = edit->offset + edit->length;
        if (edit->length)
            last = i;
    }
    rk_str_addn(&out, text + done, size - done);
    *out_size = out.length;
    return out.text ? out.text : rk_arena_strdup(edits->arena, "");
}

static void quote(rk_str *out, const char *text, size_t length)
{
    rk_str_add(out, "\"");
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n')
            rk_str_add(out, "\\n");
        else if (text[i] == '"' || text[i] == '\\')
            rk_str_addf(out, "\\%c", text[i]);
        else
            rk_str_addn(out, text + i, 1);
    }
    rk_str_add(out, "\"");
}

void rk_edits_print(rk_edits *edits, const char *text, rk_str *out)
{
    sort_edits(edits);
    for (size_t i = 0; i < edits->list.count; i++) {
        const rk_edit *edit = &edits->list.items[i];
        rk_str_addf(out, "%zu+%zu ", edit->offset, edit->length);
        quote(out, text + edit->offset, edit->length);
        rk_str_add(out, " -> ");
        quote(out, edit->text, strlen(edit->text));
        rk_str_add(out, "\n");
    }
}
