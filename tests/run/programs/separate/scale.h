/* What the C and C++ files offer to the others. */
#ifndef SCALE_H
#define SCALE_H

#ifdef __cplusplus
extern "C" {
#endif

/* In C: the factor, from nothing but arithmetic. */
float chosen_factor(int step);

/* In a .cu file, called from C++: sets the factor and weighs n values on the device. */
int weigh_on_device(const float *in, float *out, int n, float factor);

#ifdef __cplusplus
}

/* In C++ that no CUDA compiler sees. */
bool same_values(const float *got, const float *want, int n);
int run_steps(int steps);
#endif

#endif
