# wrong.sh VALIDATE SCHEMA FILE: the validator says of the file what FILE.out holds, and nothing else.
said=$("$1" "$2" "$3" 2>&1)
status=$?
[ $status -eq 1 ] || {
    echo "status $status: $said"
    exit 1
}
printf '%s\n' "$said" | sed 's|^.*/||' | diff "$3.out" -
