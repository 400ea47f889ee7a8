/* Instances of a destructor are not shown: what its overloaded calls convert to follows from all that they may call. */
__device__ void one(int *o, int v) { o[0] = v; }
__device__ void one(float *o, int v) { o[0] = v; }
__device__ void several(int *o, int v) { o[1] = v; }
__device__ void several(float *o, unsigned v) { o[1] = v; }
__device__ void exact(int *o, int v) { o[2] = v; }
__device__ void exact(int *o, float v) { o[2] = v > 1; }
template <class T, class P> struct ends {
    P *o;
    T v;
    __device__ ~ends()
    {
        one(o, v);
        several(o, v);
        exact(o, v);
    }
};
__global__ void made(int *o, float v)
{
    ends<float, int> e{o, v};
}
void launch(int *o, float v) { made<<<1, 1>>>(o, v); }
