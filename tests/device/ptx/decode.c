#include "decode.h"

#include "alu.h"

#include <fenv.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void decode_fail(decoder *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = snprintf(d->m->error, sizeof d->m->error, "%s:%d: ", d->module->file,
                     d->source ? d->source->line : d->function->line);
    vsnprintf(d->m->error + n, sizeof d->m->error - (size_t)n, format, args);
    va_end(args);
    longjmp(d->m->failed, 1);
}

/* Opcodes. */

void decode_words(opcode_words *out, const char *opcode)
{
    snprintf(out->text, sizeof out->text, "%s", opcode);
    out->count = 0;
    for (char *p = out->text; p && out->count < 24;) {
        out->words[out->count++] = p;
        p = strchr(p, '.');
        if (p)
            *p++ = '\0';
    }
}

bool decode_take(opcode_words *words, const char *word)
{
    for (int i = 1; i < words->count; i++) {
        if (strcmp(words->words[i], word) == 0) {
            memmove(&words->words[i], &words->words[i + 1],
                    (size_t)(words->count - i - 1) * sizeof *words->words);
            words->count--;
            return true;
        }
    }
    return false;
}

int decode_one_of(opcode_words *w, const char *const *names)
{
    for (int k = 0; names[k]; k++)
        if (decode_take(w, names[k]))
            return k;
    return -1;
}

static void join(char *out, size_t size, const opcode_words *words)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < words->count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "." : "", words->words[i]);
}

/* Places. */

int32_t decode_place(decoder *d, size_t bytes, size_t align)
{
    d->frame_bytes = (d->frame_bytes + align - 1) / align * align;
    const size_t place = d->frame_bytes;
    d->frame_bytes += bytes;
    if (d->frame_bytes > 0x7FFFFFFF)
        decode_fail(d, "%s has too many registers", d->function->name);
    return (int32_t)place;
}

static size_t lane_bytes(int bytes)
{
    return bytes ? (size_t)bytes * LANES : sizeof(uint32_t);
}

/** A place for one value, which the next instruction may use again. */
static int32_t temporary(decoder *d)
{
    if (d->temporary_count == 16)
        decode_fail(d, "%s has too many operands that are no registers", d->source->opcode);
    int32_t *place = &d->temporaries[d->temporary_count++];
    if (!*place)
        *place = decode_place(d, 8 * LANES, 64);
    return *place;
}

insn *decode_emit(decoder *d, handler *run)
{
    code *c = d->code;
    if (c->count == d->insn_room) {
        d->insn_room = d->insn_room ? 2 * d->insn_room : 64;
        insn *more = rk_arena_calloc(d->m->arena, (size_t)d->insn_room, sizeof *more);
        if (c->count)
            memcpy(more, c->insns, (size_t)c->count * sizeof *more);
        c->insns = more;
    }
    insn *i = &c->insns[c->count++];
    *i = (insn){.run = run, .predicate = -1, .members = -1, .source = d->source};
    return i;
}

/** 32 equal values; the same value twice is in one place. */
static int32_t constant(decoder *d, uint64_t value, int bytes)
{
    kernel *k = d->kernel;
    unsigned char lanes[8 * LANES];
    const size_t size = lane_bytes(bytes);
    const uint32_t flag = value ? ALL_LANES : 0;
    if (bytes == 0)
        memcpy(lanes, &flag, sizeof flag);
    for (int l = 0; bytes && l < LANES; l++)
        memcpy(lanes + l * bytes, &value, (size_t)bytes);
    for (size_t i = 0; i + size <= k->constant_bytes; i += 64)
        if (memcmp(k->constants + i, lanes, size) == 0)
            return (int32_t)i | IN_CONSTANTS;
    const size_t place = (k->constant_bytes + 63) / 64 * 64;
    if (place + size + 64 > k->constant_room) {
        k->constant_room = 2 * (place + size) + 4096;
        unsigned char *more = rk_arena_calloc(d->m->arena, k->constant_room + 64, 1);
        more = (unsigned char *)(((uintptr_t)more + 63) / 64 * 64);
        if (k->constant_bytes)
            memcpy(more, k->constants, k->constant_bytes);
        k->constants = more;
    }
    memcpy(k->constants + place, lanes, size);
    k->constant_bytes = place + size;
    return (int32_t)place | IN_CONSTANTS;
}

