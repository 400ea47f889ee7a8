#ifndef RK_CONVERT_PTX_PTX_INTERNAL_H
#define RK_CONVERT_PTX_PTX_INTERNAL_H

#include "base/str.h"
#include "convert/ptx/ptx.h"

enum { RK_PTX_PIECES = 12, RK_PTX_OPERANDS = 6, RK_PTX_TYPES = 4 };

/** A statement of inline assembly on its way. */
typedef struct {
    const rk_ptx_operand *operands;
    size_t count;
    rk_arena *arena;
    rk_str out;
} rk_ptx;

/** An instruction, taken apart: `ld.global.cg.v2.u32 {a, b}, [p];` */
typedef struct {
    const char
        *pieces[RK_PTX_PIECES]; /**< what dots separate, but for types; the operation first */
    size_t piece_count;
    const char *types[RK_PTX_TYPES]; /**< in C++ */
    size_t type_count;
    const char *operands[RK_PTX_OPERANDS]; /**< as the text has them */
    size_t operand_count;
} rk_ptx_instruction;

/** `%1`, `%%laneid`, `tmp`, `%%r1`, `0x1f`, `-4`, `1.5`, `0f3F800000` as C++; NULL for others. */
const char *rk_ptx_value(const rk_ptx *t, const char *text);

/** Adds the values of all operands but the first, with commas between; false where one has none. */
bool rk_ptx_add_sources(rk_ptx *t, const rk_ptx_instruction *in);

/** `[%0]`, `[%0+16]`: where it is, as a pointer. */
const char *rk_ptx_address(const rk_ptx *t, const char *text, bool shared);

/** The elements of `{a, b}`, or the operand itself. 0 when one is of another kind. */
size_t rk_ptx_elements(const rk_ptx *t, const char *text, const char **out);

/** Whether a piece after the operation is this. */
bool rk_ptx_has(const rk_ptx_instruction *in, const char *piece);

/** Whether all pieces after the operation are among the words of `allowed`. */
bool rk_ptx_only(const rk_ptx_instruction *in, const char *allowed);

/* Each adds the instruction's C++ and returns whether it knows it. */

/** conversions.c: `cvt`, `name` being all of "cvt.rni.s32.f32". */
bool rk_ptx_add_convert(rk_ptx *t, const char *name, const rk_ptx_instruction *in);

/** carry.c: `add.cc`, `addc`, `madc.hi.cc` and their kin, and `mad.hi`. */
bool rk_ptx_add_carry(rk_ptx *t, const rk_ptx_instruction *in);

/** warp_operations.c: `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`, `ldmatrix`. */
bool rk_ptx_add_warp(rk_ptx *t, const rk_ptx_instruction *in);

/** mma.c: `mma.sync`, `name` being all of it. */
bool rk_ptx_add_mma(rk_ptx *t, const char *name, const rk_ptx_instruction *in);

const char *rk_ptx_type(const char *piece);

/** The type without a sign, in which sums wrap around. */
const char *rk_ptx_bits(const char *cpp);

/** "rk__::ptx_<prefix>" and the name with `_` for dots. */
const char *rk_ptx_function(const char *prefix, const char *name, rk_arena *arena);

bool rk_ptx_is_name_byte(char c);

bool rk_ptx_is_name(const char *text);

/** A register or label of the text's own. */
const char *rk_ptx_local(const char *prefix, const char *name, rk_arena *arena);

#endif
