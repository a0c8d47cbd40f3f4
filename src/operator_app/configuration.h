#pragma once

#include "base/file_system.h"
#include "base/result.h"
#include "operator_app/options.h"

namespace hearth::operator_app {

// Reads the file that --config names, if any, into the options:
//   apiVersion: operator.config.dynamo.nvidia.com/v1alpha1 or operator.config.grove.io/v1alpha1
//   kind: OperatorConfiguration
// What the file leaves out stays as it is; what it says about things that this program does not
// have is passed over. kInvalid names the file, the field and what is wrong.
Status ReadConfiguration(FileSystem& files, OperatorOptions& options);

// The same for a file's text.
Status ParseConfiguration(const std::string& text, OperatorOptions& options);

}  // namespace hearth::operator_app
