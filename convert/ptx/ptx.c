#include "convert/ptx/ptx_internal.h"

#include <ctype.h>
#include <string.h>

static bool is_shared(const rk_ptx_instruction *in)
{
    return rk_ptx_has(in, "shared") || rk_ptx_has(in, "shared::cta");
}

/** Operations that are functions of rk/cpu/cpu_ptx.h or operators. */
static const struct {
    const char *name; /**< with what it needs after the operation: "mul.lo" */
    size_t sources;
    const char *cpp;     /**< an operator, or rk__::ptx_<cpp><T> */
    const char *allowed; /**< further pieces that change nothing here */
} arithmetic[] = {{"add", 2, "+", "rn ftz"},
                  {"sub", 2, "-", "rn ftz"},
                  {"mul.lo", 2, "*", ""},
                  {"mul.hi", 2, "mul_hi", ""},
                  {"mul.wide", 2, "mul_wide", ""},
                  {"mul", 2, "*", "rn ftz"},
                  {"mad.lo", 3, "mad", ""},
                  {"fma", 3, "fma", "rn ftz"},
                  {"and", 2, "&", ""},
                  {"or", 2, "|", ""},
                  {"xor", 2, "^", ""},
                  {"not", 1, "invert", ""},
                  {"neg", 1, "negate", "ftz"},
                  {"abs", 1, "abs", "ftz"},
                  {"shl", 2, "shl", ""},
                  {"shr", 2, "shr", ""},
                  {"min", 2, "min", "ftz"},
                  {"max", 2, "max", "ftz"},
                  {"div", 2, "div", "rn"},
                  {"rem", 2, "rem", ""},
                  {"sqrt", 1, "sqrt", "rn ftz approx"},
                  {"rsqrt", 1, "rsqrt", "ftz approx"},
                  {"rcp", 1, "rcp", "rn ftz approx"},
                  {"ex2", 1, "ex2", "ftz approx"},
                  {"lg2", 1, "lg2", "ftz approx"},
                  {"tanh", 1, "tanh", "approx"},
                  {"mov", 1, "as", ""},
                  {"popc", 1, "popc", ""},
                  {"clz", 1, "clz", ""},
                  {"brev", 1, "brev", ""},
                  {"setp.eq", 2, "==", ""},
                  {"setp.ne", 2, "!=", ""},
                  {"setp.lt", 2, "<", ""},
                  {"setp.le", 2, "<=", ""},
                  {"setp.gt", 2, ">", ""},
                  {"setp.ge", 2, ">=", ""},
                  {"setp.lo", 2, "<", ""},
                  {"setp.ls", 2, "<=", ""},
                  {"setp.hi", 2, ">", ""},
                  {"setp.hs", 2, ">=", ""}};

/** Functions of rk/cpu/cpu_ptx.h: rk__::ptx_<name> with `_` for dots, for a destination and sources. */
static const struct {
    const char *name;
    size_t sources;
} functions[] = {{"bfe.u32", 3},
                 {"bfe.s32", 3},
                 {"bfi.b32", 4},
                 {"bfind.u32", 1},
                 {"lop3.b32", 4},
                 {"prmt.b32", 3},
                 {"vabsdiff4.u32.u32.u32.add", 3}};

static bool add_function(rk_ptx *t, const char *name, const rk_ptx_instruction *in)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) != 0 || in->operand_count != functions[i].sources + 1)
            continue;
        const char *to = rk_ptx_value(t, in->operands[0]);
        if (!to)
            return false;
        rk_str_addf(&t->out, "rk__::ptx_put(%s, %s(", to, rk_ptx_function("", name, t->arena));
        if (!rk_ptx_add_sources(t, in))
            return false;
        rk_str_add(&t->out, "));");
        return true;
    }
    return false;
}

