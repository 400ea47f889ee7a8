#include "ptx_machine.h"

#include <stdlib.h>
#include <string.h>

/*
 * Litmus programs: each thread is a block of its own, or a warp of one. What a program shows over many seeds must be
 * allowed by PTX's memory model, and the outcomes that GPUs show for want of a fence must be reached.
 */

enum { THREADS = 4, SEEDS = 400, MOST_SEEDS = 8000 };

typedef struct {
    const char *name;
    const char *threads
        [THREADS]; /**< results in %r0 and %r1; %x and %y are addresses, %s and %t of shared memory */
    const char *
        forbidden; /**< outcomes that no run may show, as "1,0 " by thread and register; "" for none */
    const char *reached; /**< an outcome that some run must show; "" for none */
    int final;           /**< also shows x at the end */
} litmus;

#define W(v) "st.weak.global.u32 [%" #v "], 1; "
#define X(v) "st.relaxed.gpu.global.u32 [%" #v "], 1; "
#define REL(v, scope) "st.release." scope ".global.u32 [%" #v "], 1; "
#define R(r, v) "ld.weak.global.u32 %" r ", [%" #v "]; "
#define L(r, v) "ld.relaxed.gpu.global.u32 %" r ", [%" #v "]; "
#define ACQ(r, v, scope) "ld.acquire." scope ".global.u32 %" r ", [%" #v "]; "

static const litmus all[] = {
    /* Messages. Outcomes are the registers of all threads that have any. */
    {"MP relaxed", {X(x) X(y), L("r0", y) L("r1", x)}, "", "10", 0},
    {"MP release, acquire", {W(x) REL(y, "gpu"), ACQ("r0", y, "gpu") R("r1", x)}, "10", "11", 0},
    {"MP without release", {W(x) X(y), ACQ("r0", y, "gpu") R("r1", x)}, "", "10", 0},
    {"MP without acquire", {W(x) REL(y, "gpu"), L("r0", y) R("r1", x)}, "", "10", 0},
    {"MP release.cta", {W(x) REL(y, "cta"), ACQ("r0", y, "gpu") R("r1", x)}, "", "10", 0},
    {"MP acquire.cta", {W(x) REL(y, "gpu"), ACQ("r0", y, "cta") R("r1", x)}, "", "10", 0},
    {"MP fences",
     {W(x) "fence.acq_rel.gpu; " X(y), L("r0", y) "fence.acq_rel.gpu; " R("r1", x)},
     "10",
     "11",
     0},
    {"MP fences of cta",
     {W(x) "fence.acq_rel.cta; " X(y), L("r0", y) "fence.acq_rel.gpu; " R("r1", x)},
     "",
     "10",
     0},
    {"MP membar", {W(x) "membar.gl; " X(y), L("r0", y) "membar.gl; " R("r1", x)}, "10", "11", 0},
    {"MP red.release",
     {W(x) "red.release.gpu.global.add.u32 [%y], 1; ", ACQ("r0", y, "gpu") R("r1", x)},
     "10",
     "11",
     0},
    {"MP red.relaxed",
     {W(x) "red.relaxed.gpu.global.add.u32 [%y], 1; ", ACQ("r0", y, "gpu") R("r1", x)},
     "",
     "10",
     0},
    {"MP through an atomic", /* a release sequence goes on through others' reading and writing in one */
     {W(x) REL(y, "gpu"), "atom.relaxed.gpu.global.add.u32 %r2, [%y], 1; ",
      ACQ("r0", y, "gpu") R("r1", x)},
     "20",
     "21",
     0},
    {"MP fence, weak flag",
     {W(x) "fence.acq_rel.gpu; " W(y), ACQ("r0", y, "gpu") R("r1", x)},
     "",
     "10",
     0},
    /* Each writes one and reads the other. */
    {"SB relaxed", {X(x) L("r0", y), X(y) L("r0", x)}, "", "00", 0},
    {"SB release, acquire",
     {REL(x, "gpu") ACQ("r0", y, "gpu"), REL(y, "gpu") ACQ("r0", x, "gpu")},
     "",
     "00",
     0},
    {"SB fence.acq_rel",
     {X(x) "fence.acq_rel.gpu; " L("r0", y), X(y) "fence.acq_rel.gpu; " L("r0", x)},
     "",
     "00",
     0},
    {"SB fence.sc",
     {X(x) "fence.sc.gpu; " L("r0", y), X(y) "fence.sc.gpu; " L("r0", x)},
     "00",
     "11",
     0},
    {"SB fence.sc.cta",
     {X(x) "fence.sc.cta; " L("r0", y), X(y) "fence.sc.cta; " L("r0", x)},
     "",
     "00",
     0},
    /* Each reads one, then writes the other: the machine has no such outcome, and must not make it up of a release. */
    {"LB release", {L("r0", x) REL(y, "gpu"), L("r0", y) REL(x, "gpu")}, "11", "", 0},
    /* A message that is handed on. */
    {"WRC release",
     {X(x), L("r2", x) "setp.eq.u32 %p, %r2, 1; @%p " REL(y, "gpu"),
      ACQ("r0", y, "gpu") R("r1", x)},
     "",
     "11",
     0},
    {"WRC acquire, release",
     {W(x) REL(z, "gpu"), ACQ("r2", z, "gpu") "setp.eq.u32 %p, %r2, 1; @%p " REL(y, "gpu"),
      ACQ("r0", y, "gpu") R("r1", x)},
     "10",
     "11",
     0},
    {"WRC without acquire",
     {W(x) REL(z, "gpu"), L("r2", z) "setp.eq.u32 %p, %r2, 1; @%p " REL(y, "gpu"),
      ACQ("r0", y, "gpu") R("r1", x)},
     "",
     "10",
     0},
    /* Two writers, two readers that see them in different orders. */
    {"IRIW weak", {X(x), X(y), L("r0", x) R("r1", y), L("r0", y) R("r1", x)}, "", "1010", 0},
    {"IRIW fence.sc",
     {X(x), X(y), L("r0", x) "fence.sc.gpu; " L("r1", y), L("r0", y) "fence.sc.gpu; " L("r1", x)},
     "1010",
     "1111",
     0},
    /* One place: reads of one thread do not go back, writes have one order. */
    {"CoRR relaxed", {X(x), L("r0", x) L("r1", x)}, "10", "11", 0},
    {"CoRR weak", {W(x), R("r0", x) R("r1", x)}, "", "10", 0},
    {"CoRW", {L("r0", x) X(x)}, "1", "0", 0},
    {"CoWR", {X(x) L("r0", x)}, "0", "1", 0},
    {"CoWW",
     {"st.relaxed.gpu.global.u32 [%x], 1; st.relaxed.gpu.global.u32 [%x], 2; "},
     "1",
     "2",
     1},
    {"atomics are not lost",
     {"atom.global.add.u32 %r2, [%x], 1; ", "atom.global.add.u32 %r2, [%x], 1; ",
      "red.global.add.u32 [%x], 1; "},
     "1;2",
     "3",
     1},
};

