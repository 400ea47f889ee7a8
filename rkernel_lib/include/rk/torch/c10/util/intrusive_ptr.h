#pragma once
#include "../../rk_torch/core.h"
