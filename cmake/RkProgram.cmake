# CUDA programs for the CPU that tests run: converted, compiled and linked by rules of the build, once for all tests.
# Each program is built one or several ways:
#
#   legacy    as it is                    memory          as it is, errors of memory are found
#   drop_in   launches are vDevices       memory_drop_in  so with launches as vDevices
#                                         check           races and reads of unwritten shared memory are found
#
# What looks at each access is compiled without optimisation, a third of the time, and so are drop-ins, unless
# RK_DROP_IN_LEVEL says otherwise, as tools/test.sh --full does: the program as it is has the optimiser's results.
set(RK_DROP_IN_LEVEL -O0 CACHE STRING "How drop-ins that tests run are optimised")
set(RK_WAYS legacy drop_in memory memory_drop_in check)
set(RK_WAY_legacy -O1)
set(RK_WAY_drop_in ${RK_DROP_IN_LEVEL} --drop-in)
set(RK_WAY_memory -O0 --check=memory)
set(RK_WAY_memory_drop_in -O0 --drop-in --check=memory)
set(RK_WAY_check -O0 --check=all -g)
# Whose flags for the compiler, and so whose precompiled header, are the same.
set(RK_HEADER_legacy legacy)
set(RK_HEADER_drop_in drop_in)
set(RK_HEADER_memory memory)
set(RK_HEADER_memory_drop_in memory)
set(RK_HEADER_check check)

file(GLOB_RECURSE RK_RUNTIME_HEADERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rkernel_lib/include/*)
file(GLOB_RECURSE RK_PARSE_STUBS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/convert/stub/*)
set(RK_CC ${CMAKE_SOURCE_DIR}/tests/cc.sh)
set(RK_CC_ENV ${CMAKE_COMMAND} -E env RKCONVERT=${CMAKE_BINARY_DIR}/bin/rkconvert CXX=${CMAKE_CXX_COMPILER}
              CC=${CMAKE_C_COMPILER} RAMMER_HOME=${RK_SHARE})

# rk_convert_program(<folder> SOURCES <file>... ARGUMENTS <argument>... [FLAGS <argument>...]
# [DEPENDS <file>...]): the rule that converts
function(rk_convert_program folder)
    cmake_parse_arguments(p "" "" "SOURCES;ARGUMENTS;FLAGS;DEPENDS" ${ARGN})
    add_custom_command(OUTPUT ${folder}/objects ${folder}/program
        COMMAND ${RK_CC_ENV} sh ${RK_CC} convert ${folder} ${p_ARGUMENTS} ${p_SOURCES} ${p_FLAGS}
        DEPENDS rkconvert ${RK_CC} ${p_SOURCES} ${p_DEPENDS} ${RK_RUNTIME_HEADERS} ${RK_PARSE_STUBS}
        COMMENT "Converting into ${folder}" VERBATIM)
endfunction()

# rk_program_headers(): the precompiled headers
function(rk_program_headers)
    set(model ${CMAKE_BINARY_DIR}/programs/header.cu)
    if(NOT EXISTS ${model})
        file(WRITE ${model} "int main()\n{\n}\n")
    endif()
    foreach(way legacy drop_in memory check)
        set(folder ${CMAKE_BINARY_DIR}/programs/header/${way})
        rk_convert_program(${folder} SOURCES ${model} ARGUMENTS ${RK_WAY_${way}})
        add_custom_command(OUTPUT ${folder}/rk/cpu_program.h.gch ${folder}/flags
            COMMAND sh ${RK_CC} header ${folder} ${folder}
            DEPENDS ${RK_CC} ${folder}/objects ${RK_RUNTIME_HEADERS}
            COMMENT "Precompiling rk/cpu_program.h, ${way}" VERBATIM)
    endforeach()
endfunction()

# rk_said(<out-var> <file> <word>): what the line "// <word>: ..." of the file's first comment says
function(rk_said out file word)
    set(${out} "" PARENT_SCOPE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} lines)
    foreach(line IN LISTS lines)
        if(NOT line MATCHES "^//")
            break()
        endif()
        if(line MATCHES "^// ${word}: *(.*)")
            set(${out} "${CMAKE_MATCH_1}" PARENT_SCOPE)
        endif()
    endforeach()
endfunction()

# The programs of tests/run/programs: a source, or a folder with main.cu and others.
file(GLOB RK_PROGRAMS CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tests/run/programs
     ${CMAKE_SOURCE_DIR}/tests/run/programs/*.cu ${CMAKE_SOURCE_DIR}/tests/run/programs/*/main.cu)
