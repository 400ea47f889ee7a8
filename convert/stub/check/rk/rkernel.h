/* Stands for the runtime's header while a converted text is checked: see ../../language.h. */
#include <rk/kernel/end_barriers.h>
#include <rk/kernel/groups.h>
#include <rk/kernel/ranged.h>
