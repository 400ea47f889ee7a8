#include "convert/facts/spin.h"

#include "convert/facts/system.h"

#include <string.h>

/*
 * A loop waits for another thread when some way through it changes nothing that the conditions on that way depend on,
 * and looks at memory that others write: taken once, it is taken for ever. Such a way may keep what it saw, work out
 * more from that, count, sleep, fence and meet others; functions that are called are followed. One that takes a lock
 * looks for nothing, since who has the lock runs; nor does one that tries again with what it saw.
 */

enum { MOST_DEPTH = 6, MOST_CHOICES = 24, MOST_WAYS = 256, MOST_CANDIDATES = 16 };

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/** `variable` gets a value that is made of the nodes below `value`; 0: of memory alone. */
typedef struct {
    rk_ir_id variable, value;
    bool counts; /**< and of what it was */
} change;

typedef RK_VEC(rk_ir_id) ids;

/** One way through a loop, as far as it is followed. */
typedef struct {
    const rk_unit *unit;
    rk_ir *ir;
    size_t end; /**< of the function's text around it */
    rk_ir_id loop;
    RK_VEC(change) changes;
    ids conditions;
    ids compared;               /**< what is exchanged if it is still there */
    ids open;                   /**< functions that are being followed */
    bool choices[MOST_CHOICES]; /**< at each `if` on the way: whether it goes on in `else` */
    size_t chosen, choice_count;
    bool looks; /**< at memory, as only who waits for others does */
    bool reads; /**< other memory */
    bool locks; /**< takes a lock */
    bool pauses;
    bool timed; /**< and so ends some time */
    bool inner; /**< the statements are those of a loop inside it */
} way;

/** How a way goes on behind a statement. */
typedef enum {
    FALLS,  /**< with the next one */
    AGAIN,  /**< with the loop's next round; behind the call, in a function that is followed */
    LEAVES, /**< behind the loop */
    WORKS   /**< not at all: something is changed that others see */
} outcome;

/** Tokens of a file. */
typedef struct {
    const rk_tokens *tokens;
    size_t first, end;
} words;

/** An expression's own text, without `&` and parentheses around it; nothing where its file is not one of ours. */
static words words_of(const way *s, rk_ir_id expression)
{
    const rk_ir_extent *e = &rk_ir_at(s->ir, expression)->expanded;
    if (!e->at.file)
        return (words){0};
    const rk_tokens *tokens = &s->unit->files.items[e->at.file - 1]->tokens;
    words w = {tokens, rk_tokens_at(tokens, e->begin.offset), rk_tokens_at(tokens, e->end.offset)};
    while (w.first < w.end && rk_token_is(tokens, w.first, "&"))
        w.first++;
    while (w.first + 1 < w.end && rk_token_is(tokens, w.first, "(") &&
           rk_token_is(tokens, w.end - 1, ")")) {
        w.first++;
        w.end--;
    }
    return w;
}

/** Whether tokens from `at` on are those of `w`. */
static bool are_words(const rk_tokens *tokens, size_t at, const words *w)
{
    const size_t count = w->end - w->first;
    for (size_t i = 0; i < count; i++) {
        const rk_token *a = &w->tokens->items[w->first + i];
        if (at + i >= tokens->count || tokens->items[at + i].length != a->length ||
            memcmp(tokens->text + tokens->items[at + i].offset, w->tokens->text + a->offset,
                   a->length) != 0)
            return false;
    }
    return count > 0;
}

/** Whether the text at `offset` of that file is in the other branch of an `if` around the loop: not behind it. */
static bool is_in_other_branch(const way *s, uint32_t file, size_t offset)
{
    for (rk_ir_id at = s->loop; at; at = rk_ir_at(s->ir, at)->parent) {
        const rk_ir_id around = rk_ir_at(s->ir, at)->parent;
        if (rk_ir_kind_of(s->ir, around) != RK_IR_IF ||
            rk_ir_at(s->ir, at)->role != RK_IR_ROLE_THEN)
            continue;
        const rk_ir_id other = rk_ir_child_as(s->ir, around, RK_IR_ROLE_ELSE);
        const rk_ir_extent *e = &rk_ir_at(s->ir, other)->expanded;
        if (other && e->begin.file == file && offset >= e->begin.offset && offset < e->end.offset)
            return true;
    }
    return false;
}

