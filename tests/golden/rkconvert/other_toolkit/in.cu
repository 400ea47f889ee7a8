__global__ void step(int *o, float f)
{
#if __CUDACC_VER_MAJOR__ != 12 || CUDART_VERSION != 12040
#error "not the version that is parsed"
#endif
    o[threadIdx.x] = (int)f;
}
void launch(int *o, float f) { step<<<1, 32>>>(o, f); }
