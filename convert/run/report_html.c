#include "convert/run/record.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/*
 * The page is share/rammer/parse/report.html with the results in it as JSON: the report, and apart from it for each source
 * that was edited its text in pieces, [text] for what stays and [old, new] for what is replaced.
 */
static const char results_mark[] = "/*RESULTS*/", sources_mark[] = "/*SOURCES*/";

/** Bytes of sources' texts in a page: one of thousands of files has what became of them, and opens at once. */
enum { MOST_TEXT = 8 << 20 };

static int by_place(const void *a, const void *b)
{
    const rk_convert_edit *x = *(const rk_convert_edit *const *)a;
    const rk_convert_edit *y = *(const rk_convert_edit *const *)b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    /* Insertions come before a replacement at the same place; others keep their order. */
    if ((x->length == 0) != (y->length == 0))
        return x->length == 0 ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void add_piece(cJSON *pieces, const char *old, size_t length, const char *new,
                      rk_arena *arena)
{
    if (length == 0 && !new)
        return;
    cJSON *piece = cJSON_CreateArray();
    cJSON_AddItemToArray(piece, cJSON_CreateString(rk_arena_strndup(arena, old, length)));
    if (new)
        cJSON_AddItemToArray(piece, cJSON_CreateString(new));
    cJSON_AddItemToArray(pieces, piece);
}

/** A file's text in pieces. */
static cJSON *pieces_of(const rk_convert_file *file, size_t index, rk_bytes text, rk_arena *arena)
{
    cJSON *out = cJSON_CreateArray();
    const rk_convert_edit **own =
        RK_NEW_ARRAY(arena, const rk_convert_edit *, file->edit_count + 1);
    size_t count = 0, at = 0;
    for (size_t i = 0; i < file->edit_count; i++)
        if (file->edits[i].file == index)
            own[count++] = &file->edits[i];
    qsort(own, count, sizeof *own, by_place);
    for (size_t i = 0; i < count; i++) {
        const rk_convert_edit *e = own[i];
        if (e->offset < at || e->offset + e->length > text.size)
            continue; /* the file is not what it was */
        add_piece(out, text.data + at, e->offset - at, NULL, arena);
        add_piece(out, text.data + e->offset, e->length, e->text, arena);
        at = e->offset + e->length;
    }
    add_piece(out, text.data + at, text.size - at, NULL, arena);
    return out;
}

static cJSON *json_sources(const rk_convert_file *file, rk_arena *arena)
{
    cJSON *out = cJSON_CreateArray();
    for (size_t i = 0; i < file->edited_count; i++) {
        rk_bytes text;
        const char *kept = rk_arena_printf(arena, "%s.orig", file->edited[i]);
        const char *path = rk_file_exists(kept) ? kept : file->edited[i];
        if (!rk_file_read(&text, path, arena, rk_diag_new(arena)))
            continue;
        cJSON *source = cJSON_CreateObject();
        cJSON_AddStringToObject(source, "path", file->edited[i]);
        cJSON_AddItemToObject(source, "pieces", pieces_of(file, i, text, arena));
        cJSON_AddItemToArray(out, source);
    }
    return out;
}

/** JSON inside a script element must not close it. */
static void add_script(rk_str *out, const char *json)
{
    for (const char *at; (at = strchr(json, '<')); json = at + 1) {
        rk_str_addn(out, json, (size_t)(at - json));
        rk_str_add(out, "\\u003c");
    }
    rk_str_add(out, json);
}

static void add_sources(rk_str *text, const rk_convert_result *result)
{
    const size_t begin = text->length;
    size_t left_out = 0;
    rk_str_add(text, "{\"sources\": [");
    for (size_t i = 0; i < result->file_count; i++) {
        if (text->length - begin > MOST_TEXT) {
            left_out++;
            continue;
        }
        rk_arena *scratch = rk_arena_new();
        cJSON *sources = json_sources(&result->files[i], scratch);
        rk_str_add(text, i ? ",\n" : "\n");
        char *json = cJSON_PrintUnformatted(sources);
        add_script(text, json);
        free(json);
        cJSON_Delete(sources);
        rk_arena_free(scratch);
    }
    rk_str_addf(text, "], \"left_out\": %zu}", left_out);
}

char *rk_convert_report_html(const rk_convert_result *result, const rk_diag *diag, const char *home,
                             rk_arena *arena, rk_diag *out)
{
    rk_bytes page;
    if (!rk_file_read(&page, rk_path_join(arena, home, "parse/report.html"), arena, out))
        return NULL;
    const char *first = strstr(page.data, results_mark);
    const char *second = first ? strstr(first, sources_mark) : NULL;
    if (!second) {
        rk_diag_add(out, RK_ERROR, "RK-U012", rk_place_file(home), "install rammer again",
                    "the page of the report is not whole");
        return NULL;
    }
    rk_str text = {.arena = arena};
    rk_str_addn(&text, page.data, (size_t)(first - page.data));
    add_script(&text, rk_convert_report_json(result, diag, arena));
    first += strlen(results_mark);
    rk_str_addn(&text, first, (size_t)(second - first));
    add_sources(&text, result);
    rk_str_add(&text, second + strlen(sources_mark));
    return text.text;
}
