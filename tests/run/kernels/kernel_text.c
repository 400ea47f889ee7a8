#include "tests/run/kernels/kernel.h"

#include <string.h>

typedef struct {
    const kernel *k;
    const cuts *cut;
    const function *f;
    int number; /**< of the function */
    FILE *out;
    int indent;
} printer;

static void print_expr(const printer *p, const expr *e);
static void print_stmts(printer *p, const stmt *s);

/* Values. */

static const char *const pool_names[TYPES] = {"i8",  "u8",  "i16", "u16", "i32",
                                              "u32", "i64", "u64", "f32", "f64"};

static void print_number(FILE *out, type t, value v)
{
    double d;
    if (t == F32) {
        const uint32_t bits = (uint32_t)v;
        float f;
        memcpy(&f, &bits, sizeof f);
        d = (double)f;
    } else {
        memcpy(&d, &v, sizeof d);
    }
    if (d != d || d - d != d - d) /* no number, or infinite */
        fprintf(out, t == F32 ? "__int_as_float(0x%llx)" : "__longlong_as_double(0x%llxLL)",
                (unsigned long long)v);
    else
        fprintf(out, t == F32 ? "%af" : "%a", d);
}

static void print_value(FILE *out, type t, value v)
{
    const long long s = (long long)v;
    if (type_is_float(t))
        print_number(out, t, v);
    else if (t == U64)
        fprintf(out, "%lluull", (unsigned long long)v);
    else if (t == U32)
        fprintf(out, "%lluu", (unsigned long long)v);
    else if (t == I64)
        fprintf(out, s == INT64_MIN ? "(%lldll - 1)" : "%lldll", s == INT64_MIN ? s + 1 : s);
    else if (t == I32)
        fprintf(out, s == INT32_MIN ? "(-2147483647 - 1)" : s < 0 ? "(%lld)" : "%lld", s);
    else
        fprintf(out, "((%s)%lld)", type_name(t), s);
}

static const char *type_text(const printer *p, type t, bool alias)
{
    return alias && p->f->spelling == TEMPLATED ? "T" : type_name(t);
}

/* Expressions. */

static void print_operand(const printer *p, const char *before, const expr *e, const char *after)
{
    fputs(before, p->out);
    print_expr(p, e);
    fputs(after, p->out);
}

/** As an argument, of just its type. */
static void print_cast(const printer *p, type t, const expr *e)
{
    fprintf(p->out, "(%s)(", type_name(t));
    print_operand(p, "", e, ")");
}

static void print_call(const printer *p, const expr *e)
{
    const function *g = &p->k->functions.items[e->index];
    const int id = p->k->number;
    switch (g->spelling) {
    case MACRO:
        fprintf(p->out, "F%d_%d(", id, e->index);
        break;
    case METHOD:
        fprintf(p->out, "c%d_%d{%d}.at(", id, e->index, id);
        break;
    case TEMPLATED:
        fprintf(p->out, "f%d_%d<%s, ", id, e->index, type_name(g->alias));
        print_value(p->out, g->value_types[0], g->values[0]);
        fputs(", ", p->out);
        print_value(p->out, g->value_types[1], g->values[1]);
        fputs(">(", p->out);
        break;
    default:
        fprintf(p->out, "f%d_%d(", id, e->index);
    }
    for (int i = 0; i < g->parameter_count; i++) {
        fputs(i ? ", " : "", p->out);
        print_cast(p, g->variables.items[i].type, e->a[i]);
    }
    fputs(")", p->out);
}

static void print_subscript(const printer *p, const array *a, const expr *at)
{
    if (a->columns) {
        print_operand(p, "[(", at, "");
        fprintf(p->out, ") / %d][(", a->columns);
        print_operand(p, "", at, "");
        fprintf(p->out, ") %% %d]", a->columns);
    } else {
        print_operand(p, "[", at, "]");
    }
}

