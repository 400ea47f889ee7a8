#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rkconvert_tool.h"

void rk_tool_list_allowables(void)
{
    for (const rk_convert_allowable *a = rk_convert_allowables; a->code; a++)
        printf("%s  %s\n         then: %s\n", a->code, a->promise, a->then);
}

bool rk_tool_allow(rk_convert_options *options, const char *codes, rk_arena *arena, rk_diag *diag)
{
    rk_str known = {.arena = arena};
    RK_VEC(const char *) all = {0};
    for (const rk_convert_allowable *a = rk_convert_allowables; a->code; a++)
        rk_str_addf(&known, "%s%s", known.length ? ", " : "", a->code);
    for (size_t i = 0; i < options->allow_count; i++)
        *rk_push(arena, &all) = options->allow[i];
    bool ok = true;
    for (size_t length; *codes; codes += length + (codes[length] == ',')) {
        length = strcspn(codes, ",");
        const char *code = rk_arena_strndup(arena, codes, length);
        if (length)
            *rk_push(arena, &all) = code;
        if (length && (!strstr(rk_str_text(&known), code) || length != 7))
            ok = rk_diag_add(diag, RK_ERROR, "RK-U002", (rk_place){0},
                             rk_arena_printf(arena, "it takes %s", rk_str_text(&known)),
                             "--allow cannot take '%s'", code);
    }
    options->allow = all.items;
    options->allow_count = all.count;
    return ok;
}

int rk_tool_option(const char **value, const char *name, int argc, char **argv, int i)
{
    const size_t length = strlen(name);
    if (strncmp(argv[i], name, length) != 0 || (argv[i][length] && argv[i][length] != '='))
        return 0;
    const bool joined = argv[i][length] == '=';
    *value = joined ? argv[i] + length + 1 : i + 1 < argc ? argv[i + 1] : NULL;
    return joined ? 1 : 2;
}

const char *rk_tool_home(rk_arena *arena)
{
    const char *home = getenv("RAMMER_HOME");
    if (home && *home)
        return home;
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    return rk_path_join(arena, rk_path_dir(arena, rk_path_dir(arena, self)), "share/rammer");
}