/** Whether the words that end before token `i` are the beginning of a longer expression: `lock + 1`. */
static bool goes_further(const rk_tokens *tokens, size_t i)
{
    return rk_token_is(tokens, i, "+") || rk_token_is(tokens, i, "-");
}

/** Whether what the call changes is named behind it in the same function, as a lock is to be given back. */
static bool is_given_back(const way *s, rk_ir_id call)
{
    const words lock = words_of(s, rk_ir_argument(s->ir, call, 0));
    if (!lock.tokens)
        return false;
    const rk_ir_extent *e = &rk_ir_at(s->ir, call)->expanded;
    const size_t end = rk_tokens_at(lock.tokens, s->end);
    for (size_t i = rk_tokens_at(lock.tokens, e->end.offset); i < end; i++)
        if (are_words(lock.tokens, i, &lock) &&
            !goes_further(lock.tokens, i + lock.end - lock.first) &&
            !is_in_other_branch(s, e->begin.file, lock.tokens->items[i].offset))
            return true;
    return false;
}

/** What an atomic of CUDA's of that name does, rk_cuda_does bits; 0 for another function. */
static unsigned atomic_of(const char *name)
{
    const unsigned does = rk_cuda_find(RK_IN_PLAIN, name)->does;
    return does & RK_DOES_MODIFY ? does : 0;
}

static bool is_zero(const way *s, rk_ir_id expression)
{
    rk_ir_value value;
    const rk_ir_known known = rk_ir_constant(s->ir, expression, &value);
    return (known == RK_IR_INTEGER_VALUE && value.integer == 0) ||
           (known == RK_IR_FLOATING_VALUE && !(value.floating < 0 || value.floating > 0));
}

static bool same_words(const way *s, rk_ir_id a, rk_ir_id b)
{
    const words left = words_of(s, a), right = words_of(s, b);
    return left.tokens && left.end - left.first == right.end - right.first &&
           are_words(left.tokens, left.first, &right);
}

/**
 * CUDA's atomics: an exchange waits for what another thread writes, unless it takes a lock, which the function gives
 * back later, so that who has it runs. One of equal values only reads.
 */
static bool follow_atomic(way *s, rk_ir_id call, unsigned does)
{
    const bool compares = (does & RK_DOES_COMPARE) != 0;
    const rk_ir_id value = rk_ir_argument(s->ir, call, 1);
    if ((does & RK_DOES_STEP) || ((does & RK_DOES_SUM) && !is_zero(s, value)))
        return false;
    const bool equal = compares && same_words(s, value, rk_ir_argument(s->ir, call, 2));
    if (compares && !equal)
        *rk_push(s->unit->arena, &s->compared) = value;
    if ((compares || (does & RK_DOES_EXCHANGE)) && !equal && is_given_back(s, call))
        s->locks = true;
    else
        s->looks = true;
    return true;
}

static void add_change(way *s, rk_ir_id variable, rk_ir_id value, bool counts)
{
    *rk_push(s->unit->arena, &s->changes) = (change){variable, value, counts};
}

/** The variable, member or shared array that an assignment's left side is of; 0 for other memory. */
static rk_ir_id target_of(const rk_ir *ir, rk_ir_id left)
{
    left = rk_ir_unwrap(ir, left);
    const rk_ir_decl *target = rk_ir_target(ir, left);
    const rk_ir_id decl = rk_ir_at(ir, left)->decl, inside = rk_ir_first(ir, left);
    switch ((int)rk_ir_kind_of(ir, left)) {
    case RK_IR_NAME:
        return rk_ir_is_local(ir, target) || (target->flags & RK_IR_SHARED) ? decl : 0;
    case RK_IR_MEMBER: /* of this, or of an object that is named */
        return !inside || rk_ir_kind_of(ir, inside) == RK_IR_THIS || target_of(ir, inside) ? decl
                                                                                           : 0;
    case RK_IR_SUBSCRIPT: {
        const rk_ir_id array = target_of(ir, inside);
        return rk_ir_decl_at(ir, array)->flags & RK_IR_SHARED ? array : 0;
    }
    default:
        return 0;
    }
}