/* Operands. */

static int reg_bytes(const decoder *d, int reg)
{
    return d->function->regs[reg].bytes;
}

int decode_width(const decoder *d, const ptx_operand *operand, int usual)
{
    return operand->kind == PTX_REG ? reg_bytes(d, operand->reg) : usual;
}

static void not_place(run *c, const insn *i, uint32_t mask)
{
    (void)mask;
    *(uint32_t *)at(c, i->o[0]) = ~predicate(c, i->o[1]);
}

static int32_t special_source(decoder *d, int which, int64_t plus, int bytes)
{
    const int32_t place = temporary(d);
    insn *i = decode_emit(d, special_run);
    i->o[0] = place;
    i->extra[0] = which;
    i->extra[1] = bytes;
    i->imm = plus;
    return place;
}

bool decode_is_kernel_parameter(const decoder *d, const ptx_var *var)
{
    for (int p = 0; d->function->entry && p < d->function->param_count; p++)
        if (d->function->params[p] == var)
            return true;
    return false;
}

static int32_t name_source(decoder *d, const ptx_operand *operand, int bytes)
{
    const ptx_var *var = operand->var;
    if (!var) {
        ptx_function *f = ptx_find_function(d->module, operand->name);
        if (!f)
            decode_fail(d, "%s is not known", operand->name);
        return constant(d, (uint64_t)(uintptr_t)f, 8);
    }
    if (var->space == PTX_LOCAL || (var->space == PTX_PARAM && !decode_is_kernel_parameter(d, var)))
        return special_source(d, special_local(), var->offset + operand->imm, bytes);
    if (var->space == PTX_SHARED)
        return constant(d, (uint64_t)(var->offset + operand->imm), bytes);
    if (var->space == PTX_PARAM)
        return constant(
            d, (uint64_t)(uintptr_t)d->m->params + (uint64_t)(var->offset + operand->imm), bytes);
    if (!var->address)
        decode_fail(d, "%s is defined nowhere", var->name);
    return constant(d, var->address + (uint64_t)operand->imm, bytes);
}

int32_t decode_source(decoder *d, const ptx_operand *operand, int bytes)
{
    if (operand->kind == PTX_REG) {
        if (reg_bytes(d, operand->reg) != bytes)
            decode_fail(d, "%s: %s has not %d bytes", d->source->opcode, operand->name, bytes);
        const int32_t place = d->slots[operand->reg];
        if (!operand->negated)
            return place;
        const int32_t to = temporary(d);
        insn *i = decode_emit(d, not_place);
        i->o[0] = to;
        i->o[1] = place;
        return to;
    }
    if (operand->kind == PTX_IMM) {
        uint64_t value = (uint64_t)operand->imm;
        if (operand->float_bytes == 8 && bytes == 4) {
            double wide;
            memcpy(&wide, &value, sizeof wide);
            const float narrow = (float)wide;
            value = 0;
            memcpy(&value, &narrow, sizeof narrow);
        }
        return constant(d, value, bytes);
    }
    if (operand->kind == PTX_SPECIAL && bytes > 0) {
        const int which = special_named(operand->name);
        if (which >= 0)
            return special_source(d, which, 0, bytes);
        decode_fail(d, "the special register %s is not known", operand->name);
    }
    if (operand->kind == PTX_NAME)
        return name_source(d, operand, bytes);
    decode_fail(d, "%s: an operand is not understood", d->source->opcode);
}

int32_t decode_result(decoder *d, const ptx_operand *operand, int bytes)
{
    if (operand->kind == PTX_SINK)
        return temporary(d);
    if (operand->kind != PTX_REG || operand->negated)
        decode_fail(d, "%s: a result is no register", d->source->opcode);
    if (reg_bytes(d, operand->reg) != bytes)
        decode_fail(d, "%s: %s has not %d bytes", d->source->opcode, operand->name, bytes);
    return d->slots[operand->reg];
}

void decode_count(decoder *d, int least, int most)
{
    if (d->source->operand_count < least || d->source->operand_count > most)
        decode_fail(d, "%s has %d operands", d->source->opcode, d->source->operand_count);
}

