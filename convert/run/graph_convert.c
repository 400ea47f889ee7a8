#include "convert/run/graph_convert.h"

#include "base/file.h"
#include "convert/clang/arguments.h"
#include "convert/clang/headers.h"
#include "convert/clang/parse.h"
#include "convert/clang/pch.h"
#include "convert/clang/prelude.h"
#include "convert/unit/sources.h"

#include <inttypes.h>
#include <string.h>

static bool follow(rk_sequence *out, const rk_convert_graph_options *options, rk_arena *arena,
                   rk_diag *diag)
{
    rk_convert_options convert = options->convert;
    const rk_clang_args words = rk_parse_words(convert.args, convert.arg_count, arena);
    convert.args = words.items;
    convert.arg_count = words.count;
    const size_t count = convert.input_count;
    rk_unit *units = RK_NEW_ARRAY(arena, rk_unit, count);
    CXTranslationUnit *parsed = RK_NEW_ARRAY(arena, CXTranslationUnit, count);
    const char *pch = rk_prelude_open(&convert, arena);
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        units[i] = (rk_unit){.arena = arena,
                             .diag = diag,
                             .options = &convert,
                             .path = convert.inputs[i],
                             .pch = pch};
        if (rk_sources_read(&units[i])) {
            units[i].headers = rk_headers_open(&units[i]);
            good &= rk_parse_source(&units[i]);
        } else {
            good = false;
        }
        parsed[i] = units[i].tu;
    }
    good = good && rk_sequence_follow(out, &(rk_sequence_units){parsed, count}, options->function,
                                      options->given, options->given_count, arena, diag);
    for (size_t i = 0; i < count; i++)
        rk_parse_close(&units[i]);
    rk_pch_close(pch, false);
    return good;
}

/** Converts the sources, and the kernels of copies where the graph needs them. */
static bool convert(rk_graph_result *result, const rk_convert_graph_options *options,
                    rk_arena *arena, rk_diag *diag)
{
    rk_convert_options all = options->convert;
    const char **inputs = RK_NEW_ARRAY(arena, const char *, all.input_count + 1);
    memcpy(inputs, all.inputs, all.input_count * sizeof *inputs);
    inputs[all.input_count] = rk_parse_file(&all, "graph/" RK_GRAPH_COPIES, arena);
    all.inputs = inputs;
    all.input_count += rk_graph_copies(&result->sequence);
    return rk_convert_run(&result->convert, &all, arena, diag);
}

bool rk_convert_graph(rk_graph_result *out, const rk_convert_graph_options *options,
                      rk_arena *arena, rk_diag *diag)
{
    *out = (rk_graph_result){0};
    if (!follow(&out->sequence, options, arena, diag))
        return false;
    const char *folder = options->convert.out_dir;
    if (options->convert.examine)
        return true;
    if (!convert(out, options, arena, diag))
        return false;
    const rk_catalog *catalog = rk_catalog_read(out->convert.catalog, arena, diag);
    const char *name =
        options->name ? options->name : rk_path_stem(arena, options->convert.inputs[0]);
    if (!catalog || !rk_graph_make(&out->graph, &out->sequence, name, catalog, arena, diag))
        return false;
    out->path = rk_path_join(arena, folder, "graph.json");
    return rk_catalog_write(out->graph.catalog, out->convert.catalog, arena, diag) &&
           rk_file_write(out->path, out->graph.json, strlen(out->graph.json), diag);
}

static void print_address(const rk_sequence *s, rk_address a, FILE *out)
{
    if (a.buffer == RK_SEQUENCE_NONE)
        fputs("the host", out);
    else if (a.offset)
        fprintf(out, "%s + %" PRId64 " bytes", s->buffers[a.buffer].name, a.offset);
    else
        fputs(s->buffers[a.buffer].name, out);
}

static void print_launch(const rk_sequence *s, const rk_step *step, FILE *out)
{
    fprintf(out, "%s <<<%" PRId64, step->kernel, step->grid[0]);
    fprintf(out, "x%" PRId64 "x%" PRId64, step->grid[1], step->grid[2]);
    fprintf(out, ", %" PRId64 "x%" PRId64 "x%" PRId64, step->block[0], step->block[1],
            step->block[2]);
    fprintf(out, ", %" PRId64 ">>> (", step->shared);
    for (size_t i = 0; i < step->arg_count; i++) {
        const rk_pass *p = &step->args[i];
        fputs(i ? ", " : "", out);
        if (p->kind == RK_PASS_INT)
            fprintf(out, "%" PRId64, p->i);
        else if (p->kind == RK_PASS_REAL)
            fprintf(out, "%g", p->d);
        else if (p->address.buffer == RK_SEQUENCE_NONE)
            fputs("null", out);
        else
            print_address(s, p->address, out);
    }
    fputs(")\n", out);
}

void rk_sequence_print(const rk_sequence *s, FILE *out)
{
    for (size_t i = 0; i < s->step_count; i++) {
        const rk_step *step = &s->steps[i];
        fprintf(out, "%s:%d: ", step->place.file, step->place.line);
        if (step->kind == RK_STEP_LAUNCH) {
            print_launch(s, step, out);
            continue;
        }
        fputs(step->kind == RK_STEP_FILL ? "fill " : "copy ", out);
        if (step->kind != RK_STEP_FILL) {
            print_address(s, step->from, out);
            fputs(" to ", out);
        }
        print_address(s, step->to, out);
        fprintf(out, ", %" PRId64 " bytes", step->bytes);
        if (step->kind == RK_STEP_FILL)
            fprintf(out, " of %" PRId64, step->fill);
        fputc('\n', out);
    }
}
