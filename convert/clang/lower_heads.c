#include "convert/clang/lower_heads.h"

enum { MOST_PARTS = 2 };

/** The parentheses of a statement's head, and the `;` in them; by offsets in the statement's file. */
typedef struct {
    bool plain; /**< no macro makes it */
    size_t close, semicolons[MOST_PARTS], count;
} head;

static bool same_spot(rk_ir_spot a, rk_ir_spot b)
{
    return a.file == b.file && a.offset == b.offset;
}

static head read_head(const rk_ir_node *statement, const rk_unit *unit)
{
    head h = {0};
    const rk_where at = rk_ir_where(statement->spelled.begin);
    if (at.file == RK_NONE || !same_spot(statement->spelled.begin, statement->expanded.begin))
        return h;
    const rk_tokens *t = &unit->files.items[at.file]->tokens;
    size_t open = rk_tokens_at(t, at.offset) + 1;
    open += rk_token_is(t, open, "constexpr");
    const size_t close = rk_token_is(t, open, "(") ? rk_tokens_close(t, open) : t->count;
    if (close >= t->count)
        return h;
    h.plain = true;
    h.close = t->items[close].offset;
    for (size_t i = open + 1; i < close; i++) {
        if (rk_token_is(t, i, "(") || rk_token_is(t, i, "{") || rk_token_is(t, i, "["))
            i = rk_tokens_close(t, i);
        else if (rk_token_is(t, i, ";") && h.count < MOST_PARTS)
            h.semicolons[h.count++] = t->items[i].offset;
    }
    return h;
}

/** Before which `;` of the head a child stands; -1: behind the head. */
static int part_of(const rk_ir *ir, rk_ir_id child, const head *h)
{
    const size_t at = rk_ir_at(ir, child)->expanded.begin.offset;
    int part = 0;
    while (part < (int)h->count && at > h->semicolons[part])
        part++;
    return at > h->close ? -1 : part;
}

static void set_role(rk_ir *ir, rk_ir_id node, rk_ir_role role)
{
    if (node)
        rk_ir_at(ir, node)->role = (uint8_t)role;
}

static bool declares(const rk_ir *ir, rk_ir_id child)
{
    const rk_ir_kind kind = rk_ir_kind_of(ir, child);
    return kind == RK_IR_DECLARE || kind == RK_IR_VARIABLE;
}

static void read_for(rk_ir *ir, rk_ir_id statement, const head *h)
{
    static const rk_ir_role parts[] = {RK_IR_ROLE_INIT, RK_IR_ROLE_CONDITION, RK_IR_ROLE_STEP,
                                       RK_IR_ROLE_BODY};
    const bool whole = rk_ir_child_count(ir, statement) == sizeof parts / sizeof *parts;
    size_t i = 0;
    RK_IR_EACH(ir, child, statement)
    {
        const int part = h->plain ? part_of(ir, child, h) : -1;
        if (!rk_ir_next(ir, child))
            set_role(ir, child, RK_IR_ROLE_BODY);
        else if (whole)
            set_role(ir, child, parts[i]);
        else if (part >= 0)
            set_role(ir, child,
                     part == 1 && rk_ir_kind_of(ir, child) == RK_IR_VARIABLE ? RK_IR_ROLE_VARIABLE
                                                                             : parts[part]);
        i++;
    }
}

/** `if` and `switch`: what is declared or stands before a `;`, the condition, and what follows. */
static void read_branch(rk_ir *ir, rk_ir_id statement, const head *h, rk_ir_role first,
                        rk_ir_role second)
{
    rk_ir_id child = rk_ir_first(ir, statement);
    for (; child; child = rk_ir_next(ir, child)) {
        const bool before = h->plain && h->count && part_of(ir, child, h) == 0;
        if (!declares(ir, child) && !before)
            break;
        set_role(ir, child,
                 rk_ir_kind_of(ir, child) == RK_IR_VARIABLE ? RK_IR_ROLE_VARIABLE
                                                            : RK_IR_ROLE_INIT);
    }
    rk_ir_at(ir, statement)->hidden =
        h->plain && h->count && child == rk_ir_first(ir, statement);
    set_role(ir, child, RK_IR_ROLE_CONDITION);
    child = child ? rk_ir_next(ir, child) : 0;
    set_role(ir, child, first);
    child = child ? rk_ir_next(ir, child) : 0;
    set_role(ir, child, second);
}

static void read_range(rk_ir *ir, rk_ir_id loop, const head *h)
{
    bool range = false;
    rk_ir_at(ir, loop)->hidden = h->plain && h->count;
    RK_IR_EACH(ir, child, loop)
    {
        const rk_ir_kind kind = rk_ir_kind_of(ir, child);
        if (!rk_ir_next(ir, child))
            set_role(ir, child, RK_IR_ROLE_BODY);
        else if (kind == RK_IR_VARIABLE)
            set_role(ir, child, RK_IR_ROLE_VARIABLE);
        else if (rk_ir_is_expression(kind) && !range) {
            set_role(ir, child, RK_IR_ROLE_RANGE);
            range = true;
        }
    }
}

void rk_lower_heads(rk_ir *ir, rk_ir_id statement, const rk_unit *unit)
{
    const rk_ir_node *n = rk_ir_at(ir, statement);
    head h = {0};
    switch ((rk_ir_kind)n->kind) {
    case RK_IR_FOR:
        h = read_head(n, unit);
        read_for(ir, statement, &h);
        break;
    case RK_IR_IF:
        h = read_head(n, unit);
        read_branch(ir, statement, &h, RK_IR_ROLE_THEN, RK_IR_ROLE_ELSE);
        break;
    case RK_IR_SWITCH:
        h = read_head(n, unit);
        read_branch(ir, statement, &h, RK_IR_ROLE_BODY, RK_IR_ROLE_NONE);
        break;
    case RK_IR_WHILE:
        read_branch(ir, statement, &h, RK_IR_ROLE_BODY, RK_IR_ROLE_NONE);
        break;
    case RK_IR_DO:
        set_role(ir, rk_ir_child(ir, statement, 0), RK_IR_ROLE_BODY);
        set_role(ir, rk_ir_child(ir, statement, 1), RK_IR_ROLE_CONDITION);
        break;
    case RK_IR_RANGE_FOR:
        h = read_head(n, unit);
        read_range(ir, statement, &h);
        break;
    default:
        if (rk_ir_is_function(n->kind))
            set_role(ir, rk_ir_child_of(ir, statement, RK_IR_COMPOUND), RK_IR_ROLE_BODY);
    }
}
