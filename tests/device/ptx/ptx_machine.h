#ifndef RK_TESTS_PTX_MACHINE_H
#define RK_TESTS_PTX_MACHINE_H

/*
 * The machine that runs decoded PTX (docs/ptx.md). A warp's registers are arrays of 32 lanes; one handler runs an
 * instruction for all lanes of a group, which are those that are at the same place. Groups part at branches and join
 * where they meet again.
 */

#include "ptx_module.h"

#include <setjmp.h>
#include <stdio.h>

enum { LANES = 32, BARRIERS = 16, OPERANDS = 6, PTX_WORKSPACE = 256 };

/** The name of a range that a kernel's malloc gave: it outlives its launch. */
extern const char ptx_heap[];

#define ALL_LANES 0xFFFFFFFFu

/** Where generic addresses of shared and local memory begin: no host address is there. */
#define PTX_SHARED_WINDOW (UINT64_C(1) << 56)
#define PTX_LOCAL_WINDOW (UINT64_C(2) << 56)
#define PTX_WINDOW (UINT64_C(1) << 32)

typedef struct run run;
typedef struct insn insn;
typedef struct warp warp;
typedef struct block block;
typedef struct ptx_machine ptx_machine;
typedef struct weak weak;

typedef void handler(run *c, const insn *i, uint32_t mask);

/** What an instruction does to its group beside its handler. */
typedef enum {
    FLOW_NEXT,
    FLOW_BRANCH,
    FLOW_TABLE,
    FLOW_CALL,
    FLOW_RETURN,
    FLOW_EXIT,
    FLOW_TRAP,
    FLOW_WARP, /**< waits for all lanes of a mask: operand `members`, or all */
    FLOW_BARRIER,
    FLOW_POLL /**< others may have to run before it sees what it waits for */
} flow;

/** An operand is a place in the frame, or, with this bit, in the module's constants. */
#define IN_CONSTANTS ((int32_t)0x80000000)

struct insn {
    handler *run;
    int32_t o[OPERANDS];
    int32_t predicate; /**< in the frame; -1 for none */
    uint32_t negate;   /**< ALL_LANES of @!p */
    flow flow;
    int32_t target;  /**< of a branch */
    int32_t members; /**< operand with the mask of FLOW_WARP; -1 for all lanes */
    int64_t imm;     /**< an address' offset, a shift, ...: the handler's */
    int32_t extra[5];
    const void *more;
    const ptx_insn *source;
};

/** A function decoded for one kernel. */
typedef struct code {
    const ptx_function *function;
    insn *insns;
    int count;
    size_t frame_bytes, local_bytes;
    struct code *next;
} code;

/** A kernel with all that it calls. */
typedef struct kernel {
    const ptx_module *module;
    const ptx_function *function;
    code *codes; /**< the first is the kernel's own */
    unsigned char *constants;
    size_t constant_bytes, constant_room;
    size_t shared_bytes; /**< static */
    size_t param_bytes;
    struct kernel *next;
} kernel;

/** One call's registers, of those lanes that made it together. */
typedef struct frame {
    const code *code;
    struct frame *caller;
    const insn *call;
    uint32_t lanes; /**< that have not returned */
    uint32_t depth;
    size_t local; /**< where its local variables begin */
    _Alignas(64) unsigned char bytes[];
} frame;

typedef enum { GROUP_RUNS, GROUP_AT_BARRIER, GROUP_AT_WARP } group_state;

/** Lanes at one place. */
typedef struct {
    uint32_t mask;
    int32_t pc;
    frame *frame;
    group_state state;
    uint32_t members; /**< whom it waits for, of GROUP_AT_WARP */
    int barrier;      /**< of GROUP_AT_BARRIER */
    uint32_t brought; /**< predicates brought to a barrier */
    uint64_t turn;    /**< when it last ran */
} group;

struct warp {
    block *block;
    int index;
    uint32_t live; /**< lanes that have not exited */
    group groups[LANES];
    int group_count;
    int ready; /**< in the machine's list of warps that can run; -1 */
    uint32_t carry;
    uint32_t turns;       /**< how often one of its groups was chosen */
    unsigned char *local; /**< 32 times local_bytes; NULL until used */
    struct copy *copies;  /**< asynchronous ones that have not ended */
    int copy_count, copy_room;
    uint32_t committed[LANES]; /**< groups of copies, by lane */
};

typedef struct {
    int64_t count;     /**< threads it waits for; 0: all */
    int64_t arrived;   /**< by arrive */
    const insn *first; /**< who came first; NULL: nobody is here */
} barrier;

