#include "convert/clang/ir_text.h"

#include "convert/clang/ir_rows.h"
#include "convert/clang/lower.h"

#include <string.h>

/* Names of kinds, and the columns that are ids of rows. */

#define NAME(name, clang) #clang,

const char *const rk_ir_kind_names[] = {"None", RK_IR_DECLARATIONS(NAME) RK_IR_REFERENCES(NAME)
                                                    RK_IR_EXPRESSIONS(NAME) RK_IR_STATEMENTS(NAME)
                                                        RK_IR_ATTRIBUTES(NAME) NULL};
const char *const rk_ir_op_names[] = {"None", RK_IR_UNARY_OPERATORS(NAME)
                                                  RK_IR_BINARY_OPERATORS(NAME) NULL};
const char *const rk_ir_type_names[] = {"None", RK_IR_TYPES(NAME) "Other", NULL};
const char *const rk_ir_role_names[] = {"none", RK_IR_ROLES(NAME) NULL};
const char *const rk_ir_flag_names[] = {RK_IR_FLAGS(NAME) NULL};

const rk_ir_column rk_ir_node_columns[] = {{"type", offsetof(rk_ir_node, type), RK_IR_IN_TYPES},
                                           {"decl", offsetof(rk_ir_node, decl), RK_IR_IN_DECLS},
                                           {NULL, 0, 0}};
const rk_ir_column rk_ir_decl_columns[] = {
    {"parent", offsetof(rk_ir_decl, parent), RK_IR_IN_DECLS},
    {"type", offsetof(rk_ir_decl, type), RK_IR_IN_TYPES},
    {"definition", offsetof(rk_ir_decl, definition), RK_IR_IN_DECLS},
    {"body", offsetof(rk_ir_decl, body), RK_IR_IN_NODES},
    {"pattern", offsetof(rk_ir_decl, pattern), RK_IR_IN_DECLS},
    {NULL, 0, 0}};
const rk_ir_column rk_ir_type_columns[] = {
    {"canonical", offsetof(rk_ir_type, canonical), RK_IR_IN_TYPES},
    {"pointee", offsetof(rk_ir_type, pointee), RK_IR_IN_TYPES},
    {"element", offsetof(rk_ir_type, element), RK_IR_IN_TYPES},
    {"result", offsetof(rk_ir_type, result), RK_IR_IN_TYPES},
    {"decl", offsetof(rk_ir_type, decl), RK_IR_IN_DECLS},
    {NULL, 0, 0}};

rk_ir_id *rk_ir_cell(void *row, const rk_ir_column *column)
{
    return (rk_ir_id *)(void *)((char *)row + column->offset);
}

/* Writing. */

static void write_columns(rk_str *out, void *row, const rk_ir_column *columns)
{
    for (; columns->name; columns++)
        if (*rk_ir_cell(row, columns))
            rk_str_addf(out, " %s=%u", columns->name, *rk_ir_cell(row, columns));
}

static void write_file(rk_str *out, const rk_source_file *file, size_t number)
{
    rk_str_addf(out, "file %zu %zu %s\n", number, file->bytes.size, file->path);
    const char *at = file->bytes.data, *end = at + file->bytes.size;
    while (at < end) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((line ? line : end) - at);
        rk_str_add(out, "|");
        rk_str_addn(out, at, length);
        rk_str_add(out, "\n");
        at += length + 1;
    }
}

static void write_type(rk_str *out, const rk_ir *ir, rk_ir_id id)
{
    rk_ir_type *t = rk_ir_type_at(ir, id);
    rk_str_addf(out, "type %u %s%s%s", id, rk_ir_type_names[t->kind], t->is_const ? " const" : "",
                t->is_volatile ? " volatile" : "");
    write_columns(out, t, rk_ir_type_columns);
    if (t->size)
        rk_str_addf(out, " size=%lld align=%lld", (long long)t->size, (long long)t->align);
    rk_str_addf(out, " : %s\n", t->text);
}

