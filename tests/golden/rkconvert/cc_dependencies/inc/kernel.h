#include "plain.h"
__global__ void kernel() {}
