ADD(one, 1)
ADD(two, 2)