static bool follow(way *s, rk_ir_id expression);
static outcome pass(way *s, rk_ir_id statement);

static bool follow_all(way *s, rk_ir_id parent, size_t first)
{
    bool idle = true;
    RK_IR_EACH(s->ir, part, parent)
    {
        if (first)
            first--;
        else
            idle &= follow(s, part);
    }
    return idle;
}

static bool follow_assignment(way *s, rk_ir_id assignment, bool counts)
{
    const rk_ir_id variable = target_of(s->ir, rk_ir_first(s->ir, assignment));
    if (!variable || !follow_all(s, assignment, 1))
        return false;
    add_change(s, variable, rk_ir_child(s->ir, assignment, 1), counts);
    return true;
}

/** The parameters of a function get what it is called with; what it has a reference to may be changed in its body. */
static void pass_arguments(way *s, rk_ir_id call, rk_ir_id function, rk_ir_id body)
{
    size_t next = 0;
    RK_IR_EACH(s->ir, part, function)
    {
        if (rk_ir_kind_of(s->ir, part) != RK_IR_PARAMETER)
            continue;
        const rk_ir_id argument = rk_ir_argument(s->ir, call, next++);
        const rk_ir_type *type = rk_ir_type_of(s->ir, part);
        const rk_ir_id variable = target_of(s->ir, argument);
        add_change(s, rk_ir_at(s->ir, part)->decl, argument, false);
        if (type->kind == RK_IR_TYPE_REFERENCE && variable &&
            !rk_ir_type_at(s->ir, type->pointee)->is_const)
            add_change(s, variable, body, false);
    }
}

/** A function's text: its ways end where it returns. */
static bool follow_function(way *s, rk_ir_id call, rk_ir_id function)
{
    const rk_ir_id definition = rk_ir_definition(s->ir, function);
    if (!definition || s->open.count == MOST_DEPTH)
        return false;
    for (size_t i = 0; i < s->open.count; i++)
        if (s->open.items[i] == definition)
            return false;
    const rk_ir_id tree = rk_ir_body(s->ir, definition);
    const rk_ir_id body = rk_ir_child_of(s->ir, tree, RK_IR_COMPOUND);
    pass_arguments(s, call, tree, body);
    if (!body)
        return false;
    const bool inner = s->inner;
    s->inner = false;
    *rk_push(s->unit->arena, &s->open) = definition;
    const outcome e = pass(s, body);
    s->open.count--;
    s->inner = inner;
    add_change(s, function, body, false);
    return e == FALLS || e == AGAIN;
}

/** Whether a function can change what it is given: a parameter is a pointer or a reference to what is not constant. */
static bool takes_memory(const rk_ir *ir, const rk_ir_decl *function)
{
    for (uint32_t i = function->list; i < function->list_end; i++) {
        const rk_ir_type *type = rk_ir_canonical(ir, ir->lists.items[i]);
        if ((type->kind == RK_IR_TYPE_POINTER || type->kind == RK_IR_TYPE_REFERENCE) &&
            !rk_ir_type_at(ir, type->pointee)->is_const)
            return true;
    }
    return false;
}

/** A function of CUDA's or of another library without a text to follow. */
static bool follow_system(way *s, rk_ir_id call, const rk_ir_decl *function, const char *name)
{
    const unsigned space = rk_system_ir_space(s->ir, function);
    const unsigned does = rk_cuda_effects(space, name);
    if (does & RK_DOES_MODIFY)
        return follow_atomic(s, call, does);
    if (rk_str_starts(name, "compare_exchange_") &&
        same_words(s, rk_ir_argument(s->ir, call, 0), rk_ir_argument(s->ir, call, 1)))
        return s->looks = true; /* one of equal values only reads */
    s->pauses |= (does & RK_DOES_PAUSE) != 0;
    s->timed |= (does & RK_DOES_TIME) != 0;
    const bool looks = (does & RK_DOES_LOOK) &&
                       (!rk_str_starts(name, "operator") || function->kind == RK_IR_CONVERSION);
    s->looks |= looks;
    if (looks || (does & RK_DOES_READ) || (space & RK_IN_COOPERATIVE) ||
        function->kind == RK_IR_CONSTRUCTOR)
        return true;
    if ((space & (RK_IN_CUDA | RK_IN_STD)) && function->kind == RK_IR_METHOD)
        return (function->flags & RK_IR_CONST_METHOD) && !(does & RK_DOES_CHANGE);
    return !takes_memory(s->ir, function);
}

