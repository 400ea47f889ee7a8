#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * ptx_check <file.ptx>: checks the persistent kernels (entries named *_vdevice_*) of a PTX file
 * against the vDevice protocol (docs/vdevice.md), over all paths of their control flow:
 *
 *   - after an rTask, a vEU-wide barrier comes before the step is stored and before the next rTask;
 *   - after an rTask a step may be stored, at gpu scope, and behind a fence of that scope that is behind the barrier, as are
 *     additions to counters;
 *   - barrier-rTasks poll at gpu scope, in a loop;
 *   - after a poll, a fence of that scope and then a vEU-wide barrier come before an rTask;
 *   - nothing is loaded through the non-coherent path, but for the tables of CUDA's own functions (sin), which nobody writes.
 *
 * Exits 0 when all hold, 1 with a line for each that does not, 2 when there is nothing to check.
 */

typedef enum {
    OTHER,
    BARRIER, /**< of the whole vEU */
    STEP,
    ADDITION,
    POLL,
    FENCE,
    TASK_BEGINS,
    TASK_ENDS,
    TASK_PASSES_ON, /**< an rTask of a train ends, and the next one follows without a step */
    NON_COHERENT,
    BRANCH,
    BRANCH_INDEXED,
    EXIT
} kind;

/** An instruction, or a marker; `next` says whether control may fall through. */
typedef struct {
    kind kind;
    int line;
    bool next;
    char target[64]; /**< of a branch: a label, or of an indexed one its list of labels */
    int address; /**< of a load through the non-coherent path: N of the register %rdN that has it, else -1 */
} node;

/** A statement that writes %rdN. */
typedef struct {
    int to;
    bool of_table; /**< the address of a table of CUDA's own functions */
    int from[2];   /**< else it is one of these moved, or their sum; -1 for what is none */
} definition;

typedef struct {
    char name[64];
    size_t at;     /**< the node it stands before */
    char *targets; /**< of a .branchtargets list: its text; else NULL */
} label;

enum { MOST_NODES = 1 << 17, MOST_LABELS = 1 << 14, MOST_REGISTERS = 1 << 17 };

typedef struct {
    char name[128];
    node *nodes;
    size_t node_count;
    label *labels;
    size_t label_count;
    definition *definitions;
    size_t definition_count;
    int errors;
} kernel;

static void die(const char *what)
{
    fprintf(stderr, "ptx_check: %s\n", what);
    exit(2);
}

static void report(kernel *k, const node *at, const char *what)
{
    printf("%s, line %d: %s\n", k->name, at ? at->line : 0, what);
    k->errors++;
}

/* Reading. */

static bool starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static char *trim(char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    size_t length = strlen(s);
    while (length > 0 && isspace((unsigned char)s[length - 1]))
        s[--length] = '\0';
    return s;
}

static void copy_word(char *to, size_t room, const char *from)
{
    size_t n = strcspn(from, " \t,;:");
    if (n >= room)
        die("a name is too long");
    memcpy(to, from, n);
    to[n] = '\0';
}

/** The operand that names where a branch goes: the last word of the statement. */
static void copy_target(node *n, const char *statement, bool indexed)
{
    const char *last = statement + strcspn(statement, " \t");
    if (indexed)
        last = strchr(statement, ',') ? strchr(statement, ',') + 1 : last;
    copy_word(n->target, sizeof n->target, last + strspn(last, " \t"));
}

/** Barrier 0 without a count: `bar.sync 0` or `barrier.sync 0`. */
static bool is_veu_barrier(const char *s)
{
    const char *operand = s + strcspn(s, " \t");
    operand += strspn(operand, " \t");
    return (starts(s, "bar.sync") || starts(s, "barrier.sync") || starts(s, "bar.cta.sync") ||
            starts(s, "barrier.cta.sync")) &&
           strcmp(operand, "0;") == 0;
}

static bool is_non_coherent(const char *s)
{
    size_t word = strcspn(s, " \t");
    char opcode[128];
    if (word >= sizeof opcode)
        return false;
    memcpy(opcode, s, word);
    opcode[word] = '\0';
    return (starts(opcode, "ld.") && strstr(opcode, ".nc")) || starts(opcode, "ldu.") ||
           starts(opcode, "tex.") || starts(opcode, "tld4.");
}

/* Where an address comes from. */

/** N of `%rdN` at the begin of a text, -1 for anything else. */
static int register_at(const char *s)
{
    const int n = starts(s, "%rd") && isdigit((unsigned char)s[3]) ? atoi(s + 3) : -1;
    return n < MOST_REGISTERS ? n : -1;
}

static void add_definition(kernel *k, definition d)
{
    if (k->definition_count == MOST_NODES)
        die("a kernel is too long");
    k->definitions[k->definition_count++] = d;
}

