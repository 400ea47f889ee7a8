#include "ptx_lex.h"
#include "ptx_module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024, MOST_LANES = 65536 };

/** A name of a function's body: a register, a range of them (%r<8>), or a variable. */
typedef struct name {
    const char *text;
    int reg, range; /**< the first register; how many of a range, 0 of one */
    ptx_var *var;
    int depth; /**< of the block that declares it */
    struct name *next;
} name;

/** A label, or a place that names one; both until their block ends. */
typedef struct label {
    const char *text;
    int at; /**< instruction */
    int depth;
    ptx_operand *use; /**< of a place */
    int line;
    struct label *next;
} label;

/** An array that grows. */
#define PUSH(r, array, count, room)                                                                \
    ((count) == (room) ? (void)((array) = grow((r), (array), (count), &(room), sizeof *(array)))   \
                       : (void)0,                                                                  \
     &(array)[(count)++])

typedef struct {
    const char *file;
    rk_arena *arena;
    const lex_token *at;
    char *error;
    size_t error_size;
    jmp_buf failed;
    ptx_module *module;
    int function_room, var_room;
    ptx_function *function;
    int reg_room, insn_room, body_room, table_room;
    name *names[BUCKETS];
    label *labels, *uses;
    int depth;
} reader;

static _Noreturn void fail(reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static _Noreturn void fail(reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = snprintf(r->error, r->error_size, "%s:%d: ", r->file, r->at->line);
    if (n > 0 && (size_t)n < r->error_size)
        vsnprintf(r->error + n, r->error_size - (size_t)n, format, args);
    va_end(args);
    longjmp(r->failed, 1);
}

static void *grow(reader *r, const void *array, int count, int *room, size_t size)
{
    const int more = *room ? 2 * *room : 16;
    void *out = rk_arena_calloc(r->arena, (size_t)more, size);
    if (count)
        memcpy(out, array, (size_t)count * size);
    *room = more;
    return out;
}

/* Words. */

static bool is(const reader *r, const char *word)
{
    return r->at->kind == LEX_WORD && strcmp(r->at->text, word) == 0;
}

static bool is_mark(const reader *r, char mark)
{
    return r->at->kind == LEX_PUNCTUATION && r->at->mark == mark;
}

static bool take(reader *r, const char *word)
{
    const bool good = is(r, word);
    r->at += good;
    return good;
}

static bool take_mark(reader *r, char mark)
{
    const bool good = is_mark(r, mark);
    r->at += good;
    return good;
}

static void want(reader *r, char mark)
{
    if (!take_mark(r, mark))
        fail(r, "'%c' expected before '%s'", mark,
             r->at->text ? r->at->text : (char[]){r->at->mark ? r->at->mark : ' ', 0});
}

static const char *word(reader *r)
{
    if (r->at->kind != LEX_WORD)
        fail(r, "a name expected");
    return r->at++->text;
}

/** A sum or product of numbers; stops before anything else. */
static int64_t number(reader *r)
{
    int64_t sign = 1;
    while (is_mark(r, '-') || is_mark(r, '+'))
        sign = r->at++->mark == '-' ? -sign : sign;
    if (take_mark(r, '~'))
        return ~number(r);
    if (r->at->kind != LEX_NUMBER)
        fail(r, "a number expected");
    int64_t value = sign * r->at++->value;
    while (take_mark(r, '*'))
        value *= number(r);
    return value;
}

static void skip_to(reader *r, char mark)
{
    while (r->at->kind != LEX_END && !is_mark(r, mark))
        r->at++;
    want(r, mark);
}

static void skip_line(reader *r)
{
    for (const int line = r->at->line; r->at->kind != LEX_END && r->at->line == line;)
        r->at++;
}

static void skip_block(reader *r)
{
    want(r, '{');
    for (int depth = 1; depth > 0; r->at++) {
        if (r->at->kind == LEX_END)
            fail(r, "a block has no end");
        depth += is_mark(r, '{') - is_mark(r, '}');
    }
}

/* Names. */

static unsigned hash(const char *text, size_t length)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h % BUCKETS;
}

static name *look(const reader *r, const char *text, size_t length)
{
    name *n = r->names[hash(text, length)];
    while (n && !(strncmp(n->text, text, length) == 0 && n->text[length] == '\0'))
        n = n->next;
    return n;
}

