#include "convert/run/build.h"

#include "convert/run/database_internal.h"

#include <string.h>

typedef struct {
    const char *name, *value;
} variable;

/** A command of a rule, with the names that its automatic variables stand for. */
typedef struct {
    const char *target, *needs, *text;
} recipe;

enum { DEEPEST = 16 };

/** A Makefile, as far as it is read. */
typedef struct {
    rk_arena *arena;
    RK_VEC(variable) variables;
    RK_VEC(recipe) recipes;
    const char *target, *needs; /**< of the rule that recipes belong to now */
    RK_VEC(char) conditions;    /**< for each that is open: 1 its lines count, 0 not yet, 2 no more */
} makefile;

static const char *value_of(const makefile *m, const char *name)
{
    for (size_t i = m->variables.count; i-- > 0;)
        if (strcmp(m->variables.items[i].name, name) == 0)
            return m->variables.items[i].value;
    return NULL;
}

/** The end of "$(...)" whose parenthesis is at `open`: its own, or the text's end. */
static const char *closing(const char *open)
{
    const char opens = *open, closes = opens == '(' ? ')' : '}';
    int depth = 0;
    for (; *open; open++) {
        depth += (*open == opens) - (*open == closes);
        if (depth == 0)
            return open;
    }
    return open;
}

static const char *expand(const makefile *m, const char *text, const recipe *r, int deep);

/** What $x or $(x) is. Functions, which have spaces in them, and unknown names are nothing. */
static const char *meaning(const makefile *m, const char *name, const recipe *r, int deep)
{
    const char *known = value_of(m, name);
    if (deep >= DEEPEST)
        return "";
    if (known)
        return expand(m, known, r, deep + 1);
    if (r && strcmp(name, "@") == 0)
        return r->target;
    if (r && (strcmp(name, "^") == 0 || strcmp(name, "+") == 0))
        return r->needs;
    if (r && strcmp(name, "<") == 0)
        return rk_arena_strndup(m->arena, r->needs, strcspn(r->needs, " \t"));
    return strcmp(name, "NVCC") == 0 ? "nvcc" : "";
}

static const char *expand(const makefile *m, const char *text, const recipe *r, int deep)
{
    rk_str out = {.arena = m->arena};
    while (*text) {
        const size_t plain = strcspn(text, "$");
        rk_str_addn(&out, text, plain);
        text += plain;
        if (!*text)
            break;
        text++;
        if (*text == '(' || *text == '{') {
            const char *end = closing(text);
            const char *name =
                rk_arena_strndup(m->arena, text + 1, (size_t)(end - text - (*end != 0)));
            rk_str_add(&out, meaning(m, expand(m, name, r, deep + 1), r, deep));
            text = end + (*end != '\0');
        } else if (*text == '$') {
            rk_str_add(&out, "$");
            text++;
        } else if (*text) {
            const char name[2] = {*text++, '\0'};
            rk_str_add(&out, meaning(m, name, r, deep));
        }
    }
    return rk_str_text(&out);
}

static const char *trimmed(rk_arena *arena, const char *text, size_t length)
{
    for (; length && strchr(" \t", *text); text++)
        length--;
    while (length && strchr(" \t\r", text[length - 1]))
        length--;
    return rk_arena_strndup(arena, text, length);
}

static bool counts(const makefile *m)
{
    for (size_t i = 0; i < m->conditions.count; i++)
        if (m->conditions.items[i] != 1)
            return false;
    return true;
}

/** Whether `ifeq (a,b)` or `ifeq "a" "b"` holds. */
static bool are_equal(const makefile *m, const char *both)
{
    const char *text = expand(m, both, NULL, 0);
    rk_shell_words words = {0};
    if (*text == '(') {
        const char *comma = strchr(text, ','), *end = strrchr(text, ')');
        if (!comma || !end || end < comma)
            return false;
        return strcmp(trimmed(m->arena, text + 1, (size_t)(comma - text - 1)),
                      trimmed(m->arena, comma + 1, (size_t)(end - comma - 1))) == 0;
    }
    rk_shell_split(&words, text, false, m->arena);
    return words.count == 2 && strcmp(words.items[0], words.items[1]) == 0;
}

/** The rest of a line that begins with this word; NULL for others. */
static const char *rest_of(const char *line, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || (line[length] && !strchr(" \t(", line[length])))
        return NULL;
    return line + length + strspn(line + length, " \t");
}

/** Takes a line of a condition; false for other lines. */
static bool take_condition(makefile *m, const char *line)
{
    static const struct {
        const char *word;
        bool defined, wanted;
    } words[] = {{"ifeq", false, true},
                 {"ifneq", false, false},
                 {"ifdef", true, true},
                 {"ifndef", true, false}};
    const char *other = rest_of(line, "else");
    const char *test = other ? other : line;
    if (rest_of(line, "endif")) {
        m->conditions.count -= m->conditions.count > 0;
        return true;
    }
    char *top = m->conditions.count ? &m->conditions.items[m->conditions.count - 1] : NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *rest = rest_of(test, words[i].word);
        if (!rest || (other && !top))
            continue;
        const char *value =
            words[i].defined ? value_of(m, trimmed(m->arena, rest, strlen(rest))) : NULL;
        const bool holds =
            (words[i].defined ? value && *value : are_equal(m, rest)) == words[i].wanted;
        if (other)
            *top = *top ? 2 : holds;
        else
            *rk_push(m->arena, &m->conditions) = holds;
        return true;
    }
    if (other && top)
        *top = *top ? 2 : 1;
    return other != NULL;
}