/** Whether the instruction is `name`, other pieces being among `allowed`. */
static bool is_operation(const rk_ptx_instruction *in, const char *name, const char *allowed)
{
    const char *dot = strchr(name, '.');
    const size_t n = dot ? (size_t)(dot - name) : strlen(name);
    if (strlen(in->pieces[0]) != n || strncmp(in->pieces[0], name, n) != 0)
        return false;
    rk_ptx_instruction rest = *in;
    if (dot) {
        if (in->piece_count < 2 || strcmp(in->pieces[1], dot + 1) != 0)
            return false;
        for (size_t i = 2; i < in->piece_count; i++)
            rest.pieces[i - 1] = in->pieces[i];
        rest.piece_count--;
    }
    return rk_ptx_only(&rest, allowed);
}

static bool add_arithmetic(rk_ptx *t, const rk_ptx_instruction *in)
{
    for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++) {
        const char *sources[RK_PTX_OPERANDS], *cpp = arithmetic[i].cpp;
        if (!is_operation(in, arithmetic[i].name, arithmetic[i].allowed) || in->type_count != 1 ||
            in->operand_count != arithmetic[i].sources + 1)
            continue;
        const char *to = rk_ptx_value(t, in->operands[0]);
        for (size_t k = 0; k < arithmetic[i].sources; k++) {
            sources[k] = rk_ptx_value(t, in->operands[k + 1]);
            if (!sources[k])
                return false;
        }
        if (!to)
            return false;
        const bool wraps = strchr("+-*&|^", cpp[0]) && cpp[1] == '\0';
        const char *type = wraps ? rk_ptx_bits(in->types[0]) : in->types[0];
        rk_str_addf(&t->out, "rk__::ptx_put(%s, ", to);
        if (isalpha((unsigned char)cpp[0])) {
            rk_str_addf(&t->out, "rk__::ptx_%s<%s>(", cpp, type);
            for (size_t k = 0; k < arithmetic[i].sources; k++)
                rk_str_addf(&t->out, "%s%s", k ? ", " : "", sources[k]);
            rk_str_add(&t->out, "));");
        } else {
            const char *result = rk_str_starts(arithmetic[i].name, "setp") ? "bool" : type;
            rk_str_addf(&t->out, "%s(rk__::ptx_as<%s>(%s) %s rk__::ptx_as<%s>(%s)));",
                        strchr(result, ' ') ? rk_arena_printf(t->arena, "(%s)", result) : result,
                        type, sources[0], cpp, type, sources[1]);
        }
        return true;
    }
    return false;
}

/** `mov.b32 {a, b}, c` and `mov.b64 d, {a, b}`: a register's parts, the lowest first. */
static bool add_parts(rk_ptx *t, const rk_ptx_instruction *in)
{
    const bool apart = in->operand_count == 2 && in->operands[0][0] == '{';
    const bool together = in->operand_count == 2 && in->operands[1][0] == '{';
    const char *each[4], *part;
    if (apart == together || !is_operation(in, "mov", "") || in->type_count != 1)
        return false;
    const char *type = rk_ptx_bits(in->types[0]), *whole = rk_ptx_value(t, in->operands[apart]);
    const size_t count = rk_ptx_elements(t, in->operands[together], each);
    const size_t bits = strstr(type, "long") ? 64 : strstr(type, "short") ? 16 : 32;
    if (!whole || (count != 2 && count != 4))
        return false;
    part = bits / count == 32   ? "unsigned"
           : bits / count == 16 ? "unsigned short"
                                : "unsigned char";
    if (apart)
        rk_str_addf(&t->out, "{ const auto rk__w = rk__::ptx_as<unsigned long long>(%s);", whole);
    else
        rk_str_addf(&t->out, "rk__::ptx_put(%s, (%s)(0", whole, type);
    for (size_t i = 0; i < count; i++) {
        const size_t at = i * (bits / count);
        if (apart)
            rk_str_addf(&t->out, " rk__::ptx_put(%s, (%s)(rk__w >> %zu));", each[i], part, at);
        else
            rk_str_addf(&t->out, " | (unsigned long long)rk__::ptx_as<%s>(%s) << %zu", part,
                        each[i], at);
    }
    rk_str_add(&t->out, apart ? " }" : "));");
    return true;
}

