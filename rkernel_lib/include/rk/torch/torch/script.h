#pragma once
#include "../rk_torch/python.h"
