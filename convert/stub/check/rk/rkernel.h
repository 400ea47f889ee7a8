/* Stands for the runtime's header while a converted text is checked: see ../../language.h. */
#include <rk/end_barriers.h>
#include <rk/groups.h>
#include <rk/ranged.h>