/** The function that a call names, the only candidate of a call in a template among them. */
static rk_ir_id callee_of(const rk_ir *ir, rk_ir_id call)
{
    rk_ir_id target = rk_ir_at(ir, call)->decl;
    const rk_ir_id first = rk_ir_first(ir, call);
    if (!rk_ir_is_function(rk_ir_decl_at(ir, target)->kind) && first)
        target = rk_ir_at(ir, first)->decl;
    const rk_ir_decl *d = rk_ir_decl_at(ir, target);
    return d->kind == RK_IR_OVERLOADS && d->list_end == d->list + 1 ? ir->lists.items[d->list]
                                                                    : target;
}

/** The operator that a call in a template may mean, of types that depend on its arguments: "<"; NULL for none. */
static const char *operator_of(const rk_ir *ir, rk_ir_id call)
{
    RK_IR_EACH(ir, part, call)
    {
        const rk_ir_decl *target = rk_ir_target(ir, part);
        if (target->kind == RK_IR_OVERLOADS && rk_str_starts(target->name, "operator"))
            return target->name + strlen("operator");
    }
    return NULL;
}

/** Taken for what it is for numbers and pointers. */
static bool follow_operator(way *s, rk_ir_id call, const char *what)
{
    static const char *const compares[] = {"==", "!=", "<=", ">="};
    const bool steps = strcmp(what, "++") == 0 || strcmp(what, "--") == 0;
    s->reads |= strcmp(what, "*") == 0 || strcmp(what, "[]") == 0;
    if (!steps &&
        (!rk_str_ends(what, "=") || is_among(what, compares, sizeof compares / sizeof *compares)))
        return true;
    RK_IR_EACH(s->ir, part, call)
    {
        const rk_ir_id variable = target_of(s->ir, part);
        if (variable) {
            add_change(s, variable, 0, true);
            return true;
        }
    }
    return false;
}

/** The type of the functions that an expression points to; 0 where it is none. */
static rk_ir_id pointed_type(const rk_ir *ir, rk_ir_id expression)
{
    const rk_ir_type *type = rk_ir_type_of(ir, expression);
    return type->kind == RK_IR_TYPE_POINTER ? rk_ir_type_at(ir, type->pointee)->canonical : 0;
}

/** Whether a call whose function only the run knows may mean that one: of the same type, and of the same name if it is virtual. */
static bool may_be(rk_ir *ir, rk_ir_id call, const rk_ir_decl *callee, rk_ir_id candidate)
{
    const rk_ir_decl *d = rk_ir_decl_at(ir, candidate);
    if (!rk_ir_is_function(d->kind) || !(d->flags & RK_IR_DEVICE) ||
        rk_ir_definition(ir, candidate) != candidate)
        return false;
    const rk_ir_id type = rk_ir_type_at(ir, d->type)->canonical;
    if (callee->flags & RK_IR_VIRTUAL)
        return d->flags & RK_IR_VIRTUAL && strcmp(d->name, callee->name) == 0 &&
               type == rk_ir_type_at(ir, callee->type)->canonical;
    return type == pointed_type(ir, rk_ir_first(ir, call));
}

/** The variable or table that a function is called by, or the method. */
static rk_ir_id called_by(const rk_ir *ir, rk_ir_id call)
{
    rk_ir_id by = rk_ir_unwrap(ir, rk_ir_first(ir, call));
    while (rk_ir_kind_of(ir, by) == RK_IR_SUBSCRIPT || rk_ir_kind_of(ir, by) == RK_IR_UNARY)
        by = rk_ir_unwrap(ir, rk_ir_first(ir, by));
    return rk_ir_at(ir, by)->decl;
}

