#include "convert/verify/verify_internal.h"

#include <math.h>
#include <string.h>

static const char *memory_name(int kind)
{
    static const char *const names[] = {
        "allocation", "managed allocation", "pinned allocation", "registered memory",
        "array",      "variable",           "constant",          "managed variable"};
    return kind >= 0 && kind < (int)(sizeof names / sizeof *names) ? names[kind] : "memory";
}

static const char *type_name(const char *type)
{
    static const char *const names[][2] = {
        {"f4", "float"}, {"f8", "double"}, {"i1", "int8"},   {"i2", "int16"},    {"i4", "int"},
        {"i8", "int64"}, {"u1", "uint8"},  {"u2", "uint16"}, {"u4", "unsigned"}, {"u8", "uint64"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], type) == 0)
            return names[i][1];
    return "bytes";
}

/** "kernel 'k', launch 3, buffer 'y' (allocation 2, 256 bytes)". */
static void print_buffer(const rk_verify_difference *d, FILE *out)
{
    fprintf(out, "kernel '%s', launch %llu, buffer '%s' (%s %llu, %llu bytes)", d->kernel,
            d->launch, *d->buffer ? d->buffer : "?", memory_name(d->kind), d->serial, d->bytes);
}

/** What a run's program is called beside "the original". */
static const char *program_name(const rk_verify_result *r)
{
    return !r->another ? "the drop-in" : r->veus ? "this drop-in" : "this build";
}

static void print_difference(const rk_verify_difference *d, const char *program, FILE *out)
{
    fputs("  first difference: ", out);
    print_buffer(d, out);
    if (d->why)
        fprintf(out, ": %s\n", d->why);
    else
        fprintf(out, ", index %s: %s in the original, %s in %s (%s; %llu %s)\n", d->index,
                d->theirs, d->mine, program, type_name(d->type), d->count,
                d->count == 1 ? "element differs" : "elements differ");
}

static void print_text(const rk_verify_text *text, const char *name, const char *program, FILE *out)
{
    if (text->line)
        fprintf(out, "  %s differs at line %zu: '%s' in the original, '%s' in %s\n", name,
                text->line, text->theirs, text->mine, program);
    if (text->varying)
        fprintf(out, "  %s: %zu lines differ between runs of the original, too\n", name,
                text->varying);
}

static void print_kernels(const rk_verify_report *report, FILE *out)
{
    for (size_t i = 0; i < report->kernels.count; i++) {
        const rk_verify_kernel *k = &report->kernels.items[i];
        if (k->why)
            fprintf(out, "  '%s': %llu %s as they were: %s\n", k->kernel, k->launches,
                    k->launches == 1 ? "launch" : "launches", k->why);
    }
}

static void print_order(const rk_verify_result *r, double tolerance, FILE *out)
{
    for (size_t i = 0; i < r->order.count; i++) {
        const rk_verify_order *o = &r->order.items[i];
        fprintf(out, "  %s-dependent: kernel '%s', buffer '%s', %llu %s: ",
                r->another ? "order- or compiler" : "order", o->first->kernel,
                *o->first->buffer ? o->first->buffer : "?", o->launches,
                o->launches == 1 ? "launch" : "launches");
        if (o->verdict == RK_VERIFY_NEAR)
            fprintf(out, "by at most %.2g, within %g\n", o->distance, tolerance);
        else if (o->verdict == RK_VERIFY_PERMUTED)
            fputs("the same elements in another order\n", out);
        else
            fputs("not judged, since the original's runs differ in it, too\n", out);
    }
}

static void print_sequence(const rk_verify_result *r, FILE *out)
{
    if (r->status_varies)
        fputs("  the original's exit status differs from run to run\n", out);
    if (r->launches_vary)
        fputs("  the original's launches differ from run to run\n", out);
    else if (r->report.own_kernel)
        fprintf(out, "  launch %llu is of '%s' in the original, of '%s' in %s\n",
                r->report.other_launch, r->report.other_kernel, r->report.own_kernel,
                program_name(r));
    else if (r->report.launches != r->report.recorded)
        fprintf(out, "  %llu launches in the original, %llu in %s\n", r->report.recorded,
                r->report.launches, program_name(r));
}

/** Whether all that the launches wrote was compared. */
static bool is_judged(const rk_verify_result *r)
{
    bool judged = !r->launches_vary;
    for (size_t i = 0; i < r->order.count; i++)
        judged &= r->order.items[i].verdict != RK_VERIFY_UNJUDGED;
    return judged;
}

