# Modules of src/: one static library each, with the link dependencies that src/layers.txt allows, and
# one test binary a module out of its *_test.cc files.

set(LAKESTREAM_LAYERS "${CMAKE_SOURCE_DIR}/src/layers.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${LAKESTREAM_LAYERS}")

# The modules that `module` (with its api folder) may use.
function(lakestream_layers module out)
  file(STRINGS "${LAKESTREAM_LAYERS}" lines)
  set(result "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^${module}( *:|/api *\\+)(.*)$")
      separate_arguments(names UNIX_COMMAND "${CMAKE_MATCH_2}")
      list(APPEND result ${names})
    endif()
  endforeach()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

# lakestream_module(NAME [PUBLIC libraries...] [PRIVATE libraries...])
function(lakestream_module name)
  cmake_parse_arguments(ARG "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*.cc")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "/cli/main\\.cc$")
  if(NOT sources)
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC "${CMAKE_SOURCE_DIR}/src")
  lakestream_layers(${name} layers)
  foreach(layer IN LISTS layers)
    if(NOT layer STREQUAL name)
      target_link_libraries(${name} PUBLIC $<TARGET_NAME_IF_EXISTS:${layer}>)
    endif()
  endforeach()
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${name} ${ARG_PRIVATE} GTest::gmock GTest::gtest_main)
    # Tests read the golden vectors of the tree.
    target_compile_definitions(${name}_test PRIVATE LAKESTREAM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    add_test(NAME ${name}_test COMMAND ${name}_test)
  endif()
endfunction()

# The `lakestream` executable: one file with its libraries in lib/ beside it.
function(lakestream_binary)
  if(NOT EXISTS "${CMAKE_SOURCE_DIR}/src/cli/main.cc")
    return()
  endif()
  add_executable(lakestream "${CMAKE_SOURCE_DIR}/src/cli/main.cc")
  target_link_libraries(lakestream PRIVATE cli)
  if(JEMALLOC AND NOT LAKESTREAM_SANITIZE)
    target_link_libraries(lakestream PRIVATE "${JEMALLOC}")
  endif()
  set_target_properties(lakestream PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}"
    BUILD_RPATH "$ORIGIN/../lib;$ORIGIN/lib;${LAKESTREAM_DUCKDB_ROOT}/lib"
    INSTALL_RPATH "$ORIGIN/../lib")
  # An RPATH, unlike a RUNPATH, also counts for the libraries that libraries need.
  target_link_options(lakestream PRIVATE -Wl,--disable-new-dtags)
  install(TARGETS lakestream RUNTIME DESTINATION bin)
endfunction()