list(TRANSFORM RK_PROGRAMS REPLACE "(/main)?\\.cu$" "")

# rk_program_sources(<name> <sources-var> <flags-var> <main-var>): of one of them
function(rk_program_sources name sources flags main)
    set(folder ${CMAKE_SOURCE_DIR}/tests/run/programs)
    set(file ${folder}/${name}.cu)
    set(${sources} ${file} PARENT_SCOPE)
    if(NOT EXISTS ${file})
        set(file ${folder}/${name}/main.cu)
        file(GLOB all CONFIGURE_DEPENDS ${folder}/${name}/*.cu ${folder}/${name}/*.cpp ${folder}/${name}/*.c)
        set(${sources} ${all} PARENT_SCOPE)
    endif()
    rk_said(said ${file} flags)
    separate_arguments(said UNIX_COMMAND "${said}")
    set(${flags} "${said}" PARENT_SCOPE)
    set(${main} ${file} PARENT_SCOPE)
endfunction()

# rk_program(<name> SOURCES <file>... WAYS <way>... [FLAGS <flag>...] [LABELS <label>...])
#
# Builds a program each of the ways, as ${CMAKE_BINARY_DIR}/programs/<name>/<way>/run. The target program_<name>_<way>, of
# the first way, makes all that are named; a test that requires the fixture of that name finds them made. With the
# label `full` they are part of the target programs_full, else of programs.
function(rk_program name)
    cmake_parse_arguments(p "" "" "SOURCES;FLAGS;WAYS;LABELS" ${ARGN})
    set(runs "")
    set(headers "")
    set(blas "")
    if(TARGET rk_cublas)
        set(blas rk_cublas)
    endif()
    foreach(source IN LISTS p_SOURCES)
        cmake_path(GET source PARENT_PATH folder)
        file(GLOB found CONFIGURE_DEPENDS ${folder}/*.h ${folder}/*.cuh)
        list(APPEND headers ${found})
    endforeach()
    foreach(way IN LISTS p_WAYS)
        set(folder ${CMAKE_BINARY_DIR}/programs/${name}/${way})
        set(header ${CMAKE_BINARY_DIR}/programs/header/${RK_HEADER_${way}})
        rk_convert_program(${folder} SOURCES ${p_SOURCES} ARGUMENTS ${RK_WAY_${way}} FLAGS ${p_FLAGS}
                           DEPENDS ${headers})
        add_custom_command(OUTPUT ${folder}/compiled
            COMMAND ${CMAKE_COMMAND} -E env RK_HEADER=${header} sh ${RK_CC} compile ${folder}
            DEPENDS ${RK_CC} ${folder}/objects ${p_SOURCES} ${headers} ${RK_RUNTIME_HEADERS}
                    ${header}/rk/cpu_program.h.gch ${header}/flags
            COMMENT "Compiling ${name}, ${way}" VERBATIM)
        add_custom_command(OUTPUT ${folder}/run
            COMMAND sh ${RK_CC} link ${folder}
            DEPENDS ${folder}/program ${folder}/compiled rk_rkernel rk_cuda rk_check
                    ${blas}
            COMMENT "Linking ${name}, ${way}" VERBATIM)
        list(APPEND runs ${folder}/run)
    endforeach()
    list(GET p_WAYS 0 first)
    set(target program_${name}_${first})
    add_custom_target(${target} DEPENDS ${runs})
    add_dependencies(${target} rk_rkernel rk_cuda rk_check ${blas})
    if("full" IN_LIST p_LABELS)
        add_dependencies(programs_full ${target})
    else()
        add_dependencies(programs ${target})
    endif()
    add_test(NAME build/${name}/${first} COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target ${target})
    set_tests_properties(build/${name}/${first} PROPERTIES FIXTURES_SETUP ${target} RESOURCE_LOCK build
                         LABELS "build;${p_LABELS}" TIMEOUT 1800)
endfunction()

add_custom_target(programs)
add_custom_target(programs_full)
add_dependencies(programs_full programs)
