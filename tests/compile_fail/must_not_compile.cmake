# COMPILER, SOURCE, INCLUDES, MESSAGE: fails unless SOURCE is refused with MESSAGE, and accepted when CONTROL is defined.
list(TRANSFORM INCLUDES PREPEND -I)
set(compile ${COMPILER} -std=c++20 -fsyntax-only ${INCLUDES})

execute_process(COMMAND ${compile} -DCONTROL ${SOURCE} RESULT_VARIABLE result ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${SOURCE} does not compile even with CONTROL, so it shows nothing:\n${errors}")
endif()

execute_process(COMMAND ${compile} ${SOURCE} RESULT_VARIABLE result ERROR_VARIABLE errors)
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, but must not")
endif()
string(FIND "${errors}" "${MESSAGE}" found)
if(found EQUAL -1)
  message(FATAL_ERROR "${SOURCE} is refused, but not with \"${MESSAGE}\":\n${errors}")
endif()
