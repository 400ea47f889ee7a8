#include "convert/clang/nvcc_options.h"

#include <stdlib.h>
#include <string.h>

/** What becomes of an option of nvcc. */
typedef enum {
    DROP,       /**< it is about code for GPUs, or about nvcc itself */
    DROP_VALUE, /**< the same, with a value */
    HEADER,     /**< with a value: for the host compiler and for the parser */
    LINKER,     /**< with a value: for the linker */
    SPELL,      /**< another name of `as` */
    SPELL_VALUE,
    HOST_LIST,   /**< a list, separated by commas, for the host compiler */
    LINKER_LIST, /**< the same for the linker */
    BOTH,        /**< for compiling and linking */
    LINK,        /**< for linking alone */
    ACTION,      /**< `as` is the rk_cc_action, as a digit */
    SETTING,     /**< see set_value */
    REFUSE
} treatment;

typedef struct {
    const char *name, *also; /**< two spellings, the second or NULL */
    treatment treatment;
    const char *as;
} option;

static const option options[] = {
    {"-c", "--compile", ACTION, "1"},
    {"-dc", "--device-c", ACTION, "1"},
    {"-dw", "--device-w", ACTION, "1"},
    {"-E", "--preprocess", ACTION, "2"},
    {"-M", "--generate-dependencies", ACTION, "3"},
    {"-MM", "--generate-nonsystem-dependencies", ACTION, "3"},
    {"-lib", "--lib", ACTION, "4"},
    {"-dlink", "--device-link", ACTION, "5"},
    {"-link", "--link", ACTION, "0"},
    {"-ptx", "--ptx", REFUSE, NULL},
    {"-cubin", "--cubin", REFUSE, NULL},
    {"-fatbin", "--fatbin", REFUSE, NULL},
    {"-optix-ir", "--optix-ir", REFUSE, NULL},
    {"-ltoir", "--ltoir", REFUSE, NULL},
    {"-cuda", "--cuda", REFUSE, NULL},
    {"-run", "--run", REFUSE, NULL},

    {"-o", "--output-file", SETTING, NULL},
    {"-odir", "--output-directory", SETTING, NULL},
    {"-x", "--x", SETTING, NULL},
    {"-ccbin", "--compiler-bindir", SETTING, NULL},
    {"-std", "--std", SETTING, NULL},
    {"-MF", "--dependency-output", SETTING, NULL},
    {"-MT", "--dependency-target-name", HEADER, "-MT"},
    {"-MQ", NULL, HEADER, "-MQ"},
    {"--veus", NULL, SETTING, NULL},
    {"--check", NULL, SETTING, NULL},
    {"-optf", "--options-file", SETTING, NULL},

    {"-I", "--include-path", HEADER, "-I"},
    {"-D", "--define-macro", HEADER, "-D"},
    {"-U", "--undefine-macro", HEADER, "-U"},
    {"-isystem", "--system-include", HEADER, "-isystem"},
    {"-include", "--pre-include", HEADER, "-include"},
    {"-iquote", NULL, HEADER, "-iquote"},
    {"-idirafter", NULL, HEADER, "-idirafter"},
    {"-L", "--library-path", LINKER, "-L"},
    {"-l", "--library", LINKER, "-l"},
    {"-Xcompiler", "--compiler-options", HOST_LIST, NULL},
    {"-Xlinker", "--linker-options", LINKER_LIST, NULL},
    {"-O", "--optimize", SPELL_VALUE, "-O"},
    {"-g", "--debug", SPELL, "-g"},
    {"-pg", "--profile", BOTH, "-pg"},
    {"-shared", "--shared", LINK, "-shared"},
    {"-w", "--disable-warnings", SPELL, "-w"},
    {"-m", "--machine", SPELL_VALUE, "-m"},
    {"-pthread", NULL, BOTH, "-pthread"},
    {"-fopenmp", NULL, BOTH, "-fopenmp"},

    {"-arch", "--gpu-architecture", DROP_VALUE, NULL},
    {"-code", "--gpu-code", DROP_VALUE, NULL},
    {"-gencode", "--generate-code", DROP_VALUE, NULL},
    {"-Xptxas", "--ptxas-options", DROP_VALUE, NULL},
    {"-Xnvlink", "--nvlink-options", DROP_VALUE, NULL},
    {"-Xfatbin", "--fatbin-options", DROP_VALUE, NULL},
    {"-Xarchive", "--archive-options", DROP_VALUE, NULL},
    {"-Xcudafe", "--cudafe-options", DROP_VALUE, NULL},
    {"-maxrregcount", "--maxrregcount", DROP_VALUE, NULL},
    {"-rdc", "--relocatable-device-code", DROP_VALUE, NULL},
    {"-cudart", "--cudart", DROP_VALUE, NULL},
    {"-cudadevrt", "--cudadevrt", DROP_VALUE, NULL},
    {"-default-stream", "--default-stream", DROP_VALUE, NULL},
    {"-t", "--threads", DROP_VALUE, NULL},
    {"-split-compile", "--split-compile", DROP_VALUE, NULL},
    {"-ftz", "--ftz", DROP_VALUE, NULL},
    {"-fmad", "--fmad", DROP_VALUE, NULL},
    {"-prec-div", "--prec-div", DROP_VALUE, NULL},
    {"-prec-sqrt", "--prec-sqrt", DROP_VALUE, NULL},
    {"-diag-suppress", "--diag-suppress", DROP_VALUE, NULL},
    {"-diag-error", "--diag-error", DROP_VALUE, NULL},
    {"-diag-warn", "--diag-warn", DROP_VALUE, NULL},
    {"-keep-dir", "--keep-dir", DROP_VALUE, NULL},
    {"-ldir", "--libdevice-directory", DROP_VALUE, NULL},
    {"-target-dir", "--target-directory", DROP_VALUE, NULL},
    {"-time", "--time", DROP_VALUE, NULL},
    {"-use_fast_math", "--use_fast_math", DROP, NULL},
    {"-lineinfo", "--generate-line-info", DROP, NULL},
    {"-G", "--device-debug", DROP, NULL},
    {"-restrict", "--restrict", DROP, NULL},
    {"-res-usage", "--resource-usage", DROP, NULL},
    {"-src-in-ptx", "--source-in-ptx", DROP, NULL},
    {"-ewp", "--extensible-whole-program", DROP, NULL},
    {"-extra-device-vectorization", "--extra-device-vectorization", DROP, NULL},
    {"-dlto", "--dlink-time-opt", DROP, NULL},
    {"-noeh", "--no-exceptions", SPELL, "-fno-exceptions"},
    {"-extended-lambda", "--extended-lambda", DROP, NULL},
    {"-expt-extended-lambda", "--expt-extended-lambda", DROP, NULL},
    {"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", DROP, NULL},
    {"-clean", "--clean-targets", DROP, NULL},
    {"-objtemp", "--objdir-as-tempdir", DROP, NULL},
    {"-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets", DROP, NULL},
    {"-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler", DROP, NULL},
    {"-forward-unknown-opts", "--forward-unknown-opts", DROP, NULL},
    {"-no-device-link", "--no-device-link", DROP, NULL},
    {"-nodlink", "--nodlink", DROP, NULL},
};

