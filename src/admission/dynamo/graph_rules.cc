#include "admission/dynamo/internal/graph_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/dynamo/graph_rules.h"
#include "admission/dynamo/internal/grove_names.h"
#include "admission/dynamo/v1alpha1_rules.h"
#include "admission/rules/reading.h"
#include "base/strings.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;
using schema::FieldPath;

constexpr Rule kNeedsComponents{
    "graph-needs-components",
    "A graph without components runs nothing, and none can be added later. Write at least one."};
constexpr Rule kPriorityNeedsGrove{
    "priority-class-needs-grove",
    "The priority class of a graph is handed to Grove; elsewhere it would silently mean nothing. "
    "Set priorityClassName in the pod templates instead."};
constexpr Rule kGroveNamesFit{
    "grove-names-fit",
    "Grove calls pods after set, scaling group and clique; a longer name than Kubernetes has room "
    "for would keep them from being made. Shorten the name of the graph or of the component."};
constexpr Rule kDeploymentNamesFit{
    "component-deployment-names-fit",
    "Off Grove each component becomes a DynamoComponentDeployment called after the graph and the "
    "component, and a worker's also after what it runs. The name becomes a label value, which ends "
    "at 63 characters. Shorten the name of the graph or of the component."};
constexpr Rule kNameFits{
    "graph-name-fits",
    "The name of a graph becomes a label value of all that is made for it, which ends at 63 "
    "characters. Shorten it."};

constexpr Rule kServiceNamesFit{
    "service-names-fit",
    "Each component has a Service called after the graph and the component, and its pods carry "
    "that name as a label value. Both end at 63 characters. Shorten the name of the graph or of "
    "the component."};
constexpr size_t kMaxLabel = 63;
constexpr size_t kWorkerHash = 9;   // "-" and eight digits
constexpr size_t kMostShown = 253;  // of a name in a message

// One side of an update, or a new graph.
struct Graph {
  Graph(const Value& given, const Setup& setup);

  const Value& object;
  std::string_view name;
  size_t set_name_length = 0;
  ComponentContext context;
};

Graph::Graph(const Value& given, const Setup& setup)
    : object(given),
      name(Text(given.FindPath("metadata.name"))),
      context{.setup = setup,
              .pathway = PathwayOf(given, setup),
              .backend = Text(given.FindPath("spec.backendFramework")),
              .in_graph = true} {
  size_t longest = 0;
  const auto& components = Items(given.FindPath("spec.components"));
  for (size_t i = 0; i < std::min(components.size(), kMostComponents); ++i) {
    longest = std::max(longest, CliqueNames(ComponentFacts(components[i])).length());
  }
  set_name_length = SetNameLength(name, longest);
}

void CheckGroveNames(const Graph& graph, const ComponentFacts& component, const FieldPath& path,
                     Findings& findings) {
  const CliqueNames cliques(component);
  const size_t length = graph.set_name_length + cliques.length();
  if (length <= kMaxGroveNames) {
    return;
  }
  const std::string detail =
      cliques.scaling_group.empty()
          ? "PCS name + component name"
          : fmt::format("PCS name + PCSG name + longest PodClique name \"{}\"",
                        Excerpt(cliques.longest, kMostShown));
  findings.Add(kGroveNamesFit,
               Invalid(path.Child("name"), Value(component.name),
                       fmt::format("combined resource name length {} exceeds the {}-character "
                                   "pod-name limit ({}); shorten DynamoGraphDeployment name \"{}\" "
                                   "or component name \"{}\"",
                                   length, kMaxGroveNames, detail, Excerpt(graph.name, kMostShown),
                                   Excerpt(component.name, kMostShown))));
}

void CheckDeploymentName(const Graph& graph, const ComponentFacts& component, const FieldPath& path,
                         Findings& findings) {
  const size_t length =
      graph.name.size() + 1 + component.name.size() + (component.IsWorker() ? kWorkerHash : 0);
  if (length <= kMaxLabel) {
    return;
  }
  findings.Add(
      kDeploymentNamesFit,
      Invalid(path.Child("name"), Value(component.name),
              fmt::format("combined resource name length {} exceeds the {}-character label limit "
                          "(DynamoGraphDeployment name + component name{}); shorten "
                          "DynamoGraphDeployment name \"{}\" or component name \"{}\"",
                          length, kMaxLabel, component.IsWorker() ? " + worker hash" : "",
                          Excerpt(graph.name, kMostShown), Excerpt(component.name, kMostShown))));
}

