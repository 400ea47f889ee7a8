/* For programs that are parsed where no OpenMP is installed. */
#ifndef RK_PARSE_OMP_H
#define RK_PARSE_OMP_H

extern "C" {
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
void omp_set_num_threads(int);
double omp_get_wtime(void);
}

#endif