static void write_decl(rk_str *out, const rk_ir *ir, rk_ir_id id)
{
    rk_ir_decl *d = rk_ir_decl_at(ir, id);
    rk_str_addf(out, "decl %u %s", id, rk_ir_kind_names[d->kind]);
    for (size_t i = 0; i < RK_IR_FLAG_COUNT; i++)
        if (d->flags & 1U << i)
            rk_str_addf(out, " %s", rk_ir_flag_names[i]);
    if (d->of != d->kind)
        rk_str_addf(out, " of=%s", rk_ir_kind_names[d->of]);
    write_columns(out, d, rk_ir_decl_columns);
    if (d->counted || d->list < d->list_end)
        rk_str_add(out, " list=");
    for (uint32_t i = d->list; i < d->list_end; i++)
        rk_str_addf(out, "%s%u", i > d->list ? "," : "", ir->lists.items[i]);
    if (d->at.file)
        rk_str_addf(out, " @%u:%u", d->at.file, d->at.offset);
    rk_str_addf(out, " : %s\n", d->name);
}

static void write_extent(rk_str *out, char mark, const rk_ir_extent *e)
{
    rk_str_addf(out, " %c%u:%u-", mark, e->begin.file, e->begin.offset);
    if (e->end.file != e->begin.file)
        rk_str_addf(out, "%u:", e->end.file);
    rk_str_addf(out, "%u", e->end.offset);
    if (memcmp(&e->at, &e->begin, sizeof e->at) == 0)
        return;
    rk_str_add(out, "^");
    if (e->at.file != e->begin.file)
        rk_str_addf(out, "%u:", e->at.file);
    rk_str_addf(out, "%u", e->at.offset);
}

static void write_node(rk_str *out, const rk_ir *ir, rk_ir_id id, int depth)
{
    rk_ir_node *n = rk_ir_at(ir, id);
    rk_str_addf(out, "%u %*s%s", id, 2 * depth, "", rk_ir_kind_names[n->kind]);
    if (n->op)
        rk_str_addf(out, " op=%s", rk_ir_op_names[n->op]);
    if (n->role)
        rk_str_addf(out, " as=%s", rk_ir_role_names[n->role]);
    if (n->slot)
        rk_str_addf(out, " slot=%u", n->slot);
    if (n->hidden)
        rk_str_add(out, " hidden");
    write_columns(out, n, rk_ir_node_columns);
    if (n->known == RK_IR_INTEGER_VALUE)
        rk_str_addf(out, " integer=%lld", (long long)ir->values.items[n->value].integer);
    else if (n->known == RK_IR_FLOATING_VALUE)
        rk_str_addf(out, " floating=%.17g", ir->values.items[n->value].floating);
    for (uint32_t i = n->implicit; i < n->implicit_end; i++) {
        const rk_ir_implicit_use *use = &ir->implicit.items[i];
        rk_str_addf(out, use->decl ? " calls=%u" : " evaluates=%u",
                    use->decl ? use->decl : use->root);
    }
    if (n->spelled.begin.file || n->expanded.begin.file)
        write_extent(out, '@', &n->spelled);
    if (memcmp(&n->spelled, &n->expanded, sizeof n->spelled) != 0)
        write_extent(out, '!', &n->expanded);
    rk_str_add(out, "\n");
}

void rk_ir_write(rk_str *out, rk_unit *unit)
{
    rk_ir *ir = rk_ir_of(unit);
    rk_ir_complete(ir);
    rk_str_add(out, "rkir 1\n");
    for (size_t i = 0; i < unit->files.count; i++)
        write_file(out, unit->files.items[i], i + 1);
    for (rk_ir_id i = 1; i < ir->types.count; i++)
        write_type(out, ir, i);
    for (rk_ir_id i = 1; i < ir->decls.count; i++)
        write_decl(out, ir, i);
    for (size_t i = 0; i < ir->roots.count; i++) {
        const rk_ir_id root = ir->roots.items[i];
        int depth = 0;
        for (rk_ir_id id = root, last = root; id < rk_ir_at(ir, root)->end; last = id++) {
            rk_ir_id above = last; /* the parent is the last node or one around it */
            for (depth += id > root; id > root && above != rk_ir_at(ir, id)->parent; depth--)
                above = rk_ir_at(ir, above)->parent;
            write_node(out, ir, id, depth);
        }
    }
}
