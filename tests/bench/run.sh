# All benchmarks, each a table of ratios measured in one run. Nothing here passes or fails.
#
#   sh tests/bench/run.sh [BUILD]     default: build/release
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/release}
title()
{
    printf '\n%s\n\n' "$1"
}
title "rkconvert over clang-19 -fsyntax-only (aim: at most 1.2)"
sh tests/bench/convert_time.sh "$build"
title "rkconvert over many files (aim: a warm run under 5% of a cold one)"
sh tests/bench/convert_many.sh "$build"
title "rTasks scheduled and checked a second (aim: a million each)"
"$build/bench/bench_sched"
title "CPU vDevice over the same rKernels one by one"
sh tests/bench/vdevice.sh "$build"
title "Policies over the zoo, simulated (aims: docs/policies.md)"
"$build/bench/bench_policies"
title "CUDA programs on the CPU over loops by hand (aims: 1.2), and over a fiber for each thread"
sh tests/bench/cpu_speed.sh "$build"
title "Simulated times against measured ones on this CPU (rank correlation)"
sh tests/bench/profile.sh "$build"