typedef struct {
    rk_cc_options *out;
    rk_arena *arena;
    rk_diag *diag;
    rk_cc_words words;
    const char *language; /**< of -x, or NULL */
    int depth;            /**< of response files */
    bool ok;
} reader;

static void fail(reader *r, const char *code, const char *hint, const char *message,
                 const char *what)
{
    r->ok = rk_diag_add(r->diag, RK_ERROR, code, (rk_place){0}, hint, message, what);
}

/* Response files. */

enum { MAX_FILES = 20 };

static void add_words(reader *r, const char *text);

static void add_word(reader *r, const char *word)
{
    if (word[0] != '@') {
        *rk_push(r->arena, &r->words) = word;
        return;
    }
    rk_bytes bytes;
    if (r->depth == MAX_FILES)
        fail(r, "RK-U002", "write their words into one", "response files name each other: '%s'",
             word + 1);
    else if (!rk_file_read(&bytes, word + 1, r->arena, r->diag))
        r->ok = false;
    else {
        r->depth++;
        add_words(r, bytes.data);
        r->depth--;
    }
}

/** Splits text at white space, with quotes and backslashes as a shell has them. */
static void add_words(reader *r, const char *text)
{
    while (*text && r->ok) {
        rk_str word = {.arena = r->arena};
        bool any = false;
        char quote = '\0';
        text += strspn(text, " \t\r\n");
        for (; *text && (quote || !strchr(" \t\r\n", *text)); text++) {
            any = true;
            if (*text == quote)
                quote = '\0';
            else if (!quote && (*text == '"' || *text == '\''))
                quote = *text;
            else if (*text == '\\' && text[1] && quote != '\'')
                rk_str_addn(&word, ++text, 1);
            else
                rk_str_addn(&word, text, 1);
        }
        if (any)
            add_word(r, rk_arena_strdup(r->arena, rk_str_text(&word)));
    }
}

