// Which edits belong together.
#include <algorithm>
#include <string_view>

#include "api/conversion/internal/restore.h"

namespace hearth::api::conversion::internal {
namespace {

std::string_view StepOr(const Steps& steps, size_t index) {
  return index < steps.size() ? std::string_view(steps[index]) : std::string_view();
}

// The field of a service that says the same as one of mainContainer.
std::string_view FieldBeside(std::string_view of_main) {
  if (of_main == "env") {
    return "envs";
  }
  return of_main == "envFrom" ? "envFromSecret" : of_main;
}

std::string Joined(const Steps& steps, size_t from, size_t count) {
  std::string text;
  for (size_t i = from; i < std::min(from + count, steps.size()); ++i) {
    text += "/" + steps[i];
  }
  return text;
}

std::string MatterOfService(const Steps& steps, size_t from) {
  const std::string_view field = StepOr(steps, from);
  const std::string_view inner = StepOr(steps, from + 1);
  if (field != "extraPodSpec") {
    return std::string(field);
  }
  if (inner == "mainContainer") {
    return std::string(FieldBeside(StepOr(steps, from + 2)));
  }
  if (inner == "containers" && StepOr(steps, from + 2) == "name=sidecar-frontend") {
    return "frontendSidecar";
  }
  return Joined(steps, from, 3);
}

// podTemplate/spec/containers/name=main/resources is as fine as it gets.
std::string MatterOfComponent(const Steps& steps, size_t from) { return Joined(steps, from, 5); }

}  // namespace

Topic TopicOf(const Steps& steps) {
  const std::string_view root = StepOr(steps, 0);
  const bool of_graph = steps.size() > 1 && (root == "services" || root == "components");
  const size_t from = of_graph ? 2 : 0;
  const std::string_view field = StepOr(steps, from);
  const bool of_component = field == "podTemplate" || field == "experimental";
  return {.component = of_graph ? steps[1] : std::string(),
          .matter = of_component ? MatterOfComponent(steps, from) : MatterOfService(steps, from)};
}

}  // namespace hearth::api::conversion::internal
