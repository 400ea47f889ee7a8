#include "convert/rkernel/conversion.h"
#include "convert/cuda/builtins.h"

#include "convert/clang/ast.h"
#include "convert/clang/expand.h"
#include "convert/clang/headers.h"
#include "convert/clang/parse.h"
#include "convert/facts/branches.h"
#include "convert/facts/phases.h"
#include "convert/facts/undefined.h"
#include "convert/fission/fission.h"
#include "convert/launches/instantiated.h"
#include "convert/rkernel/analysis.h"
#include "convert/rkernel/decide.h"
#include "convert/rkernel/recheck.h"
#include "convert/rkernel/rewrite.h"
#include "convert/unit/defines.h"
#include "convert/unit/reserved.h"
#include "convert/unit/sources.h"

#include <ctype.h>
#include <regex.h>
#include <string.h>

/** Rounds of rewriting and checking; each refuses at least one function. */
enum { MAX_ROUNDS = 12 };

/** Macros in macros that make kernels. */
enum { MAX_EXPANSIONS = 8 };

void rk_leave_out(rk_unit *unit)
{
    regex_t pattern;
    if (!unit->options->kernels ||
        regcomp(&pattern, unit->options->kernels, REG_EXTENDED | REG_NOSUB) != 0)
        return;
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        f->left_out |=
            f->kernel && regexec(&pattern, f->phased ? f->phased->name : f->name, 0, NULL, 0) != 0;
    }
    regfree(&pattern);
}

/** Whether the CPU will run the rKernels, or is asked how. */
static bool wants_fission(const rk_convert_options *o)
{
    if (o->dump)
        return strcmp(o->dump, "kernels") == 0;
    return o->out_dir && !o->no_cpu && o->target != RK_TARGET_HIP;
}

static bool any_helper_waits(const rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->functions.items[i]->device &&
            (unit->functions.items[i]->uses & (RK_USE_BARRIERS | RK_USE_WARPS)))
            return true;
    return false;
}

static bool any_converted(const rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->functions.items[i]->kernel && !unit->functions.items[i]->refused)
            return true;
    return false;
}

/** Whether there is what a conversion may change, so that the text is parsed more than once. */
static bool has_kernels(const rk_unit *unit)
{
    for (size_t f = 0; f < unit->files.count; f++)
        if (memmem(unit->files.items[f]->bytes.data, unit->files.items[f]->bytes.size, "__global__",
                   strlen("__global__")))
            return true;
    return false;
}

/** Reads and analyses the source, again where a macro that made kernels gave way to its text, or
    a kernel to its phases. */
static bool read_unit(rk_unit *unit)
{
    for (int depth = 0;; depth++) {
        if (!rk_sources_read(unit) || !rk_reserved_names(unit))
            return false;
        rk_headers_choose(unit);
        if (depth == 0 && has_kernels(unit))
            unit->headers = rk_headers_open(unit);
        if (!rk_device_analyze(unit) || !rk_parse_source(unit) || !rk_instantiated_list(unit))
            return false;
        rk_analyze(unit);
        if (depth == MAX_EXPANSIONS || (!rk_expand_kernels(unit) && !rk_phases_split(unit)))
            return true;
        rk_parse_close(unit);
        rk_sources_forget(unit);
    }
}

bool rk_unit_convert(rk_unit *unit)
{
    rk_defines_read(unit);
    if (!read_unit(unit))
        return false;
    unit->files.items[0]->out_name = unit->options->output
                                         ? rk_path_base(unit->options->output)
                                         : rk_arena_printf(unit->arena, "%s.rk.cu", unit->stem);
    if (wants_fission(unit->options)) { /* the check parses anew */
        rk_undefined_find(unit);
        rk_fission_find(unit, any_helper_waits(unit));
    }
    rk_leave_out(unit);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        bool clean = true;
        rk_decide(unit);
        if (!rk_rewrite(unit))
            return false;
        if (!any_converted(unit))
            return true;
        rk_rewrite_tail(unit);
        if (!rk_check_unit(&clean, unit))
            return false;
        if (clean) {
            rk_str kernels = {.arena = unit->arena};
            rk_fission_print_rkernels(unit, &kernels);
            unit->kernels_text = rk_str_text(&kernels);
            return true;
        }
    }
    return rk_diag_add(unit->diag, RK_ERROR, "RK-V003", rk_place_file(unit->path),
                       "report this file to us", "the conversion does not come to an end");
}

rk_bytes rk_unit_source(rk_unit *unit, bool for_cpu)
{
    rk_str out = {.arena = unit->arena};
    const rk_source_file *file = unit->files.items[0];
    const rk_bytes *own = for_cpu ? &file->cpu : &file->output;
    rk_str_addn(&out, own->data, own->size);
    rk_str_add(&out, rk_rewrite_tail(unit));
    rk_str_add(&out, rk_rewrite_probes(unit));
    return (rk_bytes){out.text, out.length};
}

void rk_unit_report(rk_unit *unit)
{
    RK_VEC(const rk_unit_problem *) said = {0};
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (!f->kernel || f->left_out)
            continue;
        const rk_unit_problem **problems;
        const size_t count = rk_decide_problems(&problems, unit, i);
        for (size_t k = 0; k < count; k++) {
            bool known = false;
            for (size_t s = 0; s < said.count; s++)
                known |= said.items[s] == problems[k];
            if (known)
                continue;
            *rk_push(unit->arena, &said) = problems[k];
            rk_place place = problems[k]->place;
            place.object = rk_arena_printf(unit->arena, "kernel '%s'", f->name);
            rk_diag_add(unit->diag, problems[k]->severity, problems[k]->code, place,
                        problems[k]->hint, "%s", problems[k]->message);
        }
    }
}
