#pragma once

struct Shape {
    int width;
};

inline int area(Shape s) { return s.width * s.width; }