static void print_result(const rk_verify_result *r, const rk_verify_run *original, double tolerance,
                         FILE *out)
{
    const char *program = program_name(r);
    const char *verdict = !r->same       ? "DIFFERENT"
                          : is_judged(r) ? "the same"
                                         : "the same in what is judged";
    if (r->another)
        fprintf(out, "built with %s, ", r->another);
    if (r->ordered)
        fputs("in order, ", out);
    if (r->veus) {
        fprintf(out, "%u %s: %s; %llu of %llu launches ran as vDevices\n", r->veus,
                r->veus == 1 ? "vEU" : "vEUs", verdict, r->report.vdevices, r->report.launches);
        print_kernels(&r->report, out);
    } else {
        fprintf(out, "as it is: %s\n", verdict);
    }
    if (r->run.timed_out)
        fprintf(out, "  %s did not come to an end: it hangs in launch %llu or after it\n", program,
                r->report.launches + 1);
    else if (r->run.status != original->status && !r->status_varies)
        fprintf(out, "  exit status: %d in the original, %d in %s\n", original->status,
                r->run.status, program);
    print_sequence(r, out);
    if (r->different.count)
        print_difference(&r->different.items[0], program, out);
    print_order(r, tolerance, out);
    print_text(&r->out, "stdout", program, out);
    print_text(&r->err, "stderr", program, out);
}

/** A program that fails by itself may have been compared up to there only. */
static void print_status(const rk_verify_run *original, FILE *out)
{
    if (original->status > 128)
        fprintf(out,
                "the original itself is ended by signal %d: only what it did before is compared\n",
                original->status - 128);
    else if (original->status && !original->timed_out)
        fprintf(out, "the original itself ends with status %d\n", original->status);
}

/* JSON. */

static void quote(const char *text, FILE *out)
{
    fputc('"', out);
    for (; text && *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void json_difference(const rk_verify_difference *d, FILE *out)
{
    fputs("{\"kernel\": ", out);
    quote(d->kernel, out);
    fprintf(out, ", \"launch\": %llu, \"buffer\": ", d->launch);
    quote(d->buffer, out);
    fprintf(out, ", \"memory\": \"%s\", \"serial\": %llu, \"bytes\": %llu", memory_name(d->kind),
            d->serial, d->bytes);
    if (d->why) {
        fputs(", \"why\": ", out);
        quote(d->why, out);
    } else {
        fprintf(out, ", \"index\": %s, \"type\": \"%s\", \"original\": ", d->index,
                type_name(d->type));
        quote(d->theirs, out);
        fputs(", \"drop_in\": ", out);
        quote(d->mine, out);
        fprintf(out, ", \"elements\": %llu", d->count);
    }
    fputs("}", out);
}

static void json_differences(const rk_verify_result *r, FILE *out)
{
    fputs(",\n     \"differences\": [", out);
    for (size_t i = 0; i < r->different.count; i++) {
        fputs(i ? ",\n       " : "\n       ", out);
        json_difference(&r->different.items[i], out);
    }
    fputs("],\n     \"order_dependent\": [", out);
    for (size_t i = 0; i < r->order.count; i++) {
        static const char *const names[] = {"different", "near", "permuted", "unjudged"};
        const rk_verify_order *o = &r->order.items[i];
        fprintf(out, "%s{\"verdict\": \"%s\", \"launches\": %llu, \"distance\": %.3g, \"first\": ",
                i ? ",\n       " : "\n       ", names[o->verdict], o->launches,
                isfinite(o->distance) ? o->distance : 1e308);
        json_difference(o->first, out);
        fputs("}", out);
    }
    fputs("]", out);
}

static void json_result(const rk_verify_result *r, FILE *out)
{
    fputs("    {\"built\": ", out);
    if (r->another)
        quote(r->another, out);
    else
        fputs("null", out);
    fprintf(
        out,
        ", \"in_order\": %s, \"veus\": %u, \"same\": %s, \"launches\": %llu, \"vdevices\": %llu, "
        "\"timed_out\": %s, \"status\": %d,\n     \"kept\": [",
        r->ordered ? "true" : "false", r->veus, r->same ? "true" : "false", r->report.launches,
        r->report.vdevices, r->run.timed_out ? "true" : "false", r->run.status);
    bool any = false;
    for (size_t i = 0; i < r->report.kernels.count; i++) {
        const rk_verify_kernel *k = &r->report.kernels.items[i];
        if (!k->why || !r->veus)
            continue;
        fputs(any ? ", {\"kernel\": " : "{\"kernel\": ", out);
        quote(k->kernel, out);
        fprintf(out, ", \"launches\": %llu, \"why\": ", k->launches);
        quote(k->why, out);
        fputs("}", out);
        any = true;
    }
    fputs("]", out);
    json_differences(r, out);
    fprintf(out, ",\n     \"stdout_line\": %zu, \"stderr_line\": %zu}", r->out.line, r->err.line);
}

void rk_verify_print(const rk_verify_result *results, size_t count, const rk_verify_run *original,
                     double tolerance, bool json, FILE *out)
{
    if (!json) {
        for (size_t i = 0; i < count; i++)
            print_result(&results[i], original, tolerance, out);
        print_status(original, out);
        return;
    }
    fprintf(out, "{\"original\": {\"status\": %d},\n \"runs\": [\n", original->status);
    for (size_t i = 0; i < count; i++) {
        json_result(&results[i], out);
        fputs(i + 1 < count ? ",\n" : "\n", out);
    }
    fputs(" ]}\n", out);
}
