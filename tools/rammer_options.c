#include "rammer_commands.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool usage_error(rk_tool *tool, const rk_command *command, const char *code,
                        const char *message)
{
    const char *hint = rk_arena_printf(tool->arena, "see `rammer %s --help`", command->name);
    return rk_diag_add(tool->diag, RK_ERROR, code, (rk_place){0}, hint, "%s", message);
}

static void print_option(const rk_option *option)
{
    char left[64];
    int n = option->letter ? snprintf(left, sizeof left, "-%c, ", option->letter)
                           : snprintf(left, sizeof left, "    ");
    snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    printf("  %-28s  %s\n", left, option->help);
}

static void print_help(const rk_command *command, const rk_options *options)
{
    printf("usage: rammer %s %s\n\n%s.\n\noptions:\n", command->name, command->synopsis,
           command->summary);
    for (size_t i = 0; i < options->count; i++)
        print_option(&options->items[i]);
    printf("  %-28s  %s\n\n", "-h, --help", "print this help");
    printf("%s\nexit status: 0 good, 1 the input was refused or a check failed, 2 usage\n",
           command->text);
}

static bool unknown_option(const char *text, const rk_options *options, const rk_command *command,
                           rk_tool *tool)
{
    const char **names = RK_NEW_ARRAY(tool->arena, const char *, options->count + 1);
    for (size_t i = 0; i < options->count; i++)
        names[i] = options->items[i].name;
    names[options->count] = "help";
    size_t length = strcspn(text, "=");
    const char *bare = rk_arena_strndup(tool->arena, text, length);
    const char *near =
        rk_str_starts(bare, "--") ? rk_str_nearest(bare + 2, names, options->count + 1) : NULL;
    const char *hint = near ? rk_arena_printf(tool->arena, "did you mean --%s?", near)
                            : rk_arena_printf(tool->arena, "see `rammer %s --help`", command->name);
    return rk_diag_add(tool->diag, RK_ERROR, "RK-U001", (rk_place){0}, hint, "unknown option '%s'",
                       bare);
}

/** The option that `text` names, and where in `text` its value starts, NULL if it holds none. */
static const rk_option *match(const char *text, const rk_options *options, const char **value)
{
    *value = NULL;
    for (size_t i = 0; i < options->count; i++) {
        const rk_option *option = &options->items[i];
        if (option->letter && text[0] == '-' && text[1] == option->letter) {
            if (text[2])
                *value = text + 2;
            return option;
        }
        size_t length = strlen(option->name);
        if (strncmp(text, "--", 2) != 0 || strncmp(text + 2, option->name, length) != 0)
            continue;
        if (text[2 + length] != '\0' && text[2 + length] != '=')
            continue;
        if (text[2 + length] == '=')
            *value = text + 2 + length + 1;
        return option;
    }
    return NULL;
}

static bool to_int(int64_t *out, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *out = value;
    return isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0;
}

static bool to_real(double *out, const char *text)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out) && *out >= 0;
}

/** Stores an option's value; false when it is not of the option's type. */
static bool store(const rk_option *option, void *into, const char *value, rk_arena *arena)
{
    void *member = (char *)into + option->offset;
    switch (option->type) {
    case RK_OPTION_FLAG:
        *(bool *)member = true;
        return true;
    case RK_OPTION_TEXT:
        *(const char **)member = value;
        return *value != '\0';
    case RK_OPTION_INT:
        return to_int(member, value);
    case RK_OPTION_REAL:
        return to_real(member, value);
    case RK_OPTION_TEXTS:
        *rk_push(arena, (rk_texts *)member) = value;
        return *value != '\0';
    }
    return false;
}

/** Takes the option at argv[*i] and its value, and moves *i to the last one used. */
static bool take(const rk_options *options, const rk_command *command, rk_tool *tool, int *i,
                 int argc, char **argv)
{
    const char *value;
    const rk_option *option = match(argv[*i], options, &value);
    if (!option)
        return unknown_option(argv[*i], options, command, tool);
    const char *shown = rk_arena_printf(tool->arena, "--%s", option->name);
    if (option->type == RK_OPTION_FLAG && value)
        return usage_error(tool, command, "RK-U002",
                           rk_arena_printf(tool->arena, "%s takes no value", shown));
    if (option->type != RK_OPTION_FLAG && !value && *i + 1 < argc)
        value = argv[++*i];
    if (option->type != RK_OPTION_FLAG && !value)
        return usage_error(tool, command, "RK-U002",
                           rk_arena_printf(tool->arena, "%s needs a value", shown));
    if (store(option, options->into, value, tool->arena))
        return true;
    return usage_error(tool, command, "RK-U002",
                       rk_arena_printf(tool->arena, "%s does not take '%s': expected %s", shown,
                                       value,
                                       option->type == RK_OPTION_INT    ? "a whole number"
                                       : option->type == RK_OPTION_REAL ? "a number"
                                                                        : "some text"));
}

int rk_options_parse(rk_texts *arguments, const rk_options *options, const rk_command *command,
                     size_t min, size_t max, rk_tool *tool, int argc, char **argv)
{
    bool good = true;
    bool only_arguments = false;
    for (int i = 1; i < argc; i++) {
        if (only_arguments || argv[i][0] != '-' || argv[i][1] == '\0') {
            *rk_push(tool->arena, arguments) = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            only_arguments = true;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(command, options);
            return RK_EXIT_HELP;
        } else {
            good = take(options, command, tool, &i, argc, argv) && good;
        }
    }
    if (good && (arguments->count < min || arguments->count > max))
        good = usage_error(
            tool, command, "RK-U003",
            arguments->count < min
                ? rk_arena_printf(tool->arena, "missing argument: rammer %s %s", command->name,
                                  command->synopsis)
                : rk_arena_printf(tool->arena, "unexpected argument '%s'", arguments->items[max]));
    return good ? RK_EXIT_GOOD : RK_EXIT_USAGE;
}
