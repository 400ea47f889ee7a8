#define UNTOUCHED
