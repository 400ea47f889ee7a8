#include "base/json.h"

#include "base/file.h"
#include "base/str.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool rk_json_fail(const rk_json *json, const char *code, const char *where, const char *hint,
                  const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    rk_place place = {.file = json->file, .object = where && *where ? where : NULL};
    return rk_diag_add(json->diag, RK_ERROR, code, place, hint, "%s", message);
}

static void line_and_column(const char *text, const char *at, int *line, int *column)
{
    *line = 1;
    *column = 1;
    for (; text < at; text++) {
        if (*text == '\n') {
            ++*line;
            *column = 1;
        } else {
            ++*column;
        }
    }
}

/** The document that this thread is parsing: where its tree goes, and how many bytes it may still take. */
static _Thread_local struct {
    rk_arena *arena; /**< NULL: none */
    size_t left;
    bool exceeded;
} parsing;

static void *tree_malloc(size_t size)
{
    if (!parsing.arena) {
        void *memory = malloc(size);
        return memory ? memory : (rk_out_of_memory(), NULL);
    }
    parsing.exceeded |= size > parsing.left;
    if (parsing.exceeded)
        return NULL;
    parsing.left -= size;
    return rk_arena_alloc(parsing.arena, size);
}

void rk_json_forget(void)
{
    parsing.arena = NULL;
}

static void tree_free(void *memory)
{
    if (!parsing.arena)
        free(memory);
}

/** cJSON passes a failed allocation on as a member that is not there: none of its allocations fails. */
__attribute__((constructor)) static void set_hooks(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){tree_malloc, tree_free});
}

/** Megabytes that a document may take: its text, and its tree. */
static size_t memory_limit(void)
{
    enum { MEGABYTES = 4096, MOST = 1 << 30 };
    const char *text = getenv("RK_JSON_MEMORY");
    char *end;
    const unsigned long given = text && isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
    return given && !*end ? given < MOST ? given : MOST : MEGABYTES;
}

static bool too_large(const rk_json *json)
{
    return rk_diag_add(json->diag, RK_ERROR, "RK-J005", rk_place_file(json->file),
                       "allow it more with RK_JSON_MEMORY=<megabytes> in the environment",
                       "it takes more than %zu MB of memory to read", memory_limit());
}

/** Parses into the arena; *end is where it stopped. */
static cJSON *parse_tree(const char **end, const rk_json *json, const char *text, size_t size)
{
    parsing.arena = json->arena;
    parsing.left = memory_limit() << 20;
    parsing.exceeded = false;
    cJSON *tree = cJSON_ParseWithLengthOpts(text, size, end, false);
    parsing.arena = NULL;
    return tree;
}

static bool only_space(const char *p, const char *end)
{
    while (p < end && strchr(" \t\r\n", *p))
        p++;
    return p >= end;
}

