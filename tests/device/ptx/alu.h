#ifndef RK_TESTS_PTX_ALU_H
#define RK_TESTS_PTX_ALU_H

#include "ptx_machine.h"

/**
 * An instruction that computes on registers alone. `operands` has a character for each, the result first: bytes 2, 4
 * or 8, or p of a predicate.
 */
typedef struct {
    const char *name;
    handler *run;
    const char *operands;
} alu_op;

/** The operation of that name, without rounding, .ftz and .sat; NULL when there is none. */
const alu_op *alu_find(const char *name);
const alu_op *alu_find_float(const char *name);
const alu_op *alu_find_half(const char *name);

/** A conversion: `cvt` and all its modifiers. */
typedef struct {
    int to, from; /**< ptx_number */
    int rounding; /**< of FE_*; -1: none */
    bool integer; /**< to an integral value: .rni and the like */
    bool ftz, sat, relu, low;
} cvt_form;

/** Reads `cvt.rn.ftz.sat.f32.s32` and the like; false for what is not known. */
bool cvt_read(cvt_form *form, const char *opcode, const char **operands);
handler cvt_run, cvt_pack_run;

double half_to_double(uint16_t bits);
double bfloat_to_double(uint16_t bits);
/** Rounds in the direction that fegetround tells. */
uint16_t double_to_half(double value);
uint16_t double_to_bfloat(double value);

#endif
