#ifdef __cplusplus
extern "C"
#endif
const char *from_c(void);
void from_b(
#ifndef __cplusplus
    void
#endif
);
