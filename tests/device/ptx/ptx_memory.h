#ifndef RK_TESTS_PTX_MEMORY_H
#define RK_TESTS_PTX_MEMORY_H

#include "ptx_machine.h"

typedef enum { SEM_WEAK, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_SC } semantics;
typedef enum { SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS } scope;

typedef enum {
    ATOM_ADD,
    ATOM_MIN,
    ATOM_MAX,
    ATOM_AND,
    ATOM_OR,
    ATOM_XOR,
    ATOM_EXCH,
    ATOM_CAS,
    ATOM_INC,
    ATOM_DEC
} atom_op;

/** What an access is, beside its address. */
typedef struct {
    ptx_space space;
    bool generic;
    semantics sem;
    scope scope;
    bool nc;          /**< a load through the non-coherent path */
    int bytes, count; /**< of an element; elements */
    bool is_signed;
    int32_t places[8]; /**< registers; INT32_MIN of none */
    int widths[8];     /**< their bytes */
    atom_op op;
    char type[8]; /**< of an atomic */
    bool result;
} access_form;

/** The bytes of an address that a lane may touch; fails otherwise. *global says whether they are global memory's. */
unsigned char *memory_resolve(run *c, const insn *i, int lane, uint64_t address, size_t bytes,
                              ptx_space space, bool generic, bool write, bool *global);

/** A lane's address of an access: base operand o[1] of extra[1] bytes, and imm. */
static inline uint64_t memory_address(const run *c, const insn *i, int lane)
{
    const void *base = at(c, i->o[1]);
    return (i->extra[1] == 4 ? ((const uint32_t *)base)[lane] : ((const uint64_t *)base)[lane]) +
           (uint64_t)i->imm;
}

/* The memory model of global memory (weak.c); only called where m->weak is there. */

weak *weak_new(ptx_machine *m);
void weak_free(weak *w);
void weak_block_begin(weak *w, block *b);
/** All stores of a block leave: another takes its place, or the kernel ends. */
void weak_block_end(weak *w, block *b);
/** Some stores leave. */
void weak_drain_some(weak *w, block *b);
/** A lane's load of one element, shared memory's too where it is not weak. */
void weak_load(run *c, const insn *i, int lane, const unsigned char *from, const access_form *f,
               void *to);
void weak_store(run *c, const insn *i, int lane, unsigned char *to, const access_form *f,
                const void *value);
/** Around an atomic's reading and writing of memory. */
void weak_atomic_begin(run *c, const insn *i, int lane, unsigned char *p, const access_form *f);
void weak_atomic_end(run *c, const insn *i, int lane, unsigned char *p, const access_form *f);
/** Words of a block's shared memory in which races are looked for. */
struct shared_word *weak_shared_new(size_t bytes);
void weak_shared_begin(block *b);
/** A lane's access to an element of shared memory, before it: a write of `value`, NULL of an atomic. */
void weak_shared(run *c, const insn *i, int lane, const unsigned char *p, const access_form *f, bool write,
                 const void *value);
void weak_fence(run *c, semantics sem, scope s);
/** The warps of `lanes` (a mask for each warp of the block) have met. */
void weak_meet(weak *w, block *b, const uint32_t *lanes);

#endif
