#include "base/str.h"
#include "base/vec.h"
#include "convert/launches/harvest_internal.h"

#include <ctype.h>
#include <string.h>

/* Inputs: values that a launch depends on beside its function's parameters. */

/** What is known to be so, and what not to be. */
typedef struct {
    RK_VEC(CXCursor) yes, no;
} answers;

struct rk_hinputs {
    rk_arena *arena;
    RK_VEC(rk_cexpr_input *) kept; /**< those with a key */
    answers writes;                /**< functions: do they write what is not their own? */
    answers constant;              /**< variables: do they keep their first values? */
    answers ends;                  /**< functions: do they never return? */
};

rk_hinputs *rk_hinputs_new(rk_arena *arena)
{
    rk_hinputs *inputs = RK_NEW(arena, rk_hinputs);
    inputs->arena = arena;
    return inputs;
}

static bool has(const CXCursor *items, size_t count, CXCursor function)
{
    for (size_t i = 0; i < count; i++)
        if (clang_equalCursors(items[i], function))
            return true;
    return false;
}

/** 1, 0, or -1 when it was not answered yet. */
static int answer(const answers *known, CXCursor cursor)
{
    if (has(known->yes.items, known->yes.count, cursor))
        return 1;
    return has(known->no.items, known->no.count, cursor) ? 0 : -1;
}

static void set_answer(rk_arena *arena, answers *known, CXCursor cursor, bool yes)
{
    if (yes)
        *rk_push(arena, &known->yes) = cursor;
    else
        *rk_push(arena, &known->no) = cursor;
}

int rk_hinputs_writes(const rk_hinputs *inputs, CXCursor function)
{
    return answer(&inputs->writes, function);
}

void rk_hinputs_set_writes(rk_hinputs *inputs, CXCursor function, bool writes)
{
    set_answer(inputs->arena, &inputs->writes, function, writes);
}

int rk_hinputs_constant(const rk_hinputs *inputs, CXCursor variable)
{
    return answer(&inputs->constant, variable);
}

void rk_hinputs_set_constant(rk_hinputs *inputs, CXCursor variable, bool constant)
{
    set_answer(inputs->arena, &inputs->constant, variable, constant);
}

int rk_hinputs_ends(const rk_hinputs *inputs, CXCursor function)
{
    return answer(&inputs->ends, function);
}

void rk_hinputs_set_ends(rk_hinputs *inputs, CXCursor function, bool ends)
{
    set_answer(inputs->arena, &inputs->ends, function, ends);
}

const char *rk_h_source(rk_arena *arena, CXCursor cursor)
{
    CXFile file, end_file;
    unsigned begin, end;
    size_t size;
    CXSourceRange range = clang_getCursorExtent(cursor);
    clang_getExpansionLocation(clang_getRangeStart(range), &file, NULL, NULL, &begin);
    clang_getExpansionLocation(clang_getRangeEnd(range), &end_file, NULL, NULL, &end);
    CXTranslationUnit unit = clang_Cursor_getTranslationUnit(cursor);
    const char *text = file ? clang_getFileContents(unit, file, &size) : NULL;
    if (!text || !end_file || !clang_File_isEqual(file, end_file) || begin >= end || end > size)
        return rk_ast_name(cursor, arena);
    rk_str out = {.arena = arena};
    for (unsigned i = begin; i < end; i++) {
        bool space = isspace((unsigned char)text[i]) != 0;
        if (!space || !isspace((unsigned char)text[i - 1]))
            rk_str_addf(&out, "%c", space ? ' ' : text[i]);
    }
    return rk_str_text(&out);
}

rk_cexpr_input *rk_hinput_new(rk_hrun *run, rk_input_kind kind, CXCursor at, const char *of)
{
    rk_cexpr_input *input = RK_NEW(run->arena, rk_cexpr_input);
    CXFile file;
    unsigned line;
    clang_getExpansionLocation(clang_getCursorLocation(at), &file, &line, NULL, NULL);
    *input = (rk_cexpr_input){.kind = kind, .of = of, .line = (int)line};
    input->file = file ? rk_ast_text(clang_getFileName(file), run->arena) : "";
    return input;
}

rk_cexpr_input *rk_hinput_of(rk_hrun *run, rk_input_kind kind, CXCursor at, const char *of,
                             const char *key, const rk_henv *version)
{
    rk_hinputs *all = run->inputs;
    for (size_t i = 0; i < all->kept.count; i++) {
        rk_cexpr_input *old = all->kept.items[i];
        if (old->kind == kind && old->version == version &&
            (kind != RK_INPUT_MEMORY || old->run == run->root) && strcmp(old->key, key) == 0)
            return old;
    }
    rk_cexpr_input *input = rk_hinput_new(run, kind, at, of);
    input->key = key;
    input->version = version;
    input->run = run->root;
    *rk_push(run->arena, &all->kept) = input;
    return input;
}

/** Whether an input is computed from its first value on; a loop's variable whose next value is not known is open. */
static bool is_counted(const rk_cexpr_input *input)
{
    return (input->kind == RK_INPUT_LOOP || input->kind == RK_INPUT_AFTER) && input->next;
}

