// A program that ends as one that cannot be started does.
__global__ void kernel()
{
}

int main()
{
    kernel<<<1, 1>>>();
    return 127;
}