/** Notes what a statement writes, where that is a register of 64 bits. */
static void note_definition(kernel *k, const char *s)
{
    const char *to = s + strcspn(s, " \t");
    to += strspn(to, " \t");
    const char *first = strchr(to, ',');
    const int registers = register_at(to);
    for (const char *part = to; *to == '{' && *part && *part != '}'; part++)
        if (register_at(part) >= 0) /* of a vector, which is loaded */
            add_definition(k, (definition){register_at(part), false, {-1, -1}});
    if (registers < 0 || !first || starts(s, "st.") || starts(s, "red."))
        return;
    const bool moves = starts(s, "mov.u64") || starts(s, "mov.b64"), adds = starts(s, "add.s64");
    first += 1 + strspn(first + 1, " \t");
    const char *second = strchr(first, ',');
    const definition d = {
        .to = registers,
        .of_table = moves && starts(first, "__cudart_"),
        .from = {moves || adds ? register_at(first) : -1,
                 adds && second ? register_at(second + 1 + strspn(second + 1, " \t")) : -1}};
    add_definition(k, d);
}

/** Which registers never have any but an address in such a table. */
static bool *table_registers(const kernel *k)
{
    bool *table = calloc(MOST_REGISTERS, sizeof *table);
    if (!table)
        die("out of memory");
    for (size_t i = 0; i < k->definition_count; i++)
        table[k->definitions[i].to] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < k->definition_count; i++) {
            const definition *d = &k->definitions[i];
            const bool good = d->of_table || (d->from[0] >= 0 && table[d->from[0]]) ||
                              (d->from[1] >= 0 && table[d->from[1]]);
            if (table[d->to] && !good)
                table[d->to] = false, changed = true;
        }
    }
    return table;
}

static void classify(node *n, const char *s)
{
    bool predicated = *s == '@';
    if (predicated) {
        s += strcspn(s, " \t");
        s += strspn(s, " \t");
    }
    n->next = true;
    if (is_veu_barrier(s) && !predicated)
        n->kind = BARRIER;
    else if (starts(s, "st.relaxed.gpu"))
        n->kind = STEP;
    else if (starts(s, "red.relaxed.gpu"))
        n->kind = ADDITION;
    else if (starts(s, "ld.relaxed.gpu"))
        n->kind = POLL;
    else if (starts(s, "fence.acq_rel.gpu") && !predicated)
        n->kind = FENCE;
    else if (is_non_coherent(s)) {
        n->kind = NON_COHERENT;
        n->address = strchr(s, '[') ? register_at(strchr(s, '[') + 1) : -1;
    } else if (starts(s, "brx.idx"))
        n->kind = BRANCH_INDEXED;
    else if (starts(s, "bra"))
        n->kind = BRANCH;
    else if (starts(s, "ret") || starts(s, "exit") || starts(s, "trap"))
        n->kind = EXIT;
    if (n->kind == BRANCH || n->kind == BRANCH_INDEXED)
        copy_target(n, s, n->kind == BRANCH_INDEXED);
    if (n->kind == BRANCH || n->kind == BRANCH_INDEXED || n->kind == EXIT)
        n->next = predicated;
}

static node *add_node(kernel *k, int line)
{
    if (k->node_count == MOST_NODES)
        die("a kernel is too long");
    node *n = &k->nodes[k->node_count++];
    *n = (node){.kind = OTHER, .line = line, .next = true, .address = -1};
    return n;
}

static void add_label(kernel *k, const char *name, char *targets)
{
    if (k->label_count == MOST_LABELS)
        die("a kernel has too many labels");
    label *l = &k->labels[k->label_count++];
    copy_word(l->name, sizeof l->name, name);
    l->at = k->node_count;
    l->targets = targets;
}

/** One line of a kernel's body. */
static void read_line(kernel *k, const char *s, int line)
{
    if (starts(s, "// rk: rTask begins")) {
        add_node(k, line)->kind = TASK_BEGINS;
        return;
    }
    if (starts(s, "// rk: rTask ends")) {
        add_node(k, line)->kind = starts(s, "// rk: rTask ends, another") ? TASK_PASSES_ON : TASK_ENDS;
        return;
    }
    while (*s == '{' || *s == '}')
        s++;
    if (*s == '\0' || starts(s, "//") || *s == '.')
        return;
    const char *colon = strchr(s, ':');
    if (*s == '$' && colon && (colon[1] == '\0' || isspace((unsigned char)colon[1]))) {
        add_label(k, s, NULL);
        return;
    }
    if (isalpha((unsigned char)*s) || *s == '@') {
        classify(add_node(k, line), s);
        const char *statement = *s == '@' ? s + strcspn(s, " \t") : s;
        note_definition(k, statement + strspn(statement, " \t"));
    }
}

