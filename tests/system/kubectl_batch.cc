#include "kubectl_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file_system.h"
#include "base/strings.h"
#include "base/testing/temp_directory.h"
#include "json/yaml.h"

namespace hearth {
namespace {

// kubectl names the file of each error only when there are several. This object is refused by
// every server, so that one error of the others is never alone.
constexpr std::string_view kAlwaysRefused =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: Not_A_Name, namespace: default}}\n";

// What was said of each file. Its error begins with a line that has the file's name; lines before
// the first of those are warnings.
std::vector<std::string> SplitErrors(std::string_view errors,
                                     const std::vector<std::string>& files) {
  std::vector<std::string> said(files.size());
  std::string* current = nullptr;
  for (const std::string_view line : Split(errors, '\n')) {
    for (size_t i = 0; i < files.size(); ++i) {
      if (line.find("\"" + files[i] + "\"") != std::string_view::npos) {
        current = &said[i];
      }
    }
    if (current != nullptr) {
      current->append(line).append("\n");
    }
  }
  return said;
}

}  // namespace

Result<std::vector<std::string>> AskKubectl(kube::TestControlPlane& plane,
                                            std::vector<std::string> command,
                                            const std::vector<json::Value>& objects) {
  if (objects.empty()) {
    return std::vector<std::string>();
  }
  const TempDirectory directory;
  std::vector<std::string> files;
  const auto write = [&](std::string_view yaml) {
    files.push_back(directory / fmt::format("{:05}.yaml", files.size()));
    return RealFileSystem().Write(files.back(), yaml, 0600);
  };
  for (const json::Value& object : objects) {
    RETURN_IF_ERROR(write(json::WriteYaml(object)));
  }
  RETURN_IF_ERROR(write(kAlwaysRefused));
  command.insert(command.end(), {"-f", directory.path()});
  ASSIGN_OR_RETURN(const ProcessOutcome outcome, plane.RunKubectl(command));
  std::vector<std::string> said = SplitErrors(outcome.errors, files);
  said.pop_back();
  // It prints a line for each object that was taken.
  const auto taken = std::count(outcome.output.begin(), outcome.output.end(), '\n');
  if (outcome.ok() || taken != std::count(said.begin(), said.end(), "")) {
    return InternalError("kubectl took " + std::to_string(taken) + " of " +
                         std::to_string(objects.size()) + " objects: " + outcome.output +
                         outcome.errors);
  }
  return said;
}

}  // namespace hearth
