#ifndef RK_TESTS_PTX_PTX_H
#define RK_TESTS_PTX_PTX_H

/*
 * PTX as a tree: what ptxas takes is read into functions of instructions whose names are resolved. Nothing is known of
 * what an instruction does (decode.h). All memory is the arena's.
 */

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where a variable lives. */
typedef enum { PTX_GLOBAL, PTX_CONST, PTX_SHARED, PTX_LOCAL, PTX_PARAM } ptx_space;

/** A variable, or a parameter of a function. */
typedef struct ptx_var {
    const char *name;
    ptx_space space;
    int align;            /**< bytes */
    size_t size;          /**< bytes; 0 of an array without bounds */
    bool external;        /**< declared .extern: dynamic shared memory, or another module's */
    unsigned char *bytes; /**< of global and constant ones: their first contents; NULL is zeros */
    struct ptx_reloc *relocs;
    size_t reloc_count;
    int64_t
        offset; /**< of local and parameters in their frame, of shared in the block; the machine's */
    uint64_t address; /**< of global and constant ones; the machine's */
} ptx_var;

/** An initialiser's word that is the address of a variable or function. */
typedef struct ptx_reloc {
    size_t at; /**< byte in the variable */
    const char *name;
    int64_t addend;
    bool generic;
} ptx_reloc;

typedef enum {
    PTX_REG,     /**< a register */
    PTX_IMM,     /**< an integer, or a floating-point number's bits */
    PTX_NAME,    /**< a variable's address, a function, or a prototype */
    PTX_SPECIAL, /**< %tid.x and the like */
    PTX_ADDRESS, /**< [base + imm]; the base, one part, is a register, variable or nothing; more parts of a texture */
    PTX_VECTOR,  /**< {a, b, ...} */
    PTX_LIST,    /**< (a, b, ...) of a call */
    PTX_PAIR,    /**< a|b */
    PTX_SINK,    /**< _ */
    PTX_LABEL
} ptx_kind;

typedef struct ptx_operand {
    ptx_kind kind;
    bool negated;     /**< !p */
    int reg;          /**< into the function's registers */
    int64_t imm;      /**< value; an address' offset; a label's instruction */
    int float_bytes;  /**< 4 or 8 of a number written as one; 0 of an integer */
    const char *name; /**< of a name, special register or label */
    ptx_var *var;     /**< a name that is a variable */
    struct ptx_operand *parts;
    int part_count;
} ptx_operand;

typedef struct {
    const char *opcode; /**< with all its modifiers */
    int predicate;      /**< register, or -1 */
    bool negated;
    ptx_operand *operands;
    int operand_count;
    int line;
} ptx_insn;

/** Of a register: bytes of one lane, 0 of a predicate. */
typedef struct {
    const char *name;
    int bytes;
} ptx_reg;

typedef struct ptx_function {
    const char *name;
    bool entry, defined;
    ptx_var **params, **results;
    int param_count, result_count;
    ptx_reg *regs;
    int reg_count;
    ptx_insn *insns;
    int insn_count;
    ptx_var **vars; /**< local, shared and parameter variables of its body */
    int var_count;
    int64_t **tables; /**< of .branchtargets: instruction numbers */
    int *table_counts;
    const char **table_names;
    int table_count;
    int max_threads; /**< of a block, as .maxntid has it; 0 for any */
    int line;
} ptx_function;

typedef struct {
    const char *file;
    int target; /**< 90 of sm_90 */
    ptx_function **functions;
    int function_count;
    ptx_var **vars; /**< of the module: global, constant, shared */
    int var_count;
} ptx_module;

/** Reads a module. NULL with a sentence, "FILE:LINE: ..." in `error`, an array of `size`. */
ptx_module *ptx_read(const char *file, const char *text, rk_arena *arena, char *error, size_t size);

/** NULL when there is none. */
ptx_function *ptx_find_function(const ptx_module *module, const char *name);
ptx_var *ptx_find_var(const ptx_module *module, const char *name);

#endif