/** A call of what only the run knows, a table's function or a virtual one: it waits if one of those that it may mean does. */
static bool follow_candidates(way *s, rk_ir_id call, const rk_ir_decl *callee)
{
    bool idle = false;
    rk_ir_project(s->ir);
    const uint32_t count = s->ir->decls.count;
    int candidates = 0;
    for (rk_ir_id d = 1; d < count && s->open.count < 2 && candidates < MOST_CANDIDATES; d++) {
        const way before = *s;
        if (!may_be(s->ir, call, callee, d))
            continue;
        candidates++;
        if (follow_function(s, call, d)) {
            const rk_ir_id tree = rk_ir_body(s->ir, d);
            add_change(s, called_by(s->ir, call), rk_ir_child_of(s->ir, tree, RK_IR_COMPOUND),
                       false);
            idle = true;
        } else {
            s->looks = before.looks;
            s->reads = before.reads;
            s->changes.count = before.changes.count;
        }
    }
    return idle;
}

static bool follow_call(way *s, rk_ir_id call)
{
    if (!follow_all(s, call, 0))
        return false;
    const rk_ir_id callee = callee_of(s->ir, call);
    const rk_ir_decl *function = rk_ir_decl_at(s->ir, callee);
    const char *name = rk_ir_target(s->ir, call)->name;
    const char *what = operator_of(s->ir, call);
    if (what)
        return follow_operator(s, call, what);
    if (!rk_ir_is_function(function->kind))
        return atomic_of(name) ? follow_atomic(s, call, atomic_of(name))
                               : follow_candidates(s, call, function);
    if (function->flags & RK_IR_VIRTUAL)
        return follow_candidates(s, call, function);
    const bool known =
        atomic_of(name) || rk_str_starts(name, "__") ||
        (rk_system_ir_space(s->ir, function) & (RK_IN_CUDA | RK_IN_STD | RK_IN_COOPERATIVE));
    const bool system = function->flags & RK_IR_SYSTEM;
    if (rk_ir_definition(s->ir, callee) ? known && system : known || system)
        return follow_system(s, call, function, name);
    return follow_function(s, call, callee);
}

/** Inline assembly: what it loads, whether it pauses or takes the time; false where it changes memory. */
static bool follow_assembly(way *s, rk_ir_id statement)
{
    static const char *const looks[] = {".acquire", ".relaxed", ".volatile", ".cv", ".cg"};
    static const char *const changes[] = {"st.", "red.", "atom.", "cp.", "exch.", "multimem."};
    static const char *const pauses[] = {"nanosleep", "membar", "fence"};
    const rk_ir_node *n = rk_ir_at(s->ir, statement);
    const size_t begin = n->expanded.begin.offset, end = n->expanded.end.offset;
    const rk_where at = rk_ir_where(n->spelled.at);
    if (at.file == RK_NONE || end > s->unit->files.items[at.file]->bytes.size || begin > end)
        return false;
    const char *text = rk_arena_strndup(
        s->unit->arena, s->unit->files.items[at.file]->bytes.data + begin, end - begin);
    const bool loads = strstr(text, "ld.") != NULL;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        s->looks |= loads && strstr(text, looks[i]);
    const bool adds_nothing = strstr(text, "atom.") && strstr(text, ", 0;");
    for (size_t i = 0; i < sizeof changes / sizeof *changes && !adds_nothing; i++)
        if (strstr(text, changes[i]))
            return false;
    s->looks |= adds_nothing;
    for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++)
        s->pauses |= strstr(text, pauses[i]) != NULL;
    s->pauses |= strstr(text, "\"memory\"") && !loads;
    s->timed |= strstr(text, "clock") || strstr(text, "globaltimer");
    s->reads |= loads;
    RK_IR_EACH(s->ir, operand, statement)
    {
        const rk_ir_id variable = target_of(s->ir, operand);
        if (variable)
            add_change(s, variable, 0, false);
    }
    return true;
}

/** What an address is taken of is not read. */
static bool follow_address(way *s, rk_ir_id expression)
{
    const bool looks = s->looks, reads = s->reads;
    const bool idle = follow_all(s, expression, 0);
    s->looks = looks;
    s->reads = reads;
    return idle;
}

