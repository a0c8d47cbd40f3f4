# Language, warnings, sanitizers, launcher: everything that holds for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1")
set(CMAKE_C_FLAGS_DEV "-O1 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")

set(HEARTH_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize= takes them")
option(HEARTH_FUZZ "Build fuzz targets with libFuzzer instead of the corpus replayer" OFF)

# Some packages ask for -pthread and some do not; everybody has it, so that precompiled headers fit all.
add_compile_options(-pthread -Wall -Wextra -Werror -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees uninitialized members in every std::variant that is moved; Clang and the sanitizers look for the real ones.
  add_compile_options(-Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wthread-safety -fno-omit-frame-pointer)
endif()
if(HEARTH_SANITIZE)
  add_compile_options(-fsanitize=${HEARTH_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HEARTH_SANITIZE})
endif()
if(HEARTH_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# What ships loads as little as possible: everything but the C library is linked in, unused code is left out, and nothing needs
# relocating. A controller that does nothing should weigh nothing.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
  set(OPENSSL_USE_STATIC_LIBS ON)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
  # At -O2 GCC 12 sees overlapping copies in `"literal" + string` (its bug 105651).
  add_compile_options(-ffunction-sections -fdata-sections -fno-pie -Wno-restrict)
  add_link_options(-no-pie -Wl,--gc-sections -Wl,--as-needed -static-libstdc++ -static-libgcc)
  # libstdc++ wants two functions of the mathematical library; for them alone it need not be loaded.
  add_link_options(-Wl,-u,fegetround,-u,fesetround -l:libm.a)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # There is no static one; compiled in, the shared one is not needed, and the linker leaves it out.
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
endif()
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(simdjson REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
find_package(msgpack REQUIRED)  # msgpackc-cxx
find_package(Protobuf REQUIRED)
pkg_check_modules(grpc REQUIRED IMPORTED_TARGET grpc++)
find_program(HEARTH_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)
pkg_check_modules(uring REQUIRED IMPORTED_TARGET liburing)
pkg_check_modules(archive REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