void CheckServiceName(const Graph& graph, const ComponentFacts& component, const FieldPath& path,
                      Findings& findings) {
  const size_t length = graph.name.size() + 1 + component.name.size();
  if (length <= kMaxLabel || component.name.size() > kMaxLabel || graph.name.size() > kMaxLabel) {
    return;  // or told otherwise
  }
  findings.Add(
      kServiceNamesFit,
      Invalid(path.Child("name"), Value(component.name),
              fmt::format("the component's Service would be called \"{}-{}\", which has {} "
                          "characters, more than the {} that a Service may have; shorten "
                          "DynamoGraphDeployment name or component name",
                          graph.name, component.name, length, kMaxLabel)));
}

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// As the schema of v1beta1 has it: capitals become small ones.
bool IsLabel(std::string_view name) {
  return !name.empty() && name.size() <= kMaxLabel && IsAlphanumeric(name.front()) &&
         IsAlphanumeric(name.back()) && std::all_of(name.begin(), name.end(), [](char c) {
           return c == '-' || IsAlphanumeric(c);
         });
}

// Off Grove, dots may stand between: Services have hyphens there.
bool IsUsable(std::string_view name, bool grove) {
  const auto parts = grove ? std::vector<std::string_view>{name} : Split(name, '.');
  return name.size() <= kMaxLabel && std::all_of(parts.begin(), parts.end(), IsLabel);
}

// V3: objects of v1alpha1 keep the names they have.
void WarnOfName(const Graph& graph, const ComponentFacts& component, const FieldPath& path,
                Findings& findings) {
  if (!IsUsable(component.name, graph.context.pathway.grove)) {
    findings.Warn(
        path.Child("name"),
        fmt::format("{} cannot run: objects are called after it, and none can have such a "
                    "name; use at most 63 letters, digits and hyphens, and begin and end "
                    "with a letter or digit",
                    schema::QuotedText(Excerpt(component.name, kMaxLabel))));
  }
}

void CheckOne(const Graph& graph, const Value& value, const FieldPath& path, Findings& findings) {
  const ComponentFacts component(value);
  WarnOfName(graph, component, path, findings);
  if (graph.context.pathway.grove) {
    CheckGroveNames(graph, component, path, findings);
    CheckServiceName(graph, component, path, findings);
  } else {
    CheckDeploymentName(graph, component, path, findings);
  }
  CheckComponent(component, graph.context, path, findings);
}

void CheckWhole(const Graph& graph, Findings& findings) {
  const FieldPath metadata = FieldPath::Base("metadata");
  const FieldPath spec = FieldPath::Base("spec");
  if (graph.name.size() > kMaxLabel) {
    findings.Add(kNameFits,
                 Invalid(metadata.Child("name"), Value(graph.name),
                         "must be at most 63 characters long: it becomes a label value"));
  }
  CheckAnnotations(graph.object, findings);
  if (!Text(graph.object.FindPath("spec.priorityClassName")).empty() &&
      !graph.context.pathway.grove) {
    findings.Add(kPriorityNeedsGrove,
                 Forbidden(spec.Child("priorityClassName"), graph.context.pathway.requirement));
  }
  if (Items(graph.object.FindPath("spec.components")).empty()) {
    findings.Add(kNeedsComponents,
                 Required(spec.Child("components"), "must have at least one component"));
  }
  CheckRestart(graph.object, findings);
}

// What was wrong before is looked for only when something is wrong now.
void CheckComponents(const Graph& graph, const Graph* old, Findings& findings) {
  const FieldPath spec = FieldPath::Base("spec");
  const FieldPath list = spec.Child("components");
  const auto& components = Items(graph.object.FindPath("spec.components"));
  const auto stored = old == nullptr ? ComponentsByName() : ByName(old->object);
  for (size_t i = 0; i < std::min(components.size(), kMostComponents); ++i) {
    Findings now;
    Findings before;
    CheckOne(graph, components[i], list.Item(i), now);
    const auto same = stored.find(Text(components[i].Find("name")));
    if (!now.ok() && same != stored.end()) {
      CheckOne(*old, *same->second, list.Item(i), before);
    }
    AddNew(now, before, findings);
  }
}

}  // namespace

ComponentsByName ByName(const Value& graph) {
  ComponentsByName components;
  for (const Value& component : Items(graph.FindPath("spec.components"))) {
    components[Text(component.Find("name"))] = &component;
  }
  return components;
}

void ValidateGraph(const Value& object, const Request& request, Findings& findings) {
  const Graph graph(object, request.setup);
  std::optional<Graph> old;
  if (request.old != nullptr) {
    old.emplace(*request.old, request.setup);
  }
  Findings now;
  Findings before;
  CheckWhole(graph, now);
  if (!now.ok() && old.has_value()) {
    CheckWhole(*old, before);
  }
  AddNew(now, before, findings);
  CheckComponents(graph, old.has_value() ? &*old : nullptr, findings);
  if (old.has_value()) {
    CheckGraphUpdate(object, request, findings);
  }
  ValidateOlderForm(object, request, findings);
}

RuleList GraphRuleList() {
  RuleList all = {&kNeedsComponents,    &kPriorityNeedsGrove, &kGroveNamesFit,
                  &kDeploymentNamesFit, &kNameFits,           &kServiceNamesFit};
  for (const RuleList& more : {ComponentRuleList(), AnnotationRuleList(), RestartRuleList(),
                               GraphUpdateRuleList(), OlderFormRuleList()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace hearth::admission::dynamo