static name *declare(reader *r, const char *text)
{
    name **bucket = &r->names[hash(text, strlen(text))];
    name *n = rk_arena_calloc(r->arena, 1, sizeof *n);
    *n = (name){.text = text, .depth = r->depth, .next = *bucket};
    return *bucket = n;
}

/** The register of that name; -1 for none. */
static int find_reg(const reader *r, const char *text)
{
    const size_t length = strlen(text);
    const name *n = look(r, text, length);
    if (n && !n->var && !n->range)
        return n->reg;
    size_t stem = length;
    while (stem > 0 && text[stem - 1] >= '0' && text[stem - 1] <= '9')
        stem--;
    if (stem == length)
        return -1;
    n = look(r, text, stem);
    const long i = strtol(text + stem, NULL, 10);
    return n && n->range && i < n->range ? n->reg + (int)i : -1;
}

ptx_var *ptx_find_var(const ptx_module *module, const char *text)
{
    for (int i = 0; i < module->var_count; i++)
        if (strcmp(module->vars[i]->name, text) == 0)
            return module->vars[i];
    return NULL;
}

ptx_function *ptx_find_function(const ptx_module *module, const char *text)
{
    for (int i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i]->name, text) == 0)
            return module->functions[i];
    return NULL;
}

static ptx_var *find_var(const reader *r, const char *text)
{
    const name *n = look(r, text, strlen(text));
    if (n && n->var)
        return n->var;
    for (int i = 0; r->function && i < r->function->param_count; i++)
        if (strcmp(r->function->params[i]->name, text) == 0)
            return r->function->params[i];
    for (int i = 0; r->function && i < r->function->result_count; i++)
        if (strcmp(r->function->results[i]->name, text) == 0)
            return r->function->results[i];
    return ptx_find_var(r->module, text);
}

/* Variables. */

/** Bytes of a type's name, .pred's being 0; -1 of what is no type. */
static int type_bytes(const char *type)
{
    static const struct {
        const char *name;
        int bytes;
    } types[] = {{".pred", 0},   {".b8", 1},         {".u8", 1},     {".s8", 1},    {".b16", 2},
                 {".u16", 2},    {".s16", 2},        {".f16", 2},    {".bf16", 2},  {".b32", 4},
                 {".u32", 4},    {".s32", 4},        {".f32", 4},    {".f16x2", 4}, {".bf16x2", 4},
                 {".b64", 8},    {".u64", 8},        {".s64", 8},    {".f64", 8},   {".b128", 16},
                 {".texref", 8}, {".samplerref", 8}, {".surfref", 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i].name) == 0)
            return types[i].bytes;
    return -1;
}

static void add_reloc(reader *r, ptx_var *var, size_t at, bool generic)
{
    ptx_reloc *relocs = rk_arena_calloc(r->arena, var->reloc_count + 1, sizeof *relocs);
    if (var->reloc_count)
        memcpy(relocs, var->relocs, var->reloc_count * sizeof *relocs);
    const char *text = word(r);
    relocs[var->reloc_count++] = (ptx_reloc){
        .at = at, .name = text, .generic = generic, .addend = is_mark(r, '+') ? number(r) : 0};
    var->relocs = relocs;
}

/** One element of an initialiser. */
static void element(reader *r, ptx_var *var, size_t at, int bytes)
{
    if (at + (size_t)bytes > var->size)
        fail(r, "%s has too many values", var->name);
    if (take(r, "generic")) {
        want(r, '(');
        add_reloc(r, var, at, true);
        want(r, ')');
    } else if (r->at->kind == LEX_WORD) {
        add_reloc(r, var, at, false);
    } else {
        const int float_bytes = r->at[is_mark(r, '-')].float_bytes;
        int64_t value = number(r);
        if (float_bytes == 8 && bytes == 4) {
            double wide;
            memcpy(&wide, &value, sizeof wide);
            const float narrow = (float)wide;
            memcpy(&value, &narrow, sizeof narrow);
        }
        memcpy(var->bytes + at, &value, (size_t)bytes);
    }
}