static void assign(makefile *m, const char *name, char how, const char *value)
{
    const char *before = value_of(m, name);
    if (how == '?' && before)
        return;
    if (how == ':')
        value = expand(m, value, NULL, 0);
    else if (how == '+' && before)
        value = rk_arena_printf(m->arena, "%s %s", before, value);
    *rk_push(m->arena, &m->variables) = (variable){name, value};
}

/** Takes "name = value" with all that may stand before the sign; false for other lines. */
static bool take_variable(makefile *m, const char *line)
{
    const char *sign = strchr(line, '='), *colon = strchr(line, ':');
    if (!sign || (colon && colon < sign - 1 && strncmp(colon, "::=", 3) != 0))
        return false; /* of a target alone, or of a rule */
    const char *end = sign;
    char how = '=';
    while (end > line && strchr(":?+", end[-1]))
        how = *--end;
    line = rest_of(line, "export") && rest_of(line, "export") < end ? rest_of(line, "export") : line;
    const char *name = expand(m, trimmed(m->arena, line, (size_t)(end - line)), NULL, 0);
    if (!*name || strpbrk(name, " \t"))
        return false;
    assign(m, name, how, trimmed(m->arena, sign + 1, strlen(sign + 1)));
    return true;
}

static void read_text(makefile *m, const char *path, int deep);

static void take_line(makefile *m, const char *folder, const char *line, int deep)
{
    if (line[0] == '\t') {
        if (m->target && counts(m))
            *rk_push(m->arena, &m->recipes) =
                (recipe){m->target, m->needs, line + 1 + strspn(line + 1, " \t@-+")};
        return;
    }
    const char *hash = strchr(line, '#');
    line = trimmed(m->arena, line, hash ? (size_t)(hash - line) : strlen(line));
    if (!*line || take_condition(m, line) || !counts(m))
        return;
    const char *files = rest_of(line, "include");
    files = files ? files : rest_of(line, "-include");
    if (files) {
        rk_shell_words names = {0};
        rk_shell_split(&names, expand(m, files, NULL, 0), false, m->arena);
        for (size_t i = 0; i < names.count && deep < DEEPEST; i++)
            read_text(m, rk_path_join(m->arena, folder, names.items[i]), deep + 1);
        return;
    }
    const char *colon = strchr(line, ':');
    if (take_variable(m, line) || !colon)
        return;
    const char *needs = colon + 1, *command = strchr(needs, ';');
    m->target = expand(m, trimmed(m->arena, line, (size_t)(colon - line)), NULL, 0);
    m->needs = expand(
        m, trimmed(m->arena, needs, command ? (size_t)(command - needs) : strlen(needs)), NULL, 0);
    if (command)
        *rk_push(m->arena, &m->recipes) = (recipe){m->target, m->needs, command + 1};
}

static void read_text(makefile *m, const char *path, int deep)
{
    rk_bytes bytes;
    if (!rk_file_is_regular(path) || !rk_file_read(&bytes, path, m->arena, rk_diag_new(m->arena)))
        return;
    const char *folder = rk_path_dir(m->arena, path);
    rk_str line = {.arena = m->arena};
    for (const char *at = bytes.data; *at;) {
        const size_t length = strcspn(at, "\n");
        const bool goes_on = length && at[length - 1] == '\\';
        rk_str_addn(&line, at, length - goes_on);
        at += length + (at[length] == '\n');
        if (goes_on && *at)
            continue;
        take_line(m, folder, rk_arena_strdup(m->arena, rk_str_text(&line)), deep);
        line = (rk_str){.arena = m->arena};
    }
}

/** Whether a word of the command is the source, or a pattern's `%.cu`; 2 for the source itself. */
static int names_source(const rk_shell_words *words, const char *base)
{
    int best = 0;
    for (size_t i = 0; i < words->count; i++) {
        if (strcmp(rk_path_base(words->items[i]), base) == 0)
            return 2;
        best |= strcmp(rk_path_base(words->items[i]), "%.cu") == 0;
    }
    return best;
}

const rk_database_entry *rk_makefile_find(const char *source, rk_arena *arena)
{
    static const char *const names[] = {"GNUmakefile", "makefile", "Makefile"};
    const char *folder = rk_path_dir(arena, source), *base = rk_path_base(source);
    makefile m = {.arena = arena};
    for (size_t i = 0; i < sizeof names / sizeof *names && m.recipes.count == 0; i++)
        read_text(&m, rk_path_join(arena, folder, names[i]), 0);
    const rk_database_entry *found = NULL;
    int best = 0;
    for (size_t i = 0; i < m.recipes.count; i++) {
        const recipe *r = &m.recipes.items[i];
        rk_shell_words words = {0}, command = {0};
        rk_shell_split(&words, expand(&m, r->text, r, 0), true, arena);
        size_t first = 0;
        while (first < words.count && !rk_build_is_compiler(words.items[first]))
            first++;
        for (; first < words.count && strcmp(words.items[first], RK_SHELL_END) != 0; first++)
            *rk_push(arena, &command) = words.items[first];
        const int fits = command.count ? names_source(&command, base) : 0;
        if (fits <= best)
            continue;
        best = fits;
        rk_database_entry *entry = RK_NEW(arena, rk_database_entry);
        *entry = rk_database_command(folder, base, &command, arena);
        found = entry;
    }
    return found;
}
