#include "inc/kernel.h"
int main() { kernel<<<1, 1>>>(); }