int32_t decode_address(decoder *d, const ptx_operand *operand, ptx_space space, int64_t *offset,
                       int *bytes)
{
    if (operand->kind != PTX_ADDRESS || operand->part_count > 1)
        decode_fail(d, "%s: an address expected", d->source->opcode);
    *offset = operand->imm;
    *bytes = space == PTX_SHARED ? 4 : 8;
    if (operand->part_count == 0)
        return constant(d, 0, *bytes);
    const ptx_operand *base = &operand->parts[0];
    if (base->kind == PTX_REG) {
        *bytes = reg_bytes(d, base->reg);
        if (*bytes != 4 && *bytes != 8)
            decode_fail(d, "%s: %s is no address", d->source->opcode, base->name);
    }
    return decode_source(d, base, *bytes);
}

/* Computing instructions. */

/** What `.ftz`, `.sat` and a rounding put around a handler. */
typedef struct {
    handler *run;
    int rounding; /**< of FE_*; -1: as it is */
    bool ftz, sat;
    int count, bytes;
} wrapped;

static void flush(float *v)
{
    if (fpclassify(*v) == FP_SUBNORMAL)
        *v = copysignf(0, *v);
}

static void run_wrapped(run *c, const insn *i, uint32_t mask)
{
    const wrapped *w = i->more;
    _Alignas(64) float copies[3][LANES];
    _Alignas(64) unsigned char result[8 * LANES];
    insn inner = *i;
    const int before = fegetround();
    unsigned char *const frame = c->frame;
    if (w->ftz) {
        for (int k = 0; k < w->count - 1; k++) {
            memcpy(copies[k], at(c, i->o[k + 1]), sizeof copies[k]);
            for (int l = 0; l < LANES; l++)
                flush(&copies[k][l]);
        }
    }
    /* The handler's operands are places in a frame: here in one of this function's own. */
    _Alignas(64) unsigned char own[4 * 8 * LANES];
    for (int k = 1; k < w->count; k++) {
        memcpy(own + k * 8 * LANES, w->ftz ? (void *)copies[k - 1] : at(c, i->o[k]),
               (size_t)w->bytes * LANES);
        inner.o[k] = k * 8 * LANES;
    }
    inner.o[0] = 0;
    c->frame = own;
    if (w->rounding >= 0)
        fesetround(w->rounding);
    w->run(c, &inner, mask);
    fesetround(before);
    c->frame = frame;
    memcpy(result, own, (size_t)w->bytes * LANES);
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        if (w->bytes == 4) {
            float v;
            memcpy(&v, result + 4 * l, sizeof v);
            if (w->ftz)
                flush(&v);
            if (w->sat)
                v = v != v || v < 0 ? 0 : v > 1 ? 1 : v;
            memcpy(result + 4 * l, &v, sizeof v);
        }
        memcpy((unsigned char *)at(c, i->o[0]) + l * w->bytes, result + l * w->bytes,
               (size_t)w->bytes);
    }
}

/** Sets a handler's operands by its letters. Returns the instruction, which is the last. */
static insn *operands(decoder *d, handler *run, const char *letters)
{
    const ptx_insn *s = d->source;
    const int count = (int)strlen(letters);
    int32_t o[OPERANDS] = {0};
    if (s->operand_count != count)
        decode_fail(d, "%s has %d operands", s->opcode, s->operand_count);
    for (int k = 0; k < count; k++) {
        const int bytes = letters[k] == 'p' ? 0 : letters[k] - '0';
        o[k] = k == 0 ? decode_result(d, &s->operands[k], bytes)
                      : decode_source(d, &s->operands[k], bytes);
    }
    insn *i = decode_emit(d, run);
    memcpy(i->o, o, sizeof o);
    return i;
}

