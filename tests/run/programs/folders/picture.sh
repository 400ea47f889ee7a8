#!/bin/sh
# picture.sh FORMAT WIDTH HEIGHT [SHIFT]
#
# Writes a made-up picture, its pattern moved to the left by SHIFT pixels, as FORMAT has it: ppm, or bmp of 24 bits.
set -eu

# Four bytes, the lowest first, as printf has them.
number()
{
    printf '\\%o\\%o\\%o\\%o' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255))
}

case $1 in
ppm) header="P6\n$2 $3\n255\n" ;;
bmp) header="BM$(number $((54 + 3 * $2 * $3)))$(number 0)$(number 54)$(number 40)$(number "$2")$(number "$3")\
\\1\\0\\30\\0$(number 0)$(number $((3 * $2 * $3)))$(number 0)$(number 0)$(number 0)$(number 0)" ;;
*) exit 2 ;;
esac
# shellcheck disable=SC2059 # bytes
printf "$header$(awk -v width="$2" -v height="$3" -v shift="${4:-0}" 'BEGIN {
    for (y = 0; y < height; y++)
        for (x = shift; x < width + shift; x++)
            printf "\\%03o\\%03o\\%03o", 128 + 90 * sin(x / 5) * cos(y / 7), 128 + 60 * sin((x + y) / 9),
                128 + 80 * cos(x / 11) * sin(y / 3)
}')"