/** Takes an expression in; false where it changes more than variables of the functions around it. */
static bool follow(way *s, rk_ir_id expression)
{
    const rk_ir_node *n = rk_ir_at(s->ir, expression);
    if (rk_ir_is_expression(n->kind) && rk_ir_type_at(s->ir, n->type)->is_volatile)
        s->looks = true;
    switch ((int)n->kind) {
    case RK_IR_BINARY:
        if (n->op == RK_IR_OP_ASSIGN)
            return follow_assignment(s, expression, false);
        break;
    case RK_IR_COMPOUND_ASSIGN:
        return follow_assignment(s, expression, true);
    case RK_IR_UNARY:
        if (n->op >= RK_IR_OP_POST_INC && n->op <= RK_IR_OP_PRE_DEC)
            return follow_assignment(s, expression, true);
        if (n->op == RK_IR_OP_ADDRESS)
            return follow_address(s, expression);
        s->reads |= n->op == RK_IR_OP_DEREF;
        break;
    case RK_IR_SUBSCRIPT:
        s->reads = true;
        break;
    case RK_IR_CALL:
        return follow_call(s, expression);
    case RK_IR_LAMBDA:
    case RK_IR_STATEMENT_EXPRESSION:
    case RK_IR_NEW:
    case RK_IR_DELETE:
    case RK_IR_THROW:
        return false;
    }
    return follow_all(s, expression, 0);
}

/** A condition on the way. */
static bool follow_condition(way *s, rk_ir_id condition)
{
    if (!s->inner)
        *rk_push(s->unit->arena, &s->conditions) = condition;
    return follow(s, condition);
}

static bool declare(way *s, rk_ir_id statement)
{
    RK_IR_EACH(s->ir, variable, statement)
    {
        const rk_ir_id value = rk_ir_child_as(s->ir, variable, RK_IR_ROLE_VALUE);
        if (rk_ir_kind_of(s->ir, variable) != RK_IR_VARIABLE || !value)
            continue;
        if (!follow(s, value))
            return false;
        add_change(s, rk_ir_at(s->ir, variable)->decl, value, false);
    }
    return true;
}

static outcome pass_all(way *s, rk_ir_id compound)
{
    RK_IR_EACH(s->ir, statement, compound)
    {
        const outcome e = pass(s, statement);
        if (e != FALLS)
            return e;
    }
    return FALLS;
}

/** What was chosen at this `if` of the way; the first time it is the first branch. */
static bool choose(way *s)
{
    if (s->chosen == s->choice_count)
        s->choices[s->choice_count++] = false;
    return s->choices[s->chosen++];
}

static outcome pass_if(way *s, rk_ir_id statement)
{
    const rk_ir_id condition = rk_ir_child_as(s->ir, statement, RK_IR_ROLE_CONDITION),
                   yes = rk_ir_child_as(s->ir, statement, RK_IR_ROLE_THEN),
                   other = rk_ir_child_as(s->ir, statement, RK_IR_ROLE_ELSE);
    for (rk_ir_id part = rk_ir_first(s->ir, statement); part && part != condition;
         part = rk_ir_next(s->ir, part))
        if (rk_ir_at(s->ir, part)->role == RK_IR_ROLE_VARIABLE ||
            (rk_ir_kind_of(s->ir, part) == RK_IR_DECLARE ? !declare(s, part) : !follow(s, part)))
            return WORKS;
    if (!yes || !follow_condition(s, condition) || s->chosen == MOST_CHOICES)
        return WORKS;
    if (s->inner) { /* both */
        const outcome e = pass(s, yes);
        return e == WORKS ? WORKS : other ? pass(s, other) : FALLS;
    }
    const bool no = choose(s);
    return !no ? pass(s, yes) : other ? pass(s, other) : FALLS;
}

/** The label's name in `name:` or in `goto name`. */
static words label_of(const way *s, rk_ir_id statement)
{
    words w = words_of(s, statement);
    w.first += rk_ir_kind_of(s->ir, statement) == RK_IR_GOTO;
    w.end = w.tokens && w.first < w.end ? w.first + 1 : w.first;
    return w;
}

/** Whether a `goto` leads back to the label that the loop is. */
static bool is_back(const way *s, rk_ir_id jump)
{
    if (rk_ir_kind_of(s->ir, s->loop) != RK_IR_LABEL || s->open.count)
        return false;
    const words label = label_of(s, s->loop), to = label_of(s, jump);
    return label.tokens && to.tokens && are_words(to.tokens, to.first, &label);
}