/** setp: one or two results, and maybe a third predicate. */
static bool compare(decoder *d, const alu_op *op, int third)
{
    const ptx_insn *s = d->source;
    const bool pair = s->operands[0].kind == PTX_PAIR;
    const int bytes = op->operands[2] - '0';
    decode_count(d, third ? 4 : 3, third ? 4 : 3);
    const int32_t p = decode_result(d, pair ? &s->operands[0].parts[0] : &s->operands[0], 0);
    const int32_t q = pair ? decode_result(d, &s->operands[0].parts[1], 0) : p;
    const int32_t a = decode_source(d, &s->operands[1], bytes);
    const int32_t b = decode_source(d, &s->operands[2], bytes);
    const int32_t e = third ? decode_source(d, &s->operands[3], 0) : 0;
    insn *i = decode_emit(d, op->run);
    i->o[0] = p;
    i->o[1] = q;
    i->o[2] = a;
    i->o[3] = b;
    i->o[4] = e;
    i->imm = third;
    return true;
}

static bool decode_compare(decoder *d, opcode_words *words)
{
    char name[128];
    const int third = decode_take(words, "and")   ? 1
                      : decode_take(words, "or")  ? 2
                      : decode_take(words, "xor") ? 3
                                                  : 0;
    const bool ftz = decode_take(words, "ftz");
    join(name, sizeof name, words);
    const alu_op *op = alu_find(name);
    if (!op && !third)
        op = alu_find_half(name);
    (void)ftz; /* a number that is compared as zero: none of ours is that near */
    return op && compare(d, op, third);
}

static bool decode_float(decoder *d, opcode_words *words)
{
    static const struct {
        const char *word;
        int rounding;
    } roundings[] = {{"rn", -1}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
    char name[128];
    wrapped w = {.rounding = -1};
    for (int k = 0; k < 4; k++)
        if (decode_take(words, roundings[k].word))
            w.rounding = roundings[k].rounding;
    w.ftz = decode_take(words, "ftz");
    w.sat = decode_take(words, "sat");
    join(name, sizeof name, words);
    const alu_op *op = alu_find_float(name);
    if (!op && !w.ftz && !w.sat && w.rounding < 0 && (op = alu_find_half(name)))
        return operands(d, op->run, op->operands);
    if (!op)
        return false;
    if ((!w.ftz && !w.sat && w.rounding < 0) || op->operands[0] == 'p')
        return operands(d, op->run, op->operands);
    if (op->operands[0] != '4' && (w.ftz || w.sat))
        w.ftz = false; /* rcp.approx.ftz.f64 */
    w.run = op->run;
    w.count = (int)strlen(op->operands);
    w.bytes = op->operands[0] - '0';
    operands(d, run_wrapped, op->operands)->more = rk_arena_copy(d->m->arena, &w, sizeof w);
    return true;
}

static bool decode_cvt(decoder *d)
{
    cvt_form form;
    const char *letters;
    if (!cvt_read(&form, d->source->opcode, &letters))
        return false;
    const cvt_form *kept = rk_arena_copy(d->m->arena, &form, sizeof form);
    if (form.low) {
        operands(d, cvt_pack_run, letters)->more = kept;
        return true;
    }
    decode_count(d, 2, 2);
    const int to = decode_width(d, &d->source->operands[0], letters[0] - '0');
    const int from = decode_width(d, &d->source->operands[1], letters[1] - '0');
    if (to < letters[0] - '0' || from < letters[1] - '0')
        decode_fail(d, "%s: a register is too narrow", d->source->opcode);
    const char both[] = {(char)('0' + to), (char)('0' + from), '\0'};
    insn *i = operands(d, cvt_run, both);
    i->more = kept;
    i->extra[0] = to;
    i->extra[1] = from;
    return true;
}

/** Between a register and a vector of narrower ones, or of 64 bits and two halves. */
static void mov_pack(run *c, const insn *i, uint32_t mask)
{
    const int parts = i->extra[0], bytes = i->extra[1];
    const int32_t *places = i->more;
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        unsigned char whole[16] = {0};
        for (int p = 0; p < parts; p++)
            memcpy(whole + p * bytes, (unsigned char *)at(c, places[p]) + l * bytes, (size_t)bytes);
        memcpy((unsigned char *)at(c, i->o[0]) + l * parts * bytes, whole, (size_t)(parts * bytes));
    }
}
static void mov_unpack(run *c, const insn *i, uint32_t mask)
{
    const int parts = i->extra[0], bytes = i->extra[1];
    const int32_t *places = i->more;
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        unsigned char whole[16];
        memcpy(whole, (unsigned char *)at(c, i->o[0]) + l * parts * bytes, (size_t)(parts * bytes));
        for (int p = 0; p < parts; p++)
            if (places[p] != INT32_MIN)
                memcpy((unsigned char *)at(c, places[p]) + l * bytes, whole + p * bytes,
                       (size_t)bytes);
    }
}

