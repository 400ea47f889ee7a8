#include "convert/verify_internal.h"

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

static void print_difference(const rk_verify_difference *d, FILE *out)
{
    fputs("  first difference: ", out);
    print_buffer(d, out);
    if (d->why)
        fprintf(out, ": %s\n", d->why);
    else
        fprintf(out, ", index %s: %s in the original, %s in the drop-in (%s; %llu %s)\n", d->index,
                d->theirs, d->mine, type_name(d->type), d->count,
                d->count == 1 ? "element differs" : "elements differ");
}

static void print_text(const rk_verify_text *text, const char *name, FILE *out)
{
    if (text->line)
        fprintf(out, "  %s differs at line %zu: '%s' in the original, '%s' in the drop-in\n", name,
                text->line, text->theirs, text->mine);
    if (text->varying)
        fprintf(out, "  %s: %zu lines differ between runs of the original, too\n", name,
                text->varying);
    if (text->timings)
        fprintf(out, "  %s: %zu lines with times or rates differ\n", name, text->timings);
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

bool rk_verify_is_over(const rk_verify_difference *d, double tolerance)
{
    return d->type && d->type[0] == 'f' && d->distance > tolerance;
}

static void print_order(const rk_verify_report *report, double tolerance, FILE *out)
{
    size_t over = 0, within = 0, worst = 0;
    for (size_t i = 0; i < report->order.count; i++) {
        const rk_verify_difference *d = &report->order.items[i];
        const bool number = d->type && d->type[0] == 'f';
        over += rk_verify_is_over(d, tolerance);
        within += number && !rk_verify_is_over(d, tolerance);
        if (number && d->distance > report->order.items[worst].distance)
            worst = i;
    }
    if (report->order.count == 0)
        return;
    fprintf(out,
            "  order-dependent: %zu buffers differ here and between runs of the original, too: %zu "
            "within %g, %zu by more, %zu no floating-point numbers; one is ",
            report->order.count, within, tolerance, over, report->order.count - within - over);
    print_buffer(&report->order.items[worst], out);
    fputc('\n', out);
}

static void print_result(const rk_verify_result *r, const rk_verify_run *original, double tolerance,
                         FILE *out)
{
    fprintf(out, "%u %s: %s; %llu of %llu launches ran as vDevices\n", r->veus,
            r->veus == 1 ? "vEU" : "vEUs", r->same ? "the same" : "DIFFERENT", r->report.vdevices,
            r->report.launches);
    print_kernels(&r->report, out);
    if (r->run.timed_out)
        fprintf(out, "  the drop-in did not come to an end: it hangs in launch %llu or after it\n",
                r->report.launches + 1);
    else if (r->run.status != original->status)
        fprintf(out, "  exit status: %d in the original, %d in the drop-in\n", original->status,
                r->run.status);
    if (r->report.own_kernel)
        fprintf(out, "  launch %llu is of '%s' in the original, of '%s' in the drop-in\n",
                r->report.other_launch, r->report.other_kernel, r->report.own_kernel);
    if (r->report.differences.count)
        print_difference(&r->report.differences.items[0], out);
    print_order(&r->report, tolerance, out);
    print_text(&r->out, "stdout", out);
    print_text(&r->err, "stderr", out);
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

static void json_differences(const char *name, const rk_verify_difference *items, size_t count,
                             FILE *out)
{
    fprintf(out, ",\n     \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n       " : "\n       ", out);
        json_difference(&items[i], out);
    }
    fputs("]", out);
}

static void json_result(const rk_verify_result *r, FILE *out)
{
    fprintf(out,
            "    {\"veus\": %u, \"same\": %s, \"launches\": %llu, \"vdevices\": %llu, "
            "\"timed_out\": %s, \"status\": %d,\n     \"kept\": [",
            r->veus, r->same ? "true" : "false", r->report.launches, r->report.vdevices,
            r->run.timed_out ? "true" : "false", r->run.status);
    bool any = false;
    for (size_t i = 0; i < r->report.kernels.count; i++) {
        const rk_verify_kernel *k = &r->report.kernels.items[i];
        if (!k->why)
            continue;
        fputs(any ? ", {\"kernel\": " : "{\"kernel\": ", out);
        quote(k->kernel, out);
        fprintf(out, ", \"launches\": %llu, \"why\": ", k->launches);
        quote(k->why, out);
        fputs("}", out);
        any = true;
    }
    fputs("]", out);
    json_differences("differences", r->report.differences.items, r->report.differences.count, out);
    json_differences("order_dependent", r->report.order.items, r->report.order.count, out);
    fprintf(out, ",\n     \"stdout_line\": %zu, \"stderr_line\": %zu}", r->out.line, r->err.line);
}

void rk_verify_print(const rk_verify_result *results, size_t count, const rk_verify_run *original,
                     double tolerance, bool json, FILE *out, rk_arena *arena)
{
    (void)arena;
    if (!json) {
        for (size_t i = 0; i < count; i++)
            print_result(&results[i], original, tolerance, out);
        return;
    }
    fprintf(out, "{\"original\": {\"status\": %d},\n \"runs\": [\n", original->status);
    for (size_t i = 0; i < count; i++) {
        json_result(&results[i], out);
        fputs(i + 1 < count ? ",\n" : "\n", out);
    }
    fputs(" ]}\n", out);
}
