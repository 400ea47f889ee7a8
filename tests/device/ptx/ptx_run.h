#ifndef RK_TESTS_PTX_RUN_H
#define RK_TESTS_PTX_RUN_H

#include "ptx_machine.h"

/* Between the files that run decoded code. */

/** Code of a function; decodes it where nobody has. */
const code *ptx_code_of(ptx_machine *m, const kernel *k, const ptx_function *f);

/** Lets a warp run again, or no longer. */
void ready_add(warp *w);
void ready_remove(warp *w);

/** A new group of the warp with those lanes of `g`, which loses them, at `pc`. */
group *group_part(warp *w, group *g, uint32_t lanes, int32_t pc);
void group_drop(warp *w, group *g);

/** The group comes to a barrier, or to an instruction that waits for lanes. */
void barrier_come(run *c, const insn *i, uint32_t mask);
void warp_come(run *c, const insn *i, uint32_t mask);

/** Lanes have exited: others may have waited for them no longer. */
void barrier_check_all(run *c);
void warp_check(run *c, warp *w);

/** Calls and returns of lanes. */
void call_begin(run *c, const insn *i, uint32_t mask);
void call_end(run *c, uint32_t mask);
frame *frame_new(const code *code, frame *caller, uint32_t lanes);
void frame_leave(frame *f, uint32_t lanes);

/** A function that no module defines (vprintf, malloc, ...); false where there is none of that name. */
bool builtin_call(run *c, const insn *i, const ptx_function *f, uint32_t mask);

/** Who is where, into m->error behind what is there. */
void describe_all(ptx_machine *m);

/** Asynchronous copies end before their lanes do. */
void copies_finish(run *c, warp *w, uint32_t lanes, uint32_t left);

#endif
