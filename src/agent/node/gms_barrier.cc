#include "agent/node/gms_barrier.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent::node {
namespace {

Status CheckDirectory(std::string_view directory) {
  if (directory.empty()) {
    return {};
  }
  bool fine = directory.front() == '/';
  for (const std::string_view part : Split(directory.substr(1), '/')) {
    fine = fine && part != "." && part != "..";
  }
  return fine ? Status()
              : InvalidError(fmt::format("annotation {}: '{}' must be an absolute path without . "
                                         "and ..",
                                         snapshot::kGmsDirectoryAnnotation,
                                         Excerpt(directory, 200)));
}

}  // namespace

Result<std::optional<GmsBarrier>> FindGmsBarrier(const PodFacts& pod, std::string_view file) {
  const std::string_view directory = Trim(pod.Annotation(snapshot::kGmsDirectoryAnnotation));
  const std::string_view mode = Trim(pod.Annotation(snapshot::kGmsCompletionModeAnnotation));
  if (directory.empty() && mode.empty()) {
    return std::optional<GmsBarrier>();
  }
  RETURN_IF_ERROR(CheckDirectory(directory));
  if (mode == snapshot::kGmsModeShared) {
    return std::optional(GmsBarrier{std::string(directory), std::string(file)});
  }
  if (mode.empty() || mode == snapshot::kGmsModePodUid) {
    return std::optional(GmsBarrier{std::string(directory), fmt::format("{}-{}", file, pod.uid)});
  }
  return InvalidError(fmt::format("annotation {}: '{}' must be {} or {}",
                                  snapshot::kGmsCompletionModeAnnotation, Excerpt(mode, 100),
                                  snapshot::kGmsModePodUid, snapshot::kGmsModeShared));
}

}  // namespace hearth::agent::node