/** `$L_brx_0: .branchtargets $L_a, $L_b;`, which may take several lines. */
static bool read_targets(kernel *k, char *text, FILE *in, int *line)
{
    if (*text != '$' || !strstr(text, ": .branchtargets"))
        return false;
    char *all = strdup(strstr(text, ".branchtargets") + strlen(".branchtargets"));
    char more[4096];
    while (all && !strchr(all, ';') && fgets(more, sizeof more, in)) {
        ++*line;
        char *longer = realloc(all, strlen(all) + strlen(more) + 1);
        if (!longer)
            break;
        all = strcat(longer, more);
    }
    if (!all)
        die("out of memory");
    add_label(k, text, all);
    return true;
}

/** Reads from the entry's line to the end of its body. */
static void read_kernel(kernel *k, FILE *in, int *line)
{
    char buffer[4096];
    int depth = 0;
    bool inside = false;
    k->node_count = k->label_count = k->definition_count = 0;
    k->errors = 0;
    while (fgets(buffer, sizeof buffer, in)) {
        ++*line;
        char *s = trim(buffer);
        if (read_targets(k, s, in, line))
            continue;
        if (starts(s, "//")) {
            read_line(k, s, *line);
            continue;
        }
        for (const char *c = s; *c; c++)
            depth += *c == '{' ? 1 : *c == '}' ? -1 : 0;
        inside = inside || depth > 0;
        if (inside && depth == 0)
            return;
        if (inside)
            read_line(k, s, *line);
    }
}

/* Control flow. */

static size_t find_label(const kernel *k, const char *name, const label **found)
{
    for (size_t i = 0; i < k->label_count; i++) {
        if (strcmp(k->labels[i].name, name) == 0) {
            *found = &k->labels[i];
            return k->labels[i].at;
        }
    }
    die("a branch has no target");
    return 0;
}

/** Calls `visit` for each node that may follow node `i`. */
static void for_each_next(kernel *k, size_t i, void (*visit)(kernel *, size_t, void *), void *data)
{
    const node *n = &k->nodes[i];
    const label *l;
    if (n->next && i + 1 < k->node_count)
        visit(k, i + 1, data);
    if (n->kind == BRANCH)
        visit(k, find_label(k, n->target, &l), data);
    if (n->kind != BRANCH_INDEXED)
        return;
    find_label(k, n->target, &l);
    for (const char *t = l->targets; t && (t = strchr(t, '$')); t++) {
        char name[64];
        const label *to;
        copy_word(name, sizeof name, t);
        name[strcspn(name, "\r\n")] = '\0';
        visit(k, find_label(k, name, &to), data);
    }
}

/* What may hold on some path to a node. */
enum {
    SEEN = 1,
    TASK_OPEN = 2,   /**< no barrier behind an rTask */
    UNFENCED = 4,    /**< no fence behind the last barrier */
    POLLED = 8,      /**< no fence behind a poll */
    POLL_FENCED = 16, /**< one, but no barrier */
    INSIDE = 32      /**< an rTask, whose own instructions are none of the protocol's */
};

typedef struct {
    unsigned *in; /**< by node */
    size_t *work;
    size_t work_count;
    unsigned out;
} flow;

static flow new_flow(void)
{
    flow f = {.in = calloc(MOST_NODES, sizeof *f.in),
              .work = calloc(MOST_NODES * 4, sizeof *f.work)};
    if (!f.in || !f.work)
        die("out of memory");
    return f;
}

static void push(kernel *k, size_t i, void *data)
{
    flow *f = data;
    if (i >= k->node_count || (f->in[i] | f->out) == f->in[i])
        return;
    f->in[i] |= f->out;
    if (f->work_count == MOST_NODES * 4)
        die("the control flow is too large");
    f->work[f->work_count++] = i;
}

static unsigned after(const node *n, unsigned in)
{
    switch (n->kind) {
    case TASK_BEGINS:
        return SEEN | INSIDE;
    case TASK_ENDS:
    case TASK_PASSES_ON:
        return SEEN | TASK_OPEN | UNFENCED;
    case BARRIER:
        return in & INSIDE ? in : SEEN | UNFENCED;
    case FENCE:
        return in & POLLED ? (in & ~(unsigned)(POLLED | UNFENCED)) | POLL_FENCED : in & ~(unsigned)UNFENCED;
    case POLL:
        return in & INSIDE ? in : in | POLLED;
    default:
        return in;
    }
}

