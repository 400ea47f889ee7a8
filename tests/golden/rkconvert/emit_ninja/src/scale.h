constexpr float by_one = 1, by_two = 2, by_three = 3;
