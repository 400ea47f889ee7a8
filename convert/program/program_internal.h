#ifndef RK_CONVERT_PROGRAM_PROGRAM_INTERNAL_H
#define RK_CONVERT_PROGRAM_PROGRAM_INTERNAL_H

#include "convert/clang/ast.h"
#include "convert/clang/ir.h"
#include "convert/cuda/builtins.h"
#include "convert/program/program.h"

/** The text of a file, or of one directive in it, which is where macros are. */
typedef struct {
    size_t file;
    rk_tokens tokens;
    size_t base; /**< of the tokens' offsets in the file */
    bool macro;  /**< a directive's */
} rk_stretch;

/** A function with device code, by its text. */
typedef struct {
    const rk_stretch *stretch;
    bool kernel;
    bool macro_head;           /**< a macro makes all before the body, from these arguments */
    bool host;                 /**< it is for the host as well */
    size_t name;               /**< token of its name; RK_NONE when it has none, as a lambda */
    size_t params, params_end; /**< tokens of the parameter list's parentheses */
    size_t body, body_end;     /**< tokens of the body's braces */
} rk_device_text;

/** What the AST says about a kernel's body, wherever that body was written. */
typedef struct {
    rk_where body;               /**< its `{` */
    const char *name;            /**< with its namespaces and classes */
    RK_VEC(const char *) params; /**< names, "" for none, with "..." after a pack's */
    bool waits;                  /**< its threads may wait for each other */
    bool grid_sync;              /**< and for other blocks */
    bool helpers_read;           /**< what it calls reads the built-ins */
    unsigned reads;              /**< RK_USE_PLACES that its own text reads */
    bool has_scopes;             /**< it has lambdas or classes inside */
    const char
        *shared; /**< its own variables in static shared memory: "{bytes, alignment}, ..." as C++ */
} rk_kernel_facts;

/** A kernel's name in the text. */
typedef struct {
    rk_where name;
    const char *kernel; /**< with its namespaces and classes */
    const char *type;   /**< of a pointer to it; NULL when that depends on template parameters */
    bool deduced;       /**< its template arguments are not in the text */
    bool called;        /**< it is what a launch calls */
} rk_kernel_reference;

/** The tokens of an expression that is a kernel's name. */
typedef struct {
    const rk_tokens *tokens;
    size_t begin, end; /**< with what is before the name, and an `&` in front of all */
    size_t plain;      /**< the first token without that `&` */
    size_t name;
    bool args; /**< it has template arguments */
} rk_kernel_expression;

/** A parameter of a macro that launches it, in a drop-in. */
typedef struct {
    const rk_stretch *macro;
    const char *param;
    bool named; /**< uses give the launcher's name; else an address */
} rk_macro_kernel;

/** A variable in device memory. */
typedef struct {
    const char *name; /**< with its namespaces */
    const char *kind; /**< of rk_cpu_memory_kind */
} rk_device_symbol;

/** A program on its way to the CPU. */
typedef struct {
    rk_unit *unit;
    RK_VEC(rk_stretch *) stretches;
    RK_VEC(rk_device_text) functions;
    RK_VEC(rk_range) callees; /**< names in launches */
    RK_VEC(rk_kernel_facts) kernels;
    RK_VEC(rk_kernel_reference) references;
    RK_VEC(rk_where) pointers; /**< names of what is no function, and is called */
    RK_VEC(rk_macro_kernel) macro_kernels;
    RK_VEC(rk_device_symbol) symbols;
    bool parsed;       /**< without errors: what the AST says is all there is */
    bool helper_waits; /**< some function for the device waits that is no kernel */
} rk_program;

/* device_text.c: what the text says, in inactive branches and macros too. */

/** Splits the files into stretches. */
void rk_program_split(rk_program *program);

/** Finds the functions with device code. */
void rk_program_find_functions(rk_program *program);

/** The token of the bracket that opens what `close` closes; `->` is no angle. */
size_t rk_program_open_before(const rk_tokens *tokens, size_t close);

/** The first token of the expression that names a function and ends before token `end`. */
size_t rk_program_callee_begin(const rk_tokens *tokens, size_t end);

/** The stretch that holds a place, and the token there; NULL when there is none. */
const rk_stretch *rk_program_stretch(const rk_program *program, rk_where at, size_t *token);

/** The place of a token. */
rk_place rk_program_place(const rk_program *program, const rk_stretch *stretch, size_t token);

/** Replaces bytes of a stretch's file. */
void rk_program_edit(rk_program *program, const rk_stretch *stretch, size_t offset, size_t length,
                     const char *text);

