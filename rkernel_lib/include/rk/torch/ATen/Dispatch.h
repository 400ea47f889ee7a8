#pragma once
#include "../rk_torch/dispatch.h"
