#ifndef RK_TESTS_EQUIVALENCE_REFERENCES_H
#define RK_TESTS_EQUIVALENCE_REFERENCES_H

#include "sched/ops/op.h"

/** As rk_op.eval. */
typedef bool eq_reference(const rk_op_call *call, const void *const *in, void *const *out);

/** The definition of what a kernel that no op is bound to computes; NULL when there is none. */
eq_reference *eq_reference_find(const char *name);

#endif