static bool decode_mov(decoder *d)
{
    const ptx_insn *s = d->source;
    decode_count(d, 2, 2);
    const bool pack = s->operands[1].kind == PTX_VECTOR, unpack = s->operands[0].kind == PTX_VECTOR;
    if (!pack && !unpack)
        return false;
    const ptx_operand *vector = &s->operands[pack], *whole = &s->operands[!pack];
    const int bits = atoi(s->opcode + 5),
              bytes = bits / 8 / (vector->part_count ? vector->part_count : 1);
    if (bits % 8 || bits > 128 || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
        decode_fail(d, "%s of %d parts", s->opcode, vector->part_count);
    int32_t *places = rk_arena_calloc(d->m->arena, (size_t)vector->part_count, sizeof *places);
    for (int p = 0; p < vector->part_count; p++) {
        if (pack)
            places[p] = decode_source(d, &vector->parts[p], bytes);
        else
            places[p] = vector->parts[p].kind == PTX_SINK
                            ? INT32_MIN
                            : decode_result(d, &vector->parts[p], bytes);
    }
    const int32_t place =
        pack ? decode_result(d, whole, bits / 8) : decode_source(d, whole, bits / 8);
    insn *i = decode_emit(d, pack ? mov_pack : mov_unpack);
    i->o[0] = place;
    i->more = places;
    i->extra[0] = vector->part_count;
    i->extra[1] = bytes;
    return true;
}

/** Selectors, tables and signs that stand apart from the name that the table of operations has. */
static bool decode_computing(decoder *d)
{
    const char *opcode = d->source->opcode;
    opcode_words words;
    const alu_op *op;
    decode_words(&words, opcode);
    if (strcmp(words.words[0], "mov") == 0 && decode_mov(d))
        return true;
    if (strcmp(words.words[0], "cvt") == 0)
        return decode_cvt(d);
    if (strcmp(words.words[0], "setp") == 0)
        return decode_compare(d, &words);
    if ((op = alu_find(opcode)))
        return operands(d, op->run, op->operands);
    return decode_float(d, &words);
}

/* Control. */

static void nothing(run *c, const insn *i, uint32_t mask)
{
    (void)c;
    (void)i;
    (void)mask;
}

static void call(decoder *d)
{
    const ptx_insn *s = d->source;
    int n = 0;
    const bool results = s->operands[0].kind == PTX_LIST;
    const ptx_operand *to = results ? &s->operands[n++] : NULL;
    const ptx_operand *callee = &s->operands[n++];
    const ptx_operand *from =
        n < s->operand_count && s->operands[n].kind == PTX_LIST ? &s->operands[n] : NULL;
    const int32_t target = decode_source(d, callee, 8);
    const int counts[2] = {to ? to->part_count : 0, from ? from->part_count : 0};
    ptx_var **vars =
        rk_arena_calloc(d->m->arena, (size_t)(counts[0] + counts[1]) + 1, sizeof *vars);
    for (int k = 0; k < counts[0] + counts[1]; k++) {
        const ptx_operand *one = k < counts[0] ? &to->parts[k] : &from->parts[k - counts[0]];
        if (one->kind != PTX_NAME || !one->var || one->var->space != PTX_PARAM)
            decode_fail(d, "a call takes parameters alone");
        vars[k] = one->var;
    }
    insn *i = decode_emit(d, nothing);
    i->flow = FLOW_CALL;
    i->o[0] = target;
    i->more = vars;
    i->extra[0] = counts[0];
    i->extra[1] = counts[1];
}

static bool decode_control(decoder *d)
{
    const ptx_insn *s = d->source;
    opcode_words words;
    decode_words(&words, s->opcode);
    decode_take(&words, "uni");
    const char *first = words.words[0];
    static const struct {
        const char *name;
        flow flow;
    } plain[] = {
        {"ret", FLOW_RETURN}, {"exit", FLOW_EXIT}, {"trap", FLOW_TRAP}, {"nop", FLOW_NEXT}};
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        if (words.count == 1 && strcmp(first, plain[k].name) == 0) {
            decode_count(d, 0, 0);
            decode_emit(d, nothing)->flow = plain[k].flow;
            return true;
        }
    }
    if (words.count == 1 && strcmp(first, "bra") == 0) {
        decode_count(d, 1, 1);
        if (s->operands[0].kind != PTX_LABEL)
            decode_fail(d, "bra takes a label");
        insn *i = decode_emit(d, nothing);
        i->flow = FLOW_BRANCH;
        i->target = (int32_t)s->operands[0].imm;
    } else if (words.count == 1 && strcmp(first, "call") == 0) {
        decode_count(d, 1, 4);
        call(d);
    } else if (strcmp(first, "brx") == 0 && words.count == 2 &&
               strcmp(words.words[1], "idx") == 0) {
        decode_count(d, 2, 2);
        const int32_t index = decode_source(d, &s->operands[0], 4);
        insn *i = decode_emit(d, nothing);
        i->flow = FLOW_TABLE;
        i->o[0] = index;
        i->target = -1;
        for (int t = 0; t < d->function->table_count; t++)
            if (s->operands[1].name &&
                strcmp(d->function->table_names[t], s->operands[1].name) == 0)
                i->target = t;
        if (i->target < 0)
            decode_fail(d, "there is no table of branches %s",
                        s->operands[1].name ? s->operands[1].name : "");
    } else if (strcmp(first, "nanosleep") == 0 || strcmp(first, "pmevent") == 0 ||
               strcmp(first, "setmaxnreg") == 0 || strcmp(first, "griddepcontrol") == 0) {
        decode_emit(d, nothing)->flow = FLOW_POLL;
    } else {
        return false;
    }
    return true;
}