/* Options. */

static void push(reader *r, rk_cc_words *to, const char *word)
{
    *rk_push(r->arena, to) = word;
}

static void add_header(reader *r, const char *name, const char *value)
{
    const bool joined = name[2] == '\0'; /* -I, -D, -U */
    const bool dependency = rk_str_starts(name, "-M");
    if ((strcmp(name, "-I") == 0 || strcmp(name, "-isystem") == 0) &&
        rk_file_exists(rk_path_join(r->arena, value, "cuda_runtime_api.h")))
        return; /* a toolkit's headers; ours take their place */
    const char *word = joined ? rk_arena_printf(r->arena, "%s%s", name, value) : name;
    push(r, &r->out->compile, word);
    if (!dependency)
        push(r, &r->out->parse, word);
    if (joined)
        return;
    push(r, &r->out->compile, value);
    if (!dependency)
        push(r, &r->out->parse, value);
}

/** Splits at commas and at white space, as nvcc's own shell does. */
static void add_list(reader *r, const char *text, bool linker)
{
    rk_cc_options *out = r->out;
    while (*text) {
        rk_str word = {.arena = r->arena};
        for (; *text && !strchr(", \t\n", *text); text++) {
            text += *text == '\\' && text[1];
            rk_str_addn(&word, text, 1);
        }
        text += *text != '\0';
        const char *flag = rk_arena_strdup(r->arena, rk_str_text(&word));
        if (!*flag)
            continue;
        if (linker) {
            push(r, &out->link, "-Xlinker");
            push(r, &out->link, flag);
            continue;
        }
        push(r, &out->compile, flag);
        if (rk_str_starts(flag, "-D") || rk_str_starts(flag, "-I") || rk_str_starts(flag, "-U"))
            push(r, &out->parse, flag);
        if (rk_str_starts(flag, "-f") || rk_str_starts(flag, "-p") || rk_str_starts(flag, "-m"))
            push(r, &out->link, flag);
        out->optimised |= rk_str_starts(flag, "-O");
    }
}

static void set_check(reader *r, const char *value)
{
    static const char *const names[] = {"none", "memory", "race", "init", "all"};
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        if (strcmp(value, names[i]) == 0)
            r->out->check = (rk_cc_check)i;
    if (r->out->check == RK_CC_CHECK_NONE)
        fail(r, "RK-U002", "see rkconvert cc --help",
             "--check takes memory, race, init or all, not '%s'", value);
}

static void set_veus(reader *r, const char *value)
{
    char *end;
    const unsigned long veus = strtoul(value, &end, 10);
    if (!*value || *end || veus == 0 || veus > 65535)
        fail(r, "RK-U002", "see rkconvert cc --help",
             "--veus takes a number from 1 to 65535, not '%s'", value);
    r->out->veus = veus;
}

static void set_value(reader *r, const char *name, const char *value)
{
    rk_cc_options *out = r->out;
    if (strcmp(name, "-o") == 0)
        out->output = value;
    else if (strcmp(name, "-odir") == 0)
        out->output_dir = value;
    else if (strcmp(name, "-x") == 0)
        r->language = value;
    else if (strcmp(name, "-ccbin") == 0)
        out->compiler = value;
    else if (strcmp(name, "-MF") == 0)
        out->dependencies = value;
    else if (strcmp(name, "--veus") == 0)
        set_veus(r, value);
    else if (strcmp(name, "--check") == 0)
        set_check(r, value);
    else if (strcmp(name, "-std") == 0)
        out->standard = rk_arena_printf(r->arena, "-std=%s", value);
}

static void take(reader *r, const option *o, const char *value)
{
    rk_cc_options *out = r->out;
    switch (o->treatment) {
    case DROP:
    case DROP_VALUE:
        break;
    case HEADER:
        add_header(r, o->as, value);
        break;
    case LINKER:
    case SPELL_VALUE:
        push(r, o->treatment == LINKER ? &out->link : &out->compile,
             rk_arena_printf(r->arena, "%s%s", o->as, value));
        out->optimised |= strcmp(o->as, "-O") == 0;
        break;
    case SPELL:
        push(r, &out->compile, o->as);
        break;
    case BOTH:
        push(r, &out->compile, o->as);
        push(r, &out->link, o->as);
        break;
    case LINK:
        push(r, &out->link, o->as);
        break;
    case HOST_LIST:
    case LINKER_LIST:
        add_list(r, value, o->treatment == LINKER_LIST);
        break;
    case ACTION:
        out->action = (rk_cc_action)(*o->as - '0');
        if (out->action == RK_CC_DEPENDENCIES)
            push(r, &out->compile, o->name);
        break;
    case SETTING:
        set_value(r, o->name, value);
        break;
    case REFUSE:
        fail(r, "RK-V140", "build a program, or objects with -c",
             "%s asks for code of a GPU, which a build for the CPU does not have", o->name);
        break;
    }
}

