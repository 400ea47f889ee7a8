# Tables of const structs, one or more defined in each file of a folder: adding one is adding a file.

# rk_table(<out-var> NAME <array> COUNT <count> TYPE <type> PREFIX <prefix> HEADER <header>
#          FILES <file>...)
#
# Looks in the files for lines `const <type> <prefix><ident> = {` and writes a C file, whose path goes
# to <out-var>, that defines `const <type> *const <array>[]`, ordered by ident and NULL-terminated,
# and `const size_t <count>`. Editing one of the files looks again.
function(rk_table out)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;COUNT;TYPE;PREFIX;HEADER" "FILES")
    set(idents "")
    foreach(file IN LISTS arg_FILES)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        set(line "^const ${arg_TYPE} ${arg_PREFIX}([A-Za-z0-9_]+) = {")
        file(STRINGS ${file} found REGEX "${line}")
        foreach(text IN LISTS found)
            string(REGEX REPLACE "${line}.*" "\\1" ident "${text}")
            list(APPEND idents ${ident})
        endforeach()
    endforeach()
    list(LENGTH idents count)
    list(SORT idents)
    set(distinct ${idents})
    list(REMOVE_DUPLICATES distinct)
    if(NOT "${distinct}" STREQUAL "${idents}")
        message(FATAL_ERROR "two files define the same ${arg_TYPE}: ${idents}")
    endif()

    set(RK_DECLARATIONS "")
    set(RK_ENTRIES "")
    foreach(ident IN LISTS idents)
        string(APPEND RK_DECLARATIONS "extern const ${arg_TYPE} ${arg_PREFIX}${ident};\n")
        string(APPEND RK_ENTRIES "    &${arg_PREFIX}${ident},\n")
    endforeach()
    set(RK_HEADER ${arg_HEADER})
    set(RK_TYPE ${arg_TYPE})
    set(RK_NAME ${arg_NAME})
    set(RK_COUNT ${arg_COUNT})
    set(RK_SIZE ${count})
    set(path ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.c)
    configure_file(${CMAKE_SOURCE_DIR}/cmake/table.c.in ${path} @ONLY)
    set(${out} ${path} PARENT_SCOPE)
endfunction()
