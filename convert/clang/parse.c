#include "convert/clang/parse.h"

#include "convert/clang/ast.h"
#include "convert/clang/declared.h"
#include "convert/clang/included.h"
#include "convert/clang/pch.h"
#include "convert/unit/sources.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef RK_VEC(const char *) arg_vec;

/** What is said about the first error; copied, since libclang's own does not last. */
typedef struct {
    unsigned count;
    rk_place place;
    const char *message;
} error_summary;

bool rk_parse_is_harmless(const char *message)
{
    static const char *const starts[] = {RK_PARSE_INITIALISED,
                                         "dynamic initialization is not supported",
                                         "reference to __device__ function",
                                         "reference to __host__ function",
                                         "kernel function type",
                                         "'alignas' attribute cannot be applied to types"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (rk_str_starts(message, starts[i]))
            return true;
    return false;
}

/** What the analysis refuses in the kernel that has it. */
static bool is_refused(const char *message)
{
    return rk_str_starts(message, RK_PARSE_INITIALISED);
}

static error_summary summarise_errors(const rk_unit *unit, bool (*is_harmless)(const char *))
{
    error_summary errors = {0};
    const unsigned count = clang_getNumDiagnostics(unit->tu);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit->tu, i);
        const char *message = rk_ast_text(clang_getDiagnosticSpelling(diagnostic), unit->arena);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error &&
            !is_harmless(message) && errors.count++ == 0) {
            errors.place = rk_ast_place(clang_getDiagnosticLocation(diagnostic), unit->arena);
            errors.message = message;
        }
        clang_disposeDiagnostic(diagnostic);
    }
    if (!errors.place.file)
        errors.place = rk_place_file(unit->path);
    return errors;
}

/** The text between the message's first two quotes, NULL without. */
static const char *quoted(const char *message, rk_arena *arena)
{
    const char *begin = strchr(message, '\'');
    const char *end = begin ? strchr(begin + 1, '\'') : NULL;
    return end ? rk_arena_strndup(arena, begin + 1, (size_t)(end - begin - 1)) : NULL;
}

/** The folder near the source, or near a folder above it, that has the header; NULL if none has. */
static const char *folder_of(const rk_unit *unit, const char *header)
{
    static const char *const below[] = {"include", "inc", "src", "Common", "common", "."};
    enum { ABOVE = 4 };
    rk_arena *arena = unit->arena;
    const char *folder = rk_path_dir(arena, unit->path);
    for (int up = 0; up <= ABOVE; up++, folder = rk_arena_printf(arena, "%s/..", folder))
        for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
            const char *at = strcmp(below[i], ".") == 0
                                 ? folder
                                 : rk_arena_printf(arena, "%s/%s", folder, below[i]);
            if (rk_file_exists(rk_arena_printf(arena, "%s/%s", at, header)))
                return at;
        }
    return NULL;
}

static bool is_macro_like(const char *name)
{
    return *name && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == strlen(name);
}

/** What would mend the error: often a -I or a -D of the source's own build. */
static const char *hint_of(const rk_unit *unit, const char *message)
{
    const char *name = quoted(message, unit->arena);
    if (name && strstr(message, "file not found")) {
        const char *folder = folder_of(unit, name);
        return folder ? rk_arena_printf(unit->arena,
                                        "give its folder after `--`: rkconvert ... -- -I%s", folder)
                      : "give its folder after `--`: rkconvert ... -- -I<folder>";
    }
    const bool undeclared = rk_str_starts(message, "use of undeclared identifier") ||
                            rk_str_starts(message, "unknown type name");
    if (name && undeclared && is_macro_like(name))
        return rk_arena_printf(
            unit->arena,
            "if its own build defines it, say so after `--`: rkconvert ... -- -D%s=<value>", name);
    return "the file must compile: give its flags after `--`";
}

/** Diagnoses the translation unit's first error, if it has one; returns whether it has none. */
static bool report_errors(const rk_unit *unit)
{
    const error_summary errors = summarise_errors(unit, is_refused);
    if (errors.count == 0)
        return true;
    const char *hint = hint_of(unit, errors.message);
    if (errors.count > 1)
        return rk_diag_add(unit->diag, RK_ERROR, "RK-V001", errors.place, hint,
                           "does not parse: %s (the first of %u errors)", errors.message,
                           errors.count);
    return rk_diag_add(unit->diag, RK_ERROR, "RK-V001", errors.place, hint, "does not parse: %s",
                       errors.message);
}

/** The unit's arguments with the prelude: a precompiled one, or as text for NULL. */
static rk_clang_args unit_args(const rk_unit *unit, const char *pch)
{
    rk_arena *arena = unit->arena;
    const rk_clang_args base = rk_parse_args(unit->options, false, arena);
    arg_vec args = {0};
    for (size_t i = 0; i < base.count; i++)
        *rk_push(arena, &args) = base.items[i];
    *rk_push(arena, &args) = pch ? "-include-pch" : "-include";
    *rk_push(arena, &args) = pch ? pch : rk_parse_file(unit->options, "prelude.h", arena);
    *rk_push(arena, &args) = "-Xclang";
    *rk_push(arena, &args) = "-fmodules-validate-system-headers";
    if (unit->listed.count) /* private members have variables */
        *rk_push(arena, &args) = "-fno-access-control";
    return (rk_clang_args){args.items, args.count};
}

