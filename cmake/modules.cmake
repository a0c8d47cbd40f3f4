# A folder is a module is a library. Modules are declared bottom-up in src/CMakeLists.txt; a module may depend only on modules
# declared before it, and sees only the headers of the modules it names.
#
#   add_module(kube/model DEPS base json LIBS fmt::fmt)
#
# takes every *.cc of src/kube/model and makes
#   kube_model              the library; headers are included as "kube/model/x.h"
#   kube_model_testing      from testing/, when there is one; TESTING_DEPS are its further modules
#   kube_model_test         from *_test.cc, run by ctest under the label `unit`; TEST_DEPS are further modules
#   x_fuzz                  from each x_fuzz.cc; replays tests/corpus/x/ unless HEARTH_FUZZ
#   kube_model_bench        from *_bench.cc
#
# LIBS are third-party targets; they stay private to the sources, so heavy headers cannot leak through ours.

include(${CMAKE_CURRENT_LIST_DIR}/precompiled.cmake)

set_property(GLOBAL PROPERTY HEARTH_MODULES "")

function(hearth_require_declared module)
  get_property(declared GLOBAL PROPERTY HEARTH_MODULES)
  foreach(dep ${ARGN})
    if(NOT dep IN_LIST declared)
      message(FATAL_ERROR "module ${module} may not depend on ${dep}: src/CMakeLists.txt declares ${dep} later or not at all. "
                          "Dependencies point downward only; move the code or the declaration.")
    endif()
  endforeach()
endfunction()

# kube/model -> kube_model
function(hearth_target out path)
  string(REPLACE "/" "_" target ${path})
  set(${out} ${target} PARENT_SCOPE)
endfunction()

function(hearth_targets out)
  set(targets "")
  foreach(path ${ARGN})
    hearth_target(target ${path})
    list(APPEND targets ${target})
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# What the sanitizer builds need: the test programs and the corpus replays, without benches and examples.
add_custom_target(tests_and_replays)

# A test program: counted test by test through gtest's JSON report, see ./test.
function(hearth_add_test name label)
  add_test(NAME ${name} COMMAND ${name})
  add_dependencies(tests_and_replays ${name})
  hearth_precompile(${name} test)
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT 1200)  # 3 times what the longest takes on a busy machine
endfunction()

