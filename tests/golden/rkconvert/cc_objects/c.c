#include "shared.h"
#include <cuda_runtime_api.h>
const char *from_c(void)
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count ? "a device" : "no device";
}