/** Inserts before a byte of a stretch's file; see rk_edits_insert for the rank. */
void rk_program_insert(rk_program *program, const rk_stretch *stretch, size_t offset, int rank,
                       const char *text);

/* The passes, in their order. */

/**
 * arch.c: gives device-only code its __CUDA_ARCH__ and writes launches as the parser knows them. Changes
 * the files' bytes, never their lines. True when it changed any.
 */
bool rk_program_prepare(rk_program *program);

/** project_headers.c: refuses headers of CUDA's that the CPU has no counterpart of. */
bool rk_program_check_headers(rk_program *program);

/** textures.c: false with RK-V104 for each texture or surface reference outside of functions. */
bool rk_program_check_textures(const rk_program *program);

/** kernel_facts.c: what the AST says: kernels, references to them, symbols. */
void rk_program_read_facts(rk_program *program);

/** launch_text.c: launches. */
bool rk_program_edit_launches(rk_program *program);

/** pointer_text.c: after the launches, the names of kernels that are none, and launches by the runtime's API. */
void rk_program_edit_references(rk_program *program);

/**
 * pointer_text.c: what a launch of host code calls, tokens [begin, end), where that is a pointer; NULL when it is a
 * kernel's name, or has one in it whose address cannot be said.
 */
const char *rk_program_pointer(const rk_program *program, const rk_stretch *stretch, size_t begin,
                               size_t end);

/** pointer_text.c: whether the text between two bytes has a name of what is no function, and is called. */
bool rk_program_has_pointer(const rk_program *program, size_t file, size_t begin, size_t end);

/** pointer_text.c: false for a name that stays as it is: a declaration's, a call's, the operand of `decltype`. */
bool rk_program_read_expression(rk_kernel_expression *out, const rk_tokens *tokens, size_t name);

/**
 * pointer_text.c: what stands for the address of a kernel whose launcher has this suffix:
 * `rk__::drop_in_kernel<decltype(&k<T>), &k<T>, &k_rk__launch<T>>::address()`. NULL when its type cannot be said.
 */
const char *rk_program_address(const rk_program *program, const rk_kernel_reference *reference,
                               const rk_kernel_expression *e, const char *suffix);

/** macro_launch.c: edits the arguments of macros that launch a parameter; then which one a launch in a macro is of. */
void rk_program_edit_macro_kernels(rk_program *program);
const rk_macro_kernel *rk_program_macro_kernel(const rk_program *program, const rk_stretch *stretch,
                                               size_t name);

/** device_text.c: whether the same token comes three times at a place, as in `<<<`. */
bool rk_program_adjacent(const rk_tokens *tokens, size_t i, const char *text);

/** kernel_body.c: what is known of the kernel with that text, NULL for nothing; its flags as C++. */
rk_kernel_facts *rk_program_facts_of(const rk_program *program, const rk_device_text *f);
const char *rk_program_kernel_flags(const rk_program *program, const rk_kernel_facts *facts);

/** kernel_body.c: kernels' bodies and dynamic shared memory. */
bool rk_program_edit_kernels(rk_program *program);
void rk_program_edit_shared(rk_program *program);

/** volatile_steps.c: an expression of device code that is an access to volatile memory becomes a step: rk_unit.steps. */
void rk_program_add_step(rk_program *program, rk_ir_id expression);

/** volatile_steps.c: makes the accesses between two bytes of a file steps. */
void rk_program_edit_steps(rk_unit *unit, size_t file, size_t begin, size_t end);

/**
 * wait_loops.c: what a loop of device code gets that waits for another thread is among rk_unit.waits. `function_end`:
 * offset of the end of the function around it.
 */
void rk_program_add_wait(rk_program *program, rk_ir_id loop, size_t function_end);

/** wait_loops.c: gives it to them. */
void rk_program_edit_waits(rk_unit *unit);

/** assembly_text.c: inline assembly. */
bool rk_program_edit_assembly(rk_program *program);

/** kernel_body.c: after all other edits, the second form of kernels that have one (convert/fission/fission.h). */
void rk_program_edit_parts(rk_program *program);

/** kernel_body.c: a line for each kernel: how it runs, and why by fibers. */
void rk_program_print_kernels(const rk_program *program, rk_str *out);

/** program_tail.c: what is added to the end of the source: symbols and entries. */
char *rk_program_tail(rk_program *program);

/** kernels_report.c: the kernels and launches of a program for the CPU, for a report. */
void rk_program_report(rk_program *program);

/** files.c: names the outputs and points includes at them. */
void rk_program_redirect(rk_program *program);

#endif
