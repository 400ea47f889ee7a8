this is no C++
