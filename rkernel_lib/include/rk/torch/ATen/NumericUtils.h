#pragma once
#include "../rk_torch/scalars.h"
