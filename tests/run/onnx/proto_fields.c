#include "sched/onnx/proto.h"
#include "base/file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/*
 * proto onnx.proto: the tables of fields that the import reads by, against the definition that ONNX publishes: each field
 * is there, with that number, that kind and as often. Fields that came after Debian's version are named here.
 */

static const char *const newer[] = {"FunctionProto.attribute_proto"};

/** A line "optional int64 version = 2;" of the message that it stands in. */
typedef struct {
    char message[64], label[16], type[64], name[64];
    unsigned number;
} line;

/** Reads one definition from a line of the file; false when it holds none. */
static bool read_line(line *out, const char *text)
{
    char rest[256];
    if (sscanf(text, " %15s %63s %63s = %u ;", out->label, out->type, out->name, &out->number) == 4)
        return strcmp(out->label, "optional") == 0 || strcmp(out->label, "repeated") == 0;
    snprintf(out->label, sizeof out->label, "optional"); /* of a oneof */
    return sscanf(text, " %63s %63s = %u %255[;]", out->type, out->name, &out->number, rest) == 4 &&
           isalpha((unsigned char)out->type[0]);
}

static bool kind_fits(rk_wire_kind kind, const char *type)
{
    static const struct {
        const char *type;
        rk_wire_kind kind;
    } kinds[] = {
        {"int64", RK_WIRE_INT},   {"int32", RK_WIRE_INT},         {"uint64", RK_WIRE_INT},
        {"float", RK_WIRE_FLOAT}, {"double", RK_WIRE_DOUBLE},     {"string", RK_WIRE_TEXT},
        {"bytes", RK_WIRE_BYTES}, {"AttributeType", RK_WIRE_INT}, {"DataLocation", RK_WIRE_INT}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(type, kinds[i].type) == 0)
            return kind == kinds[i].kind;
    return kind == RK_WIRE_MESSAGE;
}

/** Looks for the field in the file's text; 0: as the table says, 1: it is not there, 2: it is another. */
static int look(const char *text, const rk_wire_message *message, const rk_wire_field *field)
{
    char stack[8][64] = {{0}};
    int depth = 0;
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        char row[256] = "";
        size_t length = strcspn(at, "\n");
        if (length < sizeof row)
            memcpy(row, at, length);
        char *comment = strstr(row, "//");
        if (comment)
            *comment = '\0';
        char name[64];
        line l;
        if (sscanf(row, " message %63[A-Za-z]", name) == 1 && strchr(row, '{')) {
            snprintf(stack[depth++ % 8], 64, "%s", name);
            if (strchr(row, '}'))
                depth--;
        } else if (strchr(row, '{')) {
            snprintf(stack[depth % 8], 64, "%s", depth ? stack[(depth - 1) % 8] : "");
            depth++;
        } else if (strchr(row, '}')) {
            depth--;
        } else if (depth && strcmp(stack[(depth - 1) % 8], message->name) == 0 &&
                   read_line(&l, row) && strcmp(l.name, field->name) == 0) {
            const bool repeated = strcmp(l.label, "repeated") == 0;
            return l.number == field->number && repeated == field->repeated &&
                           kind_fits(field->kind, l.type)
                       ? 0
                       : 2;
        }
    }
    return 1;
}

static bool is_newer(const rk_wire_message *message, const rk_wire_field *field)
{
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++) {
        const size_t length = strlen(message->name);
        if (strncmp(newer[i], message->name, length) == 0 && newer[i][length] == '.' &&
            strcmp(newer[i] + length + 1, field->name) == 0)
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    rk_arena *arena = rk_arena_new();
    rk_bytes text;
    int bad = 0;
    size_t fields = 0;
    if (argc != 2 || !rk_file_read(&text, argv[1], arena, rk_diag_new(arena)))
        return 2;
    for (size_t m = 0; rk_onnx_messages[m]; m++)
        for (const rk_wire_field *f = rk_onnx_messages[m]->fields; f->number; f++) {
            const int found = look(text.data, rk_onnx_messages[m], f);
            fields++;
            if (found == 0 || (found == 1 && is_newer(rk_onnx_messages[m], f)))
                continue;
            printf("%s.%s: %s\n", rk_onnx_messages[m]->name, f->name,
                   found == 1 ? "onnx.proto has no such field" : "onnx.proto has it otherwise");
            bad = 1;
        }
    printf("%zu fields\n", fields);
    rk_arena_free(arena);
    return bad;
}
