#include "convert/verify/verify_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The recorder's report: rkernel_lib/runtime/cpu/record_compare.c. */

enum { MOST_FIELDS = 14 };

static size_t split(const char **fields, char *line)
{
    size_t count = 0;
    while (count < MOST_FIELDS) {
        fields[count++] = line;
        line = strchr(line, '\t');
        if (!line)
            break;
        *line++ = '\0';
    }
    return count;
}

static void add_launch(rk_verify_report *r, const char **f, rk_arena *arena)
{
    const bool vdevice = strcmp(f[5], "1") == 0;
    const char *why = vdevice ? NULL : *f[6] ? f[6] : "it is not launched by its name";
    r->launches++;
    r->vdevices += vdevice;
    for (size_t i = 0; i < r->kernels.count; i++) {
        rk_verify_kernel *k = &r->kernels.items[i];
        if (strcmp(k->kernel, f[2]) != 0 || (k->why == NULL) != vdevice ||
            (why && strcmp(k->why, why) != 0))
            continue;
        k->launches++;
        return;
    }
    *rk_push(arena, &r->kernels) = (rk_verify_kernel){f[2], why, 1};
}

static rk_verify_difference read_difference(const char **f, size_t count)
{
    rk_verify_difference d = {.launch = strtoull(f[1], NULL, 10),
                              .kernel = f[2],
                              .buffer = f[6],
                              .kind = atoi(f[3]),
                              .serial = strtoull(f[4], NULL, 10),
                              .bytes = strtoull(f[5], NULL, 10)};
    if (count < MOST_FIELDS) {
        d.why = f[7];
        return d;
    }
    d.index = f[7];
    d.type = f[8];
    d.theirs = f[9];
    d.mine = f[10];
    d.count = strtoull(f[11], NULL, 10);
    d.distance = strtod(f[12], NULL);
    d.permuted = strcmp(f[13], "1") == 0;
    return d;
}

static void read_line(rk_verify_report *r, char *line, rk_arena *arena)
{
    const char *f[MOST_FIELDS] = {0};
    const size_t count = split(f, line);
    if (strcmp(f[0], "launch") == 0 && count >= 7) {
        add_launch(r, f, arena);
    } else if (strcmp(f[0], "differ") == 0 && count >= 8) {
        *rk_push(arena, &r->found) = read_difference(f, count);
    } else if (strcmp(f[0], "sequence") == 0 && count >= 4) {
        r->other_launch = strtoull(f[1], NULL, 10);
        r->other_kernel = f[2];
        r->own_kernel = f[3];
    } else if (strcmp(f[0], "end") == 0 && count >= 3) {
        r->complete = true;
        r->recorded = strtoull(f[2], NULL, 10);
    }
}

void rk_verify_read(rk_verify_report *report, const char *path, rk_arena *arena)
{
    *report = (rk_verify_report){0};
    rk_bytes text;
    if (!rk_file_exists(path) || !rk_file_read(&text, path, arena, rk_diag_new(arena)))
        return;
    char *at = rk_arena_strndup(arena, text.data, text.size);
    while (*at) {
        char *end = strchr(at, '\n');
        if (!end)
            break;
        *end = '\0';
        read_line(report, at, arena);
        at = end + 1;
    }
}

/* Output. */

typedef RK_VEC(const char *) line_vec;

static line_vec split_lines(rk_bytes text, rk_arena *arena)
{
    line_vec lines = {0};
    for (size_t at = 0; at < text.size;) {
        const char *end = memchr(text.data + at, '\n', text.size - at);
        const size_t length = end ? (size_t)(end - text.data) - at : text.size - at;
        *rk_push(arena, &lines) = rk_arena_strndup(arena, text.data + at, length);
        at += length + 1;
    }
    return lines;
}

static const char *line_at(const line_vec *lines, size_t i)
{
    return i < lines->count ? lines->items[i] : "";
}

/**
 * Whether both lines say that the same assertion failed: in which function is said by its name, of which an
 * rKernel has another.
 */
static bool same_assertion(const char *theirs, const char *mine)
{
    const char *a = strstr(theirs, "Assertion"), *b = strstr(mine, "Assertion");
    return a && b && strcmp(a, b) == 0;
}

/** Whether two lines are the same but for numbers, and these within the tolerance. */
static bool is_near(const char *x, const char *y, double tolerance)
{
    while (*x && *y) {
        char *after_x, *after_y;
        const double a = strtod(x, &after_x), b = strtod(y, &after_y);
        if (after_x != x && after_y != y) {
            const size_t length = (size_t)(after_x - x);
            const bool same = length == (size_t)(after_y - y) && memcmp(x, y, length) == 0;
            if (!same && !(fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b))))
                return false;
            x = after_x;
            y = after_y;
        } else if (*x++ != *y++) {
            return false;
        }
    }
    return *x == *y;
}

rk_verify_text rk_verify_compare(rk_bytes theirs, rk_bytes mine, const rk_bytes *others,
                                 size_t other_count, double tolerance, rk_arena *arena)
{
    rk_verify_text result = {0};
    const line_vec a = split_lines(theirs, arena), b = split_lines(mine, arena);
    line_vec *c = RK_NEW_ARRAY(arena, line_vec, other_count + 1);
    for (size_t i = 0; i < other_count; i++)
        c[i] = split_lines(others[i], arena);
    for (size_t i = 0; i < a.count || i < b.count; i++) {
        const char *x = line_at(&a, i), *y = line_at(&b, i);
        if (strcmp(x, y) == 0 || same_assertion(x, y) ||
            (tolerance > 0 && is_near(x, y, tolerance)))
            continue;
        bool varies = false;
        for (size_t k = 0; k < other_count; k++)
            varies |= strcmp(x, line_at(&c[k], i)) != 0;
        if (varies) {
            result.varying++;
        } else if (!result.line) {
            result.line = i + 1;
            result.theirs = x;
            result.mine = y;
        }
    }
    return result;
}