static const char *const head =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 memory, .param .u64 out)\n{\n"
    " .reg .b32 %r<8>, %c; .reg .b64 %x, %y, %z, %o; .reg .pred %p, %q;\n"
    " ld.param.u64 %x, [memory]; add.s64 %y, %x, 256; add.s64 %z, %x, 512; ld.param.u64 %o, [out];\n"
    " mov.u32 %c, %ctaid.x; mov.u32 %r0, 9; mov.u32 %r1, 9; mad.wide.u32 %o, %c, 8, %o;\n";

static void write_program(char *out, size_t size, const litmus *l)
{
    size_t used = (size_t)snprintf(out, size, "%s", head);
    for (int t = 0; t < THREADS && l->threads[t]; t++)
        used += (size_t)snprintf(out + used, size - used,
                                 " setp.ne.u32 %%q, %%c, %d; @%%q bra L%d;\n %s\n bra END;\nL%d:\n",
                                 t, t, l->threads[t], t);
    snprintf(out + used, size - used,
             "END:\n st.global.u32 [%%o], %%r0; st.global.u32 [%%o+4], %%r1; ret;\n}\n");
}

/** Whether `outcome` is one of a list with semicolons. */
static bool among(const char *list, const char *outcome)
{
    char text[64], *rest = text;
    snprintf(text, sizeof text, "%s", list);
    for (char *one = strsep(&rest, ";"); one; one = strsep(&rest, ";"))
        if (*one && strcmp(one, outcome) == 0)
            return true;
    return false;
}

static bool run_once(char outcome[16], const litmus *l, uint64_t seed, bool weak)
{
    static uint32_t memory[256], out[THREADS][2];
    char text[8192], error[512];
    rk_arena *arena = rk_arena_new();
    const ptx_options options = {.seed = seed, .weak = weak};
    ptx_machine *m = ptx_machine_new(arena, &options);
    uint32_t threads = 0;
    memset(memory, 0, sizeof memory);
    write_program(text, sizeof text, l);
    while (threads < THREADS && l->threads[threads])
        threads++;
    ptx_module *module = ptx_read(l->name, text, arena, error, sizeof error);
    const uint64_t params[2] = {(uint64_t)(uintptr_t)memory, (uint64_t)(uintptr_t)out};
    ptx_machine_range(m, memory, sizeof memory, "memory", false, NULL);
    ptx_machine_range(m, out, sizeof out, "out", false, NULL);
    const ptx_launch launch = {.function = module ? ptx_find_function(module, "k") : NULL,
                               .grid = {threads, 1, 1},
                               .block = {1, 1, 1},
                               .params = params};
    const bool good = module && ptx_machine_run(m, module, &launch);
    if (!good)
        printf("%s: %s\n", l->name, module ? m->error : error);
    size_t used = 0;
    for (uint32_t t = 0; t < threads && !l->final; t++)
        for (int r = 0; r < 2; r++)
            if (out[t][r] != 9)
                used += (size_t)snprintf(outcome + used, 16 - used, "%u", out[t][r]);
    if (l->final)
        snprintf(outcome, 16, "%u", memory[0]);
    rk_arena_free(arena);
    return good;
}

static int try_litmus(const litmus *l)
{
    bool reached = l->reached[0] == '\0';
    for (uint64_t seed = 1; seed <= (reached ? SEEDS : MOST_SEEDS); seed++) {
        char outcome[16] = "";
        if (!run_once(outcome, l, seed, true))
            return 1;
        if (among(l->forbidden, outcome)) {
            printf("%s: seed %llu shows %s, which the model forbids\n", l->name,
                   (unsigned long long)seed, outcome);
            return 1;
        }
        reached = reached || strcmp(outcome, l->reached) == 0;
        /* Without the weak mode all is in order: the outcomes that want it are not there. */
        if (!l->forbidden[0] && l->reached[0] && seed <= 40 && strcmp(l->reached, "11") != 0) {
            char strict[16] = "";
            if (!run_once(strict, l, seed, false) || strcmp(strict, l->reached) == 0) {
                printf("%s: %s without the weak mode\n", l->name, strict);
                return 1;
            }
        }
    }
    if (!reached)
        printf("%s: no run shows %s\n", l->name, l->reached);
    return !reached;
}

int main(void)
{
    int wrong = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        wrong += try_litmus(&all[k]);
    printf("%zu litmus programs, %d wrong\n", sizeof all / sizeof *all, wrong);
    return wrong != 0;
}
