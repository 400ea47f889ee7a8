__device__ inline scalar own(scalar v)
{
    return v > 0 ? v : 0;
}
