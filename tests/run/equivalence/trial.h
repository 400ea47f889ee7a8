#ifndef RK_TESTS_EQUIVALENCE_TRIAL_H
#define RK_TESTS_EQUIVALENCE_TRIAL_H

#include "cases.h"
#include "guarded.h"
#include "rkernel_lib/include/rk/cpu/cpu_abi.h"
#include "sched/select/fitting.h"

/** What is given: the catalog, its bindings, a device that no kernel is too large for. */
typedef struct {
    const rk_catalog *catalog;
    const rk_bindings *bindings;
    const rk_device *device;
    const char *library; /**< instead of the catalog's shared object; or NULL */
} eq_world;

/** One kernel instance on one case through one binding. */
typedef struct {
    const eq_world *world;
    const eq_group *group;
    const eq_case *c;
    const rk_kernel *kernel; /**< a copy: a parameter that is added to counts as written */
    rk_op_call call;
    rk_fitting fit;
    rk_candidate candidate; /**< its args have operand slots */
    bool accumulates;       /**< some parameter is added to, from zero */
    rk_arena *arena;
    rk_diag *diag;
    size_t slots;       /**< inputs, then outputs */
    eq_guarded *inputs; /**< by slot; outputs have none */
    void **originals;   /**< copies of the inputs */
    void **oracle;      /**< by slot: the outputs as they should be */
    eq_guarded *legacy; /**< by slot: the outputs of the legacy kernel */
    eq_guarded *result; /**< by slot: those of the last run of the rKernel */
    int failures;
} eq_trial;

/**
 * Prepares a trial through `binding` (NULL: the kernel is called by its launching function). False
 * when the kernel does not apply; trial->fit.reason then says why.
 */
bool eq_trial_fit(eq_trial *trial, const rk_binding *binding);

/** Draws the inputs and works out what the outputs should be. False, and said, without a definition. */
bool eq_trial_make(eq_trial *trial);

/** Bytes of operand `slot`; 0 where it is left out. */
size_t eq_trial_bytes(const eq_trial *trial, size_t slot);

/** Runs legacy kernel, rKernel and oracle and compares them. Returns the number of differences said. */
int eq_trial_run(eq_trial *trial);

/** Says what differs, on stdout. */
void eq_trial_fail(eq_trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The legacy launcher's run into trial->legacy, and a look at the configuration it launched. */
void eq_run_legacy(eq_trial *trial);

/** One run of all rTasks into trial->result, on a vEU of V threads; backwards: the last rTask first. */
void eq_run_rkernel(eq_trial *trial, uint32_t veu_threads, bool backwards);

/** The same for rTasks [first, first + count) alone. */
void eq_run_rtasks(eq_trial *trial, uint32_t veu_threads, uint32_t first, uint32_t count,
                   bool backwards);

/**
 * Whether the rTasks touch no more than the binding's access says, one by one: what one writes lies in
 * its box, what it reads outside has no influence, and the boxes together cover each output. Inputs
 * are there and unchanged.
 */
void eq_check_access(eq_trial *trial, uint32_t veu_threads);

/** Bits of a scalar of that type. */
uint64_t eq_scalar_bits(rk_dtype dtype, rk_value value);

#endif
