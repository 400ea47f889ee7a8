# Tests as CTest sees them: one for each Criterion test, one for each golden case.

# What tools/test.sh builds and runs with sanitizers; the rest of their builds is for those who ask for it. Tests of the
# label `sanitized` do and say the same under AddressSanitizer: it leaves them to that build, but with --full. Slow ones
# take five times as long there: they run in the release build, not quick, and with sanitizers only with --full.
add_custom_target(sanitized)

# rk_test_labels(<out-var> <suite> <is slow>)
function(rk_test_labels out suite slow)
    set(${out} ${suite} quick sanitized PARENT_SCOPE)
    if(slow AND RK_SANITIZE)
        set(${out} ${suite} full PARENT_SCOPE)
    elseif(slow)
        set(${out} ${suite} PARENT_SCOPE)
    endif()
endfunction()

# Slow units: random schedules against bounds and oracles, and kernels of a catalog that is made for them.
set(RK_SLOW_UNITS bound/no_schedule_goes_below_it cpu_entry/indices_in_three_dimensions cpu_entry/plain_loop
    deps/no_schedule_goes_below_the_bound policies_random/all_pass_the_checker policies_random/auto_is_no_slower_than_any
    policies_random/exact_is_no_slower_than_any policies_random/exact_is_not_below_the_bound
    residency/no_schedule_goes_below_the_bound_wherever_its_data_is zoo/models_that_are_too_large)

# rk_unit_test(<file> <library>...)
#
# Builds the Criterion tests of a file and registers each as unit/<suite>/<name>. The names are found
# in the text; unit/<suite> then compares their number with what the binary says it holds, so that one
# that the text hides is noticed. A filter that matches nothing fails.
function(rk_unit_test file)
    cmake_path(GET file STEM stem)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    add_executable(${stem} ${file})
    target_link_libraries(${stem} PRIVATE rk_options ${ARGN} PkgConfig::criterion)
    target_compile_options(${stem} PRIVATE -Wno-pedantic -Wno-conversion -Wno-shadow
                           -Wno-missing-prototypes -Wno-strict-prototypes)
    set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    if(NOT RK_SANITIZE MATCHES thread)
        add_dependencies(sanitized ${stem})
    endif()

    file(STRINGS ${file} texts REGEX "^(Test|ParameterizedTest)\\(")
    set(count 0)
    foreach(text IN LISTS texts)
        if(text MATCHES "^Test\\( *([A-Za-z0-9_]+), *([A-Za-z0-9_]+)")
        elseif(text MATCHES "^ParameterizedTest\\([^,]*, *([A-Za-z0-9_]+), *([A-Za-z0-9_]+)")
        else()
            message(FATAL_ERROR "${file}: cannot read the test's name in: ${text}")
        endif()
        set(name ${CMAKE_MATCH_1}/${CMAKE_MATCH_2})
        add_test(NAME unit/${name} COMMAND ${stem} --filter ${name} --color=never -j1)
        set(slow OFF)
        if(name IN_LIST RK_SLOW_UNITS)
            set(slow ON)
        endif()
        rk_test_labels(labels unit ${slow})
        set_tests_properties(unit/${name} PROPERTIES
            FAIL_REGULAR_EXPRESSION "Tested: 0 "
            ENVIRONMENT "${RK_TEST_ENV}" LABELS "${labels}" TIMEOUT 300)
        math(EXPR count "${count} + 1")
    endforeach()
    if(count EQUAL 0)
        message(FATAL_ERROR "${file} holds no test")
    endif()
    add_test(NAME unit/${stem}
             COMMAND sh ${CMAKE_SOURCE_DIR}/tests/unit/count.sh $<TARGET_FILE:${stem}> ${count})
    set_tests_properties(unit/${stem} PROPERTIES LABELS "unit;quick;sanitized")
endfunction()

# rk_plants(<out-var> <file>): the lines "name | second" that begin the plants of a file, whose rest
# may hold brackets and semicolons, which are not for CMake's lists.
function(rk_plants out file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(REGEX MATCHALL "\n[a-z][a-z0-9_]* *\\| *[A-Za-z0-9_./]+" found "\n${text}")
    list(TRANSFORM found STRIP)
    set(${out} ${found} PARENT_SCOPE)
endfunction()

# rk_golden_tests(<folder>): registers every <folder>/<tool>/<case>/cmd as golden/<tool>/<case>; those that show rKernels
# have compiles/cpu/<case> and compiles/gpu/<case> besides, or what "# compilers: gpu" or "none" in cmd says. A case with a file `slow` is not among the quick ones.
function(rk_golden_tests folder)
    file(GLOB commands CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*/*/cmd)
    foreach(command IN LISTS commands)
        cmake_path(GET command PARENT_PATH case)
        if(case MATCHES "^rkconvert/" AND NOT TARGET rkconvert)
            continue()
        endif()
        if(case MATCHES "^rammer/" AND NOT TARGET rammer)
            continue()
        endif()
        add_test(NAME golden/${case} COMMAND sh ${folder}/run.sh ${folder}/${case})
        set(slow OFF)
        if(EXISTS ${folder}/${case}/slow)
            set(slow ON)
        endif()
        rk_test_labels(labels golden ${slow})
        file(READ ${folder}/${command} text)
        if(text MATCHES "RK_SANITIZE") # by which a case says that it needs a plain build
            list(REMOVE_ITEM labels sanitized)
        endif()
        set_tests_properties(golden/${case} PROPERTIES
            ENVIRONMENT "${RK_TEST_ENV};RK_KEEP=${CMAKE_BINARY_DIR}/goldens/${case}"
            LABELS "${labels}" TIMEOUT 300 SKIP_RETURN_CODE 77)
        set(compilers "")
        if(text MATCHES "golden/rkconvert/show\\.sh")
            set(compilers cpu gpu)
            if(text MATCHES "# compilers: ([a-z]+)")
                set(compilers ${CMAKE_MATCH_1})
                list(REMOVE_ITEM compilers none)
            endif()
        elseif(text MATCHES "RK_KEEP")
            set(compilers vdevice)
        endif()
        if(NOT compilers OR RK_SANITIZE)
            continue()
        endif()
        set_tests_properties(golden/${case} PROPERTIES FIXTURES_SETUP golden_${case})
        cmake_path(GET case FILENAME name)
        foreach(compiler IN LISTS compilers)
            add_test(NAME compiles/${compiler}/${name} COMMAND sh ${folder}/compiles.sh ${compiler} ${case})
            set_tests_properties(compiles/${compiler}/${name} PROPERTIES FIXTURES_REQUIRED golden_${case}
                ENVIRONMENT "${RK_TEST_ENV}" LABELS compiles TIMEOUT 300 SKIP_RETURN_CODE 77)
        endforeach()
    endforeach()
endfunction()
