#include "decode.h"

#include <string.h>

/* Special registers. */

typedef enum {
    TID_X,
    TID_Y,
    TID_Z,
    NTID_X,
    NTID_Y,
    NTID_Z,
    CTAID_X,
    CTAID_Y,
    CTAID_Z,
    NCTAID_X,
    NCTAID_Y,
    NCTAID_Z,
    LANEID,
    WARPID,
    NWARPID,
    SMID,
    NSMID,
    GRIDID,
    LANEMASK_EQ,
    LANEMASK_LE,
    LANEMASK_LT,
    LANEMASK_GE,
    LANEMASK_GT,
    CLOCK,
    CLOCK_HI,
    CLOCK64,
    GLOBALTIMER,
    GLOBALTIMER_LO,
    GLOBALTIMER_HI,
    DYNAMIC_SHARED,
    TOTAL_SHARED,
    ZERO,
    ONE,
    WORKSPACE_HIGH,
    WORKSPACE_LOW,
    LOCAL_ADDRESS,
    SPECIALS
} special;

static const char *const special_names[SPECIALS] = {
    [TID_X] = "%tid.x",
    [TID_Y] = "%tid.y",
    [TID_Z] = "%tid.z",
    [NTID_X] = "%ntid.x",
    [NTID_Y] = "%ntid.y",
    [NTID_Z] = "%ntid.z",
    [CTAID_X] = "%ctaid.x",
    [CTAID_Y] = "%ctaid.y",
    [CTAID_Z] = "%ctaid.z",
    [NCTAID_X] = "%nctaid.x",
    [NCTAID_Y] = "%nctaid.y",
    [NCTAID_Z] = "%nctaid.z",
    [LANEID] = "%laneid",
    [WARPID] = "%warpid",
    [NWARPID] = "%nwarpid",
    [SMID] = "%smid",
    [NSMID] = "%nsmid",
    [GRIDID] = "%gridid",
    [LANEMASK_EQ] = "%lanemask_eq",
    [LANEMASK_LE] = "%lanemask_le",
    [LANEMASK_LT] = "%lanemask_lt",
    [LANEMASK_GE] = "%lanemask_ge",
    [LANEMASK_GT] = "%lanemask_gt",
    [CLOCK] = "%clock",
    [CLOCK_HI] = "%clock_hi",
    [CLOCK64] = "%clock64",
    [GLOBALTIMER] = "%globaltimer",
    [GLOBALTIMER_LO] = "%globaltimer_lo",
    [GLOBALTIMER_HI] = "%globaltimer_hi",
    [DYNAMIC_SHARED] = "%dynamic_smem_size",
    [TOTAL_SHARED] = "%total_smem_size",
    [WORKSPACE_HIGH] = "%envreg1",
    [WORKSPACE_LOW] = "%envreg2",
    [ZERO] = "%cluster_ctarank",
    [ONE] = "%cluster_nctarank",
};

static uint64_t lane_special(const run *c, int which, int l)
{
    const ptx_launch *launch = c->m->launch;
    const uint32_t *n = launch->block, thread = (uint32_t)(c->w->index * LANES + l);
    const uint64_t now = c->m->clock;
    const uint32_t bit = 1u << l;
    switch (which) {
    case TID_X:
        return thread % n[0];
    case TID_Y:
        return thread / n[0] % n[1];
    case TID_Z:
        return thread / n[0] / n[1];
    case NTID_X:
    case NTID_Y:
    case NTID_Z:
        return n[which - NTID_X];
    case CTAID_X:
    case CTAID_Y:
    case CTAID_Z:
        return c->b->id[which - CTAID_X];
    case NCTAID_X:
    case NCTAID_Y:
    case NCTAID_Z:
        return launch->grid[which - NCTAID_X];
    case LANEID:
        return (uint64_t)l;
    case WARPID:
        return (uint64_t)c->w->index;
    case NWARPID:
        return (uint64_t)c->b->warp_count;
    case SMID:
        return (uint64_t)c->b->slot;
    case NSMID:
        return (uint64_t)c->m->resident;
    case LANEMASK_EQ:
        return bit;
    case LANEMASK_LT:
        return bit - 1;
    case LANEMASK_LE:
        return bit | (bit - 1);
    case LANEMASK_GE:
        return ~(bit - 1);
    case LANEMASK_GT:
        return ~(bit | (bit - 1));
    case CLOCK:
    case CLOCK64:
    case GLOBALTIMER:
    case GLOBALTIMER_LO:
        return now;
    case CLOCK_HI:
    case GLOBALTIMER_HI:
        return now >> 32;
    case DYNAMIC_SHARED:
        return launch->shared;
    case TOTAL_SHARED:
        return c->b->shared_bytes;
    case ONE:
        return 1;
    case WORKSPACE_HIGH:
        return (uint64_t)(uintptr_t)c->m->workspace >> 32;
    case WORKSPACE_LOW:
        return (uint64_t)(uintptr_t)c->m->workspace;
    case LOCAL_ADDRESS:
        return c->g->frame->local;
    default:
        return 0;
    }
}

/** o[0] of extra[1] bytes becomes extra[0], plus imm. */
void special_run(run *c, const insn *i, uint32_t mask)
{
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        const uint64_t value = lane_special(c, i->extra[0], l) + (uint64_t)i->imm;
        memcpy((unsigned char *)at(c, i->o[0]) + l * i->extra[1], &value, (size_t)i->extra[1]);
    }
}

int special_named(const char *name)
{
    for (int s = 0; s < SPECIALS; s++)
        if (special_names[s] && strcmp(special_names[s], name) == 0)
            return s;
    return -1;
}

int special_local(void)
{
    return LOCAL_ADDRESS;
}
