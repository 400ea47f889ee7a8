#include "rkernel_lib/runtime/cpu/divide.h"

#ifdef __x86_64__

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

/** A `div` or `idiv`. */
typedef struct {
    unsigned length; /**< in bytes; 0: it is none */
    unsigned bits;   /**< of the divisor */
    bool is_signed;
} division;

/** How many bytes a ModRM byte has behind it. */
static unsigned operand_bytes(const uint8_t *modrm)
{
    const unsigned mod = *modrm >> 6, rm = *modrm & 7;
    if (mod == 3)
        return 0;
    const bool sib = rm == 4;
    const bool far = mod == 2 || (mod == 0 && (sib ? (modrm[1] & 7) == 5 : rm == 5));
    return sib + (far ? 4u : mod == 1);
}

static division decode(const uint8_t *at)
{
    static const char prefixes[] = "\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3";
    const uint8_t *begin = at;
    bool wide = false, narrow = false;
    for (; *at && strchr(prefixes, *at); at++)
        narrow |= *at == 0x66;
    if ((*at & 0xf0) == 0x40)
        wide = *at++ & 8;
    const unsigned operation = at[1] >> 3 & 7;
    if ((*at != 0xf6 && *at != 0xf7) || operation < 6)
        return (division){0};
    return (division){.length = (unsigned)(at - begin) + 2 + operand_bytes(at + 1),
                      .bits = *at == 0xf6 ? 8 : wide ? 64 : narrow ? 16 : 32,
                      .is_signed = operation == 7};
}

/** Writes the low `bits` of a register; one of 32 bits clears what is above. */
static void set(greg_t *to, uint64_t value, unsigned bits)
{
    const uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    const uint64_t above = bits < 32 ? (uint64_t)*to & ~mask : 0;
    *to = (greg_t)(above | (value & mask));
}

bool rk_cpu_divide(void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const division d = decode((const uint8_t *)(uintptr_t)registers[REG_RIP]);
    if (!d.length)
        return false;
    const uint64_t low = (uint64_t)registers[REG_RAX], high = (uint64_t)registers[REG_RDX];
    const uint64_t lowest = UINT64_C(1) << (d.bits - 1), mask = lowest | (lowest - 1);
    const uint64_t upper = d.bits == 8 ? low >> 8 : high;
    const bool overflows = d.is_signed && (low & mask) == lowest && (upper & mask) == mask;
    const uint64_t quotient = overflows ? lowest : mask, rest = overflows ? 0 : low & mask;
    if (d.bits == 8) {
        set(&registers[REG_RAX], rest << 8 | quotient, 16);
    } else {
        set(&registers[REG_RAX], quotient, d.bits);
        set(&registers[REG_RDX], rest, d.bits);
    }
    registers[REG_RIP] += d.length;
    return true;
}

#else

bool rk_cpu_divide(void *context)
{
    (void)context;
    return false;
}

#endif
