#pragma once
#include "../../rk_torch/device.h"
