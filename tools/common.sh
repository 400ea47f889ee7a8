# Shared by the scripts of tools/: sourced, not run. Expects to be in the repository's root.

# step TEXT: says what comes next, and how long it has taken so far.
rk_started=$(date +%s)
rk_step=0
step()
{
    rk_step=$((rk_step + 1))
    printf '\n[%d/%d] %s (%d s)\n' "$rk_step" "$rk_steps" "$1" $(($(date +%s) - rk_started))
}

# configure PRESET [cmake option]...
configure()
{
    rk_preset=$1
    shift
    mkdir -p build
    cmake --preset "$rk_preset" "$@" >"build/$rk_preset.log" 2>&1 && return 0
    cat "build/$rk_preset.log"
    return 1
}

# build PRESET [cmake --build option]...: quietly, unless it fails or somebody watches.
build()
{
    rk_preset=$1
    shift
    if [ -t 1 ]; then
        cmake --build "build/$rk_preset" "$@"
        return
    fi
    cmake --build "build/$rk_preset" "$@" >"build/$rk_preset.log" 2>&1 && return 0
    grep -v '^\[[0-9]*/[0-9]*\] ' "build/$rk_preset.log" | tail -n 200
    return 1
}

# Puts an installed CUDA toolkit on the path; false where there is none.
find_nvcc()
{
    command -v nvcc >/dev/null 2>&1 && return 0
    [ -x /usr/local/cuda/bin/nvcc ] || return 1
    PATH=$PATH:/usr/local/cuda/bin
    export PATH
}