/* Functions. */

static size_t round_up(size_t value, size_t align)
{
    return align ? (value + align - 1) / align * align : value;
}

/** Local variables, and in functions the parameters of calls and their own, which are local, too. */
static void lay_out(decoder *d)
{
    const ptx_function *f = d->function;
    size_t local = 0;
    for (int k = 0; k < f->param_count + f->result_count + f->var_count; k++) {
        ptx_var *v = k < f->param_count ? f->params[k]
                     : k < f->param_count + f->result_count
                         ? f->results[k - f->param_count]
                         : f->vars[k - f->param_count - f->result_count];
        const bool own = k < f->param_count;
        if (v->space == PTX_SHARED || (own && f->entry))
            continue;
        local = round_up(local, (size_t)(v->align > 8 ? v->align : 8));
        v->offset = (int64_t)local;
        local += v->size;
    }
    d->code->local_bytes = round_up(local, 16);
    d->slots = rk_arena_calloc(d->m->arena, (size_t)f->reg_count + 1, sizeof *d->slots);
    for (int r = 0; r < f->reg_count; r++)
        d->slots[r] = decode_place(d, lane_bytes(f->regs[r].bytes), f->regs[r].bytes ? 64 : 4);
}

static void one(decoder *d, const ptx_insn *source)
{
    d->source = source;
    d->temporary_count = 0;
    if (!decode_control(d) && !decode_memory(d) && !decode_warp(d) && !decode_matrix(d) &&
        !decode_computing(d))
        decode_fail(d, "the instruction %s is not known", source->opcode);
    insn *i = &d->code->insns[d->code->count - 1];
    if (source->predicate >= 0) {
        i->predicate = d->slots[source->predicate];
        i->negate = source->negated ? ALL_LANES : 0;
    }
}

