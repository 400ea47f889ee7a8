#define PLAIN
