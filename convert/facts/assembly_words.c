#include "convert/facts/system.h"

#include <ctype.h>
#include <string.h>

size_t rk_assembly_next_barrier(const char *text, size_t i)
{
    for (const char *at = strstr(text + i, "bar."); at; at = strstr(at + 1, "bar."))
        if (at - text < 3 || strncmp(at - 3, "mem", 3) != 0)
            return (size_t)(at - text);
    return RK_NONE;
}

bool rk_assembly_has_barrier(const char *text)
{
    return rk_assembly_next_barrier(text, 0) != RK_NONE;
}

/** What means the hardware's block, or memory as the hardware keeps it. */
static const char *const forbidden_asm[] = {
    "%tid",       "%ntid",         "%ctaid",       "%nctaid",       "%warpid",   "%nwarpid",
    "%gridid",    "%dynamic_smem", "%total_smem",  "%cluster",      "%nsmid",    "bar.",
    "barrier",    "exit",          "mbarrier",     "cp.async.bulk", "cp.reduce", "wgmma",
    "setmaxnreg", "cluster",       "ldu.",         "tex.",          "suld",      "sust",
    "elect.sync", "shfl.",         "vote.",        "match.",        "redux",     "activemask",
    "discard",    "tcgen05",       "tld4",         "multimem"};

bool rk_assembly_non_coherent(const char *text)
{
    for (const char *at = strstr(text, ".nc"); at; at = strstr(at + 1, ".nc")) {
        const char *begin = at;
        if (isalnum((unsigned char)at[3]) || at[3] == '_')
            continue;
        while (begin > text && (isalnum((unsigned char)begin[-1]) || strchr("_.:", begin[-1])))
            begin--;
        for (const char *load = begin; load < at; load++)
            if (strncmp(load, "ld.", 3) == 0)
                return true;
    }
    return false;
}

const char *rk_assembly_word(const char *text, bool moved)
{
    for (size_t i = 0; i < sizeof forbidden_asm / sizeof *forbidden_asm; i++) {
        const bool barrier = strcmp(forbidden_asm[i], "bar.") == 0;
        if (barrier ? !moved && rk_assembly_has_barrier(text)
                    : strstr(text, forbidden_asm[i]) != NULL)
            return forbidden_asm[i];
    }
    return NULL;
}
