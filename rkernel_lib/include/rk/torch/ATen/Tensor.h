#pragma once
#include "../rk_torch/tensor.h"
