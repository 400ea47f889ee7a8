# What a program is linked with is there or named; a program that reports where it fails starts no shell.
. "$(dirname "$0")/common.sh"

grep -rnE '\<(popen|system) *\(' --include='*.c' --include='*.h' --include='*.cuh' --include='*.cpp' "$RK_SOURCE/base" \
    "$RK_SOURCE/convert" "$RK_SOURCE/emit" "$RK_SOURCE/rkernel_lib" "$RK_SOURCE/sched" "$RK_SOURCE/tools" &&
    wrong "a shell is started"

echo 'int main(void) { return 0; }' >main.cpp
good "$RKCONVERT" cc -c main.cpp -o main.o
mkdir -p home/share home/lib
ln -s "$RK_BUILD/share/rammer" home/share/rammer
for part in librk_check.a librk_cuda.a librk_cublas.a; do
    rm -f home/lib/*
    ln -s "$RK_BUILD"/lib/*.a home/lib
    rm -f home/lib/$part
    RAMMER_HOME=$work/home/share/rammer refused RK-V142 "$RKCONVERT" cc --check=race main.o -lcublas -o main
    grep -q "$part" said || wrong "the message does not name $part"
done
# A race, in a program whose name is a command to a shell.
[ -z "${RK_SANITIZE:-}" ] || exit $bad
cp "$RK_BUILD/tests/check.d/kernels" "x';touch P;'"
"./x';touch P;'" reverse_early >said 2>&1
[ -e P ] && wrong "the program's name was run by a shell"
grep -q 'kernels.cpp:[0-9]' said || { wrong "no line is told"; cat said; }

# What it writes by itself, to a disk that is full.
mkdir record
ln -s /dev/full record/launches
kernels=$RK_BUILD/tests/check.d/kernels
RK_LAUNCHES=/dev/full "$kernels" reverse >said 2>&1
grep -q 'cannot write /dev/full' said || wrong "RK_LAUNCHES: no word of a full disk"
RK_RECORD=record "$kernels" reverse >said 2>&1 && wrong "RK_RECORD: a record that is not whole is none"
grep -q 'is the disk full' said || wrong "RK_RECORD: no word of a full disk"
exit $bad
