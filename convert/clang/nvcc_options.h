#ifndef RK_CONVERT_CLANG_NVCC_OPTIONS_H
#define RK_CONVERT_CLANG_NVCC_OPTIONS_H

#include "convert/unit/unit.h"

/** What a compiler run makes. */
typedef enum {
    RK_CC_LINK,         /**< a program, or a shared object with -shared */
    RK_CC_OBJECTS,      /**< -c, -dc */
    RK_CC_PREPROCESS,   /**< -E */
    RK_CC_DEPENDENCIES, /**< -M, -MM */
    RK_CC_ARCHIVE,      /**< -lib */
    RK_CC_DEVICE_LINK   /**< -dlink: an object that only has to be there */
} rk_cc_action;

/** What kind of file an input is. */
typedef enum { RK_CC_CUDA, RK_CC_CXX, RK_CC_C, RK_CC_OBJECT } rk_cc_language;

/** A file of the command line. */
typedef struct {
    const char *path;
    rk_cc_language language;
} rk_cc_input;

/** What the checking runtime looks for. */
typedef enum {
    RK_CC_CHECK_NONE,
    RK_CC_CHECK_MEMORY,
    RK_CC_CHECK_RACE,
    RK_CC_CHECK_INIT,
    RK_CC_CHECK_ALL
} rk_cc_check;

typedef RK_VEC(const char *) rk_cc_words;

/** A compiler run, as nvcc's command line asks for it. */
typedef struct {
    rk_cc_action action;
    RK_VEC(rk_cc_input) inputs;
    const char *output;       /**< -o, or NULL */
    const char *output_dir;   /**< -odir, or NULL */
    rk_cc_words compile;      /**< for the host compiler, when it compiles */
    rk_cc_words parse;        /**< those of them that say what the source is, for libclang */
    rk_cc_words link;         /**< for the linker, in their order; an input's own path among them */
    const char *standard;     /**< "-std=...", or NULL */
    const char *compiler;     /**< -ccbin, or NULL */
    const char *dependencies; /**< -MF, or NULL */
    bool dependencies_too;    /**< -MD, -MMD */
    bool optimised;           /**< -O or -G was given */
    bool verbose;             /**< -v: commands are printed */
    bool dry_run;             /**< -dryrun: they are only printed */
    bool keep;                /**< -keep: converted sources stay, beside the outputs */
    bool drop_in;
    bool entries; /**< launching functions can be called from outside: rk__legacy_<function> */
    size_t veus;
    rk_cc_check check;
    const char *home; /**< Rammer's share folder */
} rk_cc_options;

/**
 * What the option of nvcc that begins at word `i` is to the parser: up to two words in `out`, NULL where there is
 * none. Returns the number of words that it takes; 0 when it is none of nvcc's, or one that clang has as well.
 */
size_t rk_cc_for_parser(const char *out[2], const char *const *words, size_t count, size_t i,
                        rk_arena *arena);

/**
 * Reads a command line of nvcc, with --drop-in, --veus, --check and --entries besides. Diagnoses RK-U0xx for
 * what is no such line, and RK-V14x for what asks for output that a CPU has no use for.
 */
bool rk_cc_read(rk_cc_options *out, const char *const *args, size_t count, rk_arena *arena,
                rk_diag *diag);

#endif
