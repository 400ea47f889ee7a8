# link.sh <library folder> <nvcc> <out> <flags>... -- <source>...: compiles sources for a virtual architecture (RK_PTX_ARCH, 80) and
# links them with the PTX machine in place of CUDA's runtime.
set -eu
libraries=$1 nvcc=$2 out=$3
shift 3
flags=
while [ "$1" != -- ]; do
    flags="$flags $1"
    shift
done
shift
arch=${RK_PTX_ARCH:-80}
objects=
for file; do
    object=$(basename "$file" | sed 's/\.[a-z]*$//').ptx.o
    case $file in
    # shellcheck disable=SC2086
    *.c) ${CC:-cc} -O1 $flags -c "$file" -o "$object" ;;
    # shellcheck disable=SC2086
    *) "$nvcc" -std=c++17 -O3 --no-compress -gencode arch=compute_$arch,code=compute_$arch $flags -c "$file" -o "$object" ;;
    esac
    objects="$objects $object"
done
# shellcheck disable=SC2086
${CXX:-c++} $objects "$libraries/librk_ptx.a" "$libraries/librk_cuda.a" "$libraries/librk_base.a" \
    ${RK_PTX_LIBRARIES:-} -lcjson -lxxhash -lpthread -lm -o "$out"