static code *decode_function(ptx_machine *m, kernel *k, const ptx_function *f)
{
    decoder d = {.m = m, .kernel = k, .module = k->module, .function = f};
    code *c = d.code = rk_arena_calloc(m->arena, 1, sizeof *c);
    c->function = f;
    if (!f->defined)
        decode_fail(&d, "%s is defined nowhere", f->name);
    lay_out(&d);
    int32_t *first = rk_arena_calloc(m->arena, (size_t)f->insn_count + 1, sizeof *first);
    for (int s = 0; s < f->insn_count; s++) {
        first[s] = c->count;
        one(&d, &f->insns[s]);
    }
    d.source = NULL;
    first[f->insn_count] = c->count;
    decode_emit(&d, nothing)->flow = f->entry ? FLOW_EXIT : FLOW_RETURN;
    for (int n = 0; n < c->count; n++) {
        insn *i = &c->insns[n];
        if (i->flow == FLOW_BRANCH)
            i->target = first[i->target];
        if (i->flow == FLOW_TABLE) {
            const int t = i->target, count = f->table_counts[t];
            int32_t *to = rk_arena_calloc(m->arena, (size_t)count + 1, sizeof *to);
            for (int e = 0; e < count; e++)
                to[e] = first[f->tables[t][e]];
            i->more = to;
            i->extra[0] = count;
        }
    }
    c->frame_bytes = round_up(d.frame_bytes, 64);
    return c;
}

/** Shared variables of all functions of the module that the kernel comes to; the dynamic ones begin behind them. */
static void lay_out_shared(ptx_machine *m, kernel *k)
{
    const ptx_module *module = k->module;
    size_t bytes = 0, align = 16;
    for (int pass = 0; pass < 2; pass++) {
        for (int v = 0; v < module->var_count; v++) {
            ptx_var *var = module->vars[v];
            if (var->space != PTX_SHARED || var->external != (pass == 1))
                continue;
            bytes = round_up(bytes, (size_t)var->align);
            var->offset = (int64_t)bytes;
            if (pass == 0)
                bytes += var->size;
            align = (size_t)var->align > align ? (size_t)var->align : align;
        }
        if (pass == 1)
            break;
        for (int f = 0; f < module->function_count; f++) {
            const ptx_function *function = module->functions[f];
            if (function->entry && function != k->function)
                continue;
            for (int v = 0; v < function->var_count; v++) {
                ptx_var *var = function->vars[v];
                if (var->space != PTX_SHARED)
                    continue;
                bytes = round_up(bytes, (size_t)var->align);
                var->offset = (int64_t)bytes;
                bytes += var->size;
            }
        }
        bytes = round_up(bytes, align);
    }
    k->shared_bytes = bytes;
    (void)m;
}

const code *ptx_code_of(ptx_machine *m, const kernel *k, const ptx_function *f);
const code *ptx_code_of(ptx_machine *m, const kernel *k, const ptx_function *f)
{
    code **end = (code **)&k->codes;
    for (; *end; end = &(*end)->next)
        if ((*end)->function == f)
            return *end;
    code *c = decode_function(m, (kernel *)k, f);
    for (end = (code **)&k->codes; *end; end = &(*end)->next) {
    }
    return *end = c;
}

/** The functions that it names are decoded with it, so that what is not known is said before anything runs. */
static void decode_called(ptx_machine *m, kernel *k)
{
    for (const code *c = k->codes; c; c = c->next)
        for (int s = 0; s < c->function->insn_count; s++)
            for (int o = 0; o < c->function->insns[s].operand_count; o++) {
                const ptx_operand *operand = &c->function->insns[s].operands[o];
                ptx_function *f = operand->kind == PTX_NAME && !operand->var
                                      ? ptx_find_function(k->module, operand->name)
                                      : NULL;
                if (f && f->defined)
                    ptx_code_of(m, k, f);
            }
}

const kernel *ptx_decode(ptx_machine *m, const ptx_module *module, const ptx_function *function)
{
    kernel *k = m->kernels;
    while (k && k->function != function)
        k = k->next;
    if (k) {
        lay_out_shared(m, k);
        return k;
    }
    k = rk_arena_calloc(m->arena, 1, sizeof *k);
    k->module = module;
    k->function = function;
    lay_out_shared(m, k);
    size_t bytes = 0;
    for (int p = 0; p < function->param_count; p++) {
        ptx_var *v = function->params[p];
        bytes = round_up(bytes, (size_t)v->align);
        v->offset = (int64_t)bytes;
        bytes += v->size;
    }
    k->param_bytes = bytes;
    if (setjmp(m->failed))
        return NULL;
    ptx_code_of(m, k, function);
    decode_called(m, k);
    k->next = m->kernels;
    return m->kernels = k;
}