/** The first \u0000 of a text that is JSON, or NULL: C would take the string to end there. */
static const char *find_zero(const char *text, size_t size)
{
    const char *end = text + size;
    while ((text = memchr(text, '\\', (size_t)(end - text)))) {
        if (end - text >= 6 && memcmp(text, "\\u0000", 6) == 0)
            return text;
        text += 2; /* what is escaped, another backslash too */
    }
    return NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** A name that two members of an object have, or NULL. */
static const char *find_twice(const cJSON *object, size_t count, rk_arena *scratch)
{
    const char **names = RK_NEW_ARRAY(scratch, const char *, count + 1);
    size_t i = 0;
    const cJSON *member;
    cJSON_ArrayForEach (member, object)
        names[i++] = member->string;
    qsort(names, count, sizeof *names, compare_names);
    for (i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return names[i];
    return NULL;
}

/**
 * Whether no object has a member twice; RK-J006 otherwise. `at` is at `where`. Objects lie no deeper in each
 * other than cJSON reads.
 */
static bool each_member_once(const rk_json *json, const cJSON *at, const char *where,
                             rk_arena *scratch)
{
    size_t count = 0;
    bool nested = false;
    const cJSON *child;
    cJSON_ArrayForEach (child, at) {
        count++;
        nested |= child->child != NULL;
    }
    const bool object = cJSON_IsObject(at);
    const char *twice = object && count > 1 ? find_twice(at, count, scratch) : NULL;
    if (twice)
        return rk_json_fail(json, "RK-J006", *where ? where : NULL, "remove one of them",
                            "the member \"%s\" is there twice", twice);
    size_t i = 0;
    cJSON_ArrayForEach (child, at) {
        if (nested && child->child) {
            const char *path =
                object ? rk_arena_printf(scratch, "%s%s%s", where, *where ? "." : "", child->string)
                       : rk_arena_printf(scratch, "%s[%zu]", where, i);
            if (!each_member_once(json, child, path, scratch))
                return false;
        }
        i++;
    }
    return true;
}

/** Whether the document says each thing once and as a whole: cJSON takes the first of two, and cuts strings. */
static bool is_plain(const rk_json *json, const char *text, size_t size)
{
    const char *zero = find_zero(text, size);
    if (zero) {
        rk_place place = {.file = json->file};
        line_and_column(text, zero, &place.line, &place.column);
        return rk_diag_add(json->diag, RK_ERROR, "RK-J007", place, "remove it",
                           "a text has the character \\u0000 in it");
    }
    rk_arena *scratch = rk_arena_new();
    bool good = each_member_once(json, json->root, "", scratch);
    rk_arena_free(scratch);
    return good;
}

bool rk_json_parse(rk_json *out, const char *text, size_t size, const char *file,
                   const char *schema, rk_arena *arena, rk_diag *diag)
{
    *out = (rk_json){.file = file, .arena = arena, .diag = diag};
    const char *end = text;
    out->root = parse_tree(&end, out, text, size);
    if (!out->root && parsing.exceeded)
        return too_large(out);
    const char *nul = size ? memchr(text, '\0', size) : NULL;
    if (!out->root || nul || !only_space(end, text + size)) {
        end = out->root && nul ? nul : end;
        rk_place place = {.file = file};
        line_and_column(text, end, &place.line, &place.column);
        return rk_diag_add(diag, RK_ERROR, "RK-J001", place, "correct the file at that place",
                           size == 0 ? "the file is empty" : "this is not JSON");
    }
    if (!is_plain(out, text, size))
        return false;
    if (!schema)
        return true;
    if (!cJSON_IsObject(out->root))
        return rk_json_fail(out, "RK-J002", NULL, NULL,
                            "expected an object with \"schema\": \"%s\"", schema);
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(out->root, "schema");
    if (cJSON_IsString(found) && strcmp(found->valuestring, schema) == 0)
        return true;
    return rk_json_fail(out, "RK-J002", "schema", "write the file again with this version's tools",
                        "the schema is '%s' and this version reads '%s'",
                        cJSON_IsString(found) ? found->valuestring : "(none)", schema);
}

bool rk_json_read(rk_json *out, const char *path, const char *schema, rk_arena *arena,
                  rk_diag *diag)
{
    *out = (rk_json){.file = path, .arena = arena, .diag = diag};
    rk_bytes bytes;
    struct stat info;
    if (stat(path, &info) == 0 && info.st_size > 0 &&
        (uint64_t)info.st_size >> 20 >= memory_limit())
        return too_large(out);
    return rk_file_read(&bytes, path, arena, diag) &&
           rk_json_parse(out, bytes.data, bytes.size, rk_arena_strdup(arena, path), schema, arena,
                         diag);
}

static char *path_of(const rk_json *json, const char *where, const char *member)
{
    return rk_arena_printf(json->arena, "%s%s%s", where ? where : "", where && *where ? "." : "",
                           member);
}

static bool wrong_type(const rk_json *json, const char *where, const char *member, const char *type)
{
    return rk_json_fail(json, "RK-J004", path_of(json, where, member), NULL, "expected %s", type);
}

/** Finds the member; *found is NULL when it is absent, which fails when `required`. */
static bool find(const cJSON **found, const rk_json *json, const cJSON *at, const char *where,
                 const char *member, bool required)
{
    *found = cJSON_GetObjectItemCaseSensitive(at, member);
    if (*found || !required)
        return true;
    return rk_json_fail(json, "RK-J003", where && *where ? where : NULL, NULL,
                        "the member \"%s\" is missing", member);
}

static bool to_string(const char **out, const rk_json *json, const cJSON *v, const char *where,
                      const char *member)
{
    if (!cJSON_IsString(v))
        return wrong_type(json, where, member, "a string");
    *out = v->valuestring;
    return true;
}

static bool to_int(int64_t *out, const rk_json *json, const cJSON *v, const char *where,
                   const char *member)
{
    if (!cJSON_IsNumber(v) || v->valuedouble != floor(v->valuedouble) ||
        fabs(v->valuedouble) > 9007199254740992.0)
        return wrong_type(json, where, member, "an integer");
    *out = (int64_t)v->valuedouble;
    return true;
}

static bool to_number(double *out, const rk_json *json, const cJSON *v, const char *where,
                      const char *member)
{
    if (!cJSON_IsNumber(v))
        return wrong_type(json, where, member, "a number");
    *out = v->valuedouble;
    return true;
}

bool rk_json_string(const char **out, const rk_json *json, const cJSON *at, const char *where,
                    const char *member)
{
    const cJSON *v;
    return find(&v, json, at, where, member, true) && to_string(out, json, v, where, member);
}

bool rk_json_string_or(const char **out, const rk_json *json, const cJSON *at, const char *where,
                       const char *member, const char *otherwise)
{
    const cJSON *v;
    *out = otherwise;
    return find(&v, json, at, where, member, false) &&
           (!v || to_string(out, json, v, where, member));
}

bool rk_json_int(int64_t *out, const rk_json *json, const cJSON *at, const char *where,
                 const char *member)
{
    const cJSON *v;
    return find(&v, json, at, where, member, true) && to_int(out, json, v, where, member);
}

bool rk_json_int_or(int64_t *out, const rk_json *json, const cJSON *at, const char *where,
                    const char *member, int64_t otherwise)
{
    const cJSON *v;
    *out = otherwise;
    return find(&v, json, at, where, member, false) && (!v || to_int(out, json, v, where, member));
}

bool rk_json_number(double *out, const rk_json *json, const cJSON *at, const char *where,
                    const char *member)
{
    const cJSON *v;
    return find(&v, json, at, where, member, true) && to_number(out, json, v, where, member);
}

bool rk_json_number_or(double *out, const rk_json *json, const cJSON *at, const char *where,
                       const char *member, double otherwise)
{
    const cJSON *v;
    *out = otherwise;
    return find(&v, json, at, where, member, false) &&
           (!v || to_number(out, json, v, where, member));
}

bool rk_json_bool_or(bool *out, const rk_json *json, const cJSON *at, const char *where,
                     const char *member, bool otherwise)
{
    const cJSON *v;
    *out = otherwise;
    find(&v, json, at, where, member, false);
    if (!v)
        return true;
    if (!cJSON_IsBool(v))
        return wrong_type(json, where, member, "true or false");
    *out = cJSON_IsTrue(v);
    return true;
}

static bool container(const cJSON **out, const rk_json *json, const cJSON *at, const char *where,
                      const char *member, int type, bool required)
{
    if (!find(out, json, at, where, member, required) || !*out)
        return !required;
    if (((*out)->type & 0xFF) == type)
        return true;
    *out = NULL;
    return wrong_type(json, where, member, type == cJSON_Array ? "an array" : "an object");
}

bool rk_json_array(const cJSON **out, const rk_json *json, const cJSON *at, const char *where,
                   const char *member)
{
    return container(out, json, at, where, member, cJSON_Array, true);
}

bool rk_json_array_or(const cJSON **out, const rk_json *json, const cJSON *at, const char *where,
                      const char *member)
{
    return container(out, json, at, where, member, cJSON_Array, false);
}

bool rk_json_object(const cJSON **out, const rk_json *json, const cJSON *at, const char *where,
                    const char *member)
{
    return container(out, json, at, where, member, cJSON_Object, true);
}

bool rk_json_object_or(const cJSON **out, const rk_json *json, const cJSON *at, const char *where,
                       const char *member)
{
    return container(out, json, at, where, member, cJSON_Object, false);
}

static void print_string(rk_str *out, const char *s)
{
    rk_str_addn(out, "\"", 1);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            rk_str_addf(out, "\\%c", c);
        else if (c == '\n')
            rk_str_addn(out, "\\n", 2);
        else if (c == '\t')
            rk_str_addn(out, "\\t", 2);
        else if (c < 0x20)
            rk_str_addf(out, "\\u%04x", c);
        else
            rk_str_addn(out, s, 1);
    }
    rk_str_addn(out, "\"", 1);
}

static void print_number(rk_str *out, double value)
{
    if (!isfinite(value)) {
        rk_str_add(out, "null");
    } else if (value == floor(value) && fabs(value) < 9007199254740992.0) {
        rk_str_addf(out, "%lld", (long long)value);
    } else {
        char text[32];
        for (int digits = 6; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, value);
            if (strtod(text, NULL) == value)
                break;
        }
        rk_str_add(out, text);
    }
}

