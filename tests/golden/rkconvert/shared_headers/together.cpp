#include "b.rk.cpu.cpp"
#include "a.rk.cpu.cpp"
#include "c.rk.cpu.cpp"
int main() {}
