#ifndef RK_CONVERT_RUN_DATABASE_INTERNAL_H
#define RK_CONVERT_RUN_DATABASE_INTERNAL_H

#include "convert/run/database.h"

#include "base/vec.h"

/** Words of a command line. */
typedef RK_VEC(const char *) rk_shell_words;

/** The word between two commands; no shell's word has a line feed that is not quoted. */
#define RK_SHELL_END "\n"

/** Splits a command as a shell would, without expansions. `several`: at ; & | and parentheses, too. */
void rk_shell_split(rk_shell_words *out, const char *command, bool several, rk_arena *arena);

/** The CUDA sources of a compiler's command that is given in `folder`. */
rk_shell_words rk_database_sources(const rk_shell_words *words, const char *folder,
                                   rk_arena *arena);

/** The entry of such a command, the compiler its first word. */
rk_database_entry rk_database_command(const char *folder, const char *file,
                                      const rk_shell_words *words, rk_arena *arena);

/** Whether the first word of a command is a compiler of CUDA's. */
bool rk_build_is_compiler(const char *word);

#endif
