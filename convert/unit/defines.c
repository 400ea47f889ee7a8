#include "convert/unit/defines.h"

#include <string.h>

#define PUSH "#pragma push_macro(\""
#define UNDEFINE "#undef "

typedef struct {
    const char *name;  /**< with the parameters of a macro that has some */
    const char *value; /**< "1" where none is given, as compilers have it */
} define;

typedef RK_VEC(define) define_vec;

static define_vec read(const rk_unit *unit)
{
    const rk_convert_options *options = unit->options;
    define_vec out = {0};
    for (size_t i = 0; i < options->arg_count; i++) {
        const char *arg = options->args[i];
        if (!rk_str_starts(arg, "-D"))
            continue;
        const char *text = arg[2]                       ? arg + 2
                           : i + 1 < options->arg_count ? options->args[i + 1]
                                                        : "";
        const size_t length = strcspn(text, "=");
        *rk_push(unit->arena, &out) = (define){.name = rk_arena_strndup(unit->arena, text, length),
                                               .value = text[length] ? text + length + 1 : "1"};
    }
    return out;
}

/** The macro's name alone. */
static int length_of(const define *d)
{
    return (int)strcspn(d->name, "(");
}

void rk_defines_read(rk_unit *unit)
{
    const define_vec all = read(unit);
    rk_str defines = {.arena = unit->arena}, undefines = {.arena = unit->arena};
    for (size_t i = 0; i < all.count; i++) {
        const define *d = &all.items[i];
        rk_str_addf(&defines, "#ifndef %.*s\n#define %s %s\n#endif\n", length_of(d), d->name,
                    d->name, d->value);
        rk_str_addf(&undefines, "#undef %.*s\n", length_of(d), d->name);
    }
    unit->defines = rk_arena_strdup(unit->arena, rk_str_text(&defines));
    unit->undefines = rk_arena_strdup(unit->arena, rk_str_text(&undefines));
}

static bool is_hidden(const define *d)
{
    return d->name[0] != '_' && strcmp(d->name, "NDEBUG") != 0 &&
           !rk_str_starts(d->name, "THRUST_") && !rk_str_starts(d->name, "RK_");
}

const char *rk_defines_around(const rk_unit *unit, const char *include)
{
    const define_vec all = read(unit);
    rk_str out = {.arena = unit->arena};
    for (size_t i = 0; i < all.count; i++)
        if (is_hidden(&all.items[i]))
            rk_str_addf(&out, PUSH "%.*s\")\n" UNDEFINE "%.*s\n", length_of(&all.items[i]),
                        all.items[i].name, length_of(&all.items[i]), all.items[i].name);
    rk_str_add(&out, include);
    for (size_t i = all.count; i-- > 0;)
        if (is_hidden(&all.items[i]))
            rk_str_addf(&out, "#pragma pop_macro(\"%.*s\")\n", length_of(&all.items[i]),
                        all.items[i].name);
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}

const char *rk_defines_skip(const char *text)
{
    while (rk_str_starts(text, PUSH) || rk_str_starts(text, UNDEFINE) ||
           rk_str_starts(text, RK_DEFINES_VERSION)) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}