/** By no case, and through what stands behind `default` there; what a case does that is taken, is taken for work. */
static outcome pass_switch(way *s, rk_ir_id statement)
{
    const rk_ir_id condition = rk_ir_child_as(s->ir, statement, RK_IR_ROLE_CONDITION),
                   body = rk_ir_child_of(s->ir, statement, RK_IR_COMPOUND);
    if (!condition || !body || s->inner || !follow_condition(s, condition) ||
        s->chosen == MOST_CHOICES || choose(s))
        return WORKS;
    const rk_ir_id first = rk_ir_child_of(s->ir, body, RK_IR_DEFAULT);
    for (rk_ir_id next = first; next; next = rk_ir_next(s->ir, next)) {
        const rk_ir_id part = next == first ? rk_ir_child(s->ir, first, 0) : next;
        if (rk_ir_kind_of(s->ir, part) == RK_IR_BREAK)
            break;
        const outcome e = pass(s, part);
        if (e != FALLS)
            return e;
    }
    return FALLS;
}

/** A loop inside is gone through when nothing in it changes more than variables; what it waits for is its own. */
static outcome pass_loop(way *s, rk_ir_id loop)
{
    const bool inner = s->inner;
    bool idle = true;
    s->inner = true;
    RK_IR_EACH(s->ir, part, loop)
    idle = idle && pass(s, part) != WORKS;
    s->inner = inner;
    return idle ? FALLS : WORKS;
}

static outcome pass(way *s, rk_ir_id statement)
{
    const rk_ir_kind kind = rk_ir_kind_of(s->ir, statement);
    switch ((int)kind) {
    case RK_IR_EMPTY:
        return FALLS;
    case RK_IR_GOTO:
        if (is_back(s, statement))
            return s->inner ? FALLS : AGAIN;
        return s->inner ? FALLS : LEAVES;
    case RK_IR_BREAK:
        return s->inner ? FALLS : LEAVES;
    case RK_IR_RETURN:
        if (s->open.count == 0)
            return s->inner ? FALLS : LEAVES;
        return follow_all(s, statement, 0) ? AGAIN : WORKS;
    case RK_IR_CONTINUE:
        return s->inner ? FALLS : AGAIN;
    case RK_IR_COMPOUND:
        return pass_all(s, statement);
    case RK_IR_IF:
        return pass_if(s, statement);
    case RK_IR_SWITCH:
        return pass_switch(s, statement);
    case RK_IR_WHILE:
    case RK_IR_DO:
    case RK_IR_FOR:
        return pass_loop(s, statement);
    case RK_IR_DECLARE:
        return declare(s, statement) ? FALLS : WORKS;
    case RK_IR_ASSEMBLY:
        return follow_assembly(s, statement) ? FALLS : WORKS;
    case RK_IR_LABEL: {
        const size_t count = rk_ir_child_count(s->ir, statement);
        return count ? pass(s, rk_ir_child(s->ir, statement, count - 1)) : WORKS;
    }
    default:
        return rk_ir_is_expression(kind) && follow(s, statement) ? FALLS : WORKS;
    }
}

/* What depends on what. */

/** Whether the variable is among those whose values an expression is made of, at any depth. */
static bool is_made_of(const way *s, rk_ir_id expression, rk_ir_id variable, int depth)
{
    if (!expression)
        return false;
    const rk_ir_id end = rk_ir_at(s->ir, expression)->end;
    for (rk_ir_id node = expression; node < end; node++) {
        const rk_ir_node *n = rk_ir_at(s->ir, node);
        if (n->kind != RK_IR_NAME && n->kind != RK_IR_MEMBER)
            continue;
        if (n->decl == variable)
            return true;
        for (size_t i = 0; i < s->changes.count && depth < MOST_DEPTH; i++)
            if (s->changes.items[i].variable == n->decl &&
                is_made_of(s, s->changes.items[i].value, variable, depth + 1))
                return true;
    }
    return false;
}

/** Whether a variable goes on from what it was when the way began: what counts is its first change on it. */
static bool goes_on(const way *s, const change *c)
{
    for (const change *first = s->changes.items; first < c; first++)
        if (first->variable == c->variable)
            return false; /* which is looked at by itself */
    return c->counts || is_made_of(s, c->value, c->variable, 0);
}