static size_t elements(reader *r, ptx_var *var, size_t at, int bytes)
{
    if (!take_mark(r, '{')) {
        element(r, var, at, bytes);
        return at + (size_t)bytes;
    }
    while (!take_mark(r, '}')) {
        at = elements(r, var, at, bytes);
        if (!is_mark(r, '}'))
            want(r, ',');
    }
    return at;
}

/** What follows a variable's space: alignment, vector, type, name, bounds and contents. */
static ptx_var *variable(reader *r, ptx_space space)
{
    ptx_var *var = rk_arena_calloc(r->arena, 1, sizeof *var);
    int bytes = -1, lanes = 1;
    var->space = space;
    for (; r->at->kind == LEX_WORD && r->at->text[0] == '.'; r->at++) {
        const char *text = r->at->text;
        if (strcmp(text, ".align") == 0)
            var->align = (int)(++r->at)->value;
        else if (strcmp(text, ".v2") == 0 || strcmp(text, ".v4") == 0)
            lanes = text[2] - '0';
        else if (type_bytes(text) > 0)
            bytes = type_bytes(text);
        else if (strcmp(text, ".attribute") == 0)
            while (!(r->at[1].kind == LEX_PUNCTUATION && r->at++[1].mark == ')')) {
            }
        else if (strcmp(text, ".ptr") != 0 && strcmp(text, ".global") != 0 &&
                 strcmp(text, ".const") != 0 && strcmp(text, ".shared") != 0 &&
                 strcmp(text, ".local") != 0)
            fail(r, "%s of a variable is not known", text);
    }
    if (bytes < 0)
        fail(r, "a variable without a type");
    bytes *= lanes;
    var->name = word(r);
    var->size = (size_t)bytes;
    while (take_mark(r, '[')) {
        var->size *= is_mark(r, ']') ? 0 : (size_t)number(r);
        want(r, ']');
    }
    /* The alignment of what .ptr points to is none of the parameter's. */
    const bool pointer = space == PTX_PARAM && (int)var->size == bytes;
    var->align = var->align && !(pointer && var->align > bytes) ? var->align : bytes;
    if (take_mark(r, '=')) {
        var->bytes = rk_arena_calloc(r->arena, 1, var->size ? var->size : 1);
        elements(r, var, 0, bytes / lanes);
    }
    return var;
}

static void registers(reader *r)
{
    ptx_function *f = r->function;
    if (is(r, ".v2") || is(r, ".v4"))
        fail(r, "registers that are vectors are not known");
    const int bytes = type_bytes(word(r));
    if (bytes < 0)
        fail(r, "registers without a type");
    do {
        const char *text = word(r);
        name *n = declare(r, text);
        n->reg = f->reg_count;
        if (take_mark(r, '<')) {
            n->range = (int)number(r);
            want(r, '>');
            if (n->range < 1 || n->range > MOST_LANES * 16)
                fail(r, "%s: so many registers", text);
        }
        for (int i = 0; i < (n->range ? n->range : 1); i++) {
            const char *full = n->range ? rk_arena_printf(r->arena, "%s%d", text, i) : text;
            *PUSH(r, f->regs, f->reg_count, r->reg_room) = (ptx_reg){full, bytes};
        }
    } while (take_mark(r, ','));
    want(r, ';');
}

/* Instructions. */

static ptx_operand operand(reader *r);

static ptx_operand *parts(reader *r, int *count, char end)
{
    ptx_operand *list = NULL;
    int room = 0;
    *count = 0;
    while (!take_mark(r, end)) {
        const ptx_operand part = operand(r);
        *PUSH(r, list, *count, room) = part;
        if (!is_mark(r, end))
            want(r, ',');
    }
    return list;
}

/** What a word stands for. */
static ptx_operand named(reader *r, const char *text)
{
    const int reg = find_reg(r, text);
    if (reg >= 0)
        return (ptx_operand){.kind = PTX_REG, .reg = reg, .name = text};
    if (strcmp(text, "_") == 0)
        return (ptx_operand){.kind = PTX_SINK};
    if (text[0] == '%')
        return (ptx_operand){.kind = PTX_SPECIAL, .name = text};
    if (strcmp(text, "WARP_SZ") == 0)
        return (ptx_operand){.kind = PTX_IMM, .imm = 32};
    return (ptx_operand){.kind = PTX_NAME, .name = text, .var = find_var(r, text)};
}

