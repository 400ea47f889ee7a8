#!/bin/sh
# together.sh FILE...: prints a source that has each of the files in a namespace of its own, so that one call of a
# compiler, whose headers take longer than they do, looks at all. Their includes come first; their macros end with
# them. What of a file does not go with this does not compile, and is for a call of its own.
set -eu
cat "$@" | sed -n 's/^ *# *include *\(<[^>]*>\).*/#include \1/p' | sort -u
cat "$@" | sed -n 's/^ *# *include *\("[^"]*"\).*/#include \1/p' | sort -u
n=0
for file; do
    n=$((n + 1))
    printf 'namespace together_%d\n{\n#include "%s"\n}\n' $n "$file"
    sed -n 's/^ *# *define *\([A-Za-z_][A-Za-z_0-9]*\).*/#undef \1/p' "$file" | sort -u
done
