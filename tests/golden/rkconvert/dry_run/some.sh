head -3 ../dry.txt
exit 3