/** `selp`, `cvta`. */
static bool add_choice(rk_ptx *t, const rk_ptx_instruction *in)
{
    const char *v[4] = {NULL};
    for (size_t i = 0; i < in->operand_count && i < 4; i++)
        if (!(v[i] = rk_ptx_value(t, in->operands[i])))
            return false;
    if (is_operation(in, "selp", "") && in->type_count == 1 && in->operand_count == 4) {
        rk_str_addf(&t->out, "rk__::ptx_put(%s, %s ? rk__::ptx_as<%s>(%s) : rk__::ptx_as<%s>(%s));",
                    v[0], v[3], in->types[0], v[1], in->types[0], v[2]);
        return true;
    }
    if (in->operand_count != 2)
        return false;
    if (!is_operation(in, "cvta", "to shared global"))
        return false;
    rk_str_addf(&t->out, "rk__::ptx_put(%s, rk__::ptx_cvta_%s_%s(%s));", v[0],
                rk_ptx_has(in, "to") ? "to" : "from",
                rk_ptx_has(in, "shared") ? "shared" : "global", v[1]);
    return true;
}

/** What loads and stores may say of caches, order and scope; all are as ordered as `acquire` and `release`. */
static const char memory_pieces[] =
    "global shared shared::cta const local weak relaxed acquire release volatile acq_rel cta gpu sys ca cg cs cv "
    "lu nc wb wt v2 v4 L1::no_allocate L1::evict_last L1::evict_first L1::evict_normal L2::64B L2::128B L2::256B "
    "async add min max exch cas and or xor inc dec unaligned";

static const char *order(const rk_ptx_instruction *in)
{
    return rk_ptx_has(in, "acquire")    ? "__ATOMIC_ACQUIRE"
           : rk_ptx_has(in, "release")  ? "__ATOMIC_RELEASE"
           : rk_ptx_has(in, "relaxed")  ? "__ATOMIC_RELAXED"
           : rk_ptx_has(in, "volatile") ? "__ATOMIC_RELAXED"
                                        : "-1";
}

static bool add_memory(rk_ptx *t, const rk_ptx_instruction *in)
{
    const bool load = strcmp(in->pieces[0], "ld") == 0 || strcmp(in->pieces[0], "ldu") == 0;
    const bool store = strcmp(in->pieces[0], "st") == 0;
    if ((!load && !store) || in->type_count != 1 || in->operand_count != 2 ||
        !rk_ptx_only(in, memory_pieces))
        return false;
    const char *each[4], *at = rk_ptx_address(t, in->operands[load ? 1 : 0], is_shared(in));
    const size_t count = rk_ptx_elements(t, in->operands[load ? 0 : 1], each);
    if (!at || count != (rk_ptx_has(in, "v4") ? 4u : rk_ptx_has(in, "v2") ? 2u : 1u))
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *where =
            rk_arena_printf(t->arena, "%s + %zu * sizeof(%s), %s", at, i, in->types[0], order(in));
        if (load)
            rk_str_addf(&t->out, "rk__::ptx_put(%s, rk__::ptx_read<%s>(%s)); ", each[i],
                        in->types[0], where);
        else
            rk_str_addf(&t->out, "rk__::ptx_write<%s>(%s, %s); ", in->types[0], where, each[i]);
    }
    return true;
}

