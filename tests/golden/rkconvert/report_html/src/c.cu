#define FAST
#include "config.h"

void run(float *y) { step<<<1, 32>>>(y); }