static void print_binary(const printer *p, const expr *e)
{
    static const char *const signs[] = {
        " + ",  " - ", " * ",  " / ", " % ",  " & ",  " | ",  " ^ ",  " << ",
        " >> ", " < ", " <= ", " > ", " >= ", " == ", " != ", " && ", " || "};
    static const char *const high[] = {"__mulhi(", "__umulhi(", "__mul64hi(", "__umul64hi("};
    if (e->op == MIN || e->op == MAX || e->op == MULHI) {
        if (e->op == MULHI)
            fputs(high[e->type - I32], p->out);
        else
            fprintf(p->out, "%s%s%s(", type_is_float(e->type) ? "f" : "",
                    e->op == MIN ? "min" : "max", e->type == F32 ? "f" : "");
        print_cast(p, e->type, e->a[0]);
        fputs(", ", p->out);
        print_cast(p, e->type, e->a[1]);
        fputs(")", p->out);
        return;
    }
    print_operand(p, "(", e->a[0], signs[e->op]);
    print_operand(p, "", e->a[1], ")");
}

static void print_unary(const printer *p, const expr *e)
{
    const type t = type_promoted(e->a[0]->type);
    const bool wide = type_bits(t) == 64, f = t == F32;
    const char *name = "";
    switch (e->op) {
    case NEG:
        name = "(-";
        break;
    case NOT:
        name = "(~";
        break;
    case LNOT:
        name = "(!";
        break;
    case ABS:
        name = f ? "fabsf(" : t == F64 ? "fabs(" : wide ? "llabs(" : "abs(";
        break;
    case SQRT:
        name = f ? "sqrtf(" : "sqrt(";
        break;
    case TRUNC:
        name = f ? "truncf(" : "trunc(";
        break;
    case FLOOR:
        name = f ? "floorf(" : "floor(";
        break;
    case RINT:
        name = f ? "rintf(" : "rint(";
        break;
    case CLZ:
        name = wide ? "__clzll((long long)" : "__clz((int)";
        break;
    case POPC:
        name = wide ? "__popcll((unsigned long long)" : "__popc((unsigned)";
        break;
    case FFS:
        name = wide ? "__ffsll((long long)" : "__ffs((int)";
        break;
    case BREV:
        name = wide ? "__brevll(" : "__brev(";
        break;
    default:
        break;
    }
    fputs(name, p->out);
    if (e->op == ABS || e->op == BREV)
        print_cast(p, t, e->a[0]);
    else
        print_operand(p, "(", e->a[0], ")");
    fputs(")", p->out);
}

static void print_ternary(const printer *p, const expr *e)
{
    static const char *const names[] = {"__funnelshift_l(", "__funnelshift_r(", "__byte_perm("};
    fputs(e->op == FMA ? (e->type == F32 ? "fmaf(" : "fma(") : names[e->op - FUNNEL_L], p->out);
    for (int i = 0; i < 3; i++) {
        fputs(i ? ", " : "", p->out);
        print_cast(p, e->type, e->a[i]);
    }
    fputs(")", p->out);
}

static void print_conversion(const printer *p, const expr *e)
{
    static const char *const ways[] = {"rz", "rn", "rd", "ru"};
    static const char *const to[] = {"int", "uint", "ll", "ull"};
    if (e->op == OPERATORS) {
        fprintf(p->out, "(%s)", type_text(p, e->type, e->type == p->f->alias));
        print_operand(p, "(", e->a[0], ")");
        return;
    }
    fprintf(p->out, "__%s2%s_%s(", e->a[0]->type == F32 ? "float" : "double", to[e->type - I32],
            ways[e->op - RZ]);
    print_operand(p, "", e->a[0], ")");
}

static void print_warp(const printer *p, const expr *e)
{
    static const char *const shuffles[] = {"_up", "_down", "_xor", ""},
                             *const votes[] = {"ballot", "any", "all"},
                             *const reductions[] = {"add", "", "", "", "", "and", "or", "xor"};
    if (e->kind == SHUFFLE)
        fprintf(p->out, "__shfl%s_sync(", shuffles[e->way]);
    else if (e->kind == VOTE)
        fprintf(p->out, "__%s_sync(", votes[e->way]);
    else if (e->kind == MATCH)
        fputs(e->way == ANY ? "__match_any_sync(" : "match_all(", p->out);
    else
        fprintf(p->out, "__reduce_%s_sync(",
                e->op == MIN   ? "min"
                : e->op == MAX ? "max"
                               : reductions[e->op]);
    print_operand(p, "", e->a[0], ", ");
    if (e->kind == VOTE)
        print_expr(p, e->a[1]);
    else
        print_cast(p, e->a[1]->type, e->a[1]);
    if (e->kind == SHUFFLE)
        print_operand(p, ", ", e->a[2], "");
    if (e->kind == SHUFFLE && e->bits != 32)
        fprintf(p->out, ", %u", (unsigned)e->bits);
    fputs(")", p->out);
}

