#ifndef RK_CONVERT_LAUNCHES_EXECUTE_H
#define RK_CONVERT_LAUNCHES_EXECUTE_H

#include "convert/launches/harvest_internal.h"

/* What the executor's files share: statements and conditions in execute.c, loops in loop.c. */

void rk_hx_run_statement(rk_hrun *run, CXCursor stmt, rk_hstate *state);
void rk_hx_run_expression(rk_hrun *run, CXCursor expr, rk_hstate *state);
void rk_hx_run_loop(rk_hrun *run, CXCursor stmt, rk_hstate *state);

/** Loses all that is known where the head of a `switch` or of a loop over a range has a statement of its own. */
void rk_hx_lose_hidden(rk_hrun *run, CXCursor stmt, rk_hstate *state);

/** What comes next is reached under this condition. */
void rk_hx_push_condition(rk_hrun *run, rk_hstate *state, const rk_cexpr *condition);

/** A condition's value as bool, NULL when it is not known. */
const rk_cexpr *rk_hx_condition_of(rk_hrun *run, const rk_henv *env, CXCursor expr);

/** The effects of an expression that is evaluated once. */
void rk_hx_lose_changed(rk_hrun *run, CXCursor node, rk_hstate *state);

/** Whether a call ends the program or throws: of a function that says so, or whose text shows it. */
bool rk_hx_never_returns(rk_hrun *run, CXCursor call);

bool rk_hx_is_declaration(CXCursor cursor);
bool rk_hx_is_assignment(CXCursor e);

#endif