/** Whether what is precompiled is of no use: a header changed, or it is damaged. */
static bool is_stale(const rk_unit *unit)
{
    bool stale = false;
    const unsigned count = clang_getNumDiagnostics(unit->tu); /* each call builds the list anew */
    for (unsigned i = 0; i < count && !stale; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit->tu, i);
        const char *text = rk_ast_text(clang_getDiagnosticSpelling(diagnostic), unit->arena);
        stale = clang_getDiagnosticSeverity(diagnostic) == CXDiagnostic_Fatal &&
                (strstr(text, "precompiled") || strstr(text, "PCH") || strstr(text, "AST file"));
        clang_disposeDiagnostic(diagnostic);
    }
    return stale;
}

/** Whether the source does not go with its precompiled headers: one of them has no guard. */
static bool is_misfit(rk_unit *unit)
{
    if (!unit->headers_fit)
        unit->headers_fit = summarise_errors(unit, rk_parse_is_harmless).count == 0;
    return !unit->headers_fit;
}

/** What is parsed: the source's name, and texts in the place of files. */
typedef struct {
    const char *path;
    RK_VEC(struct CXUnsavedFile) files;
    bool other; /**< a file that is precompiled has another text */
} input;

/** Whether the unit's file is precompiled, and this text with it; notes where only the file is. */
static bool is_precompiled(input *in, const rk_unit *unit, size_t file, rk_bytes text)
{
    const rk_source_file *f = unit->files.items[file];
    if (!unit->headers || !f->precompiled)
        return false;
    const bool same = !f->expanded && text.size == f->bytes.size &&
                      memcmp(text.data, f->bytes.data, text.size) == 0;
    in->other |= !same;
    return same;
}

static bool parse(rk_unit *unit, const input *in)
{
    enum CXErrorCode code = CXError_Failure;
    rk_parse_close(unit);
    unit->index = clang_createIndex(0, 0);
    const char **const precompiled[] = {&unit->headers, &unit->pch, NULL};
    for (size_t i = 0; i < sizeof precompiled / sizeof *precompiled; i++) {
        const char **pch = precompiled[i];
        if (pch && (!*pch || (pch == &unit->headers && in->other)))
            continue;
        const rk_clang_args args = unit_args(unit, pch ? *pch : NULL);
        code = clang_parseTranslationUnit2(unit->index, in->path, args.items, (int)args.count,
                                           in->files.items, (unsigned)in->files.count,
                                           CXTranslationUnit_None, &unit->tu);
        const bool stale = pch && (code != CXError_Success || is_stale(unit));
        if (code == CXError_Success && !stale && !(pch == &unit->headers && is_misfit(unit)))
            return true;
        if (unit->tu)
            clang_disposeTranslationUnit(unit->tu);
        unit->tu = NULL;
        if (stale)
            rk_pch_close(*pch, true);
        if (pch)
            *pch = NULL;
    }
    return rk_diag_add(unit->diag, RK_ERROR, "RK-V002", rk_place_file(unit->path),
                       "check the compiler arguments after `--`",
                       "libclang cannot parse this file (code %d)", (int)code);
}

/** Puts a word of the same length over the text at `at`, so that offsets stay; copies the text first where it is `from`'s. */
static void spell(rk_bytes *text, const rk_bytes *from, size_t at, const char *word,
                  rk_arena *arena)
{
    if (text->data == from->data)
        text->data = rk_arena_strndup(arena, from->data, from->size);
    memcpy(text->data + at, word, strlen(word));
}

/** clang takes no `alignas` after `__shared__`: a word that language.h defines takes its place. */
static void spell_alignas(rk_bytes *text, const rk_bytes *from, rk_arena *arena)
{
    static const char shared[] = "__shared__", word[] = "alignas", ours[] = "rkalign";
    const char *end = from->data + from->size;
    for (const char *at = from->data;
         at && (at = memmem(at, (size_t)(end - at), shared, strlen(shared)));) {
        at += strlen(shared);
        while (at < end && isspace((unsigned char)*at))
            at++;
        if ((size_t)(end - at) >= strlen(word) && memcmp(at, word, strlen(word)) == 0)
            spell(text, from, (size_t)(at - from->data), ours, arena);
    }
}

/** Whether `word` and white space end at `*at`, which moves before them. */
static bool comes_after(const char **at, const char *begin, const char *word)
{
    const char *from = *at;
    while (from > begin && (from[-1] == ' ' || from[-1] == '\t'))
        from--;
    if ((size_t)(from - begin) < strlen(word) ||
        memcmp(from - strlen(word), word, strlen(word)) != 0)
        return false;
    *at = from - strlen(word);
    return true;
}

