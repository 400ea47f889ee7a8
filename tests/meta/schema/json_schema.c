/*
 * validate SCHEMA FILE...: whether JSON files are valid under a JSON Schema, of which it knows what
 * the shipped schemas use. A keyword that it does not know is an error, so that none is ignored.
 */
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

#include <math.h>
#include <regex.h>
#include <string.h>

typedef struct {
    const cJSON *schema; /**< the whole document, for $ref */
    const char *file;
    rk_arena *arena;
    rk_diag *diag;
} context;

static bool check(const context *c, const cJSON *schema, const cJSON *value, const char *where);

static bool fail(const context *c, const char *where, const char *what, const char *detail)
{
    rk_place place = {.file = c->file, .object = *where ? where : "(the whole)"};
    return rk_diag_add(c->diag, RK_ERROR, "schema", place, NULL, "%s %s", what, detail);
}

static bool is_type(const cJSON *value, const char *type)
{
    if (strcmp(type, "object") == 0)
        return cJSON_IsObject(value);
    if (strcmp(type, "array") == 0)
        return cJSON_IsArray(value);
    if (strcmp(type, "string") == 0)
        return cJSON_IsString(value);
    if (strcmp(type, "boolean") == 0)
        return cJSON_IsBool(value);
    if (strcmp(type, "null") == 0)
        return cJSON_IsNull(value);
    if (strcmp(type, "integer") == 0)
        return cJSON_IsNumber(value) && floor(value->valuedouble) == value->valuedouble;
    return strcmp(type, "number") == 0 && cJSON_IsNumber(value);
}

static bool check_type(const context *c, const cJSON *types, const cJSON *value, const char *where)
{
    if (cJSON_IsString(types))
        return is_type(value, types->valuestring) || fail(c, where, "is no", types->valuestring);
    const cJSON *type;
    cJSON_ArrayForEach (type, types) {
        if (is_type(value, type->valuestring))
            return true;
    }
    return fail(c, where, "is of none of the types", "allowed");
}

static bool check_enum(const context *c, const cJSON *allowed, const cJSON *value,
                       const char *where)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, allowed) {
        if (cJSON_Compare(item, value, true))
            return true;
    }
    return fail(c, where, "is none of the values", "allowed");
}

static bool check_pattern(const context *c, const cJSON *pattern, const cJSON *value,
                          const char *where)
{
    regex_t regex;
    if (regcomp(&regex, pattern->valuestring, REG_EXTENDED | REG_NOSUB) != 0)
        return fail(c, where, "the schema's pattern is wrong:", pattern->valuestring);
    bool good = !cJSON_IsString(value) || regexec(&regex, value->valuestring, 0, NULL, 0) == 0;
    regfree(&regex);
    return good || fail(c, where, "does not match", pattern->valuestring);
}

static bool check_ref(const context *c, const cJSON *ref, const cJSON *value, const char *where)
{
    const char *prefix = "#/$defs/";
    const cJSON *definitions = cJSON_GetObjectItemCaseSensitive(c->schema, "$defs");
    const cJSON *found = NULL;
    if (rk_str_starts(ref->valuestring, prefix))
        found = cJSON_GetObjectItemCaseSensitive(definitions, ref->valuestring + strlen(prefix));
    if (!found)
        return fail(c, where, "the schema refers to", ref->valuestring);
    return check(c, found, value, where);
}

static bool check_required(const context *c, const cJSON *names, const cJSON *value,
                           const char *where)
{
    bool good = true;
    const cJSON *name;
    cJSON_ArrayForEach (name, names) {
        if (cJSON_IsObject(value) && !cJSON_HasObjectItem(value, name->valuestring))
            good = fail(c, where, "lacks the member", name->valuestring);
    }
    return good;
}

/** Members by `properties`, the others by `additionalProperties`. */
static bool check_members(const context *c, const cJSON *schema, const cJSON *value,
                          const char *where)
{
    const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
    const cJSON *others = cJSON_GetObjectItemCaseSensitive(schema, "additionalProperties");
    bool good = true;
    const cJSON *member;
    cJSON_ArrayForEach (member, value) {
        const cJSON *own = cJSON_GetObjectItemCaseSensitive(properties, member->string);
        char *at = rk_arena_printf(c->arena, "%s%s%s", where, *where ? "." : "", member->string);
        if (own)
            good = check(c, own, member, at) && good;
        else if (cJSON_IsFalse(others))
            good = fail(c, at, "is no member of", *where ? where : "the document");
        else if (cJSON_IsObject(others))
            good = check(c, others, member, at) && good;
    }
    return good;
}

