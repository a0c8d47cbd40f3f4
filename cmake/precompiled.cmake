# Headers of others that most sources include, compiled once for all build folders and clones of this machine: parsing them is half of
# a build. They lie under ~/.cache/hearth/precompiled, by what they were made from, so that the compiler cache keeps serving new clones.
#
#   hearth_precompile(base_test test)     sets: library, program, test
#
# A source still includes what it uses: releases and the check of headers are built without this.
if(DEFINED ENV{XDG_CACHE_HOME})
  set(HEARTH_PRECOMPILED_ROOT $ENV{XDG_CACHE_HOME}/hearth/precompiled)
else()
  set(HEARTH_PRECOMPILED_ROOT $ENV{HOME}/.cache/hearth/precompiled)
endif()

set(HEARTH_PRECOMPILED_library
  algorithm array atomic chrono compare condition_variable cstddef cstdint functional map memory mutex optional set span stop_token
  string string_view thread tuple unordered_map utility variant vector)
set(HEARTH_PRECOMPILED_test ${HEARTH_PRECOMPILED_library} gmock/gmock.h gtest/gtest.h)
set(HEARTH_PRECOMPILED_program ${HEARTH_PRECOMPILED_library})
set(HEARTH_PRECOMPILED_FLAGS_library -fPIC)
set(HEARTH_PRECOMPILED_FLAGS_program -fPIE)
# Compiling a test costs more than running it.
set(HEARTH_PRECOMPILED_FLAGS_test -fPIE -DGTEST_HAS_PTHREAD=1 -O0)

# The header of that set with the compiled one beside it, made when there is none; empty when it cannot be made.
function(hearth_precompiled_header out set)
  get_property(known GLOBAL PROPERTY HEARTH_PRECOMPILED_HEADER_${set})
  if(known)
    set(${out} ${known} PARENT_SCOPE)
    return()
  endif()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  get_directory_property(options COMPILE_OPTIONS)
  list(APPEND flags ${options} ${HEARTH_PRECOMPILED_FLAGS_${set}} -std=c++20)
  set(text "")
  foreach(header ${HEARTH_PRECOMPILED_${set}})
    string(APPEND text "#include <${header}>\n")
  endforeach()
  # Packages that bring these headers: an upgrade makes new ones.
  execute_process(COMMAND dpkg-query -W libgtest-dev libgmock-dev g++-12 libstdc++-12-dev clang-14 OUTPUT_VARIABLE packages ERROR_QUIET)
  string(SHA256 key "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION} ${flags} ${text} ${packages}")
  string(SUBSTRING ${key} 0 16 key)
  set(dir ${HEARTH_PRECOMPILED_ROOT}/${key})
  if(NOT EXISTS ${dir}/${set}.h.gch)
    # Clang remembers where the header lay, so it is compiled in place; whoever comes second overwrites the same with the same.
    file(CONFIGURE OUTPUT ${dir}/${set}.h CONTENT "${text}" @ONLY)
    string(RANDOM LENGTH 12 random)
    set(staged ${dir}/.${random}.gch)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} -x c++-header ${dir}/${set}.h -o ${staged}
      RESULT_VARIABLE failed ERROR_VARIABLE why)
    if(failed)
      file(REMOVE ${staged})
      message(WARNING "building without precompiled headers, slower: ${why}")
      set(${out} "" PARENT_SCOPE)
      return()
    endif()
    file(RENAME ${staged} ${dir}/${set}.h.gch)
  endif()
  set_property(GLOBAL PROPERTY HEARTH_PRECOMPILED_HEADER_${set} ${dir}/${set}.h)
  set(${out} ${dir}/${set}.h PARENT_SCOPE)
endfunction()

function(hearth_precompile target set)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" OR HEARTH_FUZZ)
    return()
  endif()
  hearth_precompiled_header(header ${set})
  if(header)
    if(set STREQUAL test)
      target_compile_options(${target} PRIVATE -O0)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # What comes out of a precompiled header is no longer a system header to GCC 12: it then warns of the standard library's own
      # strings, wrongly. Clang, the sanitizers and the release build look for the real ones.
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overread>
        $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow> $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
    endif()
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Winvalid-pch> $<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${header}>)
  endif()
endfunction()
