#include "convert/run/emit_ninja.h"

#include "convert/run/scan.h"

#include <string.h>

typedef struct {
    rk_str *out;
    const rk_convert_options *options;
    const char *const *words; /**< of the command */
    size_t word_count;
    rk_arena *arena;
} writer;

/** A path as Ninja reads it. */
static void add_path(writer *w, const char *path)
{
    rk_str_add(w->out, " ");
    for (; *path; path++)
        rk_str_addf(w->out, strchr("$ :", *path) ? "$%c" : "%c", *path);
}

/** A word of a command as the shell reads it, in what Ninja expands before. */
static void add_word(writer *w, const char *word)
{
    rk_str_add(w->out, " '");
    for (; *word; word++)
        rk_str_addf(w->out, *word == '\'' ? "'\\%c'" : *word == '$' ? "$%c" : "%c",
                    *word == '$' ? '$' : *word);
    rk_str_add(w->out, "'");
}

static const char *part_of(const writer *w, const rk_source_input *input)
{
    return rk_path_join(w->arena, w->options->out_dir,
                        rk_arena_printf(w->arena, "parts/%s", input->stem));
}

/**
 * A unit ends well when its report is there, whether its file is converted or not; a catalog without kernels stands for one that has none.
 * $RK_LAUNCHER is in front of each, for what runs it elsewhere.
 */
static void add_rules(writer *w)
{
    rk_str_add(w->out, "# Run it from the folder in which it was made: ninja -f FILE\n"
                       "ninja_required_version = 1.5\n\nrule convert\n  command = mkdir -p $part; rm -f $out $part/report.json; "
                       "$$RK_LAUNCHER");
    for (size_t i = 0; i < w->word_count; i++)
        add_word(w, w->words[i]);
    rk_str_add(w->out,
               " --cache none -j 1 --progress 1000000 --report json=$part/report.json --out-dir $part $in "
               "-- $args; [ $$? -le 2 ] && [ -f $part/report.json ] && { [ -f $out ] || echo '{\"schema\": \"rammer.catalog/1\", "
               "\"kernels\": []}' >$out; }\n  description = convert $in\n\nrule merge\n"
               "  command =");
    add_word(w, w->words[0]);
    rk_str_add(w->out, " merge @$out.rsp -o $out\n  rspfile = $out.rsp\n"
                       "  rspfile_content = $in_newline\n  description = merge $out\n");
}

static void add_unit(writer *w, const rk_source_input *input, const rk_scan *scan)
{
    const char *part = part_of(w, input);
    rk_str_add(w->out, "\nbuild");
    add_path(w, rk_path_join(w->arena, part, "catalog.json"));
    rk_str_add(w->out, ": convert");
    add_path(w, input->path);
    rk_str_add(w->out, scan->header_count ? " |" : "");
    for (size_t i = 0; i < scan->header_count; i++)
        add_path(w, scan->headers[i].real);
    rk_str_add(w->out, "\n  part =");
    add_word(w, part);
    rk_str_add(w->out, "\n  args =");
    for (size_t i = 0; i < scan->arg_count; i++)
        add_word(w, scan->args[i]);
    rk_str_add(w->out, "\n");
}

bool rk_emit_ninja(rk_str *out, const rk_convert_options *options, const char *const *words,
                   size_t word_count, rk_arena *arena, rk_diag *diag)
{
    writer w = {out, options, words, word_count, arena};
    rk_source_inputs inputs;
    rk_output_names names = {0};
    if (!rk_sources_inputs(&inputs, options, arena, diag))
        return false;
    const rk_worker_limits limits = {.seconds = 600, .megabytes = 8192};
    const rk_tree *tree = rk_tree_open(options, arena);
    add_rules(&w);
    for (size_t i = 0; i < inputs.count; i++) {
        rk_scan scan = {.args = inputs.items[i].args, .arg_count = inputs.items[i].arg_count};
        rk_scan_source(&scan, &inputs.items[i], options, limits, tree, &names, arena);
        add_unit(&w, &inputs.items[i], &scan);
    }
    const char *all = rk_path_join(arena, options->out_dir, "catalog.json");
    rk_str_add(out, "\nbuild");
    add_path(&w, all);
    rk_str_add(out, ": merge");
    for (size_t i = 0; i < inputs.count; i++)
        add_path(&w, rk_path_join(arena, part_of(&w, &inputs.items[i]), "catalog.json"));
    rk_str_add(out, "\n\ndefault");
    add_path(&w, all);
    rk_str_add(out, "\n");
    return true;
}
