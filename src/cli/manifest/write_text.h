#pragma once

#include <string>

#include "cli/manifest/report.h"

namespace hearth::manifest {

// For people, in the form compilers use, so that editors find the place:
//
//   graph.yaml: in DynamoGraphDeployment default/llama:
//   graph.yaml:12:7: error: spec.components[0].nmae: unknown field; did you mean name?
//      12 |     - nmae: worker
//         |       ^
//         = explanation, when there is one
//
// Foreign bytes are made harmless for a terminal, long lines are cut around the place. Quiet: only
// errors, one line each.
std::string ToText(const FileReport& file, bool quiet);
// "3 files, 5 objects: 3 valid, 1 invalid, 1 skipped"
std::string ToText(const Summary& summary);

}  // namespace hearth::manifest
