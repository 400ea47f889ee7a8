# Counts kernels and launches of CUDA sources by their text alone: comments, strings and character
# literals taken out, inactive #if branches kept. One line a file: kernels, launches, path.
#
# A kernel is a __global__ whose declarator is followed by a body. A launch is a `<<<`, or a call of
# cudaLaunchKernel, cudaLaunchKernelEx, cudaLaunchKernelExC or cudaLaunchCooperativeKernel.

# The text without comments and literals, a space for each.
function strip(text, out, at)
{
    out = ""
    while (match(text, /\/\/|\/\*|"|'/)) {
        out = out substr(text, 1, RSTART - 1) " "
        at = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (at == "//")
            text = match(text, /\n/) ? substr(text, RSTART) : ""
        else if (at == "/*")
            text = match(text, /\*\//) ? substr(text, RSTART + 2) : ""
        else if (at == "\"")
            text = match(text, /^([^"\\\n]|\\.|\\\n)*"/) ? substr(text, RLENGTH + 1) : text
        else
            text = match(text, /^([^'\\\n]|\\.)+'/) ? substr(text, RLENGTH + 1) : text
    }
    return out text
}

# Whether what follows a __global__ gets to a body before it ends.
function has_body(text, depth, at, c)
{
    depth = 0
    while (match(text, /[(){};]/)) {
        c = substr(text, RSTART, 1)
        text = substr(text, RSTART + 1)
        if (c == "(")
            depth++
        else if (c == ")")
            depth--
        else if (depth == 0)
            return c == "{"
        if (depth < 0)
            return 0
    }
    return 0
}

function count(path, text, kernels, launches, rest)
{
    text = strip(text)
    rest = text
    while (match(rest, /(^|[^A-Za-z0-9_])__global__[^A-Za-z0-9_]/)) {
        rest = substr(rest, RSTART + RLENGTH - 1)
        kernels += has_body(substr(rest, 1, 4000))
    }
    launches = gsub(/<<</, " ", text)
    launches += gsub(/cudaLaunch(Kernel(Ex(C)?)?|CooperativeKernel)[ \t\n]*[(]/, " ", text)
    printf "%d %d %s\n", kernels, launches, path
}

FNR == 1 && NR > 1 {
    count(path, text)
    text = ""
}
{
    path = FILENAME
    text = text $0 "\n"
}
END {
    if (NR)
        count(path, text)
}