static bool wants_value(treatment t)
{
    return t == DROP_VALUE || t == HEADER || t == LINKER || t == SPELL_VALUE || t == HOST_LIST ||
           t == LINKER_LIST || t == SETTING;
}

/** One letter, or -isystem and the like, whose value may follow at once: -Iinclude. */
static bool may_join(const option *o, const char *name)
{
    return name[1] != '-' && strlen(name) == 2 && o->treatment != DROP_VALUE &&
           strcmp(name, "-x") != 0;
}

/** The option that a word is, and where its value begins in it, "" when that is the next word. */
static const option *find_option(const char *word, const char **value)
{
    for (int joined = 0; joined < 2; joined++)
        for (size_t k = 0; k < 2 * (sizeof options / sizeof *options); k++) {
            const option *o = &options[k / 2];
            const char *name = k % 2 ? o->also : o->name;
            const size_t length = name ? strlen(name) : 0;
            if (!length || strncmp(word, name, length) != 0)
                continue;
            const char *rest = word + length;
            const bool valued = wants_value(o->treatment);
            *value = rest + (*rest == '=');
            if (!*rest || (valued && (joined ? may_join(o, name) : *rest == '=')))
                return o;
        }
    return NULL;
}

size_t rk_cc_for_parser(const char *out[2], const char *const *words, size_t count, size_t i,
                        rk_arena *arena)
{
    const char *value;
    const option *o = find_option(words[i], &value);
    out[0] = out[1] = NULL;
    if (!o || o->treatment == BOTH || strcmp(o->name, "-x") == 0)
        return 0;
    const bool next = wants_value(o->treatment) && !*value;
    if (next && i + 1 >= count)
        return 0;
    value = next ? words[i + 1] : value;
    if (o->treatment == SPELL)
        out[0] = o->as;
    else if (strcmp(o->name, "-std") == 0)
        out[0] = rk_arena_printf(arena, "-std=%s", value);
    else if (o->treatment == SPELL_VALUE || (o->treatment == HEADER && !o->as[2]))
        out[0] = rk_arena_printf(arena, "%s%s", o->as, value);
    else if (o->treatment == HEADER && !rk_str_starts(o->as, "-M"))
        out[0] = o->as, out[1] = value;
    return next ? 2 : 1;
}

/** Handles the option at words[i]; returns how many words it took, 0 when it is none of ours. */
static size_t read_known(reader *r, size_t i)
{
    const char *value;
    const option *o = find_option(r->words.items[i], &value);
    if (!o)
        return 0;
    const bool next = wants_value(o->treatment) && !*value;
    if (next && i + 1 >= r->words.count)
        fail(r, "RK-U002", "see rkconvert cc --help", "%s needs a value", r->words.items[i]);
    else
        take(r, o, next ? r->words.items[i + 1] : value);
    return next ? 2 : 1;
}

/** The options that need more than a row of the table. */
static bool read_special(reader *r, const char *word)
{
    rk_cc_options *out = r->out;
    if (strcmp(word, "-MD") == 0 || strcmp(word, "-MMD") == 0 ||
        strcmp(word, "--generate-dependencies-with-compile") == 0 ||
        strcmp(word, "--generate-nonsystem-dependencies-with-compile") == 0) {
        push(r, &out->compile, strstr(word, "MMD") || strstr(word, "nonsystem") ? "-MMD" : "-MD");
        out->dependencies_too = true;
    } else if (strcmp(word, "-G") == 0 || strcmp(word, "--device-debug") == 0) {
        push(r, &out->compile, "-g");
        out->optimised = true;
    } else if (strcmp(word, "-v") == 0 || strcmp(word, "--verbose") == 0) {
        out->verbose = true;
    } else if (strcmp(word, "-dryrun") == 0 || strcmp(word, "--dryrun") == 0) {
        out->verbose = out->dry_run = true;
    } else if (strcmp(word, "-keep") == 0 || strcmp(word, "--keep") == 0 ||
               strcmp(word, "-save-temps") == 0 || strcmp(word, "--save-temps") == 0) {
        out->keep = true;
    } else if (strcmp(word, "--drop-in") == 0) {
        out->drop_in = true;
    } else if (strcmp(word, "--entries") == 0) {
        out->entries = true;
        *rk_push(r->arena, &out->compile) = "-fPIC"; /* they are for a library */
    } else {
        return false;
    }
    return true;
}