/** `red.global.add.u32 [p], a`, `atom.global.cas.b32 d, [p], a, b`. */
static bool add_atomic(rk_ptx *t, const rk_ptx_instruction *in)
{
    static const char *const all[] = {"add", "min", "max", "exch", "cas",
                                      "and", "or",  "xor", "inc",  "dec"};
    const bool result = strcmp(in->pieces[0], "atom") == 0;
    const char *which = NULL;
    if ((!result && strcmp(in->pieces[0], "red") != 0) || in->type_count != 1 ||
        rk_ptx_has(in, "v2") || rk_ptx_has(in, "v4") || !rk_ptx_only(in, memory_pieces))
        return false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        which = rk_ptx_has(in, all[i]) ? all[i] : which;
    const size_t first = result ? 1 : 0, values = which && strcmp(which, "cas") == 0 ? 2 : 1;
    if (!which || in->operand_count != first + 1 + values)
        return false;
    const bool fenced =
        rk_ptx_has(in, "acquire") || rk_ptx_has(in, "release") || rk_ptx_has(in, "acq_rel");
    const char *at = rk_ptx_address(t, in->operands[first], is_shared(in));
    const char *to =
        result && strcmp(in->operands[0], "_") != 0 ? rk_ptx_value(t, in->operands[0]) : NULL;
    const char *a = rk_ptx_value(t, in->operands[first + 1]);
    const char *b = values == 2 ? rk_ptx_value(t, in->operands[first + 2]) : "0";
    if (!at || !a || !b || (result && !to && strcmp(in->operands[0], "_") != 0))
        return false;
    rk_str_addf(&t->out, fenced ? "__threadfence(); " : "");
    if (to)
        rk_str_addf(&t->out, "rk__::ptx_put(%s, ", to);
    rk_str_addf(&t->out, "rk__::ptx_atom_%s<%s>(%s, %s%s%s)%s;", which, in->types[0], at, a,
                values == 2 ? ", " : "", values == 2 ? b : "", to ? ")" : "");
    rk_str_add(&t->out, fenced ? " __threadfence();" : "");
    return true;
}

/** Copies are done at once, so that there is nothing to commit or to wait for. */
static bool add_copy(rk_ptx *t, const rk_ptx_instruction *in)
{
    if (strcmp(in->pieces[0], "cp") != 0 || !rk_ptx_has(in, "async") || rk_ptx_has(in, "bulk"))
        return false;
    if (rk_ptx_has(in, "mbarrier")) {
        const char *at =
            in->operand_count == 1 ? rk_ptx_address(t, in->operands[0], is_shared(in)) : NULL;
        if (!at || !rk_ptx_only(in, "async mbarrier arrive noinc shared shared::cta"))
            return false;
        if (rk_ptx_has(in, "noinc"))
            rk_str_addf(&t->out, "rk__::ptx_mbarrier_arrive(%s, 1);", at);
        return true;
    }
    if (rk_ptx_only(in, "async commit_group wait_group wait_all"))
        return true;
    if (!rk_ptx_only(
            in, "async ca cg shared shared::cta global L2::64B L2::128B L2::256B L2::cache_hint") ||
        in->operand_count < 3 || in->operand_count > 4 || rk_ptx_has(in, "L2::cache_hint"))
        return false;
    const char *to = rk_ptx_address(t, in->operands[0], true);
    const char *from = rk_ptx_address(t, in->operands[1], false);
    const char *size = rk_ptx_value(t, in->operands[2]);
    const char *part = in->operand_count == 4 ? rk_ptx_value(t, in->operands[3]) : size;
    if (!to || !from || !size || !part)
        return false;
    rk_str_addf(&t->out, "rk__::ptx_cp_async(%s, %s, %s, %s);", to, from, size, part);
    return true;
}

