#define OTHER 3
