int host_only(int);
extern int host_state;
__device__ inline int other() { return 5; }