struct block {
    ptx_machine *machine;
    uint32_t id[3];
    uint32_t linear;
    int slot; /**< among those resident */
    warp *warps;
    int warp_count, live_warps;
    unsigned char *shared;
    unsigned char
        *shared_known; /**< of each byte, whether it was written; NULL when that is not asked */
    struct shared_word *shared_words; /**< who used each word, to look for races (weak.c); NULL */
    size_t shared_bytes;
    barrier barriers[BARRIERS];
};

/** Memory that a kernel may touch. */
typedef struct {
    uint64_t low, high;
    const char *name;
    bool constant;
    unsigned char *known; /**< of each byte, whether it was written; NULL when all was */
} ptx_range;

/** How to run. */
typedef struct {
    uint64_t seed;  /**< of the interleaving; 0: in a fixed order */
    bool weak;      /**< PTX's memory model: stores leave late, plain loads may be stale */
    bool races;     /**< weak accesses of two blocks that nothing orders are an error */
    bool known;     /**< reading shared memory that nobody wrote is an error */
    uint64_t limit; /**< warp instructions without any store, after which it hangs; 0: the usual */
    int resident;   /**< blocks at once; 0: as many as there are, up to the usual most */
} ptx_options;

typedef struct {
    const ptx_function *function;
    uint32_t grid[3], block[3];
    size_t shared; /**< dynamic */
    const void *params;
} ptx_launch;

struct ptx_machine {
    rk_arena *arena;
    ptx_options options;
    ptx_range *ranges;
    int range_count, range_room;
    kernel *kernels;
    weak *weak;

    /* Of the launch that runs. */
    const kernel *kernel;
    const ptx_launch *launch;
    unsigned char *params;
    unsigned char *workspace; /**< of a grid that meets as a whole: %envreg1 and 2 tell where */
    block *blocks;
    int resident;
    uint32_t next_block, block_total, live_blocks;
    warp **ready;
    int ready_count;
    uint64_t random, turns;
    uint64_t quiet; /**< warp instructions since something changed */
    uint64_t clock; /**< warp instructions run */
    size_t local_bytes;

    uint64_t executed; /**< thread instructions of all launches */
    uint64_t issued;   /**< the same of warps */
    uint64_t stale;    /**< loads that were given an old value */
    void (*report)(void *user,
                   const char *text); /**< of device printf and warnings; NULL: stderr */
    void *user;
    jmp_buf failed;
    char error[4096];
};

/** What a handler sees. */
struct run {
    ptx_machine *m;
    block *b;
    warp *w;
    group *g;
    unsigned char *frame;
    const unsigned char *constants;
    const ptx_range *last;
    bool stop; /**< the group gives way to others */
    int polls;
    int phase; /**< of FLOW_WARP: 1 brings operands, 2 takes results, 0 both */
    struct {
        uint32_t lanes;
        uint64_t a[LANES], b[LANES], c[LANES];
        uint32_t p;
    } x; /**< what lanes bring to each other */
};

/** A machine; its memory ranges are empty. */
ptx_machine *ptx_machine_new(rk_arena *arena, const ptx_options *options);

/** Lets kernels touch [base, base + size). `known`, of as many bytes, says which are written; NULL: all. */
void ptx_machine_range(ptx_machine *m, const void *base, size_t size, const char *name,
                       bool constant, unsigned char *known);
void ptx_machine_forget_ranges(ptx_machine *m);

/** Gives a module's global and constant variables memory with their first contents. */
bool ptx_machine_load(ptx_machine *m, const ptx_module *module);

/** Runs a kernel to its end. False with sentences in m->error. */
bool ptx_machine_run(ptx_machine *m, const ptx_module *module, const ptx_launch *launch);

/** Decodes a kernel, once; NULL with m->error. */
const kernel *ptx_decode(ptx_machine *m, const ptx_module *module, const ptx_function *function);

/** A launch fails: what, where. */
_Noreturn void ptx_fail(run *c, const insn *i, uint32_t lanes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static inline void *at(const run *c, int32_t operand)
{
    return operand >= 0 ? c->frame + operand
                        : (unsigned char *)c->constants + (operand & 0x7FFFFFFF);
}

static inline uint32_t predicate(const run *c, int32_t operand)
{
    return *(const uint32_t *)at(c, operand);
}

static inline uint32_t ptx_random(ptx_machine *m)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (uint32_t)(m->random >> 32);
}

/** Runs `body` for each lane `l` of `mask`. */
#define EACH_LANE(...)                                                                             \
    if (mask == ALL_LANES) {                                                                       \
        _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++)                                       \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    } else {                                                                                       \
        for (uint32_t k_ = mask; k_; k_ &= k_ - 1) {                                               \
            const int l = __builtin_ctz(k_);                                                       \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

#endif
