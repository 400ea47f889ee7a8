#include "convert/run/database_internal.h"

#include "base/json.h"
#include "convert/clang/nvcc_options.h"
#include "convert/unit/sources.h"

#include <ctype.h>
#include <string.h>

void rk_shell_split(rk_shell_words *out, const char *command, bool several, rk_arena *arena)
{
    rk_str word = {.arena = arena};
    bool open = false;
    char quote = '\0';
    for (const char *c = command;; c++) {
        const bool between = several && !quote && *c && strchr(";&|()", *c);
        if (!*c || between || (!quote && isspace((unsigned char)*c))) {
            if (open)
                *rk_push(arena, out) = rk_arena_strdup(arena, rk_str_text(&word));
            word = (rk_str){.arena = arena};
            open = false;
            if (between)
                *rk_push(arena, out) = RK_SHELL_END;
            if (!*c)
                return;
            continue;
        }
        open = true;
        if (quote ? *c == quote : *c == '"' || *c == '\'')
            quote = quote ? '\0' : *c;
        else if (*c == '\\' && quote != '\'' && c[1])
            rk_str_addn(&word, ++c, 1);
        else
            rk_str_addn(&word, c, 1);
    }
}

static void read_words(rk_shell_words *out, const cJSON *entry, rk_arena *arena)
{
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(entry, "arguments");
    const cJSON *command = cJSON_GetObjectItemCaseSensitive(entry, "command");
    for (const cJSON *c = arguments ? arguments->child : NULL; c; c = c->next)
        if (cJSON_IsString(c))
            *rk_push(arena, out) = c->valuestring;
    if (!arguments && cJSON_IsString(command))
        rk_shell_split(out, command->valuestring, false, arena);
}

/** Names a response file from here. */
static void place_files(rk_shell_words *words, const char *folder, rk_arena *arena)
{
    for (size_t i = 1; i < words->count; i++) {
        const char *word = words->items[i], *before = words->items[i - 1];
        if (word[0] == '@')
            words->items[i] = rk_arena_printf(arena, "@%s", rk_path_join(arena, folder, word + 1));
        else if (strcmp(before, "--options-file") == 0 || strcmp(before, "-optf") == 0)
            words->items[i] = rk_path_join(arena, folder, word);
    }
}

/** Names the folders and files of options from here. */
static void place_options(rk_shell_words *out, const rk_cc_words *parse, const char *folder,
                          rk_arena *arena)
{
    static const char *const names[] = {"-I", "-isystem", "-iquote", "-idirafter", "-include"};
    for (size_t i = 0; i < parse->count; i++) {
        const char *word = parse->items[i];
        const char *placed = word;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const size_t length = strlen(names[k]);
            if (strcmp(word, names[k]) == 0 && i + 1 < parse->count) {
                *rk_push(arena, out) = word;
                placed = rk_path_join(arena, folder, parse->items[++i]);
                break;
            }
            if (k == 0 && rk_str_starts(word, names[k])) {
                placed = rk_arena_printf(arena, "%s%s", names[k],
                                         rk_path_join(arena, folder, word + length));
                break;
            }
        }
        *rk_push(arena, out) = placed;
    }
}

static bool compiles_cuda(const rk_shell_words *words, const char *file)
{
    if (rk_str_ends(file, ".cu"))
        return true;
    for (size_t i = 0; i + 1 < words->count; i++)
        if (strcmp(words->items[i], "-x") == 0 && rk_str_starts(words->items[i + 1], "cu"))
            return true;
    return false;
}

/** A command's words with response files named from here. */
static rk_cc_options read_options(const rk_shell_words *words, const char *folder, rk_arena *arena)
{
    rk_shell_words placed = {0};
    for (size_t i = 0; i < words->count; i++)
        *rk_push(arena, &placed) = words->items[i];
    place_files(&placed, folder, arena);
    rk_cc_options options;
    /* What it cannot read is about the output, which is none of ours. */
    rk_cc_read(&options, placed.items + 1, placed.count - 1, arena, rk_diag_new(arena));
    return options;
}

rk_shell_words rk_database_sources(const rk_shell_words *words, const char *folder, rk_arena *arena)
{
    const rk_cc_options options = read_options(words, folder, arena);
    rk_shell_words sources = {0};
    for (size_t i = 0; i < options.inputs.count; i++)
        if (compiles_cuda(words, options.inputs.items[i].path))
            *rk_push(arena, &sources) = options.inputs.items[i].path;
    return sources;
}

rk_database_entry rk_database_command(const char *folder, const char *file,
                                      const rk_shell_words *words, rk_arena *arena)
{
    const rk_cc_options options = read_options(words, folder, arena);
    rk_shell_words args = {0};
    place_options(&args, &options.parse, folder, arena);
    const char *source = rk_path_join(arena, folder, file);
    return (rk_database_entry){source, rk_sources_real_path(source, arena), args.items, args.count};
}

bool rk_database_read(rk_database *out, const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_json json;
    RK_VEC(rk_database_entry) entries = {0};
    *out = (rk_database){0};
    if (!rk_json_read(&json, path, NULL, arena, diag))
        return false;
    if (!cJSON_IsArray(json.root))
        return rk_json_fail(&json, "RK-J004", NULL, "name a compile_commands.json",
                            "expected an array of commands");
    for (const cJSON *c = json.root->child; c; c = c->next) {
        const cJSON *file = cJSON_GetObjectItemCaseSensitive(c, "file");
        const cJSON *folder = cJSON_GetObjectItemCaseSensitive(c, "directory");
        rk_shell_words words = {0};
        if (!cJSON_IsString(file))
            continue;
        read_words(&words, c, arena);
        if (words.count == 0 || !compiles_cuda(&words, file->valuestring))
            continue;
        const char *from = rk_path_join(arena, rk_path_dir(arena, path),
                                        cJSON_IsString(folder) ? folder->valuestring : "");
        const rk_database_entry entry = rk_database_command(from, file->valuestring, &words, arena);
        const rk_database known = {entries.items, entries.count};
        if (!rk_database_find(&known, entry.path, arena))
            *rk_push(arena, &entries) = entry;
    }
    *out = (rk_database){entries.items, entries.count};
    return true;
}

const rk_database_entry *rk_database_find(const rk_database *database, const char *path,
                                          rk_arena *arena)
{
    const char *real = rk_sources_real_path(path, arena);
    for (size_t i = 0; i < database->count; i++)
        if (strcmp(database->entries[i].real, real) == 0)
            return &database->entries[i];
    return NULL;
}
