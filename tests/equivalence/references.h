#ifndef RK_TESTS_EQUIVALENCE_REFERENCES_H
#define RK_TESTS_EQUIVALENCE_REFERENCES_H

#include "sched/op.h"

/** The definition of what a kernel that no op is bound to computes; NULL when there is none. */
bool (*eq_reference_find(const char *name))(const rk_op_call *call, const void *const *in,
                                            void *const *out);

#endif
