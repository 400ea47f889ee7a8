# A module of the library: one folder, one static library, and exactly the include folders it may use.

# rk_module(<folder> SOURCES <file>... [USES <library>...])
#
# Defines librk_<folder> (rk_rkernel for rkernel_lib). Headers are included as "<folder>/<name>.h":
# a folder in the build tree holds nothing but a link named <folder>, so that a module sees its own
# headers and those of what it USES, and no others.
function(rk_module folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES")
    string(REPLACE rkernel_lib rkernel target rk_${folder})
    set(include ${CMAKE_BINARY_DIR}/include/${folder})
    file(MAKE_DIRECTORY ${include})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${include}/${folder} SYMBOLIC)

    add_library(${target} STATIC ${arg_SOURCES})
    target_include_directories(${target} PUBLIC ${include})
    target_link_libraries(${target} PRIVATE rk_options PUBLIC ${arg_USES})
    install(TARGETS ${target} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

    # Every header beside the module's sources compiles alone, and twice.
    set(headers "")
    foreach(source IN LISTS arg_SOURCES)
        cmake_path(ABSOLUTE_PATH source)
        cmake_path(GET source PARENT_PATH dir)
        cmake_path(IS_PREFIX CMAKE_CURRENT_SOURCE_DIR "${dir}" NORMALIZE here)
        if(here)
            list(APPEND headers "${dir}/*.h")
        endif()
    endforeach()
    list(REMOVE_DUPLICATES headers)
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${headers})
    set(alone "")
    foreach(header IN LISTS headers)
        string(REPLACE / _ file ${header})
        set(file ${CMAKE_CURRENT_BINARY_DIR}/header_${file}.c)
        file(CONFIGURE OUTPUT ${file} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
        list(APPEND alone ${file})
    endforeach()
    if(alone)
        add_library(${target}_headers OBJECT ${alone})
        target_compile_options(${target}_headers PRIVATE -Wno-pedantic)
        target_link_libraries(${target}_headers PRIVATE rk_options ${target})
    endif()
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
