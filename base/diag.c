#include "base/diag.h"

#include "base/str.h"
#include "base/vec.h"

#include <stdarg.h>

struct rk_diag {
    rk_arena *arena;
    RK_VEC(rk_diagnostic) list;
};

rk_diag *rk_diag_new(rk_arena *arena)
{
    rk_diag *diag = RK_NEW(arena, rk_diag);
    diag->arena = arena;
    return diag;
}

static const char *copy(rk_arena *arena, const char *s)
{
    return s ? rk_arena_strdup(arena, s) : NULL;
}

bool rk_diag_add(rk_diag *diag, rk_severity severity, const char *code, rk_place place,
                 const char *hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *message = rk_arena_alloc(diag->arena, (size_t)(length < 0 ? 0 : length) + 1);
    va_start(args, format);
    vsnprintf(message, (size_t)(length < 0 ? 0 : length) + 1, format, args);
    va_end(args);

    rk_diagnostic *d = rk_push(diag->arena, &diag->list);
    *d = (rk_diagnostic){.severity = severity,
                         .code = copy(diag->arena, code),
                         .place = place,
                         .message = message,
                         .hint = copy(diag->arena, hint)};
    d->place.file = copy(diag->arena, place.file);
    d->place.object = copy(diag->arena, place.object);
    return false;
}

size_t rk_diag_count(const rk_diag *diag)
{
    return diag->list.count;
}

const rk_diagnostic *rk_diag_at(const rk_diag *diag, size_t i)
{
    return &diag->list.items[i];
}

size_t rk_diag_count_of(const rk_diag *diag, rk_severity severity)
{
    size_t n = 0;
    for (size_t i = 0; i < diag->list.count; i++)
        n += diag->list.items[i].severity == severity;
    return n;
}

const char *rk_severity_name(rk_severity severity)
{
    static const char *const names[] = {"note", "warning", "refused", "error"};
    return names[severity];
}

static void print_place(const rk_place *place, FILE *out)
{
    const char *separator = "";
    if (place->file) {
        fputs(place->file, out);
        separator = ": ";
        if (place->line > 0)
            fprintf(out, ":%d", place->line);
        if (place->line > 0 && place->column > 0)
            fprintf(out, ":%d", place->column);
    }
    if (place->object) {
        fprintf(out, "%s%s", separator, place->object);
        separator = ": ";
    }
    fputs(separator, out);
}

void rk_diag_print(const rk_diag *diag, size_t first, FILE *out, bool colour)
{
    static const char *const tint[] = {"\033[36m", "\033[33m", "\033[35m", "\033[31m"};
    for (size_t i = first; i < diag->list.count; i++) {
        const rk_diagnostic *d = &diag->list.items[i];
        print_place(&d->place, out);
        fprintf(out, "%s%s:%s %s [%s]\n", colour ? tint[d->severity] : "",
                rk_severity_name(d->severity), colour ? "\033[0m" : "", d->message, d->code);
        if (d->hint)
            fprintf(out, "  hint: %s\n", d->hint);
    }
}

rk_place rk_place_file(const char *file)
{
    return (rk_place){.file = file};
}

rk_place rk_place_object(rk_arena *arena, const char *file, const char *kind, const char *name)
{
    return (rk_place){.file = file, .object = rk_arena_printf(arena, "%s '%s'", kind, name)};
}
