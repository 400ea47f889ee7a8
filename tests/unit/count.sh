# count.sh BINARY COUNT: fails unless the Criterion binary holds exactly COUNT tests.
held=$(LC_ALL=C "$1" --list | grep -c '^[|`]-- ')
if [ "$held" -ne "$2" ]; then
    echo "$1 holds $held tests, its source names $2" >&2
    exit 1
fi
