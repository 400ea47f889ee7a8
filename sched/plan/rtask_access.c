#include "sched/plan/rtask_access.h"

static int64_t value_or(const rk_block_expr *expr, const int64_t block[3], int64_t otherwise)
{
    int64_t value;
    return expr && rk_block_expr_eval(&value, expr, block) ? value : otherwise;
}

bool rk_access_box(rk_interval *out, const rk_access *access, const int64_t block[3])
{
    bool any = true;
    for (int d = 0; d < access->rank; d++) {
        const rk_access_dim *dim = &access->dims[d];
        int64_t first = value_or(dim->first, block, 0);
        int64_t end = value_or(dim->end, block, dim->extent);
        first = first < 0 ? 0 : first;
        end = end > dim->extent ? dim->extent : end;
        out[d] = (rk_interval){first, end > first ? end : first};
        any = any && end > first;
    }
    return any;
}

unsigned rk_access_uses(const rk_access *access)
{
    unsigned uses = 0;
    for (int d = 0; d < access->rank; d++) {
        const rk_access_dim *dim = &access->dims[d];
        uses |= dim->first ? rk_block_expr_uses(dim->first) : 0;
        uses |= dim->end ? rk_block_expr_uses(dim->end) : 0;
    }
    return uses;
}