/** Inside [ ]: a base and an offset, or a texture and its coordinates. */
static ptx_operand address(reader *r)
{
    ptx_operand out = {.kind = PTX_ADDRESS};
    int room = 0;
    if (r->at->kind == LEX_WORD) {
        const ptx_operand base = named(r, word(r));
        *PUSH(r, out.parts, out.part_count, room) = base;
    }
    while (!is_mark(r, ']') && !is_mark(r, ','))
        out.imm += number(r);
    while (take_mark(r, ',')) {
        const ptx_operand part = operand(r);
        *PUSH(r, out.parts, out.part_count, room) = part;
    }
    want(r, ']');
    return out;
}

static ptx_operand operand(reader *r)
{
    ptx_operand out = {.kind = PTX_IMM};
    if (take_mark(r, '[')) {
        out = address(r);
    } else if (take_mark(r, '{')) {
        out = (ptx_operand){.kind = PTX_VECTOR};
        out.parts = parts(r, &out.part_count, '}');
    } else if (take_mark(r, '(')) {
        out = (ptx_operand){.kind = PTX_LIST};
        out.parts = parts(r, &out.part_count, ')');
    } else if (take_mark(r, '!')) {
        out = operand(r);
        out.negated = true;
    } else if (r->at->kind == LEX_WORD) {
        out = named(r, word(r));
        if (out.kind == PTX_NAME && (is_mark(r, '+') || is_mark(r, '-')))
            out.imm = number(r);
    } else {
        out.float_bytes = r->at[is_mark(r, '-')].float_bytes;
        out.imm = number(r);
        while (is_mark(r, '+') || is_mark(r, '-'))
            out.imm += number(r);
    }
    if (take_mark(r, '|')) {
        ptx_operand *both = rk_arena_calloc(r->arena, 2, sizeof *both);
        both[0] = out;
        both[1] = operand(r);
        out = (ptx_operand){.kind = PTX_PAIR, .parts = both, .part_count = 2};
    }
    return out;
}

static void use_label(reader *r, ptx_operand *to, const char *text)
{
    label *use = rk_arena_calloc(r->arena, 1, sizeof *use);
    *to = (ptx_operand){.kind = PTX_LABEL, .name = text};
    *use =
        (label){.text = text, .use = to, .depth = r->depth, .line = r->at->line, .next = r->uses};
    r->uses = use;
}

static void instruction(reader *r)
{
    ptx_function *f = r->function;
    ptx_insn insn = {.predicate = -1, .line = r->at->line};
    if (take_mark(r, '@')) {
        insn.negated = take_mark(r, '!');
        const char *text = word(r);
        insn.predicate = find_reg(r, text);
        if (insn.predicate < 0 || f->regs[insn.predicate].bytes != 0)
            fail(r, "%s is no predicate", text);
    }
    insn.line = r->at->line;
    insn.opcode = word(r);
    const bool branch = strncmp(insn.opcode, "bra", 3) == 0 || strncmp(insn.opcode, "brx", 3) == 0;
    int room = 0;
    while (!take_mark(r, ';')) {
        if (branch && r->at->kind == LEX_WORD && r->at->text[0] != '%') {
            const ptx_operand none = {.kind = PTX_LABEL, .name = word(r)};
            *PUSH(r, insn.operands, insn.operand_count, room) = none;
        } else {
            const ptx_operand one = operand(r);
            *PUSH(r, insn.operands, insn.operand_count, room) = one;
        }
        if (!is_mark(r, ';'))
            want(r, ',');
    }
    for (int i = 0; i < insn.operand_count && insn.opcode[2] == 'a'; i++)
        if (insn.operands[i].kind == PTX_LABEL)
            use_label(r, &insn.operands[i], insn.operands[i].name);
    *PUSH(r, f->insns, f->insn_count, r->insn_room) = insn;
}

