#include "admission/grove/testing/rig.h"

#include <algorithm>

#include "admission/grove/grove_rules.h"
#include "api/catalog/catalog.h"
#include "base/check.h"
#include "base/strings.h"
#include "json/yaml.h"
#include "schema/prepare.h"

namespace hearth::admission::grove {
namespace {

const KindRules& RulesOf(const json::Value& object) {
  const std::string kind = object.Find("kind") == nullptr ? "" : object.Find("kind")->StringOr("");
  for (const KindRules& rules : GroveRules()) {
    if (rules.kind == kind) {
      return rules;
    }
  }
  return GroveRules().front();
}

// The element of a list at "[3]", or the member of an object; null when there is none.
json::Value* Step(json::Value& object, std::string_view step) {
  if (!step.starts_with("[")) {
    return &object[step];
  }
  const size_t index = std::stoul(std::string(step.substr(1)));
  if (index == (object.IsNull() ? 0 : object.items().size())) {
    object.Append(nullptr);
  }
  return &object.items().at(index);
}

// "a.b[0].c" as a, b, [0], c. A dot within quotes is part of a name.
std::vector<std::string> Steps(std::string_view path) {
  std::vector<std::string> steps(1);
  bool quoted = false;
  for (const char c : path) {
    quoted = quoted != (c == '\'');
    if (c == '[' && !quoted) {
      steps.emplace_back("[");
    } else if (c == '.' && !quoted) {
      steps.emplace_back();
    } else if (c != '\'') {
      steps.back() += c;
    }
  }
  return steps;
}

void Apply(json::Value& object, const Edit& edit) {
  const std::vector<std::string> steps = Steps(edit.path);
  json::Value* place = &object;
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    place = Step(*place, steps[i]);
  }
  if (edit.yaml != nullptr) {
    *Step(*place, steps.back()) = Yaml(edit.yaml);
  } else {
    CHECK(place->Erase(steps.back())) << edit.path;
  }
}

std::vector<std::string> Texts(const std::vector<schema::FieldError>& errors) {
  std::vector<std::string> texts;
  texts.reserve(errors.size());
  for (const schema::FieldError& error : errors) {
    texts.push_back(error.ToString());
  }
  return texts;
}

void Default(json::Value& object, const Request& request) {
  const api::CheckedKind& kind =
      *api::FindKind(object.Find("apiVersion")->string(), object.Find("kind")->string());
  CHECK(schema::Prepare(object, *kind.version.schema).ok());
  if (RulesOf(object).set_defaults != nullptr) {
    RulesOf(object).set_defaults(object, request);
  }
}

std::vector<std::string> Judge(const json::Value& object, const Request& request) {
  const api::CheckedKind& kind =
      *api::FindKind(object.Find("apiVersion")->string(), object.Find("kind")->string());
  const auto checker = kind.rules.NewChecker();
  std::vector<std::string> texts = Texts(
      request.old == nullptr ? kind.validator.Validate(object, checker.get())
                             : kind.validator.ValidateUpdate(object, *request.old, checker.get()));
  for (std::string& text : Errors(object, request)) {
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

json::Value Yaml(std::string_view text) {
  auto value = json::ParseYamlDocument(text);
  CHECK(value.ok()) << value.status().ToString() << "\n" << text;
  return *std::move(value);
}

json::Value GoodSet() {
  return Yaml(R"yaml(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: demo, namespace: team}
spec:
  replicas: 2
  template:
    cliqueStartupType: CliqueStartupTypeExplicit
    terminationDelay: 1h
    headlessServiceConfig: {publishNotReadyAddresses: true}
    resourceClaimTemplates:
    - name: gpu
      templateSpec:
        spec: {devices: {requests: [{name: device, exactly: {deviceClassName: gpu.example}}]}}
    - name: nic
      templateSpec:
        spec: {devices: {requests: [{name: device, exactly: {deviceClassName: nic.example}}]}}
    resourceSharing:
    - {name: gpu, scope: AllReplicas, filter: {childCliqueNames: [front, work]}}
    - {name: nic, scope: PerReplica, filter: {childScalingGroupNames: [pair]}}
    cliques:
    - name: front
      labels: {role: front}
      annotations: {example.com/note: 'any text: at all'}
      resourceSharing: [{name: remote, namespace: shared, scope: PerReplica}]
      spec:
        roleName: front
        replicas: 2
        minAvailable: 1
        autoScalingConfig: {minReplicas: 1, maxReplicas: 4}
        podSpec:
          restartPolicy: Always
          terminationGracePeriodSeconds: 30
          containers: [{name: main, image: front:1, env: [{name: MODE, value: fast}]}]
    - name: side
      spec:
        roleName: side
        replicas: 1
        minAvailable: 1
        startsAfter: [front]
        podSpec:
          initContainers: [{name: prepare, image: side:1, env: [{name: STEP, value: first}]}]
          containers: [{name: main, image: side:1}]
    - name: lead
      spec:
        roleName: lead
        replicas: 1
        minAvailable: 1
        startsAfter: [front, side]
        podSpec: {containers: [{name: main, image: lead:1}]}
    - name: work
      resourceSharing: [{name: gpu, scope: AllReplicas}]
      spec:
        roleName: work
        replicas: 3
        minAvailable: 2
        startsAfter: [lead]
        podSpec: {containers: [{name: main, image: work:1}]}
    podCliqueScalingGroups:
    - name: pair
      cliqueNames: [lead, work]
      replicas: 2
      minAvailable: 1
      scaleConfig: {minReplicas: 1, maxReplicas: 3}
      resourceSharing:
      - {name: gpu, scope: PerReplica, filter: {childCliqueNames: [work]}}
      - {name: nic, scope: AllReplicas}
)yaml");
}

json::Value Edited(json::Value object, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    Apply(object, edit);
  }
  return object;
}

Findings Check(const json::Value& object, const Request& request) {
  Findings findings;
  RulesOf(object).validate(object, request, findings);
  return findings;
}

std::vector<std::string> Errors(const json::Value& object, const Request& request) {
  std::vector<std::string> texts;
  const Findings findings = Check(object, request);
  for (const Finding& finding : findings.errors()) {
    CHECK(finding.rule != nullptr);
    const auto& known = RulesOf(object).rules;
    CHECK(std::find(known.begin(), known.end(), finding.rule) != known.end()) << finding.rule->id;
    texts.push_back(finding.error.ToString());
  }
  return texts;
}

std::vector<std::string> Warnings(const json::Value& object, const Request& request) {
  return Texts(Check(object, request).warnings());
}

std::vector<std::string> UpdateErrors(const json::Value& object, const json::Value& old,
                                      Request request) {
  request.operation = Operation::kUpdate;
  request.old = &old;
  return Errors(object, request);
}

std::vector<std::string> AllErrors(json::Value object, const Request& request) {
  Default(object, request);
  return Judge(object, request);
}

std::vector<std::string> AllUpdateErrors(json::Value object, json::Value old, Request request) {
  Default(old, request);
  request.operation = Operation::kUpdate;
  request.old = &old;
  Default(object, request);
  return Judge(object, request);
}

}  // namespace hearth::admission::grove
