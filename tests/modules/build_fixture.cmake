# CASE, FAILS_AT (configure, build or nowhere), MESSAGE, FIXTURE, BUILD, GENERATOR, COMPILER: configures and builds the fixture, and
# fails unless it breaks exactly where and how it should.
function(run_stage stage)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  # Messages are wrapped to lines; compare without.
  string(REGEX REPLACE "[ \n]+" " " flat "${output}")
  if(NOT stage STREQUAL FAILS_AT)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "case ${CASE}: ${stage} fails, but must not:\n${output}")
    endif()
    return()
  endif()
  string(FIND "${flat}" "${MESSAGE}" found)
  if(result EQUAL 0 OR found EQUAL -1)
    message(FATAL_ERROR "case ${CASE}: ${stage} must fail with \"${MESSAGE}\":\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${BUILD})
run_stage(configure ${CMAKE_COMMAND} -S ${FIXTURE} -B ${BUILD} -G ${GENERATOR}
  -DCASE=${CASE} -DCMAKE_CXX_COMPILER=${COMPILER})
if(NOT FAILS_AT STREQUAL configure)
  run_stage(build ${CMAKE_COMMAND} --build ${BUILD})
endif()
