#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "kube/config/credentials.h"

// What goes to and comes from a client.authentication.k8s.io exec plugin. Pure.
namespace hearth::kube::internal {

struct ExecAnswer {
  Credentials::Current current;
  std::optional<WallTime> expires;
};

// kUnsupported for a version that we do not speak, and for a plugin that needs a terminal.
Status CheckExecPlugin(const ExecPlugin& plugin);
// The value of KUBERNETES_EXEC_INFO.
std::string WriteExecInfo(const ExecPlugin& plugin);
// kInvalid says what is wrong with the answer, never what secret it holds.
Result<ExecAnswer> ParseExecAnswer(std::string_view output, const ExecPlugin& plugin);

}  // namespace hearth::kube::internal
