#define LATER(x) (x + RK__BASE)
int rk_cpu_count(int);