static void print_built_in(const printer *p, const expr *e)
{
    static const char *const names[] = {"t",           "(t & 31)",    "(t >> 5)",   "threadIdx.x",
                                        "threadIdx.y", "threadIdx.z", "blockIdx.x", "blockIdx.y",
                                        "blockIdx.z",  "blockDim.x",  "blockDim.y", "blockDim.z",
                                        "gridDim.x",   "gridDim.y",   "gridDim.z",  "~0u"};
    static const char *const masks[] = {"~0u", "0xffffffff", "0xffffffffu", "-1"};
    fputs(e->index == FULL ? masks[(unsigned)p->k->number % 4] : names[e->index], p->out);
}

static void print_expr(const printer *p, const expr *e)
{
    switch (e->kind) {
    case CONSTANT:
        print_value(p->out, e->type, e->bits);
        break;
    case VARIABLE:
        fputs(p->f->variables.items[e->index].name, p->out);
        break;
    case TEMPLATE:
        fprintf(p->out, "N%d", e->index);
        break;
    case BUILTIN:
        print_built_in(p, e);
        break;
    case POOL:
        fprintf(p->out, "in_%s[", pool_names[e->type]);
        print_operand(p, "(", e->a[0], ") & 63]");
        break;
    case UNARY:
        print_unary(p, e);
        break;
    case BINARY:
        print_binary(p, e);
        break;
    case TERNARY:
        print_ternary(p, e);
        break;
    case SELECT:
        print_operand(p, "(", e->a[0], " ? ");
        print_cast(p, e->type, e->a[1]);
        fputs(" : ", p->out);
        print_cast(p, e->type, e->a[2]);
        fputs(")", p->out);
        break;
    case CAST:
        print_conversion(p, e);
        break;
    case ELEMENT:
        fputs(p->k->arrays.items[e->index].name, p->out);
        print_subscript(p, &p->k->arrays.items[e->index], e->a[0]);
        break;
    case CALL:
        print_call(p, e);
        break;
    case SHUFFLE:
    case VOTE:
    case MATCH:
    case REDUCE:
        print_warp(p, e);
        break;
    case MEET:
        fprintf(p->out, "__syncthreads_%s(",
                e->way == BALLOT ? "count"
                : e->way == ANY  ? "or"
                                 : "and");
        print_operand(p, "", e->a[0], ")");
        break;
    }
}

/* Statements. */

static void start(const printer *p)
{
    fprintf(p->out, "%*s", 4 * p->indent, "");
}

static void print_body(printer *p, const stmt *s)
{
    fputs("{\n", p->out);
    p->indent++;
    print_stmts(p, s);
    p->indent--;
    start(p);
    fputs("}", p->out);
}

static const char *assignment(operation op)
{
    static const char *const signs[] = {" += ", " -= ", " *= ", "",      "",
                                        " &= ", " |= ", " ^= ", " <<= ", " >>= "};
    return op == OPERATORS ? " = " : signs[op];
}

static void print_atomic(printer *p, const stmt *s)
{
    static const char *const names[OPERATORS] = {
        [ADD] = "Add", [MIN] = "Min", [MAX] = "Max", [AND] = "And", [OR] = "Or", [XOR] = "Xor"};
    const array *a = &p->k->arrays.items[s->index];
    if (s->slot >= 0)
        fprintf(p->out, "%s = ", p->f->variables.items[s->slot].name);
    if (s->way == CAS_LOOP && s->slot < 0)
        fprintf(p->out, "swapped%s(&%s", names[s->op], a->name);
    else
        fprintf(p->out, "atomic%s(&%s", s->way == INCREMENT ? "Inc" : names[s->op], a->name);
    print_subscript(p, a, s->at);
    fputs(", ", p->out);
    print_cast(p, a->type, s->e);
    fputs(");\n", p->out);
}