static bool add_mbarrier(rk_ptx *t, const rk_ptx_instruction *in)
{
    static const char pieces[] =
        "init inval arrive arrive_drop test_wait try_wait parity shared shared::cta "
        "release acquire cta";
    const char *v[RK_PTX_OPERANDS] = {NULL};
    if (strcmp(in->pieces[0], "mbarrier") != 0 || !rk_ptx_only(in, pieces) ||
        in->operand_count == 0)
        return false;
    const bool waits = rk_ptx_has(in, "test_wait") || rk_ptx_has(in, "try_wait");
    const bool arrives = rk_ptx_has(in, "arrive") || rk_ptx_has(in, "arrive_drop");
    const size_t at = waits || arrives ? 1 : 0;
    for (size_t i = 0; i < in->operand_count; i++) {
        v[i] = i == at ? rk_ptx_address(t, in->operands[i], is_shared(in))
                       : rk_ptx_value(t, in->operands[i]);
        if (!v[i])
            return false;
    }
    if (waits && (in->operand_count == 3 || in->operand_count == 4))
        rk_str_addf(&t->out, "rk__::ptx_put(%s, rk__::ptx_mbarrier_%s(%s, %s));", v[0],
                    rk_ptx_has(in, "parity") ? "passed_parity" : "passed", v[1], v[2]);
    else if (arrives && (in->operand_count == 2 || in->operand_count == 3))
        rk_str_addf(&t->out, "%srk__::ptx_mbarrier_arrive(%s, %s, %s)%s;",
                    strcmp(in->operands[0], "_") == 0
                        ? "("
                        : rk_arena_printf(t->arena, "rk__::ptx_put(%s, ", v[0]),
                    v[1], in->operand_count == 3 ? v[2] : "1",
                    rk_ptx_has(in, "arrive_drop") ? "true" : "false", ")");
    else if (rk_ptx_has(in, "init") && in->operand_count == 2)
        rk_str_addf(&t->out, "rk__::ptx_mbarrier_init(%s, %s);", v[0], v[1]);
    else
        return rk_ptx_has(in, "inval") && in->operand_count == 1;
    return true;
}

/** Those with a meaning of their own. */
static bool add_other(rk_ptx *t, const rk_ptx_instruction *in)
{
    const char *a = in->operand_count > 0 ? rk_ptx_value(t, in->operands[0]) : NULL;
    const char *b = in->operand_count > 1 ? rk_ptx_value(t, in->operands[1]) : NULL;
    if (is_operation(in, "bra", "uni") && in->operand_count == 1 && rk_ptx_is_name(in->operands[0]))
        rk_str_addf(&t->out, "goto %s;", rk_ptx_local("l", in->operands[0], t->arena));
    else if ((is_operation(in, "fence", "sc acq_rel cta gpu sys") ||
              is_operation(in, "membar", "gl cta sys")) &&
             in->operand_count == 0)
        rk_str_add(&t->out, "__threadfence();");
    else if (strcmp(in->pieces[0], "griddepcontrol") == 0) /* what came before has ended */
        return rk_ptx_only(in, "wait launch_dependents") && in->operand_count == 0;
    else if (strcmp(in->pieces[0], "prefetch") == 0 || strcmp(in->pieces[0], "prefetchu") == 0)
        return true;
    else if (is_operation(in, "nanosleep", "") && in->operand_count == 1)
        rk_str_add(&t->out, "__nanosleep(0);");
    else if (is_operation(in, "trap", "") && in->operand_count == 0)
        rk_str_add(&t->out, "__trap();");
    else if (is_operation(in, "activemask", "") && a)
        rk_str_addf(&t->out, "rk__::ptx_put(%s, __activemask());", a);
    else if ((is_operation(in, "bar.sync", "") || is_operation(in, "barrier.sync", "aligned")) && a)
        rk_str_addf(&t->out, "rk__::named_barrier(%s%s%s);", a, b ? ", " : "", b ? b : "");
    else if ((is_operation(in, "bar.arrive", "") ||
              is_operation(in, "barrier.arrive", "aligned")) &&
             a && b)
        rk_str_addf(&t->out, "rk__::named_arrive(%s, %s);", a, b);
    else
        return false;
    return true;
}

