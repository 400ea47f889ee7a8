# Sourced by the checks of compiled CUDA: find the compiler, make $work, compile, look at the results.
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# strict <args of nvcc>...: warnings are errors, ptxas says what it used.
strict() {
    "$nvcc" -std=c++17 -O3 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror -Xptxas -v "$@"
}

# spills <log of strict> <source>: says which kernels spill; true when any does
spills() {
    awk -v source="$2" '
        /entry function/ { split($0, quoted, "\047"); entry = quoted[2] }
        /for .sm_/ { match($0, /sm_[0-9]+/); arch = substr($0, RSTART, RLENGTH) }
        /bytes spill/ {
            seen++
            if ($0 !~ / 0 bytes spill stores, 0 bytes spill loads/) {
                printf "%s, %s, %s:%s\n", source, entry, arch, $0
                any = 1
            }
        }
        END {
            if (!seen)
                print source ": ptxas said nothing of spills"
            exit !(any || !seen)
        }' "$1"
}
