#include "convert/run/tree_dump.h"

#include "convert/clang/ir_text.h"
#include "convert/clang/lower.h"
#include "convert/clang/parse.h"
#include "convert/program/tree_facts.h"
#include "convert/unit/convert.h"
#include "convert/unit/sources.h"

#include <string.h>

bool rk_tree_dump_is(const char *stage)
{
    return stage && (strcmp(stage, "ir") == 0 || strcmp(stage, "facts") == 0);
}

const char *rk_tree_dump(rk_unit *unit, const char *stage)
{
    rk_str out = {.arena = unit->arena};
    if (!rk_sources_read(unit) || !rk_parse_source(unit))
        return NULL;
    rk_ir_complete(rk_ir_of(unit));
    if (strcmp(stage, "ir") == 0)
        rk_ir_write(&out, unit);
    else
        rk_tree_facts_print(&out, unit);
    return rk_str_text(&out);
}

const char *rk_convert_load_ir(const char *path, rk_arena *arena, rk_diag *diag)
{
    const rk_convert_options options = {.dump = "facts"};
    rk_unit *unit = RK_NEW(arena, rk_unit);
    *unit = (rk_unit){.arena = arena, .diag = diag, .options = &options, .path = path};
    if (!rk_ir_read(unit, path))
        return NULL;
    rk_str out = {.arena = arena};
    rk_tree_facts_print(&out, unit);
    return rk_str_text(&out);
}
