enum { near_value = 1 };
