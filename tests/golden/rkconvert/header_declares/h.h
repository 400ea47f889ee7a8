extern __device__ int tab[4];
__device__ int one(int);
template <class T> __device__ T twice(T);
struct part;
__device__ float f(float x) { return x; }
struct with { static const int size = 7; __device__ int get() const; int v; };
typedef struct later later_t;
extern __constant__ float weights[2];
int host_only(int);
