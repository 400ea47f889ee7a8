#include <cuda_runtime.h>
#include <nvjpeg.h>
int main() { return 0; }