static void add_input(reader *r, const char *path)
{
    static const struct {
        const char *suffix;
        rk_cc_language language;
    } suffixes[] = {{".cu", RK_CC_CUDA}, {".cpp", RK_CC_CXX}, {".cc", RK_CC_CXX},
                    {".cxx", RK_CC_CXX}, {".C", RK_CC_CXX},   {".c++", RK_CC_CXX},
                    {".c", RK_CC_C}};
    rk_cc_language language = RK_CC_OBJECT;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (rk_str_ends(path, suffixes[i].suffix))
            language = suffixes[i].language;
    const bool library = rk_str_ends(path, ".o") || rk_str_ends(path, ".a") || strstr(path, ".so");
    if (r->language && !library)
        language = strcmp(r->language, "cu") == 0    ? RK_CC_CUDA
                   : strcmp(r->language, "c++") == 0 ? RK_CC_CXX
                   : strcmp(r->language, "c") == 0   ? RK_CC_C
                                                     : language;
    *rk_push(r->arena, &r->out->inputs) = (rk_cc_input){path, language};
    push(r, &r->out->link, path);
}

/** Whether a word is what nvcc's -Werror is about, which the host compiler would take for a file. */
static bool is_werror_kind(const char *word)
{
    static const char *const kinds[] = {
        "all-warnings",          "cross-execution-space-call", "reorder",
        "default-stream-launch", "ext-lambda-captures-this",   "deprecated-declarations",
        "missing-launch-bounds"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(word, kinds[i]) == 0)
            return true;
    return false;
}

/** What the host compiler makes of an option that nvcc does not have. */
static void pass_on(reader *r, const char *word)
{
    rk_cc_options *out = r->out;
    if (rk_str_starts(word, "-Wl,") || strcmp(word, "-s") == 0 || strcmp(word, "-static") == 0 ||
        strcmp(word, "-rdynamic") == 0) {
        push(r, &out->link, word);
        return;
    }
    push(r, &out->compile, word);
    out->optimised |= rk_str_starts(word, "-O");
    if (rk_str_starts(word, "-f") || rk_str_starts(word, "-m") || rk_str_starts(word, "-O") ||
        rk_str_starts(word, "-g"))
        push(r, &out->link, word);
}

static void check(reader *r)
{
    const rk_cc_options *out = r->out;
    const bool each = out->action == RK_CC_OBJECTS;
    size_t sources = 0;
    for (size_t i = 0; i < out->inputs.count; i++)
        sources += out->inputs.items[i].language != RK_CC_OBJECT;
    if (out->inputs.count == 0)
        fail(r, "RK-U003", "see rkconvert cc --help", "there is nothing to compile%s", "");
    if (each && sources > 1 && out->output)
        fail(r, "RK-U003", "leave -o out, or compile one file at a time",
             "-o '%s' cannot be the output of several files", out->output);
    if (out->veus && !out->drop_in)
        fail(r, "RK-U003", "add --drop-in", "--veus needs --drop-in%s", "");
}

bool rk_cc_read(rk_cc_options *out, const char *const *args, size_t count, rk_arena *arena,
                rk_diag *diag)
{
    reader r = {.out = out, .arena = arena, .diag = diag, .ok = true};
    *out = (rk_cc_options){0};
    for (size_t i = 0; i < count; i++) {
        const bool file =
            (strcmp(args[i], "-optf") == 0 || strcmp(args[i], "--options-file") == 0) &&
            i + 1 < count;
        add_word(&r, file ? rk_arena_printf(arena, "@%s", args[++i]) : args[i]);
    }
    for (size_t i = 0; i < r.words.count;) {
        const char *word = r.words.items[i];
        size_t taken = 1;
        if (word[0] != '-' || !word[1])
            add_input(&r, word);
        else if (!read_special(&r, word) && (taken = read_known(&r, i)) == 0) {
            taken = 1;
            if (strcmp(word, "-Werror") == 0 && i + 1 < r.words.count &&
                is_werror_kind(r.words.items[i + 1]))
                taken = 2;
            else
                pass_on(&r, word);
        }
        i += taken;
    }
    check(&r);
    return r.ok;
}
