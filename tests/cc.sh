#!/bin/sh
# cc.sh convert FOLDER [argument of rkconvert cc]...
# cc.sh compile FOLDER
# cc.sh link FOLDER
# cc.sh header FOLDER MODEL
#
# `rkconvert cc` in three steps, each a rule of the build, so that a program is compiled again only when its converted
# text, a header or a flag is another one:
#
#   convert   converts, and writes down what the compilers are asked to do: FOLDER/objects are the commands that
#             compile, with a checksum of each converted text; FOLDER/program is the one that links.
#             A file whose content stays keeps its time.
#   compile   runs the first, with the precompiled header of the folder $RK_HEADER; says so in FOLDER/compiled
#   link      runs the second, which makes FOLDER/run
#   header    makes the precompiled header of rk/cpu_program.h, with the flags of the program in the folder MODEL
#
# `convert` gives rkconvert this script as its compilers, called with RK_CC_STEP: it notes its arguments and makes an
# empty file as its output. Their names are those that a run without this script would give them.
set -eu
step=${RK_CC_STEP:-$1}

# quoted WORD...: as the shell takes them
quoted()
{
    for word; do
        printf " '%s'" "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"
    done
    echo
}

# put FILE: from new/ to its place, where it is not there already
put()
{
    cmp -s "new/$1" "$1" || {
        mkdir -p "$(dirname "$1")"
        mv "new/$1" "$1"
    }
}

case $step in
note)
    # What writes no file is a question, such as which version it is.
    case " $* " in
    *' -o '*) ;;
    *) exec "$@" ;;
    esac
    # Names of the folder of this run are replaced, and what is done to put an output in its place.
    quoted "$@" | sed "s|[^ ']*/rkconvert-[A-Za-z0-9]*/|objects.d/|g; s|\.o\.[^.']*'|.o'|g; s|'run\.[^.']*'|'run'|g" >>"$RK_CC_NOTES"
    output=
    for word; do
        [ "$output" != - ] || output=$word
        [ "$word" != -o ] || output=-
    done
    : >"$output"
    ;;
convert)
    here=$(cd "$(dirname "$0")" && pwd)
    mkdir -p "$2/new"
    cd "$2"
    shift 2
    rm -rf new
    mkdir new
    : >new.notes
    (
        cd new
        RK_CC_STEP=note RK_CC_NOTES=$PWD/../new.notes CXX="sh $here/cc.sh $CXX" CC="sh $here/cc.sh $CC" \
            "$RKCONVERT" cc -keep "$@" -o run >../log 2>&1
    ) || {
        cat log
        exit 1
    }
    rm -f new/run
    grep " '-c' " new.notes | sort >new/objects || :
    grep -v " '-c' " new.notes >new/program || :
    (cd new && find . -type f ! -name objects ! -name program | sort | xargs cksum | sed 's/^/# /') >new.sums
    cat new.sums >>new/objects
    (cd new && find . -type f) | while read -r file; do
        put "$file"
    done
    ;;
compile)
    cd "$2"
    mkdir -p objects.d
    # Only where all flags are the same: GCC 12 takes a header of other ones, and breaks.
    flags=$(cat "$RK_HEADER/flags")
    grep -v '^#' objects | while IFS= read -r line; do
        case $line in
        "$flags '-c' "*) printf "%s '-I%s'%s\n" "$flags" "$RK_HEADER" "${line#"$flags"}" ;;
        *) printf '%s\n' "$line" ;;
        esac
    done >compile.sh
    sh -eu ./compile.sh
    echo >compiled
    ;;
link)
    cd "$2"
    sh -eu ./program
    ;;
header)
    mkdir -p "$2/rk"
    cd "$2"
    echo '#include <rk/cpu_program.h>' >header.h
    sed "/^#/d; s| '-c' '-x' .*||" "$3/objects" >flags
    echo "$(cat flags) -x c++-header header.h -o rk/cpu_program.h.gch" >header.sh
    sh -eu ./header.sh
    ;;
esac
