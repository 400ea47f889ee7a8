/* What the kernels of cpu_kernels.cu do, written by hand for a CPU. */
#ifndef CPU_LOOPS_H
#define CPU_LOOPS_H

void loop_saxpy(int n, float a, const float *x, float *y);
/* c = a * b, n by n, by tiles that stay in the cache. */
void loop_product(int n, const float *a, const float *b, float *c);
/* Each of `blocks` runs of 256 values is summed up by halves, as a block does with nine barriers. */
void loop_sums(int blocks, const float *in, float *out);

#endif
