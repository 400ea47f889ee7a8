#define SIZE 32
