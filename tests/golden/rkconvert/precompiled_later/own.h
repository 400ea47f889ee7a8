#pragma once
#define BLOCK 64
struct own {
    int x;
};
