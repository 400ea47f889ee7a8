#include "convert/ptx/ptx_internal.h"

#include <stdio.h>
#include <string.h>

/*
 * `mma.sync`: a warp's product of matrices, by rk/cpu/cpu_ptx_mma.h. Of f16 the shape m8n8k4 is left out, whose elements
 * lie in another way.
 */

/** Types of elements: PTX's names and those of rk/cpu/cpu_ptx_mma.h. */
static const struct {
    const char *ptx, *cpp;
    int bits;
} elements[] = {{"f16", "rk__::mma_f16", 16},   {"bf16", "rk__::mma_bf16", 16},
                {"tf32", "rk__::mma_tf32", 32}, {"f32", "float", 32},
                {"f64", "double", 64},          {"s32", "int", 32},
                {"s8", "rk__::mma_s8", 8},      {"u8", "rk__::mma_u8", 8},
                {"s4", "rk__::mma_s4", 4},      {"u4", "rk__::mma_u4", 4}};

enum { ELEMENTS = sizeof elements / sizeof *elements, MATRICES = 4 };

static size_t element_of(const char *piece, size_t length)
{
    size_t i = 0;
    while (i < ELEMENTS &&
           (strlen(elements[i].ptx) != length || strncmp(elements[i].ptx, piece, length) != 0))
        i++;
    return i;
}

/** Shape, `satfinite` and the four types of "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32". */
typedef struct {
    int m, n, k;
    bool saturates;
    size_t types[MATRICES]; /**< of D, A, B and C, in `elements` */
} product;

/** One piece of the name behind "mma."; `count` types came before. */
static bool read_piece(product *p, const char *piece, size_t length, size_t *count)
{
    static const char *const plain[] = {"sync", "aligned", "row", "col"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strlen(plain[i]) == length && strncmp(plain[i], piece, length) == 0)
            return true;
    if (piece[0] == 'm' && p->m == 0)
        return sscanf(piece, "m%dn%dk%d", &p->m, &p->n, &p->k) == 3;
    if (length == strlen("satfinite") && rk_str_starts(piece, "satfinite"))
        return p->saturates = true;
    const size_t type = element_of(piece, length);
    if (type == ELEMENTS || *count == MATRICES)
        return false;
    p->types[(*count)++] = type;
    return true;
}

static bool read_product(product *p, const char *name)
{
    size_t count = 0;
    if (!rk_str_starts(name, "mma."))
        return false;
    for (const char *piece = name + strlen("mma."); piece[-1] == '.';) {
        const size_t length = strcspn(piece, ".");
        if (!read_piece(p, piece, length, &count))
            return false;
        piece += length + 1;
    }
    return count == MATRICES && p->n == 8 && (p->m == 16 || p->m == 8) && p->k > 0 &&
           strstr(name, ".row.col.") && !(p->m == 8 && elements[p->types[1]].bits == 16);
}

/** Registers of a matrix of so many elements. */
static size_t registers(int rows, int columns, size_t type)
{
    const int bits = elements[type].bits;
    return (size_t)(rows * columns / 32 * bits) / (bits < 32 ? 32 : (size_t)bits);
}

/** `const unsigned rk__a[] = {rk__::ptx_as<unsigned>(rk__4), ...};` */
static bool add_registers(rk_ptx *t, char which, const char *operand, size_t type, size_t count)
{
    const char *each[4];
    const char *word = elements[type].bits == 64                  ? "double"
                       : strcmp(elements[type].cpp, "float") == 0 ? "float"
                                                                  : "unsigned";
    if (count == 0 || count > 4 || rk_ptx_elements(t, operand, each) != count)
        return false;
    rk_str_addf(&t->out, "const %s rk__%c[] = {", word, which);
    for (size_t i = 0; i < count; i++)
        rk_str_addf(&t->out, "%srk__::ptx_as<%s>(%s)", i ? ", " : "", word, each[i]);
    rk_str_add(&t->out, "}; ");
    return true;
}

bool rk_ptx_add_mma(rk_ptx *t, const char *name, const rk_ptx_instruction *in)
{
    product p = {0};
    const char *each[4];
    if (in->operand_count != MATRICES || !read_product(&p, name))
        return false;
    const size_t *type = p.types, count = registers(p.m, p.n, type[0]);
    if (count == 0 || count > 4 || rk_ptx_elements(t, in->operands[0], each) != count)
        return false;
    rk_str_add(&t->out, "{ ");
    if (!add_registers(t, 'a', in->operands[1], type[1], registers(p.m, p.k, type[1])) ||
        !add_registers(t, 'b', in->operands[2], type[2], registers(p.k, p.n, type[2])) ||
        !add_registers(t, 'c', in->operands[3], type[3], registers(p.m, p.n, type[3])))
        return false;
    rk_str_addf(&t->out, "const auto rk__d = rk__::ptx_mma<%d, %d, ", p.m, p.k);
    static const size_t order[] = {1, 2, 0, 3};
    for (size_t i = 0; i < MATRICES; i++)
        rk_str_addf(&t->out, "%s, ", elements[type[order[i]]].cpp);
    rk_str_addf(&t->out, "%s>(rk__a, rk__b, rk__c);", p.saturates ? "true" : "false");
    for (size_t i = 0; i < count; i++)
        rk_str_addf(&t->out, " rk__::ptx_put(%s, rk__d.words[%zu]);", each[i], i);
    rk_str_add(&t->out, " }");
    return true;
}
