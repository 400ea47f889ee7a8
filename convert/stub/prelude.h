/* What is precompiled and put before every source. As an include it counts as a system's header. */
#include "language.h"
