#include <fmt/format.h>

#include "admission/grove/internal/cycles.h"
#include "admission/grove/internal/part.h"
#include "admission/rules/reading.h"
#include "base/seeded_hash.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr std::string_view kExplicit = "CliqueStartupTypeExplicit";
constexpr size_t kMaxShown = 8;  // names of a cycle in a message

constexpr Rule kKnown{
    "starts-after-known-cliques",
    "Pods of a clique wait until the cliques in startsAfter are ready, so these must be other "
    "cliques of the set, each named once. Correct or remove the name."};
constexpr Rule kNoCycles{
    "starts-after-no-cycles",
    "Cliques that wait for each other in a circle never start. Remove one startsAfter of the "
    "circle that is named."};

FieldPath ListOf(const FieldPath& spec) { return spec.Child("startsAfter"); }

void CheckName(const SetOutline& set, size_t clique, const json::Value& name, const FieldPath& path,
               Findings& findings) {
  if (name.string().empty()) {
    findings.Add(kKnown, schema::Required(path, "clique dependency must not be empty"));
  } else if (name.string() == set.cliques[clique].name) {
    findings.Add(kKnown, schema::Invalid(path, name, "clique dependency cannot refer to itself"));
  } else if (!set.clique_of.contains(name.string())) {
    findings.Add(kKnown, schema::NotFound(path, name));
  }
}

// Checks the names of one clique and gives the cliques they mean.
std::vector<size_t> CheckNames(const SetOutline& set, size_t clique, Findings& findings) {
  const FieldPath item = kCliquesPath.Item(clique);
  const FieldPath spec = item.Child("spec");
  const FieldPath path = ListOf(spec);
  const json::Value::Items& names = Items(*set.cliques[clique].spec, "startsAfter");
  SeededSet<std::string_view> seen;
  std::vector<size_t> targets;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!names[i].IsString()) {
      continue;
    }
    CheckName(set, clique, names[i], path.Item(i), findings);
    const auto target = set.clique_of.find(names[i].string());
    if (!seen.insert(names[i].string()).second) {
      findings.Add(kKnown, schema::Duplicate(path.Item(i), names[i]));
    } else if (target != set.clique_of.end()) {
      targets.push_back(target->second);
    }
  }
  return targets;
}

std::string CycleText(const SetOutline& set, const std::vector<size_t>& cycle) {
  std::string text;
  for (size_t i = 0; i < cycle.size() && i < kMaxShown; ++i) {
    text += fmt::format("'{}' after ", set.cliques[cycle[i]].name);
  }
  text += cycle.size() > kMaxShown ? fmt::format("{} more after ", cycle.size() - kMaxShown) : "";
  return text + fmt::format("'{}'", set.cliques[cycle.front()].name);
}

void CheckCycles(const SetOutline& set, const Graph& graph, Findings& findings) {
  for (const std::vector<size_t>& cycle : FindCycles(graph)) {
    const FieldPath item = kCliquesPath.Item(cycle.front());
    const FieldPath spec = item.Child("spec");
    findings.Add(
        kNoCycles,
        schema::Invalid(ListOf(spec), Member(*set.cliques[cycle.front()].spec, "startsAfter"),
                        "clique must not have circular dependencies: " + CycleText(set, cycle)));
  }
}

void WarnAboutIgnored(const SetOutline& set, Findings& findings) {
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    if (!Items(*set.cliques[i].spec, "startsAfter").empty()) {
      const FieldPath item = kCliquesPath.Item(i);
      const FieldPath spec = item.Child("spec");
      findings.Warn(ListOf(spec),
                    fmt::format("not read, since cliqueStartupType is not {}", kExplicit));
    }
  }
}

void Check(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  if (set.startup_type != kExplicit) {
    return WarnAboutIgnored(set, findings);
  }
  Graph graph;
  graph.reserve(set.cliques.size());
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    graph.push_back(CheckNames(set, i, findings));
  }
  CheckCycles(set, graph, findings);
}

}  // namespace

Part StartsAfterPart() { return {Check, {&kKnown, &kNoCycles}}; }

}  // namespace hearth::admission::grove
