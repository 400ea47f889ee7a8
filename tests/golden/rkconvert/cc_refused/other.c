int other(void) { return also; }
