#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void reserve(rk_str *s, size_t more)
{
    size_t need = s->length + more + 1;
    if (need <= s->capacity)
        return;
    size_t grown = s->capacity ? s->capacity * 2 : 64;
    while (grown < need)
        grown *= 2;
    char *moved = rk_arena_alloc(s->arena, grown);
    if (s->length)
        memcpy(moved, s->text, s->length);
    s->text = moved;
    s->capacity = grown;
}

void rk_str_addn(rk_str *s, const char *text, size_t length)
{
    reserve(s, length);
    if (length)
        memcpy(s->text + s->length, text, length);
    s->length += length;
    s->text[s->length] = '\0';
}

void rk_str_add(rk_str *s, const char *text)
{
    rk_str_addn(s, text, strlen(text));
}

void rk_str_addf(rk_str *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        return;
    reserve(s, (size_t)length);
    va_start(args, format);
    vsnprintf(s->text + s->length, (size_t)length + 1, format, args);
    va_end(args);
    s->length += (size_t)length;
}

const char *rk_str_text(const rk_str *s)
{
    return s->text ? s->text : "";
}

bool rk_str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool rk_str_ends(const char *s, const char *suffix)
{
    size_t a = strlen(s);
    size_t b = strlen(suffix);
    return a >= b && memcmp(s + a - b, suffix, b) == 0;
}

enum { LONGEST_NAME = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/**
 * Edit distance in which two swapped neighbours are one edit; both names are at most LONGEST_NAME
 * bytes.
 */
static size_t distance(const char *a, size_t m, const char *b, size_t n)
{
    size_t d[LONGEST_NAME + 1][LONGEST_NAME + 1];
    for (size_t i = 0; i <= m; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= n; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        for (size_t j = 1; j <= n; j++) {
            d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                            least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[m][n];
}

const char *rk_str_nearest(const char *name, const char *const *names, size_t count)
{
    size_t length = strlen(name);
    const char *best = NULL;
    size_t best_distance = length / 3 + 1;
    for (size_t i = 0; i < count && length <= LONGEST_NAME; i++) {
        size_t n = strlen(names[i]);
        if (n > LONGEST_NAME)
            continue;
        size_t d = distance(name, length, names[i], n);
        if (d < best_distance) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}
