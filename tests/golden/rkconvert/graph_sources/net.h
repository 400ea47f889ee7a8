#pragma once
extern float *weights;
namespace net
{
__global__ void scale(float *y, float a, int n);
}
void layer(float *y, float *x, int n);
void finish(float *y);