static bool add_instruction(rk_ptx *t, const char *name, const rk_ptx_instruction *in)
{
    return add_function(t, name, in) || add_arithmetic(t, in) || rk_ptx_add_carry(t, in) ||
           add_choice(t, in) || add_parts(t, in) || rk_ptx_add_convert(t, name, in) ||
           rk_ptx_add_warp(t, in) || rk_ptx_add_mma(t, name, in) || add_memory(t, in) ||
           add_atomic(t, in) || add_copy(t, in) || add_mbarrier(t, in) || add_other(t, in);
}

/* Statements. */

/** Splits `ld.global.u32`: types apart from the rest. */
static bool split_name(rk_ptx *t, rk_ptx_instruction *in, const char *text, size_t length)
{
    for (size_t i = 0; i <= length;) {
        size_t n = 0;
        while (i + n < length && text[i + n] != '.')
            n++;
        const char *piece = rk_arena_strndup(t->arena, text + i, n);
        const char *type = rk_ptx_type(piece);
        if (n == 0 || (type ? in->type_count == RK_PTX_TYPES : in->piece_count == RK_PTX_PIECES))
            return false;
        if (type)
            in->types[in->type_count++] = type;
        else
            in->pieces[in->piece_count++] = piece;
        i += n + 1;
    }
    return in->piece_count > 0;
}

/** Splits at commas outside of brackets and braces; blanks are left out. */
static bool split_operands(rk_ptx *t, rk_ptx_instruction *in, const char *text, size_t length)
{
    rk_str one = {.arena = t->arena};
    int depth = 0;
    for (size_t i = 0; i <= length; i++) {
        const char c = i < length ? text[i] : ',';
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (c != ',' || depth > 0) {
            if (!isspace((unsigned char)c))
                rk_str_addn(&one, &c, 1);
            continue;
        }
        if (one.length == 0)
            return i == length && in->operand_count == 0;
        if (in->operand_count == RK_PTX_OPERANDS)
            return false;
        in->operands[in->operand_count++] = rk_arena_strdup(t->arena, rk_str_text(&one));
        one = (rk_str){.arena = t->arena};
    }
    return depth == 0;
}

/** `.reg .b32 a, b, r<4>`. */
static bool add_registers(rk_ptx *t, const char *text, size_t length)
{
    const size_t space = strspn(text, " ");
    size_t n = space;
    while (n < length && !isspace((unsigned char)text[n]))
        n++;
    const char *type =
        text[space] == '.'
            ? rk_ptx_type(rk_arena_strndup(t->arena, text + space + 1, n - space - 1))
            : NULL;
    rk_ptx_instruction names = {0};
    if (!type || !split_operands(t, &names, text + n, length - n) || names.operand_count == 0)
        return false;
    for (size_t i = 0; i < names.operand_count; i++) {
        const char *name = names.operands[i] + strspn(names.operands[i], "%");
        const size_t base = strcspn(name, "<");
        size_t count = 0;
        for (const char *c = name + base + (name[base] == '<'); isdigit((unsigned char)*c); c++)
            count = count * 10 + (size_t)(*c - '0');
        const char *stem = rk_arena_strndup(t->arena, name, base);
        if (!rk_ptx_is_name(stem) || count > 64)
            return false;
        if (count == 0)
            rk_str_addf(&t->out, "%s %s; ", type, rk_ptx_local("v", stem, t->arena));
        for (size_t k = 0; k < count; k++)
            rk_str_addf(&t->out, "%s %s%zu; ", type, rk_ptx_local("v", stem, t->arena), k);
    }
    return true;
}

