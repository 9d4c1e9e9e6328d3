# Arrow's C++ libraries as laid out by tools/arrow_prefix.py.
#
#   LAKESTREAM_ARROW_ROOT   the prefix; default build/deps/arrow, where tools/setup.sh puts it
#
# Makes Arrow::arrow, ::compute, ::acero, ::dataset, ::parquet, ::flight and ::s3, whichever the prefix holds. The
# wheel brings no CMake package of its own. Its libraries find each other by RUNPATH $ORIGIN, so a program needs one
# run path. In a link line OpenSSL comes before Arrow.
set(LAKESTREAM_ARROW_ROOT "${CMAKE_SOURCE_DIR}/build/deps/arrow" CACHE PATH "Prefix made by tools/arrow_prefix.py")
mark_as_advanced(LAKESTREAM_ARROW_ROOT)

find_path(LakestreamArrow_INCLUDE_DIR arrow/util/config.h
  PATHS "${LAKESTREAM_ARROW_ROOT}/include" NO_DEFAULT_PATH)
find_library(LakestreamArrow_LIBRARY arrow
  PATHS "${LAKESTREAM_ARROW_ROOT}/lib" NO_DEFAULT_PATH)
mark_as_advanced(LakestreamArrow_INCLUDE_DIR LakestreamArrow_LIBRARY)

if(LakestreamArrow_INCLUDE_DIR)
  file(STRINGS "${LakestreamArrow_INCLUDE_DIR}/arrow/util/config.h" _version_line
    REGEX "#define ARROW_VERSION_STRING ")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" LakestreamArrow_VERSION "${_version_line}")
  unset(_version_line)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LakestreamArrow
  REQUIRED_VARS LakestreamArrow_LIBRARY LakestreamArrow_INCLUDE_DIR
  VERSION_VAR LakestreamArrow_VERSION
  REASON_FAILURE_MESSAGE "run tools/setup.sh build")

# Arrow::<name> for lib<file>.so; further arguments are the targets that it is linked with.
function(_lakestream_arrow_target name file)
  set(location "${LAKESTREAM_ARROW_ROOT}/lib/lib${file}.so")
  if(TARGET Arrow::${name} OR NOT EXISTS "${location}")
    return()
  endif()
  file(REAL_PATH "${location}" location)
  add_library(Arrow::${name} SHARED IMPORTED GLOBAL)
  set_target_properties(Arrow::${name} PROPERTIES
    IMPORTED_LOCATION "${location}"
    INTERFACE_INCLUDE_DIRECTORIES "${LakestreamArrow_INCLUDE_DIR}"
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_LINK_LIBRARIES "${ARGN}")
endfunction()

if(LakestreamArrow_FOUND)
  _lakestream_arrow_target(arrow   arrow)
  _lakestream_arrow_target(compute arrow_compute Arrow::arrow)
  _lakestream_arrow_target(acero   arrow_acero   Arrow::compute)
  _lakestream_arrow_target(parquet parquet       Arrow::arrow)
  _lakestream_arrow_target(dataset arrow_dataset "Arrow::acero;Arrow::parquet")
  _lakestream_arrow_target(flight  arrow_flight  Arrow::arrow)
  _lakestream_arrow_target(s3      arrow_s3      Arrow::arrow)
endif()