# Compiles each header on its own, with what `target` sees and the further libraries after LIBS.
function(hearth_check_headers target)
  cmake_parse_arguments(H "" "" "HEADERS;LIBS" ${ARGN})
  set(sources "")
  foreach(header ${H_HEADERS})
    string(MAKE_C_IDENTIFIER ${header} id)
    set(source ${CMAKE_BINARY_DIR}/header_check/${id}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n" @ONLY)
    list(APPEND sources ${source})
  endforeach()
  if(sources)
    add_library(${target}_headers OBJECT EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(${target}_headers PRIVATE ${target} ${H_LIBS})
    add_dependencies(check_headers ${target}_headers)
  endif()
endfunction()

# The main function of fuzz targets that only replay their corpora.
function(hearth_fuzz_replay out)
  if(NOT TARGET fuzz_replay)
    add_library(fuzz_replay OBJECT ${CMAKE_SOURCE_DIR}/tests/support/fuzz_replay.cc)
  endif()
  set(${out} fuzz_replay PARENT_SCOPE)
endfunction()

add_custom_target(check_headers COMMENT "Every header compiles on its own")

function(add_module path)
  cmake_parse_arguments(M "" "" "DEPS;LIBS;TESTING_DEPS;TESTING_LIBS;TEST_DEPS;TEST_LIBS" ${ARGN})
  hearth_require_declared(${path} ${M_DEPS} ${M_TESTING_DEPS})
  hearth_target(target ${path})
  set(dir ${CMAKE_SOURCE_DIR}/src/${path})
  hearth_targets(deps ${M_DEPS})

  # An include root that holds this module and nothing else. All build folders share it, so that the compiler cache does, too.
  set(root ${CMAKE_SOURCE_DIR}/build/include/${target})
  get_filename_component(parent ${root}/${path} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${dir} ${root}/${path} SYMBOLIC)

  file(GLOB all CONFIGURE_DEPENDS ${dir}/*.cc ${dir}/internal/*.cc)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src ${dir}/*.h ${dir}/internal/*.h)
  set(sources ${all})
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cc$")
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(fuzzers ${all})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  set(benches ${all})
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")

  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC ${root})
    target_link_libraries(${target} PUBLIC ${deps} Threads::Threads PRIVATE ${M_LIBS})
    hearth_precompile(${target} library)
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${root})
    target_link_libraries(${target} INTERFACE ${deps})
  endif()
  # Private headers may use what the sources may.
  hearth_check_headers(${target} HEADERS ${headers} LIBS ${M_LIBS})
  set_property(GLOBAL APPEND PROPERTY HEARTH_MODULES ${path})

  file(GLOB testing CONFIGURE_DEPENDS ${dir}/testing/*.cc)
  if(testing)
    set(testing_tests ${testing})
    list(FILTER testing_tests INCLUDE REGEX "_test\\.cc$")
    list(FILTER testing EXCLUDE REGEX "_test\\.cc$")
    list(APPEND tests ${testing_tests})
    hearth_targets(testing_deps ${M_TESTING_DEPS})
    add_library(${target}_testing STATIC ${testing})
    target_link_libraries(${target}_testing PUBLIC ${target} ${testing_deps} GTest::gtest PRIVATE ${M_TESTING_LIBS})
    hearth_precompile(${target}_testing library)
    file(GLOB testing_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src ${dir}/testing/*.h)
    hearth_check_headers(${target}_testing HEADERS ${testing_headers} LIBS GTest::gmock ${M_TESTING_LIBS})
    set_property(GLOBAL APPEND PROPERTY HEARTH_MODULES ${path}/testing)
  endif()

  if(tests)
    hearth_targets(test_deps ${M_TEST_DEPS})
    add_executable(${target}_test ${tests})
    target_link_libraries(${target}_test PRIVATE ${target} ${test_deps} GTest::gmock GTest::gtest_main ${M_TEST_LIBS})
    if(testing)
      target_link_libraries(${target}_test PRIVATE ${target}_testing)
    endif()
    hearth_add_test(${target}_test unit)
  endif()

  foreach(fuzzer ${fuzzers})
    get_filename_component(name ${fuzzer} NAME_WE)
    string(REGEX REPLACE "_fuzz$" "" corpus ${name})
    add_executable(${name} ${fuzzer})
    target_link_libraries(${name} PRIVATE ${target})
    if(HEARTH_FUZZ)
      target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
      hearth_fuzz_replay(replay)
      target_link_libraries(${name} PRIVATE ${replay})
    endif()
    hearth_precompile(${name} program)
    add_dependencies(tests_and_replays ${name})
    add_test(NAME ${name} COMMAND ${name} -runs=0 ${CMAKE_SOURCE_DIR}/tests/corpus/${corpus})
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 300)
  endforeach()

  if(benches)
    add_executable(${target}_bench ${benches})
    target_link_libraries(${target}_bench PRIVATE ${target} benchmark::benchmark_main)
    hearth_precompile(${target}_bench program)
    # Runs, tiny, in every build, so that a bench cannot rot.
    add_test(NAME ${target}_bench COMMAND ${target}_bench --benchmark_min_time=0.001)
    set_tests_properties(${target}_bench PROPERTIES LABELS unit TIMEOUT 300)
  endif()
endfunction()

# Messages of others, described in a .proto of the module: generated, and compiled without warnings.
function(add_wire path)
  hearth_target(target ${path})
  foreach(proto ${ARGN})
    get_filename_component(name ${proto} NAME_WE)
    get_filename_component(folder ${path}/${proto} DIRECTORY)
    set(root ${CMAKE_BINARY_DIR}/wire/${target})
    set(base ${root}/${folder}/${name}.pb)
    file(MAKE_DIRECTORY ${root})
    add_custom_command(OUTPUT ${base}.cc ${base}.h
      COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR}/src --cpp_out=${root} ${CMAKE_SOURCE_DIR}/src/${path}/${proto}
      DEPENDS ${CMAKE_SOURCE_DIR}/src/${path}/${proto})
    target_sources(${target} PRIVATE ${base}.cc)
    set_source_files_properties(${base}.cc PROPERTIES COMPILE_OPTIONS -w)
    target_include_directories(${target} SYSTEM PRIVATE ${root})
    # Private headers may use it, and are checked only when it is there.
    if(TARGET ${target}_headers)
      target_include_directories(${target}_headers SYSTEM PRIVATE ${root})
      add_dependencies(${target}_headers ${target})
    endif()
  endforeach()
endfunction()

# Services of others, described in a .proto of the module: <module>_wire has messages and stubs. The module and its testing/ see it,
# nobody else unless he links it; so gRPC's headers stay in the sources that speak it.
function(add_rpc_wire path)
  hearth_target(target ${path})
  set(root ${CMAKE_BINARY_DIR}/wire/${target})
  file(MAKE_DIRECTORY ${root})
  set(sources "")
  foreach(proto ${ARGN})
    get_filename_component(name ${proto} NAME_WE)
    get_filename_component(folder ${path}/${proto} DIRECTORY)
    set(base ${root}/${folder}/${name})
    add_custom_command(OUTPUT ${base}.pb.cc ${base}.pb.h ${base}.grpc.pb.cc ${base}.grpc.pb.h
      COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR}/src --cpp_out=${root} --grpc_out=${root}
        --plugin=protoc-gen-grpc=${HEARTH_GRPC_PLUGIN} ${CMAKE_SOURCE_DIR}/src/${path}/${proto}
      DEPENDS ${CMAKE_SOURCE_DIR}/src/${path}/${proto})
    list(APPEND sources ${base}.pb.cc ${base}.grpc.pb.cc)
  endforeach()
  add_library(${target}_wire STATIC ${sources})
  target_compile_options(${target}_wire PRIVATE -w)
  target_include_directories(${target}_wire SYSTEM PUBLIC ${root})
  target_link_libraries(${target}_wire PUBLIC PkgConfig::grpc protobuf::libprotobuf Threads::Threads)
  foreach(user ${target} ${target}_testing)
    if(TARGET ${user})
      target_link_libraries(${user} PRIVATE ${target}_wire)
    endif()
  endforeach()
endfunction()