/** One statement without its `;`. */
static bool add_statement(rk_ptx *t, const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    if (length == 0)
        return true;
    if (length > 4 && rk_str_starts(text, ".reg"))
        return add_registers(t, text + 4, length - 4);
    if (text[0] == '@') {
        size_t n = 1;
        while (n < length && !isspace((unsigned char)text[n]))
            n++;
        const bool not = text[1] == '!';
        const char *guard =
            rk_ptx_value(t, rk_arena_strndup(t->arena, text + 1 + not, n - 1 - not ));
        if (!guard)
            return false;
        rk_str_addf(&t->out, "if (%s%s) { ", not ? "!" : "", guard);
        n += strspn(text + n, " \t");
        if (n >= length || !add_statement(t, text + n, length - n))
            return false;
        rk_str_add(&t->out, " } ");
        return true;
    }
    size_t n = 0;
    while (n < length && !isspace((unsigned char)text[n]))
        n++;
    rk_ptx_instruction in = {0};
    if (!split_name(t, &in, text, n) || !split_operands(t, &in, text + n, length - n) ||
        !add_instruction(t, rk_arena_strndup(t->arena, text, n), &in))
        return false;
    rk_str_add(&t->out, " ");
    return true;
}

/** The name of a label that the text begins with, and its length with the colon; NULL for none. */
static const char *label_at(const char *text, size_t *length, rk_arena *arena)
{
    size_t n = 0;
    while (rk_ptx_is_name_byte(text[n]))
        n++;
    const size_t colon = n + strspn(text + n, " ");
    if (n == 0 || text[colon] != ':' || text[colon + 1] == ':')
        return NULL;
    *length = colon + 1;
    return rk_ptx_local("l", rk_arena_strndup(arena, text, n), arena);
}

/** The text without comments, lines and tabs being blanks. */
static const char *plain(const char *text, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    for (; *text; text++) {
        if (text[0] == '/' && text[1] == '/') {
            while (text[1] && text[1] != '\n')
                text++;
            continue;
        }
        if (text[0] == '/' && text[1] == '*') {
            const char *end = strstr(text + 2, "*/");
            text = end ? end + 1 : text + strlen(text) - 1;
            continue;
        }
        rk_str_addn(&out, isspace((unsigned char)*text) ? " " : text, 1);
    }
    return rk_str_text(&out);
}

/** Labels belong to the expression, which may stand in a function twice. */
static void declare_labels(rk_ptx *t, const char *text)
{
    for (const char *p = text; *p; p++) {
        size_t length;
        p += strspn(p, " {}");
        const char *label = label_at(p, &length, t->arena);
        if (label) {
            rk_str_addf(&t->out, "__label__ %s; ", label);
            p += length - 1;
            continue;
        }
        p += strcspn(p, ";");
        if (!*p)
            return;
    }
}

static void bind_operands(rk_ptx *t)
{
    for (size_t i = 0; i < t->count; i++)
        rk_str_addf(&t->out, "%s rk__%zu = %s; (void)rk__%zu; ",
                    t->operands[i].output ? "auto &&" : "const auto", i, t->operands[i].text, i);
}

const char *rk_ptx_translate(const char *text, const rk_ptx_operand *operands, size_t count,
                             rk_arena *arena)
{
    rk_ptx t = {.operands = operands, .count = count, .arena = arena, .out = {.arena = arena}};
    text = plain(text, arena);
    rk_str_add(&t.out, "({ ");
    declare_labels(&t, text);
    bind_operands(&t);
    int depth = 0;
    for (const char *p = text;;) {
        size_t length;
        p += strspn(p, " ;");
        if (!*p)
            break;
        const char *label = label_at(p, &length, arena);
        if (label) {
            rk_str_addf(&t.out, "%s:; ", label);
            p += length;
        } else if (*p == '{' || *p == '}') {
            depth += *p == '{' ? 1 : -1;
            if (depth < 0)
                return NULL;
            rk_str_addf(&t.out, "%c ", *p++);
        } else {
            length = strcspn(p, ";");
            if (!add_statement(&t, p, length))
                return NULL;
            p += length;
        }
    }
    if (depth != 0)
        return NULL;
    rk_str_add(&t.out, "(void)0; })");
    return rk_str_text(&t.out);
}
