#include "convert/program/program.h"

#include "convert/clang/arguments.h"
#include "convert/clang/ast.h"
#include "convert/clang/expand.h"
#include "convert/clang/headers.h"
#include "convert/clang/parse.h"
#include "convert/facts/branches.h"
#include "convert/facts/undefined.h"
#include "convert/fission/fission.h"
#include "convert/launches/instantiated.h"
#include "convert/program/drop_in.h"
#include "convert/program/program_internal.h"
#include "convert/rkernel/analysis.h"
#include "convert/unit/defines.h"
#include "convert/unit/reserved.h"
#include "convert/unit/sources.h"

#include <string.h>

/** Macros in macros that make kernels. */
enum { MAX_EXPANSIONS = 8 };

/** What comes before a file's own text: its places stay those of the original. */
static char *head(const rk_unit *unit, size_t file)
{
    rk_arena *arena = unit->arena;
    const char *include = file ? ""
                          : unit->options->target == RK_TARGET_CPU
                              ? unit->options->drop_in
                                    ? "#include <rk/cpu_program.h>\n#include <rk/drop_in.h>\n"
                                    : "#include <rk/cpu_program.h>\n"
                          : unit->options->drop_in ? "#include <rk/drop_in.cuh>\n"
                                                   : "";
    const bool compiled = *include && unit->options->target == RK_TARGET_CPU;
    return rk_arena_printf(arena, "%s%s#line 1 \"%s\"\n",
                           compiled ? rk_parse_version_line(unit->options, unit->arena) : "",
                           *include ? rk_defines_around(unit, include) : "",
                           unit->files.items[file]->path);
}

static bool apply(rk_unit *unit, size_t index, const char *tail)
{
    rk_source_file *file = unit->files.items[index];
    size_t conflict[2], size;
    if (!rk_reserved_macros(unit, file))
        return false;
    const char *text =
        rk_edits_apply(&file->edits, file->bytes.data, file->bytes.size, &size, conflict);
    if (!text)
        return rk_diag_add(unit->diag, RK_ERROR, "RK-V003", rk_place_file(file->path),
                           "report this file to us", "two edits overlap");
    rk_str out = {.arena = unit->arena};
    rk_str_add(&out, head(unit, index));
    rk_str_addn(&out, text, size);
    rk_str_add(&out, tail);
    file->output = (rk_bytes){out.text, out.length};
    return true;
}

/**
 * Reads and parses, the text first made such that the parser sees what device code sees. `again`: after macros were
 * replaced in text that was made so, with names of ours in it.
 */
static bool read(rk_program *program, bool again)
{
    rk_unit *unit = program->unit;
    if (!rk_sources_read(unit) || (!again && !rk_reserved_names(unit)))
        return false;
    if (!unit->headers)
        unit->headers = rk_headers_open(unit);
    rk_program_split(program);
    rk_program_find_functions(program);
    if (rk_program_prepare(program)) {
        rk_program_split(program);
        rk_program_find_functions(program);
    }
    if (unit->options->drop_in && unit->options->target != RK_TARGET_CPU &&
        !rk_device_analyze(unit))
        return false;
    bool *changed = RK_NEW_ARRAY(unit->arena, bool, unit->files.count);
    for (size_t i = 0; i < unit->files.count; i++)
        changed[i] = unit->files.items[i]->touched || unit->files.items[i]->expanded;
    return rk_parse_program(&program->parsed, unit, changed);
}

/** The same, analysed; again where a drop-in's copies need the text of what a macro makes (clang/expand.h). */
static bool read_expanded(rk_program *program, rk_unit *unit)
{
    for (int depth = 0;; depth++) {
        *program = (rk_program){.unit = unit};
        if (!read(program, depth > 0))
            return false;
        for (size_t i = 0; depth > 0 && i < unit->files.count; i++)
            unit->files.items[i]->touched |= unit->files.items[i]->expanded;
        if (unit->options->drop_in && !rk_instantiated_list(unit))
            return false;
        if (unit->options->entries || unit->options->drop_in)
            rk_analyze(unit);
        if (!unit->options->drop_in || depth == MAX_EXPANSIONS || !rk_expand_kernels(unit))
            return true;
        rk_parse_close(unit);
        rk_sources_forget(unit);
    }
}

bool rk_program_convert(rk_unit *unit)
{
    rk_program program;
    if (!read_expanded(&program, unit))
        return false;
    bool ok = unit->options->target != RK_TARGET_CPU ||
              (rk_program_check_headers(&program) & rk_program_check_textures(&program));
    rk_program_read_facts(&program);
    if (unit->options->target == RK_TARGET_CPU)
        rk_undefined_find(unit);
    if (unit->options->target == RK_TARGET_CPU)
        rk_fission_find(unit, program.helper_waits); /* for a drop-in parses anew */
    if (unit->options->drop_in && !rk_drop_in_prepare(unit, program.parsed))
        return false;
    ok &= rk_program_edit_launches(&program);
    rk_program_edit_references(&program);
    if (unit->options->target == RK_TARGET_CPU) {
        ok &= rk_program_edit_kernels(&program);
        rk_program_edit_shared(&program);
        ok &= rk_program_edit_assembly(&program);
        for (size_t i = 0; i < unit->files.count; i++)
            rk_program_edit_steps(unit, i, 0, unit->files.items[i]->bytes.size);
        for (size_t i = 0; i < unit->files.count; i++)
            rk_undefined_edit(unit, &unit->files.items[i]->edits, i, 0,
                              unit->files.items[i]->bytes.size);
        rk_program_edit_waits(unit);
        rk_program_edit_parts(&program);
    }
    if (unit->options->drop_in)
        rk_drop_in_edit(unit);
    rk_str kernels = {.arena = unit->arena};
    if (unit->options->target == RK_TARGET_CPU && unit->options->drop_in)
        rk_fission_print_rkernels(unit, &kernels);
    else if (unit->options->target == RK_TARGET_CPU)
        rk_program_print_kernels(&program, &kernels);
    unit->kernels_text = rk_str_text(&kernels);
    if (unit->options->target == RK_TARGET_CPU && !unit->options->drop_in)
        rk_program_report(&program);
    if (unit->options->dump || unit->options->examine)
        return ok;
    rk_program_redirect(&program);
    const char *tail = rk_program_tail(&program);
    for (size_t i = 0; i < unit->files.count; i++)
        if (unit->files.items[i]->touched)
            ok &= apply(unit, i, i ? "" : tail);
    return ok;
}