/** A block ends: its labels and registers are no longer seen. */
static void leave(reader *r)
{
    label *rest = NULL;
    for (label *use = r->uses, *next; use; use = next) {
        next = use->next;
        const label *to = r->labels;
        while (to && !(to->depth == r->depth && strcmp(to->text, use->text) == 0))
            to = to->next;
        if (use->depth == r->depth && to) {
            use->use->imm = to->at;
            continue;
        }
        if (r->depth == 1)
            fail(r, "line %d: there is no label %s", use->line, use->text);
        use->depth = use->depth == r->depth ? r->depth - 1 : use->depth;
        use->next = rest;
        rest = use;
    }
    r->uses = rest;
    while (r->labels && r->labels->depth == r->depth)
        r->labels = r->labels->next;
    for (int i = 0; i < BUCKETS; i++)
        while (r->names[i] && r->names[i]->depth == r->depth)
            r->names[i] = r->names[i]->next;
    r->depth--;
}

static void branch_targets(reader *r, const char *text)
{
    ptx_function *f = r->function;
    int count = 0, room = 0, two = r->table_room, three = r->table_room;
    ptx_operand *targets = rk_arena_calloc(r->arena, MOST_LANES / 64, sizeof *targets);
    (void)room;
    do
        use_label(r, &targets[count++], word(r));
    while (take_mark(r, ',') && count < MOST_LANES / 64);
    want(r, ';');
    int used = f->table_count;
    *PUSH(r, f->tables, used, two) = (int64_t *)(void *)targets;
    used = f->table_count;
    *PUSH(r, f->table_counts, used, three) = count;
    *PUSH(r, f->table_names, f->table_count, r->table_room) = text;
}

static void body_variable(reader *r, ptx_space space)
{
    ptx_function *f = r->function;
    do {
        ptx_var *var = variable(r, space);
        declare(r, var->name)->var = var;
        if (space == PTX_GLOBAL || space == PTX_CONST)
            *PUSH(r, r->module->vars, r->module->var_count, r->var_room) = var;
        else
            *PUSH(r, f->vars, f->var_count, r->body_room) = var;
    } while (take_mark(r, ','));
    want(r, ';');
}

static bool space_word(reader *r, ptx_space *space)
{
    static const char *const words[] = {".global", ".const", ".shared", ".local", ".param"};
    for (int i = 0; i < 5; i++) {
        if (take(r, words[i])) {
            *space = (ptx_space)i;
            return true;
        }
    }
    return false;
}

static void body(reader *r)
{
    ptx_space space;
    r->depth = 0;
    r->labels = r->uses = NULL;
    do {
        if (take_mark(r, '{'))
            r->depth++;
        else if (take_mark(r, '}'))
            leave(r);
        else if (take_mark(r, ';'))
            continue;
        else if (take(r, ".reg"))
            registers(r);
        else if (take(r, ".pragma"))
            skip_to(r, ';');
        else if (is(r, ".loc") || is(r, ".file"))
            skip_line(r);
        else if (space_word(r, &space))
            body_variable(r, space);
        else if (r->at->kind == LEX_WORD && r->at[1].kind == LEX_PUNCTUATION &&
                 r->at[1].mark == ':') {
            const char *text = word(r);
            want(r, ':');
            if (take(r, ".branchtargets")) {
                branch_targets(r, text);
            } else if (take(r, ".callprototype")) {
                skip_to(r, ';');
            } else {
                label *l = rk_arena_calloc(r->arena, 1, sizeof *l);
                *l = (label){text, r->function->insn_count, r->depth, NULL, r->at->line, r->labels};
                r->labels = l;
            }
        } else if (is_mark(r, '@') || (r->at->kind == LEX_WORD && r->at->text[0] != '.'))
            instruction(r);
        else
            fail(r, "'%s' is not known here", r->at->text ? r->at->text : "the end");
    } while (r->depth > 0);
}

/** Of .branchtargets, whose labels are resolved by now: instruction numbers in place of operands. */
static void settle_tables(reader *r, ptx_function *f)
{
    for (int i = 0; i < f->table_count; i++) {
        const ptx_operand *targets = (const ptx_operand *)(const void *)f->tables[i];
        int64_t *to = rk_arena_calloc(r->arena, (size_t)f->table_counts[i] + 1, sizeof *to);
        for (int k = 0; k < f->table_counts[i]; k++)
            to[k] = targets[k].imm;
        f->tables[i] = to;
    }
}

/* The module. */