enum { ONE_LINE = 96 };

/** Whether a container is short enough, and flat enough, to stand on one line. */
static bool is_short(const cJSON *v)
{
    size_t width = 2;
    for (const cJSON *c = v->child; c; c = c->next) {
        if (c->child)
            return false;
        width += 8 + (c->string ? strlen(c->string) + 4 : 0);
        width += c->valuestring ? strlen(c->valuestring) : 0;
    }
    return width <= ONE_LINE;
}

static void print_value(rk_str *out, const cJSON *v, int indent);

static void print_container(rk_str *out, const cJSON *v, int indent)
{
    bool object = cJSON_IsObject(v);
    bool one_line = is_short(v);
    rk_str_add(out, object ? "{" : "[");
    for (const cJSON *c = v->child; c; c = c->next) {
        if (!one_line)
            rk_str_addf(out, "\n%*s", indent + 2, "");
        if (object) {
            print_string(out, c->string);
            rk_str_add(out, ": ");
        }
        print_value(out, c, indent + 2);
        if (c->next)
            rk_str_add(out, one_line ? ", " : ",");
    }
    if (!one_line && v->child)
        rk_str_addf(out, "\n%*s", indent, "");
    rk_str_add(out, object ? "}" : "]");
}

static void print_value(rk_str *out, const cJSON *v, int indent)
{
    if (cJSON_IsString(v))
        print_string(out, v->valuestring);
    else if (cJSON_IsNumber(v))
        print_number(out, v->valuedouble);
    else if (cJSON_IsBool(v))
        rk_str_add(out, cJSON_IsTrue(v) ? "true" : "false");
    else if (cJSON_IsNull(v))
        rk_str_add(out, "null");
    else
        print_container(out, v, indent);
}

char *rk_json_print(const cJSON *root, rk_arena *arena)
{
    rk_str text = {.arena = arena};
    print_value(&text, root, 0);
    rk_str_add(&text, "\n");
    return text.text;
}

bool rk_json_write(const char *path, const cJSON *root, rk_arena *arena, rk_diag *diag)
{
    char *text = rk_json_print(root, arena);
    return rk_file_write(path, text, strlen(text), diag);
}
