#ifndef RK_CONVERT_FACTS_SYSTEM_H
#define RK_CONVERT_FACTS_SYSTEM_H

#include "convert/clang/ir.h"
#include "convert/cuda/cuda_names.h"
#include "convert/facts/bodies.h"

/* CUDA's own declarations, and what functions of headers outside of the project reach. */

/** Where its row is in the table of names: the rk_cuda_space of the outermost known namespace, or RK_IN_PLAIN. */
unsigned rk_system_space(CXCursor declaration, rk_arena *arena);

unsigned rk_system_ir_space(const rk_ir *ir, const rk_ir_decl *decl);

/** Whether that is one of `spaces`. */
bool rk_system_in_namespace(CXCursor declaration, unsigned spaces, rk_arena *arena);

/** The row of a token by its text alone; of zeros where it is no name. */
const rk_cuda_name *rk_system_token(const rk_tokens *tokens, size_t i);

/** Whether a type is a reference to a texture or surface, or an array of such. */
bool rk_system_is_texture(CXType type, rk_arena *arena);

/**
 * Whether a function is CUDA's own. The compiler declares some of them where they are first used.
 */
bool rk_system_is_function(CXCursor function, const char *name);

/**
 * Whether the declaration is one of CUDA's own variables or functions that an rKernel must not use.
 */
bool rk_walk_is_raw(CXCursor declaration, const char *name);

bool rk_system_is_raw(const rk_ir *ir, const rk_ir_decl *declaration);

/** What a library's assembly does that means the whole vEU, NULL if nothing. */
const char *rk_system_assembly(const rk_unit *unit, CXCursor statement);

/** Whether a function of CUDA's own waits, by its library; sets `*grid_sync` where it may wait for other blocks. */
bool rk_system_waits_by_namespace(const rk_ir *ir, const rk_ir_decl *function, bool *grid_sync);

/** Whether assembly has a `bar.` instruction; `membar.` is none. */
bool rk_assembly_has_barrier(const char *text);

/** Where the next one is from `i` on; RK_NONE if there is none. */
size_t rk_assembly_next_barrier(const char *text, size_t i);

/** Whether a load has the modifier `.nc`, which may stand behind others: `ld.global.L1::no_allocate.nc.f32`. */
bool rk_assembly_non_coherent(const char *text);

/** What means the whole vEU in the text of inline assembly, NULL if nothing does; `moved`: its barriers do not. */
const char *rk_assembly_word(const char *text, bool moved);

#endif