static bool check_items(const context *c, const cJSON *items, const cJSON *value, const char *where)
{
    bool good = true;
    int i = 0;
    const cJSON *item;
    cJSON_ArrayForEach (item, value) {
        good = check(c, items, item, rk_arena_printf(c->arena, "%s[%d]", where, i++)) && good;
    }
    return good;
}

/** Limits on a number, on the length of a string and on the size of an array. */
static bool check_limit(const context *c, const cJSON *limit, const cJSON *value, const char *where)
{
    const char *name = limit->string;
    double measured = NAN;
    if (cJSON_IsNumber(value) && (!strcmp(name, "minimum") || !strcmp(name, "maximum")))
        measured = value->valuedouble;
    else if (cJSON_IsString(value) && !strcmp(name, "minLength"))
        measured = (double)strlen(value->valuestring);
    else if (cJSON_IsArray(value) && (!strcmp(name, "minItems") || !strcmp(name, "maxItems")))
        measured = cJSON_GetArraySize(value);
    if (isnan(measured))
        return true;
    bool least = rk_str_starts(name, "min");
    bool good = least ? measured >= limit->valuedouble : measured <= limit->valuedouble;
    return good || fail(c, where, "is outside the schema's", name);
}

static bool check_any_of(const context *c, const cJSON *choices, const cJSON *value,
                         const char *where)
{
    const cJSON *choice;
    cJSON_ArrayForEach (choice, choices) {
        context quiet = *c;
        quiet.diag = rk_diag_new(c->arena);
        if (check(&quiet, choice, value, where))
            return true;
    }
    return fail(c, where, "fits none of the schema's", "alternatives");
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

static bool check_keyword(const context *c, const cJSON *schema, const cJSON *keyword,
                          const cJSON *value, const char *where)
{
    static const char *const limits[] = {"minimum",  "maximum",  "minLength",
                                         "minItems", "maxItems", NULL};
    static const char *const notes[] = {"$schema", "title", "description", "$defs", NULL};
    const char *name = keyword->string;
    if (is_one_of(name, notes))
        return true;
    if (is_one_of(name, limits))
        return check_limit(c, keyword, value, where);
    if (strcmp(name, "type") == 0)
        return check_type(c, keyword, value, where);
    if (strcmp(name, "enum") == 0)
        return check_enum(c, keyword, value, where);
    if (strcmp(name, "const") == 0)
        return cJSON_Compare(keyword, value, true) ||
               fail(c, where, "is not the schema's", "value");
    if (strcmp(name, "pattern") == 0)
        return check_pattern(c, keyword, value, where);
    if (strcmp(name, "$ref") == 0)
        return check_ref(c, keyword, value, where);
    if (strcmp(name, "required") == 0)
        return check_required(c, keyword, value, where);
    if (strcmp(name, "additionalProperties") == 0 && cJSON_HasObjectItem(schema, "properties"))
        return true; /* done with them */
    if (strcmp(name, "properties") == 0 || strcmp(name, "additionalProperties") == 0)
        return !cJSON_IsObject(value) || check_members(c, schema, value, where);
    if (strcmp(name, "items") == 0)
        return !cJSON_IsArray(value) || check_items(c, keyword, value, where);
    if (strcmp(name, "anyOf") == 0)
        return check_any_of(c, keyword, value, where);
    return fail(c, where, "the schema has an unknown keyword,", name);
}

static bool check(const context *c, const cJSON *schema, const cJSON *value, const char *where)
{
    bool good = true;
    const cJSON *keyword;
    cJSON_ArrayForEach (keyword, schema) {
        good = check_keyword(c, schema, keyword, value, where) && good;
    }
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: validate SCHEMA FILE...\n", stderr);
        return 2;
    }
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    rk_json schema;
    bool good = rk_json_read(&schema, argv[1], NULL, arena, diag);
    for (int i = 2; good && i < argc; i++) {
        rk_json file;
        context c = {.schema = schema.root, .file = argv[i], .arena = arena, .diag = diag};
        if (rk_json_read(&file, argv[i], NULL, arena, diag))
            check(&c, schema.root, file.root, "");
    }
    rk_diag_print(diag, 0, stderr, false);
    good = rk_diag_count(diag) == 0;
    rk_arena_free(arena);
    return good ? 0 : 1;
}