/** The words of a text joined by '_': a name that an expression can have. */
static const char *as_name(rk_arena *arena, const char *text)
{
    rk_str out = {.arena = arena};
    bool gap = false;
    if (*text == '*')
        rk_str_add(&out, "at");
    for (; *text && out.length < 40; text++) {
        bool word = isalnum((unsigned char)*text) || *text == '_';
        if (word && gap && out.length)
            rk_str_add(&out, "_");
        if (word)
            rk_str_addf(&out, out.length == 0 && isdigit((unsigned char)*text) ? "_%c" : "%c",
                        *text);
        gap = !word;
    }
    return out.length ? rk_str_text(&out) : "value";
}

/* What a launch's inputs are called. */

typedef struct {
    const rk_cexpr_input *input;
    const char *text; /**< of the symbols */
    const char *name; /**< in the catalog */
} named;

struct rk_hnames {
    rk_arena *arena;
    const rk_param *params;
    size_t param_count;
    RK_VEC(named) items;
};

rk_hnames *rk_hnames_new(rk_arena *arena, const rk_param *params, size_t param_count)
{
    rk_hnames *names = RK_NEW(arena, rk_hnames);
    *names = (rk_hnames){.arena = arena, .params = params, .param_count = param_count};
    return names;
}

static bool is_taken(const rk_hnames *names, const char *name)
{
    for (size_t i = 0; i < names->items.count; i++)
        if (strcmp(names->items.items[i].name, name) == 0)
            return true;
    size_t head = strcspn(name, ".-:");
    if (name[head] == '-') /* what a pointer leads to is no part of a parameter */
        return false;
    for (size_t i = 0; i < names->param_count; i++) {
        const char *param = names->params[i].name;
        if (strlen(param) == head && strncmp(param, name, head) == 0)
            return true;
    }
    return false;
}

bool rk_hnames_is_name(const char *text)
{
    while (isalpha((unsigned char)*text) || *text == '_') {
        text += strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        if (*text == '\0')
            return true;
        text += *text == '.' ? 1 : strncmp(text, "->", 2) == 0 ? 2 : 0;
    }
    return false;
}

static const named *find(const rk_hnames *names, const rk_cexpr *symbol)
{
    for (size_t i = 0; i < names->items.count; i++)
        if (names->items.items[i].input == symbol->input &&
            strcmp(names->items.items[i].text, symbol->text) == 0)
            return &names->items.items[i];
    return NULL;
}

static void add_symbol(void *user, const rk_cexpr *symbol)
{
    rk_hnames *names = user;
    const rk_cexpr_input *input = symbol->input;
    if (find(names, symbol))
        return;
    const rk_cexpr *const parts[] = {input->first, input->again, input->next};
    const char *base =
        rk_hnames_is_name(symbol->text) ? symbol->text : as_name(names->arena, symbol->text);
    const char *name = base;
    size_t head = strcspn(base, ".-:");
    for (int n = 2; is_taken(names, name); n++)
        name = rk_arena_printf(names->arena, "%.*s_%d%s", (int)head, base, n, base + head);
    *rk_push(names->arena, &names->items) = (named){input, symbol->text, name};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && is_counted(input); i++)
        if (parts[i])
            rk_hnames_add(names, parts[i]);
}

/** The first value of a loop's variable that keeps it. */
static const rk_cexpr *kept_value(void *user, const rk_cexpr *name)
{
    const rk_hnames *names = user;
    return name->input->constant
               ? rk_cexpr_replace(names->arena, name->input->first, kept_value, user)
               : NULL;
}

void rk_hnames_add(rk_hnames *names, const rk_cexpr *e)
{
    rk_cexpr_inputs(rk_cexpr_replace(names->arena, e, kept_value, names), add_symbol, names);
}

static const char *name_of(void *user, const rk_cexpr *symbol)
{
    const named *n = find(user, symbol);
    return n ? n->name : symbol->text;
}

char *rk_hnames_print(rk_hnames *names, const rk_cexpr *e)
{
    const rk_cexpr_names how = {name_of, names};
    return rk_cexpr_print(rk_cexpr_replace(names->arena, e, kept_value, names), &how, names->arena);
}

const rk_launch_input *rk_hnames_inputs(size_t *count, rk_hnames *names)
{
    *count = names->items.count;
    rk_launch_input *out = RK_NEW_ARRAY(names->arena, rk_launch_input, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        const named *n = &names->items.items[i];
        const rk_cexpr_input *input = n->input;
        /* a member of a struct is told by what it is a member of */
        const char *member = strchr(n->text, '.');
        const bool whole = !member || strstr(input->of, member);
        out[i] = (rk_launch_input){
            .name = n->name,
            .kind = input->kind,
            .of = whole ? input->of
                        : rk_arena_printf(names->arena, "%s of %s", member + 1, input->of),
            .file = input->file,
            .line = input->line,
            .why = input->why};
        if (input->kind == RK_INPUT_LOOP && !input->next) {
            out[i].kind = RK_INPUT_OPEN;
            out[i].why = rk_arena_printf(
                names->arena, "'%s' changes in a loop in a way that is not followed", n->text);
        }
        if (!is_counted(input))
            continue;
        out[i].first = rk_hnames_print(names, input->first);
        out[i].again = rk_hnames_print(names, input->again);
        out[i].next = rk_hnames_print(names, input->next);
    }
    return out;
}
