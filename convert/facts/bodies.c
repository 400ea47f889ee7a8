#include "convert/facts/bodies.h"

/** Buckets of a list; few next to the functions of large generated headers. */
enum { BUCKETS = 1 << 13 };

/** The next item of the list goes behind those of its bucket. */
static void add_to_bucket(rk_buckets *buckets, uint64_t hash, rk_arena *arena)
{
    *rk_push(arena, &buckets->next) = 0;
    size_t *at = &buckets->heads[hash % BUCKETS];
    while (*at)
        at = &buckets->next.items[*at - 1];
    *at = buckets->next.count;
}

static uint64_t hash_place(size_t file, size_t offset)
{
    const size_t place[] = {file, offset};
    return rk_hash(place, sizeof place, 0);
}

rk_analysis *rk_analysis_new(rk_unit *unit)
{
    rk_analysis *analysis = RK_NEW(unit->arena, rk_analysis);
    analysis->unit = unit;
    analysis->functions_by_place.heads = RK_NEW_ARRAY(unit->arena, size_t, BUCKETS);
    analysis->bodies_by_cursor.heads = RK_NEW_ARRAY(unit->arena, size_t, BUCKETS);
    for (size_t i = 0; i < unit->functions.count; i++)
        rk_analysis_add(analysis, i, clang_getNullCursor());
    return analysis;
}

void rk_analysis_add(rk_analysis *analysis, size_t function, CXCursor cursor)
{
    const rk_declaration *d = &analysis->unit->functions.items[function]->definition;
    *rk_push(analysis->unit->arena, &analysis->cursors) = cursor;
    add_to_bucket(&analysis->functions_by_place, hash_place(d->file, d->name),
                  analysis->unit->arena);
}

size_t rk_analysis_function(const rk_analysis *analysis, CXCursor definition)
{
    const rk_unit *unit = analysis->unit;
    const rk_buckets *known = &analysis->functions_by_place;
    const rk_where at = rk_ast_expansion(unit, clang_getCursorLocation(definition));
    if (at.file == RK_NONE)
        return RK_NONE;
    for (size_t i = known->heads[hash_place(at.file, at.offset) % BUCKETS]; i;
         i = known->next.items[i - 1]) {
        const rk_function *f = unit->functions.items[i - 1];
        if (f->definition.file == at.file && f->definition.name == at.offset)
            return i - 1;
    }
    return RK_NONE;
}

size_t rk_analysis_body(rk_analysis *analysis, CXCursor definition, size_t function)
{
    const unsigned hash = clang_hashCursor(definition);
    const rk_buckets *known = &analysis->bodies_by_cursor;
    for (size_t i = known->heads[hash % BUCKETS]; i; i = known->next.items[i - 1])
        if (clang_equalCursors(analysis->bodies.items[i - 1].cursor, definition))
            return i - 1;
    rk_arena *arena = analysis->unit->arena;
    const rk_function *f = analysis->unit->functions.items[function];
    const CXCursor own = analysis->cursors.items[function];
    if ((f->is_template || f->class_template) && !clang_equalCursors(own, definition))
        rk_analysis_body(analysis, own, function);
    const size_t index = analysis->bodies.count;
    rk_body *body = rk_push(arena, &analysis->bodies);
    *body = (rk_body){
        .cursor = definition, .function = function, .pattern = clang_equalCursors(own, definition)};
    add_to_bucket(&analysis->bodies_by_cursor, hash, arena);
    return index;
}
