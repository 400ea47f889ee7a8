#ifndef RK_CONVERT_FACTS_SPECIALISED_H
#define RK_CONVERT_FACTS_SPECIALISED_H

#include "convert/unit/unit.h"

/*
 * Explicit specialisations of function templates that take the context: a function template has no partial ones, by
 * which `load<int>` could leave the context's type open. Each becomes a class, `template <> struct load_rk__special<int>`,
 * whose static function has its text; the template asks for it: `if constexpr (load_rk__special<T>::there) return ...`.
 */

/* A kernel's is called by nobody, and becomes `template <class rk__Ctx> ... k_rk__2(...)`, of its own name. */

/** Whether two functions are one template, or specialisations of one: what one needs the others get. */
bool rk_specialised_related(const rk_unit *unit, size_t a, size_t b);

/** Why a specialisation cannot become a class; NULL if it can. The message takes its name. */
const char *rk_specialised_wrong(const rk_unit *unit, size_t function);

/** The name that the class's function has: the copy's in a drop-in. */
const char *rk_specialised_name(const rk_unit *unit, const rk_function *f);

/** "load_rk__special<int>", of a specialisation; "load_rk__special<T>", of its template. */
const char *rk_specialised_class(const rk_unit *unit, const rk_function *f);

/** What a template's body begins with where it has specialisations: the question, up to `else {`; NULL if it has none. */
const char *rk_specialised_question(const rk_unit *unit, const rk_function *f);

#endif
