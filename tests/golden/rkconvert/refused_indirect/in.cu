#include <cuda_runtime.h>

// Which function is called only the run knows: of pointers from outside of the kernel. Virtual functions ask.
struct shape {
    __device__ virtual float area(float r) const { return r; }
    __device__ virtual ~shape() {}
};
struct circle : shape {
    __device__ float area(float r) const override { return r * r * threadIdx.x; }
};
struct plain : shape {
    __device__ float area(float r) const override { return r * r; }
};
__global__ void through_vtable(float *y, const shape *s) { y[threadIdx.x] = s->area(2); }
__global__ void own_object(float *y)
{
    circle c;
    const shape &s = c;
    y[threadIdx.x] = s.area(2);
}
__device__ float twice(float x) { return 2 * x; }
__device__ float at(float x) { return x * threadIdx.x; }
typedef float (*function)(float);
__device__ function table[2] = {twice, at};
__global__ void through_table(float *y, int k) { y[threadIdx.x] = table[k](1); }
__global__ void through_variable(float *y, int k)
{
    function f = k ? twice : at;
    y[threadIdx.x] = f(1);
}
__global__ void through_plain(float *y, int k)
{
    function f = twice;
    y[threadIdx.x] = f(1);
}
__global__ void through_parameter(float *y, function f) { y[threadIdx.x] = f(1); }
struct ops { function f; };
__global__ void through_member(float *y, ops o) { y[threadIdx.x] = o.f(1); }
__global__ void scale(float *y, float s) { y[threadIdx.x] *= s; }
__global__ void scale(double *y, double s) { y[threadIdx.x] *= s; }
void launch(float *y, double *d)
{
    scale<<<1, 32>>>(y, 2.f);
    scale<<<1, 64>>>(d, 2.);
    through_parameter<<<1, 32>>>(y, nullptr);
}
// Every function that such a call may be of is seen, and none needs the context.
struct form {
    __device__ virtual float side() const { return 1; }
};
struct square : form {
    __device__ float side() const override { return 2; }
};
__global__ void through_known(float *y, const form *f) { y[threadIdx.x] = f->side(); }
// So it is where the first of them has no body.
struct face {
    __device__ virtual bool hit(float x, float *at) const = 0;
};
struct wall : face {
    __device__ bool hit(float x, float *at) const override { return *at = x, x > 1; }
};
struct walls : face {
    face **all;
    int count;
    __device__ bool hit(float x, float *at) const override
    {
        for (int i = 0; i < count; i++)
            if (all[i]->hit(x, at))
                return true;
        return false;
    }
};
struct moving {
    __device__ virtual float place() const = 0;
};
struct lane_of : moving {
    __device__ float place() const override { return threadIdx.x; }
};
__global__ void through_surface(float *y, const face *s) { s->hit(y[threadIdx.x], y + threadIdx.x); }
__global__ void through_moving(float *y, const moving *m) { y[threadIdx.x] = m->place(); }