static void print_lambda(printer *p, const stmt *s)
{
    const variable *v = &p->f->variables.items[s->index],
                   *parameter = &p->f->variables.items[s->slot];
    fprintf(p->out, "const auto lam%d = [%c](%s %s) { return (%s)(", s->index, "=&"[s->way],
            type_name(parameter->type), parameter -> name, type_name(v->type));
    print_operand(p, "", s->e, "); };\n");
    start(p);
    fprintf(p->out, "%s %s = lam%d(", type_name(v->type), v->name, s->index);
    print_operand(p, "", s->at, "");
    fprintf(p->out, ") + lam%d(", s->index);
    print_operand(p, "", s->more, ");\n");
}

static void print_switch(printer *p, const stmt *s)
{
    print_operand(p, "switch ((", s->e, ") & 3) {\n");
    start(p);
    fputs("case 1: ", p->out);
    print_body(p, s->body);
    fputs(s->slot ? "\n" : " break;\n", p->out);
    start(p);
    fputs("case 2: case 3: ", p->out);
    print_body(p, s->other);
    fputs(" break;\n", p->out);
    start(p);
    fputs("default: break;\n", p->out);
    start(p);
    fputs("}\n", p->out);
}

static void print_declaration(printer *p, const stmt *s, bool without_value)
{
    const variable *v = &p->f->variables.items[s->index];
    fprintf(p->out, "%s %s", type_text(p, v->type, v->alias), v->name);
    if (s->e && !without_value)
        print_operand(p, " = ", s->e, "");
    fputs(";\n", p->out);
}

static void print_array(printer *p, const array *a, const char *prefix)
{
    fprintf(p->out, "%s%s%s %s", prefix, a->is_volatile ? "volatile " : "", type_name(a->type),
            a->name);
    if (a->columns)
        fprintf(p->out, "[%d][%d]", a->count / a->columns, a->columns);
    else
        fprintf(p->out, "[%d]", a->count);
}

static void print_loop(printer *p, const stmt *s)
{
    const char *i = p->f->variables.items[s->index].name;
    if (s->kind == FOR) {
        fprintf(p->out, "for (int %s = 0; %s < ", i, i);
        print_operand(p, "", s->e, "; ");
        fprintf(p->out, s->slot == 1 ? "%s++) " : "%s += %d) ", i, s->slot);
        print_body(p, s->body);
        fputs("\n", p->out);
        return;
    }
    fprintf(p->out, "int %s = 0;\n", i);
    start(p);
    fputs("do ", p->out);
    print_body(p, s->body);
    fprintf(p->out, " while (++%s < %d && ", i, s->slot);
    print_operand(p, "(", s->e, "));\n");
}

static void print_stmt(printer *p, const stmt *s)
{
    const bool out = p->cut && p->cut->left_out[s->number];
    if (out && s->kind != DECLARE && s->kind != DECLARE_ARRAY && s->kind != LAMBDA)
        return;
    start(p);
    switch (s->kind) {
    case DECLARE:
        print_declaration(p, s, out);
        break;
    case DECLARE_ARRAY:
        print_array(p, &p->k->arrays.items[s->index], "");
        fputs(s->slot ? " = {};\n" : ";\n", p->out);
        break;
    case ASSIGN:
        fprintf(p->out, "%s%s", p->f->variables.items[s->index].name, assignment(s->op));
        print_operand(p, "", s->e, ";\n");
        break;
    case STORE:
        fputs(p->k->arrays.items[s->index].name, p->out);
        print_subscript(p, &p->k->arrays.items[s->index], s->at);
        print_operand(p, assignment(s->op), s->e, ";\n");
        break;
    case SEE:
        fprintf(p->out, "SEE(%d, %s);\n", s->slot, p->f->variables.items[s->index].name);
        break;
    case IF:
        print_operand(p, "if (", s->e, ") ");
        print_body(p, s->body);
        if (s->other) {
            fputs(" else ", p->out);
            print_body(p, s->other);
        }
        fputs("\n", p->out);
        break;
    case FOR:
    case WHILE:
        print_loop(p, s);
        break;
    case SWITCH:
        print_switch(p, s);
        break;
    case BREAK:
        fputs("break;\n", p->out);
        break;
    case CONTINUE:
        fputs("continue;\n", p->out);
        break;
    case RETURN:
        if (s->e)
            print_operand(p, "return ", s->e, ";\n");
        else
            fputs("return;\n", p->out);
        break;
    case BARRIER:
        fputs("__syncthreads();\n", p->out);
        break;
    case SYNCWARP:
        print_operand(p, "__syncwarp(", s->e, ");\n");
        break;
    case ATOMIC:
        print_atomic(p, s);
        break;
    case LAMBDA:
        if (out)
            fprintf(p->out, "%s %s;\n", type_name(p->f->variables.items[s->index].type),
                    p->f->variables.items[s->index].name);
        else
            print_lambda(p, s);
        break;
    }
}

