enum { far_value = 1 };
