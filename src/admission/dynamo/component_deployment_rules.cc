#include "admission/dynamo/component_deployment_rules.h"

#include "admission/dynamo/internal/component_rules.h"
#include "admission/dynamo/v1alpha1_rules.h"
#include "admission/rules/reading.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;
using schema::FieldPath;

constexpr Rule kNameFits{
    "component-deployment-name-fits",
    "The name becomes a label value and the name of a Service, which end at 63 characters. Shorten "
    "it, or the names of the graph and component it is made from."};

const Value& SpecOf(const Value& object) {
  static const Value kNone = Value::Object();
  const Value* spec = object.Find("spec");
  return spec == nullptr ? kNone : *spec;
}

// The graph that made it is its controller.
bool IsOfGraph(const Value& object) {
  for (const Value& owner : Items(object.FindPath("metadata.ownerReferences"))) {
    if (IsTrue(owner.Find("controller"))) {
      return Text(owner.Find("kind")) == "DynamoGraphDeployment" &&
             Text(owner.Find("apiVersion")).starts_with("nvidia.com/");
    }
  }
  return false;
}

void Check(const Value& object, const Setup& setup, Findings& findings) {
  const Value* name = object.FindPath("metadata.name");
  if (Text(name).size() > 63) {
    findings.Add(kNameFits,
                 Invalid(FieldPath::Base("metadata.name"), *name,
                         "must be at most 63 characters long: it becomes a label value"));
  }
  // Grove makes pods of whole graphs only.
  const ComponentContext context{.setup = setup,
                                 .pathway = {.grove = false, .requirement = ""},
                                 .backend = Text(object.FindPath("spec.backendFramework")),
                                 .stand_alone = !IsOfGraph(object)};
  CheckComponent(ComponentFacts(SpecOf(object)), context, FieldPath::Base("spec"), findings);
}

}  // namespace

void ValidateComponentDeployment(const Value& object, const Request& request, Findings& findings) {
  AddNewOf(Check, object, request, findings);
  if (request.old != nullptr) {
    CheckComponentUpdate(ComponentFacts(SpecOf(object)), ComponentFacts(SpecOf(*request.old)),
                         "DynamoComponentDeployment", FieldPath::Base("spec"), findings);
    CheckBackendUpdate(object, *request.old, findings);
  }
  ValidateOlderForm(object, request, findings);
}

RuleList ComponentDeploymentRuleList() {
  RuleList all = {&kNameFits};
  for (const RuleList& more : {ComponentRuleList(), OlderFormRuleList()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace hearth::admission::dynamo
