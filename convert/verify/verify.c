#include "convert/verify/verify.h"

#include "convert/cc/cc.h"
#include "convert/run/workers.h"
#include "convert/verify/verify_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const rk_verify_options *options;
    rk_arena *arena;
    rk_diag *diag;
    const char *folder;
    const char *original, *drop_in;
    const char *others[2]; /**< original and drop-in as they are built in another way, or NULL */
    const char *another;   /**< that way */
    const char *name;      /**< how all runs are called, since programs print it */
    rk_verify_original of;
} verifier;

static const char *in_folder(const verifier *v, const char *name)
{
    return rk_path_join(v->arena, v->folder, name);
}

static bool fail(verifier *v, const char *code, const char *hint, const char *message)
{
    return rk_diag_add(v->diag, RK_ERROR, code, (rk_place){0}, hint, "%s", message);
}

/* Building. */

/** Runs `rkconvert cc`; false with RK-V151 when that cannot be started. */
static bool compile(verifier *v, rk_verify_run *run, const char *output, bool drop_in,
                    const rk_cc_other_way *other)
{
    const rk_verify_options *o = v->options;
    rk_verify_words words = {0}, environment = {0};
    *rk_push(v->arena, &words) = o->self;
    *rk_push(v->arena, &words) = "cc";
    if (drop_in)
        *rk_push(v->arena, &words) = "--drop-in";
    for (size_t i = 0; i < o->build_count; i++)
        *rk_push(v->arena, &words) = o->build[i];
    if (other && other->compiler) {
        *rk_push(v->arena, &words) = "-ccbin";
        *rk_push(v->arena, &words) = other->compiler;
    }
    if (other)
        *rk_push(v->arena, &words) = other->optimisation;
    *rk_push(v->arena, &words) = "-o";
    *rk_push(v->arena, &words) = output;
    *rk_push(v->arena, &words) = NULL;
    return rk_verify_start(run, o->self, &words, &environment, v->folder, 3600, v->arena, v->diag);
}

static bool build(verifier *v, const char *output, bool drop_in)
{
    rk_verify_run run;
    if (!compile(v, &run, output, drop_in, NULL))
        return false;
    if (run.status == 0)
        return true;
    fwrite(run.err.data, 1, run.err.size, stderr);
    return fail(v, "RK-V150",
                drop_in ? "see that the original builds, and report it to us"
                        : "give its flags, as its own build does",
                drop_in ? "the drop-in does not build" : "the program does not build");
}

/** Builds what is compared in another way: `drop_in` 0 is the original. */
static bool build_other(verifier *v, bool drop_in, const rk_cc_other_way *other, bool *built)
{
    rk_verify_run run;
    const char *output = in_folder(v, drop_in ? "drop_in_other" : "original_other");
    if (!compile(v, &run, output, drop_in, other))
        return false;
    *built = run.status == 0;
    v->others[drop_in] = output;
    return true;
}

/**
 * Builds both with the other of g++ and clang++, without optimisation where they were optimised. A program that the
 * other compiler does not take is built with its own.
 */
static bool build_others(verifier *v)
{
    const rk_verify_options *o = v->options;
    rk_cc_options options;
    if (!rk_cc_read(&options, o->build, o->build_count, v->arena, v->diag))
        return false;
    rk_cc_other_way other = rk_cc_find_other_way(&options, v->arena);
    for (bool built = false; !built; other.compiler = NULL) {
        if (!build_other(v, false, &other, &built) ||
            (built && !o->drop_in && !build_other(v, true, &other, &built)))
            return false;
        v->another = rk_arena_printf(v->arena, "%s%s%s", other.compiler ? other.compiler : "",
                                     other.compiler ? " " : "", other.optimisation);
        if (!built && !other.compiler)
            return fail(v, "RK-V150", "give --one-compiler to leave that build out",
                        rk_arena_printf(v->arena, "the program does not build with %s",
                                        other.optimisation));
    }
    return true;
}

