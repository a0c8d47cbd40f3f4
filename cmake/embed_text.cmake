# A text file as a function of the program, so that nothing has to be found at run time:
#
#   embed_text(api_core api/core/kubernetes_types.txt hearth::api::core::internal KubernetesTypesText)
#
# adds `std::string_view KubernetesTypesText()` in that namespace to the module's library. It is made again when the file changes.
# The declaration is the module's own to write. The file is named from src/.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} text)
  # Two arguments keep brackets and semicolons of the text away from CMake's lists.
  file(WRITE ${OUTPUT} "#include <string_view>\n\nnamespace ${NAMESPACE} {\nstd::string_view ${FUNCTION}();\n"
                       "std::string_view ${FUNCTION}() {\n  return R\"embedded(" "${text}" ")embedded\";\n}\n}\n")
  return()
endif()

set(HEARTH_EMBED_TEXT ${CMAKE_CURRENT_LIST_FILE})

function(embed_text target file namespace function)
  set(input ${CMAKE_SOURCE_DIR}/src/${file})
  set(output ${CMAKE_BINARY_DIR}/embedded/${file}.cc)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DNAMESPACE=${namespace} -DFUNCTION=${function}
            -P ${HEARTH_EMBED_TEXT}
    DEPENDS ${input} ${HEARTH_EMBED_TEXT} VERBATIM COMMENT "Embedding ${file}")
  target_sources(${target} PRIVATE ${output})
endfunction()
