# One function per kind of target. A folder's sources are what lies in it: a new file needs no line here.

# What most files include. Only tests and builds with sanitizers read it precompiled, so that the release
# build shows where a file does not include what it needs.
set(TESSERA_PRECOMPILED <fmt/format.h> <algorithm> <array> <atomic> <cmath> <condition_variable> <cstdint> <cstring>
    <filesystem> <fstream> <functional> <map> <memory> <mutex> <numbers> <optional> <random> <set> <span> <sstream>
    <string> <thread> <unordered_map> <utility> <variant> <vector>)
if(TESSERA_SANITIZE)
  add_library(tessera_library_headers OBJECT ${CMAKE_SOURCE_DIR}/tests/support/precompiled.cpp)
  target_link_libraries(tessera_library_headers PRIVATE tessera_options fmt::fmt)
  target_precompile_headers(tessera_library_headers PRIVATE ${TESSERA_PRECOMPILED})
endif()

# tessera_library(NAME DIR... [LINK libs] [PRIVATE_LINK libs] [EXCLUDE regex])
function(tessera_library name)
  cmake_parse_arguments(ARG "" "EXCLUDE" "DIRS;LINK;PRIVATE_LINK" ${ARGN})
  set(sources)
  foreach(dir ${ARG_DIRS})
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  list(FILTER sources EXCLUDE REGEX "_kernel\\.cpp$")
  if(ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${ARG_EXCLUDE}")
  endif()
  if(NOT sources)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE tessera_options ${ARG_LINK} ${ARG_PRIVATE_LINK})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC tessera_options ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  if(TESSERA_SANITIZE)
    target_precompile_headers(${name} REUSE_FROM tessera_library_headers)
  endif()
endfunction()

# Compiles FILE once for each instruction set and adds the objects to TARGET. Inside, TESSERA_ISA
# names the set (avx512, avx2, sse4, neon, scalar) and core/math stands in an inline namespace of that name.
set(TESSERA_ISA_FLAGS_sse4 -msse4.2 -mpclmul -maes)
set(TESSERA_ISA_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpclmul -maes -mpopcnt)
set(TESSERA_ISA_FLAGS_avx512 ${TESSERA_ISA_FLAGS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd)
set(TESSERA_ISA_FLAGS_neon -march=armv8-a+crypto)  # Highway's NEON has AES
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(TESSERA_ISAS sse4 avx2 avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(TESSERA_ISAS neon)
else()
  set(TESSERA_ISAS scalar)
endif()
function(tessera_kernel target file)
  # Instrumented code takes three times as long to compile at -O3.
  set(kernel_optimization -O3)
  if(TESSERA_SANITIZE)
    set(kernel_optimization -O1)
  endif()
  foreach(isa ${TESSERA_ISAS})
    get_filename_component(stem ${file} NAME_WE)
    set(object ${target}_${stem}_${isa})
    add_library(${object} OBJECT ${file})
    target_link_libraries(${object} PRIVATE tessera_options)
    target_compile_definitions(${object} PRIVATE TESSERA_ISA=${isa} HWY_COMPILE_ONLY_STATIC=1)
    target_compile_options(${object} PRIVATE ${kernel_optimization} -fno-math-errno -fno-trapping-math -ffp-contract=fast ${TESSERA_ISA_FLAGS_${isa}})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
    set_property(GLOBAL APPEND PROPERTY TESSERA_KERNEL_OBJECTS ${isa} $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()

# The programs of the tests that are quick enough for the sanitizers.
add_custom_target(quick_tests)

# GoogleTest's macros take longer to compile than all of the libraries, and what a test itself does is
# seldom much: tests are compiled at -O0, after one set of precompiled headers; what is tested is not.
if(TESSERA_TESTS AND GTest_FOUND)
  add_executable(tessera_test_headers EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/support/precompiled.cpp)
  target_link_libraries(tessera_test_headers PRIVATE tessera_options GTest::gmock fmt::fmt nlohmann_json::nlohmann_json)
  target_compile_options(tessera_test_headers PRIVATE -O0)
  target_precompile_headers(tessera_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>
                            ${TESSERA_PRECOMPILED})
endif()

# tessera_test(NAME SOURCES files [LINK libs] [LABELS labels]): one GoogleTest program.
function(tessera_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  # fmt's definitions are those of the precompiled headers.
  target_link_libraries(${name} PRIVATE ${ARG_LINK} tessera_test_support fmt::fmt GTest::gmock GTest::gtest_main)
  target_compile_options(${name} PRIVATE -O0)
  if(NOT "torch" IN_LIST ARG_LABELS)
    target_precompile_headers(${name} REUSE_FROM tessera_test_headers)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set(timeout 600)
  if(TESSERA_SANITIZE)  # which slows a test down ten- to twentyfold
    set(timeout 2400)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${timeout})
  if("quick" IN_LIST ARG_LABELS)
    add_dependencies(quick_tests ${name})
  endif()
endfunction()