static void print_stmts(printer *p, const stmt *s)
{
    for (; s; s = s->next)
        print_stmt(p, s);
}

/* Functions. */

static void print_template(const printer *p)
{
    if (p->f->spelling == TEMPLATED)
        fprintf(p->out, "template <class T, %s N0, %s N1>\n", type_name(p->f->value_types[0]),
                type_name(p->f->value_types[1]));
}

static void print_parameters(const printer *p)
{
    for (int i = 0; i < p->f->parameter_count; i++) {
        const variable *v = &p->f->variables.items[i];
        fprintf(p->out, "%s%s %s", i ? ", " : "", type_text(p, v->type, v->alias), v->name);
    }
}

static bool has_arrays(const printer *p, memory where)
{
    for (size_t i = 0; i < p->k->arrays.count; i++)
        if (p->k->arrays.items[i].owner == p->number && p->k->arrays.items[i].memory == where)
            return true;
    return false;
}

static void print_arrays(printer *p)
{
    if (has_arrays(p, DYNAMIC_SHARED))
        fprintf(p->out, "    extern __shared__ __align__(16) unsigned char raw%d[];\n",
                p->k->number);
    for (size_t i = 0; i < p->k->arrays.count; i++) {
        const array *a = &p->k->arrays.items[i];
        if (a->owner != p->number)
            continue;
        if (a->memory == STATIC_SHARED) {
            print_array(p, a, "    __shared__ ");
            fputs(";\n", p->out);
        } else if (a->memory == DYNAMIC_SHARED) {
            fprintf(p->out, "    %s%s *%s = (%s%s *)(raw%d + %u);\n",
                    a->is_volatile ? "volatile " : "", type_name(a->type), a->name,
                    a->is_volatile ? "volatile " : "", type_name(a->type), p->k->number, a->offset);
        }
    }
}

static const char thread_text[] =
    "    const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n";

static void print_helper(printer *p)
{
    const int id = p->k->number;
    if (p->f->spelling == MACRO) {
        fprintf(p->out, "#define F%d_%d(", id, p->number);
        for (int i = 0; i < p->f->parameter_count; i++)
            fprintf(p->out, "%s%s", i ? ", " : "", p->f->variables.items[i].name);
        fprintf(p->out, ") ((%s)(", type_name(p->f->type));
        print_operand(p, "", p->f->result, "))\n");
        return;
    }
    const bool method = p->f->spelling == METHOD;
    if (method)
        fprintf(p->out, "struct c%d_%d {\n    int kernel;\n    ", id, p->number);
    print_template(p);
    fprintf(p->out, "__device__ %s ", type_text(p, p->f->type, p->f->type == p->f->alias));
    if (method)
        fputs("at(", p->out);
    else
        fprintf(p->out, "f%d_%d(", id, p->number);
    print_parameters(p);
    fputs(")\n{\n", p->out);
    p->indent = 1;
    if (p->f->result) {
        print_operand(p, "    return ", p->f->result, ";\n");
    } else {
        print_arrays(p);
        fputs(thread_text, p->out);
        print_stmts(p, p->f->body);
    }
    fputs(method ? "}\n};\n" : "}\n", p->out);
}

static void print_members(printer *p)
{
    bool any = false;
    for (size_t i = 0; i < p->f->variables.count; i++) {
        const variable *v = &p->f->variables.items[i];
        if (!v->member)
            continue;
        fputs(any ? "" : "    struct {\n", p->out);
        fprintf(p->out, "        %s %s;\n", type_name(v->type), v->name + 2);
        any = true;
    }
    fputs(any ? "    } m;\n" : "", p->out);
}

