constexpr int width = WIDTH;
