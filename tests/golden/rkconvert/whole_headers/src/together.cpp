#include "a.rk.cpu.cpp"
#include "b.rk.cpu.cpp"
int main() {}