static void check_paths(kernel *k, flow *f)
{
    f->work_count = 0;
    memset(f->in, 0, k->node_count * sizeof *f->in);
    f->out = SEEN | UNFENCED;
    push(k, 0, f);
    while (f->work_count > 0) {
        size_t i = f->work[--f->work_count];
        f->out = after(&k->nodes[i], f->in[i]);
        for_each_next(k, i, push, f);
    }
    bool *table = table_registers(k);
    for (size_t i = 0; i < k->node_count; i++) {
        const node *n = &k->nodes[i];
        const bool tells = (n->kind == STEP || n->kind == ADDITION) && !(f->in[i] & INSIDE);
        if (tells && f->in[i] & TASK_OPEN)
            report(k, n, "no vEU-wide barrier between an rTask and its step");
        if (tells && f->in[i] & UNFENCED)
            report(k, n, "no fence before a step or an addition, behind the barrier");
        if (n->kind == BARRIER && f->in[i] & POLLED)
            report(k, n, "no fence between a poll and the barrier");
        if (n->kind == TASK_BEGINS && f->in[i] & TASK_OPEN)
            report(k, n, "no vEU-wide barrier between two rTasks");
        if (n->kind == TASK_BEGINS && f->in[i] & (POLLED | POLL_FENCED))
            report(k, n, "no vEU-wide barrier between a poll and an rTask");
        if (n->kind == NON_COHERENT && (n->address < 0 || !table[n->address]))
            report(k, n, "a load through the non-coherent path");
    }
    free(table);
}

/** Marks in f->in what may come after node `from` before another rTask begins, that included. */
static void spread(kernel *k, flow *f, size_t from)
{
    f->work_count = 0;
    memset(f->in, 0, k->node_count * sizeof *f->in);
    f->out = SEEN;
    for_each_next(k, from, push, f);
    while (f->work_count > 0) {
        size_t i = f->work[--f->work_count];
        if (k->nodes[i].kind != TASK_BEGINS)
            for_each_next(k, i, push, f);
    }
}

static bool reaches(kernel *k, flow *f, size_t from, kind to)
{
    spread(k, f, from);
    for (size_t i = 0; i < k->node_count; i++) {
        if (f->in[i] && k->nodes[i].kind == to)
            return true;
    }
    return false;
}

/**
 * Whether a step may be stored after the rTask that ends at `from` and before the next one: at the
 * vEU's end another is stored, after which no rTask begins.
 */
static bool steps(kernel *k, flow *f, flow *from_step, size_t from)
{
    spread(k, f, from);
    for (size_t i = 0; i < k->node_count; i++) {
        if (f->in[i] && k->nodes[i].kind == STEP && reaches(k, from_step, i, TASK_BEGINS))
            return true;
    }
    return false;
}

static size_t count(const kernel *k, kind wanted)
{
    size_t n = 0;
    for (size_t i = 0; i < k->node_count; i++)
        n += k->nodes[i].kind == wanted;
    return n;
}

static void check_kernel(kernel *k, flow *f, flow *second)
{
    if (count(k, TASK_BEGINS) == 0 || count(k, TASK_ENDS) == 0)
        report(k, NULL, "no rTask is marked");
    if (count(k, STEP) == 0)
        report(k, NULL, "no step is stored at gpu scope");
    if (count(k, POLL) == 0)
        report(k, NULL, "nothing polls at gpu scope");
    check_paths(k, f);
    for (size_t i = 0; i < k->node_count; i++) {
        const node *n = &k->nodes[i];
        if (n->kind == TASK_ENDS && !steps(k, f, second, i))
            report(k, n, "no step is stored after an rTask");
        if (n->kind == POLL && !reaches(k, f, i, POLL))
            report(k, n, "a poll is not in a loop");
    }
}

int main(int argc, char **argv)
{
    FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!in)
        die("usage: ptx_check <file.ptx>");
    kernel k = {.nodes = calloc(MOST_NODES, sizeof *k.nodes),
                .labels = calloc(MOST_LABELS, sizeof *k.labels),
                .definitions = calloc(MOST_NODES, sizeof *k.definitions)};
    flow f = new_flow(), second = new_flow();
    if (!k.nodes || !k.labels || !k.definitions)
        die("out of memory");
    char buffer[4096];
    int line = 0, kernels = 0, errors = 0;
    while (fgets(buffer, sizeof buffer, in)) {
        line++;
        const char *entry = strstr(buffer, ".entry ");
        if (!entry || !strstr(entry, "_vdevice_"))
            continue;
        snprintf(k.name, sizeof k.name, "%.*s", (int)strcspn(entry + 7, "("), entry + 7);
        read_kernel(&k, in, &line);
        check_kernel(&k, &f, &second);
        errors += k.errors;
        kernels++;
        for (size_t i = 0; i < k.label_count; i++)
            free(k.labels[i].targets);
    }
    fclose(in);
    free(k.nodes);
    free(k.labels);
    free(k.definitions);
    free(f.in);
    free(f.work);
    free(second.in);
    free(second.work);
    if (kernels == 0)
        die("the file has no vDevice");
    printf("%d vDevices, %d errors\n", kernels, errors);
    return errors ? 1 : 0;
}
