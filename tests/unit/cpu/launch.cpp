/* Launches of kernels that launch themselves; test_cpu_launch.c calls what has C linkage here. */
#include <rk/cpu_cuda.h>
extern "C" int launch_nothing_yet() { return 0; }
