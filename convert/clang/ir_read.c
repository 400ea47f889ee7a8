#include "convert/clang/ir_rows.h"
#include "convert/clang/ir_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** A text that is being read. */
typedef struct {
    rk_unit *unit;
    rk_ir *ir;
    const char *path;
    char *at, *end; /**< what is left of it; the line that is read ends with a NUL */
    int line;
    RK_VEC(rk_ir_id) around; /**< the nodes around the next one, outermost first */
} reader;

static bool wrong(const reader *r, const char *what)
{
    return rk_diag_add(r->unit->diag, RK_ERROR, "RK-V010", (rk_place){r->path, r->line, 1, NULL},
                       "write it anew, with --dump ir", "this is no tree of ours: %s", what);
}

static char *next_line(reader *r)
{
    if (r->at >= r->end)
        return NULL;
    char *line = r->at;
    char *end = memchr(line, '\n', (size_t)(r->end - line));
    r->at = end ? end + 1 : r->end;
    if (end)
        *end = '\0';
    r->line++;
    return line;
}

/** The next word of a line, cut off from it; NULL at its end. */
static char *next_word(char **line)
{
    char *word = *line + strspn(*line, " ");
    if (!*word)
        return NULL;
    char *end = word + strcspn(word, " ");
    *line = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/** Reads digits, and moves behind them. */
static bool read_number(char **at, uint32_t *out)
{
    char *end;
    errno = 0;
    const unsigned long value = strtoul(*at, &end, 10);
    if (end == *at || **at < '0' || **at > '9' || errno || value > UINT32_MAX)
        return false;
    *out = (uint32_t)value;
    *at = end;
    return true;
}

/** The index of a name in a list; -1 when it is not there. */
static int index_of(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* Rows. */

static bool read_file_row(reader *r, char *rest)
{
    rk_unit *unit = r->unit;
    uint32_t number, size;
    if (!read_number(&rest, &number) || *rest++ != ' ' || number != unit->files.count + 1 ||
        !read_number(&rest, &size) || *rest++ != ' ')
        return wrong(r, "a file's number or size");
    rk_str text = {.arena = unit->arena};
    while (r->at < r->end && *r->at == '|')
        rk_str_addf(&text, "%s\n", next_line(r) + 1);
    if (text.length < size || text.length > (size_t)size + 1)
        return wrong(r, "a file is not as long as it says");
    rk_source_file *file = RK_NEW(unit->arena, rk_source_file);
    file->path = rk_arena_strdup(unit->arena, rest);
    file->bytes = (rk_bytes){rk_arena_strndup(unit->arena, rk_str_text(&text), size), size};
    file->tokens = rk_lex(file->bytes.data, size, unit->arena);
    *rk_push(unit->arena, &unit->files) = file;
    return true;
}

/** The row of an id that counts from 1 without a gap; NULL for another. */
static void *new_row(reader *r, rk_ir_table *table, char **id)
{
    uint32_t number;
    return read_number(id, &number) && number == table->count
               ? rk_ir_row(table, rk_ir_add(r->ir, table))
               : NULL;
}

/** Reads "column=ID"; false when it is none of these. */
static bool read_column(void *row, const rk_ir_column *columns, char *word)
{
    for (; columns->name; columns++) {
        const size_t length = strlen(columns->name);
        char *value = word + length + 1;
        if (strncmp(word, columns->name, length) == 0 && word[length] == '=')
            return read_number(&value, rk_ir_cell(row, columns)) && !*value;
    }
    return false;
}

/** Cuts the line at " : "; what is behind it, NULL without. */
static char *read_text(char *line)
{
    char *colon = strstr(line, " : ");
    if (!colon)
        return NULL;
    *colon = '\0';
    return colon + 3;
}

static bool read_type_row(reader *r, char *rest)
{
    rk_ir_type *t = new_row(r, &r->ir->types, &rest);
    const char *text = read_text(rest);
    char *word = next_word(&rest);
    const int kind = word ? index_of(rk_ir_type_names, word) : -1;
    if (!t || !text || kind < 0)
        return wrong(r, "a type's id, kind or text");
    t->kind = (uint8_t)kind;
    t->text = rk_arena_strdup(r->ir->arena, text);
    while ((word = next_word(&rest))) {
        if (strcmp(word, "const") == 0)
            t->is_const = true;
        else if (strcmp(word, "volatile") == 0)
            t->is_volatile = true;
        else if (rk_str_starts(word, "size="))
            t->size = strtoll(word + 5, NULL, 10);
        else if (rk_str_starts(word, "align="))
            t->align = strtoll(word + 6, NULL, 10);
        else if (!read_column(t, rk_ir_type_columns, word))
            return wrong(r, "a type's column");
    }
    return true;
}

static bool read_spot(char **at, rk_ir_spot *spot)
{
    if (!read_number(at, &spot->file) || *(*at)++ != ':')
        return false;
    return read_number(at, &spot->offset);
}

static bool read_list(reader *r, rk_ir_decl *d, char *at)
{
    d->counted = rk_ir_is_function(d->kind);
    d->list = (uint32_t)r->ir->lists.count;
    uint32_t id;
    while (*at && read_number(&at, &id)) {
        *rk_push(r->ir->arena, &r->ir->lists) = id;
        at += *at == ',';
    }
    d->list_end = (uint32_t)r->ir->lists.count;
    return !*at;
}

static bool read_decl_row(reader *r, char *rest)
{
    rk_ir_decl *d = new_row(r, &r->ir->decls, &rest);
    const char *text = read_text(rest);
    char *word = next_word(&rest);
    const int kind = word ? index_of(rk_ir_kind_names, word) : -1;
    if (!d || !text || kind < 0)
        return wrong(r, "a declaration's id, kind or name");
    d->kind = d->of = (uint8_t)kind;
    d->name = rk_arena_strdup(r->ir->arena, text);
    d->looked = true;
    while ((word = next_word(&rest))) {
        const int flag = index_of(rk_ir_flag_names, word);
        const int of = rk_str_starts(word, "of=") ? index_of(rk_ir_kind_names, word + 3) : -1;
        char *at = word + 1;
        if (flag >= 0)
            d->flags |= 1U << flag;
        else if (of >= 0)
            d->of = (uint8_t)of;
        else if (*word == '@'                   ? !read_spot(&at, &d->at)
                 : rk_str_starts(word, "list=") ? !read_list(r, d, word + strlen("list="))
                                                : !read_column(d, rk_ir_decl_columns, word))
            return wrong(r, "a declaration's column");
    }
    return true;
}

/** "1:20-25^22": the file of the end and of the place itself is the first one where none is said. */
static bool read_extent(char *at, rk_ir_extent *e)
{
    if (!read_spot(&at, &e->begin))
        return false;
    e->end = e->at = e->begin;
    rk_ir_spot *const spots[] = {&e->end, &e->at};
    const char marks[] = "-^";
    for (size_t i = 0; i < 2 && *at == marks[i]; i++) {
        char *number = ++at;
        if (!read_number(&number, &spots[i]->offset))
            return false;
        if (*number != ':')
            at = number;
        else if (!read_spot(&at, spots[i]))
            return false;
    }
    return !*at;
}

static bool read_node_word(reader *r, rk_ir_node *n, char *word)
{
    rk_ir *ir = r->ir;
    char *value = strchr(word, '=');
    if (*word == '@' || *word == '!') {
        if (!read_extent(word + 1, *word == '@' ? &n->spelled : &n->expanded))
            return false;
        n->expanded = *word == '@' ? n->spelled : n->expanded;
        return true;
    }
    if (!value) {
        n->hidden = strcmp(word, "hidden") == 0;
        return n->hidden;
    }
    uint32_t number;
    const bool integer = rk_str_starts(word, "integer="), calls = rk_str_starts(word, "calls=");
    const int op = rk_str_starts(word, "op=") ? index_of(rk_ir_op_names, ++value) : 0;
    const int role = rk_str_starts(word, "as=") ? index_of(rk_ir_role_names, ++value) : 0;
    if (op || role) {
        n->op = op > 0 ? (uint8_t)op : n->op;
        n->role = role > 0 ? (uint8_t)role : n->role;
        return op >= 0 && role >= 0;
    }
    if (integer || rk_str_starts(word, "floating=")) {
        n->known = integer ? RK_IR_INTEGER_VALUE : RK_IR_FLOATING_VALUE;
        n->value = (rk_ir_id)ir->values.count;
        rk_ir_value *v = rk_push(ir->arena, &ir->values);
        if (integer)
            v->integer = strtoll(value + 1, NULL, 10);
        else
            v->floating = strtod(value + 1, NULL);
        return true;
    }
    if (!calls && !rk_str_starts(word, "evaluates=") && !rk_str_starts(word, "slot="))
        return read_column(n, rk_ir_node_columns, word);
    value++;
    if (!read_number(&value, &number) || *value)
        return false;
    if (rk_str_starts(word, "slot=")) {
        n->slot = (uint16_t)number;
        return true;
    }
    n->implicit = n->implicit ? n->implicit : (uint32_t)ir->implicit.count;
    *rk_push(ir->arena, &ir->implicit) =
        calls ? (rk_ir_implicit_use){number, 0} : (rk_ir_implicit_use){0, number};
    n->implicit_end = (uint32_t)ir->implicit.count;
    return true;
}

/** Ends the nodes that are not around one of that depth, before `next`. */
static void end_nodes(reader *r, size_t depth, rk_ir_id next)
{
    while (r->around.count > depth)
        rk_ir_at(r->ir, r->around.items[--r->around.count])->end = next;
}

static bool read_node_row(reader *r, char *line)
{
    rk_ir *ir = r->ir;
    const rk_ir_id id = ir->nodes.count;
    rk_ir_node *n = new_row(r, &ir->nodes, &line);
    if (!n || *line++ != ' ')
        return wrong(r, "a node's id");
    const size_t depth = strspn(line, " ") / 2;
    char *word = next_word(&line);
    const int kind = word ? index_of(rk_ir_kind_names, word) : -1;
    if (kind <= 0 || depth > r->around.count)
        return wrong(r, "a node's kind or depth");
    n->kind = (uint8_t)kind;
    end_nodes(r, depth, id);
    n->parent = depth ? r->around.items[depth - 1] : 0;
    *rk_push(ir->arena, &r->around) = id;
    if (!depth)
        *rk_push(ir->arena, &ir->roots) = id;
    if (!depth && kind == RK_IR_UNIT)
        ir->project = id;
    while ((word = next_word(&line)))
        if (!read_node_word(r, n, word))
            return wrong(r, "a node's column");
    return true;
}

/* What rows say of others. */

static bool check_columns(const rk_ir *ir, void *row, const rk_ir_column *columns)
{
    const uint32_t counts[] = {ir->nodes.count, ir->decls.count, ir->types.count};
    for (; columns->name; columns++)
        if (*rk_ir_cell(row, columns) >= counts[columns->of])
            return false;
    return true;
}

static bool check_spot(const rk_unit *unit, rk_ir_spot spot)
{
    return spot.file <= unit->files.count &&
           (!spot.file || spot.offset <= unit->files.items[spot.file - 1]->bytes.size);
}

static bool check_extent(const rk_unit *unit, const rk_ir_extent *e)
{
    return check_spot(unit, e->begin) && check_spot(unit, e->end) && check_spot(unit, e->at);
}

/** Whether the declarations around it come to an end. */
static bool check_parents(const rk_ir *ir, rk_ir_id decl)
{
    uint32_t steps = 0;
    for (; decl && steps <= ir->decls.count; steps++)
        decl = rk_ir_decl_at(ir, decl)->parent;
    return !decl;
}

static bool check(const reader *r)
{
    const rk_ir *ir = r->ir;
    bool good = ir->project != 0;
    for (rk_ir_id i = 1; i < ir->types.count && good; i++)
        good = check_columns(ir, rk_ir_type_at(ir, i), rk_ir_type_columns);
    for (rk_ir_id i = 1; i < ir->decls.count && good; i++) {
        rk_ir_decl *d = rk_ir_decl_at(ir, i);
        good = check_columns(ir, d, rk_ir_decl_columns) && check_spot(r->unit, d->at) &&
               check_parents(ir, i);
        for (uint32_t k = d->list; k < d->list_end && good; k++)
            good = ir->lists.items[k] <
                   (d->kind == RK_IR_OVERLOADS ? ir->decls.count : ir->types.count);
    }
    for (rk_ir_id i = 1; i < ir->nodes.count && good; i++) {
        rk_ir_node *n = rk_ir_at(ir, i);
        good = check_columns(ir, n, rk_ir_node_columns) && check_extent(r->unit, &n->spelled) &&
               check_extent(r->unit, &n->expanded);
    }
    for (size_t i = 1; i < ir->implicit.count && good; i++)
        good = ir->implicit.items[i].decl < ir->decls.count &&
               ir->implicit.items[i].root < ir->nodes.count;
    return good || wrong(r, "a row names one that is not there");
}

bool rk_ir_read(rk_unit *unit, const char *path)
{
    rk_bytes bytes;
    if (!rk_file_read(&bytes, path, unit->arena, unit->diag))
        return false;
    reader r = {.unit = unit, .ir = rk_ir_new(unit->arena), .path = path};
    r.at = bytes.data;
    r.end = bytes.data + bytes.size;
    char *line = next_line(&r);
    if (!line || strcmp(line, "rkir 1") != 0)
        return wrong(&r, "it does not begin with \"rkir 1\"");
    bool good = true;
    while (good && (line = next_line(&r)))
        good = rk_str_starts(line, "file ")   ? read_file_row(&r, line + strlen("file "))
               : rk_str_starts(line, "type ") ? read_type_row(&r, line + strlen("type "))
               : rk_str_starts(line, "decl ") ? read_decl_row(&r, line + strlen("decl "))
                                              : read_node_row(&r, line);
    end_nodes(&r, 0, r.ir->nodes.count);
    unit->ir = r.ir;
    return good && check(&r);
}