/** `#pragma GCC system_header` hides a header of the project from the analysis: no pragma takes its place. */
static void spell_pragmas(rk_bytes *text, const rk_bytes *from, rk_arena *arena)
{
    static const char word[] = "system_header", ours[] = "project_headr";
    const char *end = from->data + from->size;
    for (const char *at = from->data;
         at && (at = memmem(at, (size_t)(end - at), word, strlen(word))); at += strlen(word)) {
        const char *before = at;
        if ((comes_after(&before, from->data, "GCC") ||
             comes_after(&before, from->data, "clang")) &&
            comes_after(&before, from->data, "pragma"))
            spell(text, from, (size_t)(at - from->data), ours, arena);
    }
}

/** The text as libclang is given it, `from` itself where that is the same. */
static rk_bytes spelled(const rk_unit *unit, rk_bytes from)
{
    rk_bytes text = from;
    spell_alignas(&text, &from, unit->arena);
    spell_pragmas(&text, &from, unit->arena);
    return text;
}

/** A project file's text in its place. */
static struct CXUnsavedFile in_place(const rk_unit *unit, size_t file, rk_bytes text)
{
    char real[PATH_MAX];
    const char *path = unit->files.items[file]->path;
    return (struct CXUnsavedFile){
        rk_arena_strdup(unit->arena, file && realpath(path, real) ? real : path), text.data,
        text.size};
}

/** Parses the source with the texts of those files that are not what the disk has. */
static bool parse_changed(rk_unit *unit, const bool *changed)
{
    input in = {.path = unit->path};
    for (size_t i = 0; i < unit->files.count; i++) {
        const rk_source_file *file = unit->files.items[i];
        const rk_bytes text = spelled(unit, file->bytes);
        if (is_precompiled(&in, unit, i, text) || (!changed[i] && text.data == file->bytes.data))
            continue;
        *rk_push(unit->arena, &in.files) = in_place(unit, i, text);
    }
    return parse(unit, &in);
}

bool rk_parse_source(rk_unit *unit)
{
    bool *changed = RK_NEW_ARRAY(unit->arena, bool, unit->files.count);
    for (size_t i = 0; i < unit->files.count; i++)
        changed[i] = unit->files.items[i]->expanded;
    return parse_changed(unit, changed) && report_errors(unit) && rk_included_check(unit) &&
           rk_declared_check(unit, changed);
}

bool rk_parse_texts(rk_unit *unit, const rk_bytes *texts)
{
    input in = {0};
    char real[PATH_MAX];
    const char *folder = rk_path_dir(unit->arena, unit->path);
    if (realpath(folder, real)) /* a remapped file is found by its full name only */
        folder = real;
    for (size_t i = 0; i < unit->files.count; i++) {
        const rk_source_file *file = unit->files.items[i];
        const rk_bytes text = spelled(unit, texts[i]);
        const bool own = unit->options->in_place && i > 0;
        if (own && !file->touched)
            continue;
        const char *at =
            own ? rk_sources_real_path(rk_path_dir(unit->arena, file->path), unit->arena) : folder;
        const char *path = rk_path_join(unit->arena, at, file->out_name);
        if (is_precompiled(&in, unit, i, text) &&
            strcmp(path, rk_sources_real_path(file->path, unit->arena)) == 0)
            continue;
        *rk_push(unit->arena, &in.files) =
            (struct CXUnsavedFile){path, text.data, text.size};
    }
    in.path = in.files.items[0].Filename;
    return parse(unit, &in);
}

bool rk_parse_program(bool *clean, rk_unit *unit, const bool *changed)
{
    if (!parse_changed(unit, changed))
        return false;
    const error_summary errors = summarise_errors(unit, rk_parse_is_harmless);
    *clean = errors.count == 0;
    if (errors.count)
        rk_diag_add(unit->diag, RK_WARNING, "RK-V210", errors.place,
                    "kernels that cannot be seen are taken to wait, which is slower",
                    "does not parse: %s", errors.message);
    return rk_included_check(unit) && rk_declared_check(unit, changed);
}

bool rk_parse_in_place(rk_unit *unit, const rk_bytes *texts)
{
    input in = {.path = unit->path};
    for (size_t i = 0; i < unit->files.count; i++) {
        const rk_bytes text = spelled(unit, texts[i]);
        if (!is_precompiled(&in, unit, i, text))
            *rk_push(unit->arena, &in.files) = in_place(unit, i, text);
    }
    return parse(unit, &in);
}

bool rk_parse_is_clean(const rk_unit *unit)
{
    return summarise_errors(unit, rk_parse_is_harmless).count == 0;
}

void rk_parse_close(rk_unit *unit)
{
    if (unit->tu)
        clang_disposeTranslationUnit(unit->tu);
    if (unit->index)
        clang_disposeIndex(unit->index);
    unit->tu = NULL;
    unit->ir = NULL;
    unit->index = NULL;
}
