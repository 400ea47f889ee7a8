# Modules of the library: one folder each, and exactly the include folders that it may use.

# rk_includes(<target> <folder>): lets those who link <target> include "<folder>/<name>.h".
#
# A folder in the build tree holds nothing but a link to <folder>, under the folders that are above it:
# who links a module sees its headers and those of what it USES, and no others.
function(rk_includes target folder)
    string(REPLACE / _ name ${folder})
    set(include ${CMAKE_BINARY_DIR}/include/${name})
    cmake_path(GET folder PARENT_PATH above)
    file(MAKE_DIRECTORY ${include}/${above})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${include}/${folder} SYMBOLIC)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL INTERFACE_LIBRARY)
        target_include_directories(${target} INTERFACE ${include})
    else()
        target_include_directories(${target} PUBLIC ${include})
    endif()
    set_property(GLOBAL APPEND PROPERTY RK_TARGETS ${target})
    set_property(GLOBAL PROPERTY RK_FOLDER_${target} ${folder})
endfunction()

# rk_headers_compile(<target> <folder>): every header of the folder and of those in it compiles alone, and
# twice, with what <target> sees.
function(rk_headers_compile target folder)
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
         ${CMAKE_SOURCE_DIR}/${folder}/*.h ${CMAKE_SOURCE_DIR}/${folder}/*/*.h)
    list(FILTER headers EXCLUDE REGEX "/stub/")
    set(alone "")
    foreach(header IN LISTS headers)
        string(REPLACE / _ file ${header})
        set(file ${CMAKE_CURRENT_BINARY_DIR}/header_${file}.c)
        file(CONFIGURE OUTPUT ${file} CONTENT "#include \"${header}\"\n#include \"${header}\"\nextern int rk_not_empty; /* of a header with nothing but macros */\n")
        list(APPEND alone ${file})
    endforeach()
    if(alone)
        add_library(${target}_headers OBJECT ${alone})
        target_compile_options(${target}_headers PRIVATE -Wno-pedantic)
        target_link_libraries(${target}_headers PRIVATE rk_options ${target})
    endif()
endfunction()

# rk_module(<folder> [TARGET <name>] SOURCES <file>... [USES <library>...])
#
# A static library, lib<name>.a: rk_<folder> unless a name is given.
function(rk_module folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGET" "SOURCES;USES")
    if(NOT arg_TARGET)
        string(REPLACE / _ arg_TARGET rk_${folder})
    endif()
    add_library(${arg_TARGET} STATIC ${arg_SOURCES})
    rk_includes(${arg_TARGET} ${folder})
    target_link_libraries(${arg_TARGET} PRIVATE rk_options PUBLIC ${arg_USES})
    install(TARGETS ${arg_TARGET} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    rk_headers_compile(${arg_TARGET} ${folder})
endfunction()

# rk_room(<folder> SOURCES <file>... [USES <library>...])
#
# A folder inside of a module, of whose library its objects are a part (rk_house). What it USES are the
# rooms and modules whose headers it may include.
function(rk_room folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES")
    string(REPLACE / _ target rk_${folder})
    add_library(${target} OBJECT ${arg_SOURCES})
    rk_includes(${target} ${folder})
    target_link_libraries(${target} PRIVATE rk_options PUBLIC ${arg_USES})
    rk_headers_compile(${target} ${folder})
endfunction()

# rk_house(<name> ROOMS <room>...): the static library librk_<name>.a of the rooms rk_<name>_<room>. Who
# links it may include the headers of all of them.
function(rk_house name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ROOMS")
    list(TRANSFORM arg_ROOMS PREPEND rk_${name}_)
    add_library(rk_${name} STATIC)
    target_link_libraries(rk_${name} PUBLIC ${arg_ROOMS})
    set_property(GLOBAL PROPERTY RK_ROOMS_rk_${name} ${arg_ROOMS})
    install(TARGETS rk_${name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# rk_draw(<file> [<target> <folder>]...): writes which folder may include which, a line each:
# "<folder> <folder that it uses>...". The targets are those of rk_includes and the given ones; a house is
# its rooms.
function(rk_draw file)
    get_property(targets GLOBAL PROPERTY RK_TARGETS)
    set(more ${ARGN})
    while(more)
        list(POP_FRONT more target folder)
        list(APPEND targets ${target})
        set_property(GLOBAL PROPERTY RK_FOLDER_${target} ${folder})
    endwhile()
    set(lines "")
    foreach(target IN LISTS targets)
        get_property(line GLOBAL PROPERTY RK_FOLDER_${target})
        get_target_property(type ${target} TYPE)
        if(NOT type STREQUAL INTERFACE_LIBRARY)
            get_target_property(uses ${target} LINK_LIBRARIES)
            foreach(use IN LISTS uses)
                get_property(rooms GLOBAL PROPERTY RK_ROOMS_${use})
                foreach(one IN LISTS use rooms)
                    get_property(folder GLOBAL PROPERTY RK_FOLDER_${one})
                    if(folder)
                        string(APPEND line " ${folder}")
                    endif()
                endforeach()
            endforeach()
        endif()
        list(APPEND lines "${line}")
    endforeach()
    list(SORT lines)
    list(JOIN lines "\n" text)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}\n")
endfunction()

# rk_install_headers(<folder> <name>...): installs the public headers of a folder, named without ".h".
function(rk_install_headers folder)
    foreach(name IN LISTS ARGN)
        cmake_path(GET name PARENT_PATH within)
        install(FILES ${CMAKE_SOURCE_DIR}/${folder}/${name}.h
                DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rammer/${folder}/${within})
    endforeach()
endfunction()

# rk_share(<name> <folder>): shows a source folder as share/rammer/<name> in the build tree.
function(rk_share name folder)
    file(MAKE_DIRECTORY ${RK_SHARE})
    file(CREATE_LINK ${folder} ${RK_SHARE}/${name} SYMBOLIC)
endfunction()