/* Running. */

static void set(verifier *v, rk_verify_words *environment, const char *name, const char *value)
{
    *rk_push(v->arena, environment) = rk_arena_printf(v->arena, "%s=%s", name, value);
}

static bool run_program(verifier *v, rk_verify_run *run, const char *program,
                        const rk_verify_words *environment)
{
    rk_verify_words words = {0};
    remove(in_folder(v, "report"));
    *rk_push(v->arena, &words) = v->name;
    for (size_t i = 0; i < v->options->arg_count; i++)
        *rk_push(v->arena, &words) = v->options->args[i];
    *rk_push(v->arena, &words) = NULL;
    return rk_verify_start(run, program, &words, environment, v->folder, v->options->timeout,
                           v->arena, v->diag);
}

/** Blocks and threads run in the order of their indices. */
static void set_order(verifier *v, rk_verify_words *environment)
{
    set(v, environment, "RK_FIBERS", "1");
    set(v, environment, "RK_WORKERS", "1");
}

/** Runs the original; in `report` how it compares with the first run. */
static bool run_again(verifier *v, rk_verify_run *run, rk_verify_report *report,
                      rk_verify_words *environment)
{
    const char *path = in_folder(v, "report");
    set(v, environment, report ? "RK_COMPARE" : "RK_RECORD", in_folder(v, "record"));
    if (report)
        set(v, environment, "RK_COMPARE_REPORT", path);
    if (!run_program(v, run, v->original, environment))
        return false;
    if (run->timed_out)
        return fail(v, "RK-V152", "give it more time with --timeout",
                    "the original does not come to an end in time");
    if (report)
        rk_verify_read(report, path, v->arena);
    return true;
}

/** One more run of the original: the first one is in order and recorded, the others are compared with it. */
static bool run_original(verifier *v)
{
    rk_verify_words environment = {0};
    const size_t i = v->of.count++;
    set(v, &environment, "RK_FIBERS", "1");
    if (i)
        set(v, &environment, "RK_SHUFFLE", rk_arena_printf(v->arena, "%zu", i));
    else
        set_order(v, &environment);
    rk_verify_report *report = i ? &v->of.reports[i] : NULL;
    if (!run_again(v, &v->of.runs[i], report, &environment))
        return false;
    if (report)
        rk_verify_vary(&v->of.varying, report, v->arena);
    return true;
}

/** Where its runs differ: the original once more in the order of the first, as often as that is asked. */
static bool run_in_order(verifier *v)
{
    rk_verify_words environment = {0};
    if (!rk_verify_varies(&v->of))
        return true;
    const size_t i = v->of.again_count++;
    set_order(v, &environment);
    if (!run_again(v, &v->of.again[i], &v->of.again_reports[i], &environment))
        return false;
    rk_verify_vary(&v->of.again_varying, &v->of.again_reports[i], v->arena);
    return true;
}

/** Runs what is compared with the record: the drop-in, or either program built in another way. */
static bool run_compared(verifier *v, rk_verify_result *r)
{
    const rk_verify_options *o = v->options;
    rk_verify_words environment = {0};
    const char *report = in_folder(v, "report");
    const bool drop_in = r->veus > 0;
    set(v, &environment, "RK_COMPARE", in_folder(v, "record"));
    set(v, &environment, "RK_COMPARE_REPORT", report);
    if (drop_in)
        set(v, &environment, "RK_VEUS", rk_arena_printf(v->arena, "%u", r->veus));
    if (r->ordered)
        set_order(v, &environment);
    if (drop_in && o->veu_threads)
        set(v, &environment, "RK_VEU_THREADS", o->veu_threads);
    if (!run_program(v, &r->run, r->another ? v->others[drop_in] : v->drop_in, &environment))
        return false;
    rk_verify_read(&r->report, report, v->arena);
    return true;
}