static ptx_var **parameters(reader *r, int *count)
{
    ptx_var **list = NULL;
    int room = 0;
    *count = 0;
    want(r, '(');
    while (!take_mark(r, ')')) {
        if (!take(r, ".param"))
            fail(r, "a parameter in a register is not known");
        ptx_var *var = variable(r, PTX_PARAM);
        *PUSH(r, list, *count, room) = var;
        if (!is_mark(r, ')'))
            want(r, ',');
    }
    return list;
}

static void function(reader *r, bool entry, bool external)
{
    ptx_function *f = rk_arena_calloc(r->arena, 1, sizeof *f);
    f->entry = entry;
    f->line = r->at->line;
    if (is_mark(r, '('))
        f->results = parameters(r, &f->result_count);
    f->name = word(r);
    if (is_mark(r, '('))
        f->params = parameters(r, &f->param_count);
    while (!is_mark(r, '{') && !is_mark(r, ';')) {
        const bool threads = is(r, ".maxntid") || is(r, ".reqntid");
        if (word(r)[0] != '.')
            fail(r, "a function's body expected");
        int64_t product = 1;
        while (r->at->kind == LEX_NUMBER) {
            product *= number(r);
            take_mark(r, ',');
        }
        f->max_threads = threads ? (int)product : f->max_threads;
    }
    ptx_function *before = ptx_find_function(r->module, f->name);
    if (before && !before->defined && !is_mark(r, ';'))
        before->defined = true, *before = *f, f = before;
    else if (!before)
        *PUSH(r, r->module->functions, r->module->function_count, r->function_room) = f;
    if (take_mark(r, ';'))
        return;
    if (before && before != f)
        fail(r, "%s is defined twice", f->name);
    (void)external;
    f->defined = true;
    r->function = f;
    r->reg_room = r->insn_room = r->body_room = r->table_room = 0;
    body(r);
    settle_tables(r, f);
    r->function = NULL;
}

static void module_variable(reader *r, ptx_space space, bool external)
{
    do {
        ptx_var *var = variable(r, space);
        var->external = external;
        ptx_var *before = ptx_find_var(r->module, var->name);
        if (before)
            *before = before->external ? *var : *before;
        else
            *PUSH(r, r->module->vars, r->module->var_count, r->var_room) = var;
    } while (take_mark(r, ','));
    want(r, ';');
}

static void statement(reader *r)
{
    bool external = false;
    ptx_space space;
    while (is(r, ".visible") || is(r, ".weak") || is(r, ".common") || is(r, ".extern"))
        external |= strcmp(word(r), ".extern") == 0;
    if (take(r, ".version")) {
        r->at++;
    } else if (take(r, ".target")) {
        const char *target = word(r);
        r->module->target = strncmp(target, "sm_", 3) == 0 ? atoi(target + 3) : 0;
        while (take_mark(r, ','))
            word(r);
    } else if (take(r, ".address_size")) {
        if (number(r) != 64)
            fail(r, "addresses have 64 bits");
    } else if (is(r, ".file") || is(r, ".loc")) {
        skip_line(r);
    } else if (take(r, ".section")) {
        word(r);
        skip_block(r);
    } else if (take(r, ".pragma")) {
        skip_to(r, ';');
    } else if (take(r, ".entry")) {
        function(r, true, external);
    } else if (take(r, ".func")) {
        take(r, ".noreturn");
        function(r, false, external);
    } else if (space_word(r, &space)) {
        module_variable(r, space, external);
    } else {
        fail(r, "'%s' is not known here", r->at->text ? r->at->text : "this");
    }
}

ptx_module *ptx_read(const char *file, const char *text, rk_arena *arena, char *error, size_t size)
{
    reader *r = rk_arena_calloc(arena, 1, sizeof *r);
    int line;
    *r = (reader){.file = file, .arena = arena, .error = error, .error_size = size};
    r->module = rk_arena_calloc(arena, 1, sizeof *r->module);
    r->module->file = file;
    r->at = lex_all(text, arena, &line);
    if (!r->at) {
        snprintf(error, size, "%s:%d: a character that PTX does not have", file, line);
        return NULL;
    }
    if (setjmp(r->failed))
        return NULL;
    while (r->at->kind != LEX_END)
        statement(r);
    return r->module;
}