/** Whether a condition on the way depends on what goes on, or an exchange on what was seen. */
static bool gets_on(const way *s)
{
    for (size_t i = 0; i < s->changes.count; i++) {
        const change *c = &s->changes.items[i];
        for (size_t k = 0; k < s->compared.count; k++)
            if (is_made_of(s, s->compared.items[k], c->variable, 0))
                return true;
        bool asked = false;
        for (size_t k = 0; k < s->conditions.count && !asked; k++)
            asked = is_made_of(s, s->conditions.items[k], c->variable, 0);
        if (asked && goes_on(s, c))
            return true;
    }
    return false;
}

/* Loops. */

static outcome pass_for(way *s)
{
    outcome body = FALLS;
    RK_IR_EACH(s->ir, part, s->loop)
    switch ((int)rk_ir_at(s->ir, part)->role) {
    case RK_IR_ROLE_INIT:
        break;
    case RK_IR_ROLE_VARIABLE:
    case RK_IR_ROLE_CONDITION:
        if (!follow_condition(s, part))
            return WORKS;
        break;
    case RK_IR_ROLE_STEP:
        if (!follow(s, part))
            return WORKS;
        break;
    case RK_IR_ROLE_BODY:
        body = pass(s, part);
        break;
    default:
        return WORKS;
    }
    return body;
}

/** From a label on, as far as the statements around it go. */
static outcome pass_label(way *s)
{
    outcome e = pass(s, s->loop);
    for (rk_ir_id next = rk_ir_next(s->ir, s->loop); next && e == FALLS;
         next = rk_ir_next(s->ir, next))
        e = pass(s, next);
    return e == FALLS ? LEAVES : e;
}

static outcome pass_body(way *s)
{
    const rk_ir_kind kind = rk_ir_kind_of(s->ir, s->loop);
    if (kind == RK_IR_FOR)
        return pass_for(s);
    if (kind == RK_IR_LABEL)
        return pass_label(s);
    if ((kind != RK_IR_WHILE && kind != RK_IR_DO) || rk_ir_child_count(s->ir, s->loop) != 2)
        return WORKS;
    return follow_condition(s, rk_ir_child_as(s->ir, s->loop, RK_IR_ROLE_CONDITION))
               ? pass(s, rk_ir_child_as(s->ir, s->loop, RK_IR_ROLE_BODY))
               : WORKS;
}

/** The next way in the order of the choices; false when there is none. */
static bool next_way(way *s)
{
    while (s->choice_count > 0 && s->choices[s->choice_count - 1])
        s->choice_count--;
    if (s->choice_count == 0)
        return false;
    s->choices[s->choice_count - 1] = true;
    return true;
}

/** Whether the loop's condition is false each time, as of the `do ... while (0)` around a macro's statements. */
static bool goes_once(const way *s)
{
    const rk_ir_id condition = rk_ir_child_as(s->ir, s->loop, RK_IR_ROLE_CONDITION);
    return condition && is_zero(s, condition);
}

rk_spin rk_spin_look(const rk_unit *unit, rk_ir_id loop, size_t function_end)
{
    way s = {.unit = unit, .ir = unit->ir, .end = function_end, .loop = loop};
    bool waits = false, reads = false, gets_anywhere = false;
    int count = 0;
    if (goes_once(&s))
        return RK_SPIN_NONE;
    do {
        s.changes.count = s.conditions.count = s.compared.count = s.chosen = 0;
        s.looks = s.reads = s.locks = s.pauses = s.timed = false;
        const outcome e = pass_body(&s);
        if (e == LEAVES)
            continue;
        const bool idle = e != WORKS && !s.timed && !gets_on(&s);
        gets_anywhere |= !idle;
        waits |= idle && (s.looks || (s.reads && s.pauses && !s.locks));
        reads |= idle && s.reads && !s.locks;
    } while (next_way(&s) && ++count < MOST_WAYS);
    if (count == MOST_WAYS || (!waits && (!reads || gets_anywhere)))
        return RK_SPIN_NONE;
    return gets_anywhere ? RK_SPIN_MAY_WAIT : RK_SPIN_WAITS;
}
