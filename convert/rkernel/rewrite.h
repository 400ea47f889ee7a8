#ifndef RK_CONVERT_RKERNEL_REWRITE_H
#define RK_CONVERT_RKERNEL_REWRITE_H

#include "convert/unit/unit.h"

/**
 * Makes the unit's output texts from the analysis and rk_decide: edits of every file, then
 * `files[i]->output`. False when edits overlap, RK-V003, which is a bug of ours.
 */
bool rk_rewrite(rk_unit *unit);

/** Adds the edits of the functions that take the context: rk_rewrite's first half. */
void rk_rewrite_functions(rk_unit *unit);

/** Adds the edits of a function's definition, or of one of its other declarations. */
void rk_rewrite_definition(rk_unit *unit, const rk_function *f);
void rk_rewrite_declaration(rk_unit *unit, const rk_function *f, const rk_declaration *d);

/**
 * After all other edits of an rKernel's definition: its form for a whole block beside the one for a thread, where
 * it has one (convert/fission/fission.h); false for none. `lines`: places are those of the source.
 */
bool rk_rewrite_split(rk_unit *unit, const rk_function *f, bool lines);

/**
 * Adds those of a file as a whole: namespace, includes, disabled text. False with RK-V004 when text
 * cannot be disabled because an #if begins or ends in it.
 */
bool rk_rewrite_layout(rk_unit *unit);

/** The namespace that a file's text goes into, as the file calls it. */
const char *rk_rewrite_space(const rk_unit *unit, size_t file);

/** A piece of a file's text that stands elsewhere in it, with `::name` of the project as `::space::name`. */
const char *rk_rewrite_leading(const rk_unit *unit, size_t file, const char *text);

/** Adds the edits of a file's names of global scope: `::name`, and what stands outside of the namespace. */
void rk_rewrite_names(rk_unit *unit, size_t file);

/** Marks what is disabled of host code: rk_function.removed. */
void rk_host_close(rk_unit *unit);

/** Marks what of it other text names: rk_function.named. */
void rk_host_find_named(rk_unit *unit);

/** What stays of a function that is disabled, whose text begins at `begin`: its declaration, or "". */
const char *rk_host_declaration(const rk_unit *unit, const rk_function *f, size_t begin);

/** What headers call the namespace that they are read into: a macro of the source that includes them. */
#define RK__SPACE "RK__SPACE"

/** What goes before the source's own text: the runtime's header, the user's -D, its macros kept. */
char *rk_rewrite_head(const rk_unit *unit);

/** What follows the source's own text: frames, and the end of its macros. */
char *rk_rewrite_tail(rk_unit *unit);

/** The struct of each kernel's static shared memory; names the frames of the instances. */
void rk_rewrite_frames(rk_unit *unit, rk_str *out);

/** Instantiates every converted instance where the file is compiled by itself. */
char *rk_rewrite_probes(const rk_unit *unit);

/** The instance as the source's namespace names it: "gemm<32, 8>". */
char *rk_rewrite_instance(const rk_unit *unit, const rk_instance *instance);

/** Its arguments for the kernel's named template parameters: "<32, 8>" or "". */
const char *rk_rewrite_named_args(const rk_unit *unit, const rk_instance *instance);

/**
 * Whether the instance has an entry for the CPU: it is converted, needs nothing that only the host of
 * a legacy program sets, and each argument fits a slot.
 */
bool rk_rewrite_cpu_takes(const rk_unit *unit, const rk_instance *instance);

/** The text of `<stem>.rk.cpu.cpp`; NULL when no instance can run on the CPU. */
char *rk_rewrite_cpu(const rk_unit *unit);

#endif