static bool prepare(verifier *v)
{
    const rk_verify_options *o = v->options;
    v->folder = o->keep ? o->keep : rk_file_temporary("rkverify", v->arena, v->diag);
    if (!v->folder || !rk_file_mkdirs(in_folder(v, "record"), v->diag))
        return false;
    char real[4096];
    if (realpath(v->folder, real)) /* programs are found by it whatever their folder */
        v->folder = rk_arena_strdup(v->arena, real);
    v->name = "program";
    for (size_t i = o->build_count; i-- > 0;)
        if (o->build[i][0] != '-' && rk_str_ends(o->build[i], ".cu"))
            v->name = rk_path_stem(v->arena, o->build[i]);
    v->name = rk_arena_printf(v->arena, "./%s", v->name);
    v->original = o->original ? o->original : in_folder(v, "original");
    v->drop_in = o->drop_in ? o->drop_in : in_folder(v, "drop_in");
    return (o->original || build(v, v->original, false)) &&
           (o->drop_in || build(v, v->drop_in, true)) && (o->one_compiler || build_others(v));
}

static void clean_up(const verifier *v)
{
    if (!v->options->keep && v->folder)
        rk_file_remove(v->folder, v->diag);
}

static double tolerance(const rk_verify_options *o)
{
    return o->tolerance ? strtod(o->tolerance, NULL) : 1e-4;
}

typedef RK_VEC(rk_verify_result) result_vec;

static bool judge(const verifier *v, result_vec *results)
{
    bool same = true;
    for (size_t i = 0; i < results->count; i++) {
        rk_verify_judge(&results->items[i], &v->of, tolerance(v->options), v->arena);
        same &= results->items[i].same;
    }
    return same;
}

/** Whether a run that came to no end is among them: no other order explains that. */
static bool any_timed_out(const result_vec *results)
{
    for (size_t i = 0; i < results->count; i++)
        if (results->items[i].run.timed_out)
            return true;
    return false;
}

static void add(const verifier *v, result_vec *results, const char *another, unsigned veus,
                bool ordered)
{
    rk_verify_result *r = rk_push(v->arena, results);
    r->another = another;
    r->veus = veus;
    r->ordered = ordered;
}

static bool run_all(verifier *v, result_vec *results)
{
    const rk_verify_options *o = v->options;
    while (v->of.count < RK_VERIFY_RUNS)
        if (!run_original(v))
            return false;
    if (!run_in_order(v))
        return false;
    for (int other = 0; other <= (v->another != NULL); other++) {
        const bool drop_ins = !(other && o->drop_in);
        const char *another = other ? v->another : NULL;
        if (other)
            add(v, results, another, 0, false);
        for (size_t i = 0; i < o->veu_count && drop_ins; i++)
            add(v, results, another, o->veus[i], false);
        if (v->of.again_count && other)
            add(v, results, another, 0, true);
        if (v->of.again_count && drop_ins)
            add(v, results, another, 1, true);
    }
    for (size_t i = 0; i < results->count; i++)
        if (!run_compared(v, &results->items[i]))
            return false;
    return true;
}

static int verify(verifier *v, FILE *out)
{
    const rk_verify_options *o = v->options;
    result_vec results = {0};
    if (!prepare(v) || !run_all(v, &results))
        return 2;
    bool same = judge(v, &results);
    while (!same && v->of.count < RK_VERIFY_MOST_RUNS && !any_timed_out(&results)) {
        if (!run_original(v) || (v->of.again_count && !run_in_order(v)))
            return 2;
        same = judge(v, &results);
    }
    rk_verify_print(results.items, results.count, &v->of.runs[0], tolerance(o), o->json, out);
    return same ? 0 : 1;
}

int rk_verify(const rk_verify_options *options, FILE *out, rk_arena *arena, rk_diag *diag)
{
    verifier v = {.options = options, .arena = arena, .diag = diag};
    rk_signals_hold();
    const int status = verify(&v, out);
    clean_up(&v);
    rk_signals_release();
    return status;
}
