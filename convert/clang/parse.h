#ifndef RK_CONVERT_CLANG_PARSE_H
#define RK_CONVERT_CLANG_PARSE_H

#include "convert/clang/arguments.h"

/** How clang's error begins that a variable in shared memory has a constructor; nvcc warns, and does not run it. */
#define RK_PARSE_INITIALISED "initialization is not supported for __shared__"

/**
 * Parses the unit's source for the host. The first error is diagnosed as RK-V001, and RK-V002 when
 * libclang itself fails.
 */
bool rk_parse_source(rk_unit *unit);

/**
 * Parses the unit's source with the text that its files have now where `changed` says so, one flag for each
 * file. `clean` is whether it has no errors; otherwise the first is a warning, RK-V210, and the
 * translation unit holds what could be parsed. False with RK-V002.
 */
bool rk_parse_program(bool *clean, rk_unit *unit, const bool *changed);

/**
 * Parses texts in the place of the unit's files, under their names in the output folder. Errors in
 * them are left in the translation unit. False with RK-V002.
 */
bool rk_parse_texts(rk_unit *unit, const rk_bytes *texts);

/**
 * Parses texts in place of those of the unit's files, under their own names. Errors in them are left in the
 * translation unit. False with RK-V002.
 */
bool rk_parse_in_place(rk_unit *unit, const rk_bytes *texts);

/** Whether the translation unit has no errors but harmless ones. */
bool rk_parse_is_clean(const rk_unit *unit);

/** Whether a message is of what clang calls an error and nvcc does not: the AST is as it should be. */
bool rk_parse_is_harmless(const char *message);

/** Frees what libclang holds for the unit. */
void rk_parse_close(rk_unit *unit);

#endif
