#ifndef RK_TESTS_PTX_DECODE_H
#define RK_TESTS_PTX_DECODE_H

#include "ptx_machine.h"

/** A function on its way to code. */
typedef struct {
    ptx_machine *m;
    kernel *kernel;
    const ptx_module *module;
    const ptx_function *function;
    code *code;
    const ptx_insn *source; /**< the instruction that is decoded */
    int32_t *slots;         /**< of registers, in the frame */
    size_t frame_bytes;
    int insn_room;
    int32_t temporaries[16]; /**< places for what an instruction needs besides */
    int temporary_count;
} decoder;

/** The module is no good, or has what the machine does not know: a sentence that names the line. */
_Noreturn void decode_fail(decoder *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Bytes of 32 lanes in the frame. */
int32_t decode_place(decoder *d, size_t bytes, size_t align);

/** A new instruction at the end. Good until the next. */
insn *decode_emit(decoder *d, handler *run);

/** Where an operand of that many bytes (0: a predicate) is read; may emit an instruction before. */
int32_t decode_source(decoder *d, const ptx_operand *operand, int bytes);
/** Where a result goes; nowhere in particular for `_`. */
int32_t decode_result(decoder *d, const ptx_operand *operand, int bytes);
/** Bytes of a register operand; of anything else `usual`. */
int decode_width(const decoder *d, const ptx_operand *operand, int usual);

/** Checks the number of operands. */
void decode_count(decoder *d, int least, int most);

/** The address' base register of 4 or 8 bytes (or constant), with *offset; *bytes says which. */
int32_t decode_address(decoder *d, const ptx_operand *operand, ptx_space space, int64_t *offset,
                       int *bytes);

/** Whether it is a parameter of the kernel that is decoded; those of functions and calls are local variables. */
bool decode_is_kernel_parameter(const decoder *d, const ptx_var *var);

/** Families by mnemonic; false where the opcode is none of theirs. */
bool decode_memory(decoder *d);
bool decode_warp(decoder *d);
bool decode_matrix(decoder *d);

/** Words of an opcode, between its dots. */
typedef struct {
    char text[128];
    const char *words[24];
    int count;
} opcode_words;
void decode_words(opcode_words *out, const char *opcode);
/** Takes a word out, and whether it was there. */
bool decode_take(opcode_words *words, const char *word);
/** Takes the first of the names that is there out, and which; -1 for none. The names end with NULL. */
int decode_one_of(opcode_words *words, const char *const *names);

/** Of decode_warp: cp.async and mbarrier. */
bool decode_copy(decoder *d, opcode_words *words);
bool decode_mbarrier(decoder *d, opcode_words *words);

/** Of %tid.x and the like: the handler that puts it, and extra[0] of it; -1 for an unknown name. */
handler special_run;
int special_named(const char *name);
/** Where the frame's local variables begin. */
int special_local(void);

#endif
