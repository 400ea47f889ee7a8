__device__ void __pipeline_memcpy_async(void *, const void *, unsigned long);
