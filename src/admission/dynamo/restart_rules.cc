#include <fmt/format.h>

#include <algorithm>

#include "admission/dynamo/internal/graph_rules.h"
#include "admission/rules/reading.h"
#include "base/seeded_hash.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;
using schema::FieldPath;

constexpr Rule kNoRestartWhileRolling{
    "no-restart-while-rolling",
    "A restart in the middle of a rolling update would take down what was just started. Wait for "
    "the update to end."};
constexpr Rule kNoOrderInParallel{
    "no-restart-order-in-parallel",
    "Components that are restarted all at once have no order. Leave order out, or use "
    "Sequential."};
constexpr Rule kCompleteOrder{
    "restart-order-is-complete",
    "Components that the order leaves out would not be restarted, others twice. Name each "
    "component once, or leave order out."};

constexpr size_t kMostComponents = 25;  // the schema refuses more
constexpr const char* kOrderPath = "spec.restart.strategy.order";

void CheckNames(const Value& order, const ComponentsByName& components, Findings& findings) {
  const FieldPath path = FieldPath::Base(kOrderPath);
  std::vector<std::string_view> known;
  for (const auto& [name, component] : components) {
    known.push_back(name);
  }
  std::sort(known.begin(), known.end());
  known.resize(std::min(known.size(), kMostComponents));
  const auto& names = order.items();
  size_t told = 0;
  for (size_t i = 0; i < names.size() && told < schema::ErrorList::kLimit; ++i) {
    if (!components.contains(Text(&names[i]))) {
      findings.Add(kCompleteOrder, NotSupported(path.Item(i), names[i], known));
      ++told;
    }
  }
}

void CheckOrder(const Value& order, const ComponentsByName& components, Findings& findings) {
  const FieldPath path = FieldPath::Base(kOrderPath);
  SeededSet<std::string_view> unique;
  for (const Value& name : order.items()) {
    unique.insert(Text(&name));
  }
  if (unique.size() != order.items().size()) {
    findings.Add(kCompleteOrder, Invalid(path, order, "must be unique"));
  }
  if (unique.size() != components.size()) {
    findings.Add(
        kCompleteOrder,
        Invalid(path, order, "must have the same number of unique components as the deployment"));
  }
  CheckNames(order, components, findings);
}

}  // namespace

void CheckRestart(const Value& graph, Findings& findings) {
  const Value* strategy = graph.FindPath("spec.restart.strategy");
  const Value* order = At(strategy, "order");
  if (Items(order).empty()) {
    return;
  }
  if (Text(strategy->Find("type")) == "Parallel") {
    findings.Add(kNoOrderInParallel, Forbidden(FieldPath::Base(kOrderPath),
                                               "cannot be specified when strategy is parallel"));
    return;
  }
  CheckOrder(*order, ByName(graph), findings);
}

void CheckRestartUpdate(const Value& graph, const Value& old, Findings& findings) {
  const std::string_view phase = Text(old.FindPath("status.rollingUpdate.phase"));
  const std::string_view id = Text(graph.FindPath("spec.restart.id"));
  if ((phase == "Pending" || phase == "InProgress") &&
      id != Text(old.FindPath("spec.restart.id"))) {
    findings.Add(kNoRestartWhileRolling,
                 Invalid(FieldPath::Base("spec.restart.id"), Value(id),
                         fmt::format("cannot be changed while a rolling update is {}", phase)));
  }
}

RuleList RestartRuleList() {
  return {&kNoRestartWhileRolling, &kNoOrderInParallel, &kCompleteOrder};
}

}  // namespace hearth::admission::dynamo