static void kernel_print(const kernel *k, const cuts *cut, FILE *out)
{
    printer p = {.k = k, .cut = cut, .out = out};
    for (size_t i = 1; i < k->functions.count; i++) {
        p.f = &k->functions.items[i];
        p.number = (int)i;
        print_helper(&p);
    }
    p.f = &k->functions.items[0];
    p.number = 0;
    print_template(&p);
    fputs("__global__ void ", out);
    if (k->bounds)
        fprintf(out, "__launch_bounds__(%u) ", k->threads);
    fprintf(out, "k%d(INPUTS, SHOWS", k->number);
    for (size_t i = 0; i < k->arrays.count; i++)
        if (k->arrays.items[i].memory == CELLS)
            fprintf(out, ", %s *%s", type_name(k->arrays.items[i].type), k->arrays.items[i].name);
    fputs(p.f->parameter_count ? ", " : "", out);
    print_parameters(&p);
    fputs(")\n{\n", out);
    print_arrays(&p);
    fputs(thread_text, out);
    fputs(
        "    const int g = t + blockDim.x * blockDim.y * blockDim.z * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));\n",
        out);
    print_members(&p);
    p.indent = 1;
    print_stmts(&p, p.f->body);
    fputs("}\n\n", out);
}

/* Programs. */

static void print_argument(const kernel *k, int i, FILE *out)
{
    const type t = k->functions.items[0].variables.items[i].type;
    if (type_is_float(t)) /* whose literals may be functions of the device */
        fprintf(out, "%s(0x%llxull)", t == F32 ? "as_float" : "as_double",
                (unsigned long long)k->arguments[i]);
    else
        print_value(out, t, k->arguments[i]);
}

/** What a launch and a call of a rKernel have behind the inputs; `slots`: as 64-bit words. */
static void print_arguments(const kernel *k, bool slots, FILE *out)
{
    for (size_t i = 0; i < k->arrays.count; i++)
        if (k->arrays.items[i].memory == CELLS && slots)
            fprintf(out, ", slot(cells[%zu])", i);
        else if (k->arrays.items[i].memory == CELLS)
            fprintf(out, ", (%s *)cells[%zu]", type_name(k->arrays.items[i].type), i);
    for (int i = 0; i < k->functions.items[0].parameter_count; i++) {
        fputs(", ", out);
        if (slots)
            fprintf(out, "0x%llxull", (unsigned long long)k->arguments[i]);
        else
            print_argument(k, i, out);
    }
}

static void print_launch(const kernel *k, FILE *out)
{
    const function *f = &k->functions.items[0];
    fprintf(out, "    k%d", k->number);
    if (f->spelling == TEMPLATED) {
        fprintf(out, "<%s, ", type_name(f->alias));
        print_value(out, f->value_types[0], f->values[0]);
        fputs(", ", out);
        print_value(out, f->value_types[1], f->values[1]);
        fputs(">", out);
    }
    fprintf(out, "<<<dim3(%u, %u, %u), dim3(%u, %u, %u), %u>>>(FLAT(in, show)", k->grid[0],
            k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], k->dynamic_bytes);
    print_arguments(k, false, out);
    fputs(");\n", out);
}

/** The same by the entry that a catalog's library has for the kernel. */
static void print_entry_call(const kernel *k, FILE *out)
{
    fprintf(out,
            "    call_entry(%d, {{%u, %u, %u}, {%u, %u, %u}, 0, %u, 0, nullptr, nullptr}, "
            "{SLOTS(in, show)",
            k->number, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2],
            k->dynamic_bytes);
    print_arguments(k, true, out);
    fputs("});\n", out);
}

void program_print(const kernel *const *kernels, size_t count, const cuts *cut, bool entries,
                   FILE *out)
{
    fprintf(out, "#include \"%s.h\"\n\n", entries ? "entries" : "harness");
    for (size_t i = 0; i < count; i++) {
        if (!entries)
            kernel_print(kernels[i], cut, out);
        fprintf(out, "static void launch%d(inputs in, shows show, void *const *cells)\n{\n",
                kernels[i]->number);
        if (entries)
            print_entry_call(kernels[i], out);
        else
            print_launch(kernels[i], out);
        fputs("}\n\n", out);
    }
    fputs("static const launch launches[] = {\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "    {%d, launch%d},\n", kernels[i]->number, kernels[i]->number);
    fputs("};\n\nint main(int argc, char **argv)\n{\n    return run(launches, argc, argv);\n}\n",
          out);
}
