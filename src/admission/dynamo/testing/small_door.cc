#include "admission/dynamo/testing/small_door.h"

#include <gtest/gtest.h>

#include "admission/dynamo/dynamo_rules.h"
#include "api/conversion/convert.h"
#include "api/dynamo/definitions.h"
#include "base/check.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "schema/cel/rule_set.h"
#include "schema/prepare.h"
#include "schema/validate.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;

constexpr std::string_view kGraph = R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: llama, namespace: models}
spec:
  backendFramework: vllm
  components:
  - name: Frontend
    type: frontend
    podTemplate: {spec: {containers: [{name: main, image: front:1}]}}
  - name: worker
    type: worker
    podTemplate:
      spec:
        containers:
        - name: main
          image: engine:1
          command: [python3]
          args: [-m, dynamo.vllm, --model, llama]
          resources: {limits: {nvidia.com/gpu: "1"}}
        - {name: side, image: side:1}
)";

constexpr std::string_view kComponent = R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoComponentDeployment
metadata: {name: solo, namespace: models}
spec:
  name: solo
  type: worker
  backendFramework: vllm
  podTemplate:
    spec:
      containers:
      - name: main
        image: engine:1
        command: [python3, -m, dynamo.vllm]
        resources: {limits: {nvidia.com/gpu: "1"}}
)";

constexpr std::string_view kCheckpoint = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata: {name: warm, namespace: models}
spec:
  identity: {model: llama, backendFramework: vllm}
  gpuMemoryService: {enabled: true, extraClientContainers: [save]}
  job:
    podTemplateSpec:
      spec:
        resourceClaims: [{name: intrapod-shared-gpu, resourceClaimTemplateName: gpus}]
        volumes: [{name: gms-intrapod-control, emptyDir: {}}]
        initContainers:
        - &client
          name: gms-server
          image: engine:1
          restartPolicy: Always
          env: [{name: GMS_SOCKET_DIR, value: /gms-intrapod-control}]
          volumeMounts: [{name: gms-intrapod-control, mountPath: /gms-intrapod-control}]
          resources: {claims: [{name: intrapod-shared-gpu}]}
        containers:
        - {<<: *client, name: main, restartPolicy: null}
        - {<<: *client, name: save, restartPolicy: null}
)";

struct Checked {
  std::string api_version;
  std::string kind;
  schema::Validator validator;
  schema::RuleSet rules;
};

std::vector<Checked> MakeChecked() {
  std::vector<Checked> all;
  for (const auto& definition : api::dynamo::Definitions()) {
    for (const auto& version : definition.versions) {
      auto validator = schema::Validator::Make(version.schema);
      auto rules = schema::RuleSet::Compile(version.schema);
      CHECK(validator.ok() && rules.ok()) << definition.kind;
      all.push_back({definition.group + "/" + version.name, definition.kind, std::move(*validator),
                     std::move(*rules)});
    }
  }
  return all;
}

const Checked& Find(const Value& object) {
  static const std::vector<Checked> kAll = MakeChecked();
  for (const Checked& one : kAll) {
    if (Value(one.api_version) == *object.Find("apiVersion") &&
        Value(one.kind) == *object.Find("kind")) {
      return one;
    }
  }
  CHECK(false) << object.Write();
  return kAll.front();
}

const KindRules& RulesOf(const Value& object) {
  for (const KindRules& rules : DynamoRules()) {
    if (Value(rules.kind) == *object.Find("kind")) {
      return rules;
    }
  }
  CHECK(false) << object.Write();
  return DynamoRules().front();
}

bool IsHub(const Value& object) {
  return *object.Find("apiVersion") == Value("nvidia.com/" + std::string(RulesOf(object).version));
}

void MakeReady(Value& object, const Request& request) {
  const auto unknown = schema::Prepare(object, *Find(object).validator.schema());
  ASSERT_TRUE(unknown.ok()) << unknown.status().ToString();
  EXPECT_TRUE(unknown->empty()) << unknown->front();
  if (IsHub(object) && RulesOf(object).set_defaults != nullptr) {
    RulesOf(object).set_defaults(object, request);
  }
}

void AskSchema(const Request& request, Answer& answer) {
  const Checked& checked = Find(answer.object);
  const auto checker = checked.rules.NewChecker();
  const auto errors =
      request.old == nullptr
          ? checked.validator.Validate(answer.object, checker.get())
          : checked.validator.ValidateUpdate(answer.object, *request.old, checker.get());
  for (const schema::FieldError& error : errors) {
    answer.errors.push_back(error.ToString());
  }
  answer.from_schema = !errors.empty();
}

void AskRules(const Request& request, Answer& answer) {
  Value object = answer.object;
  if (!IsHub(object)) {
    auto hub = api::conversion::Convert(object, api::conversion::kHubVersion);
    if (!hub.ok()) {
      return;
    }
    object = std::move(*hub);
  }
  Findings findings;
  RulesOf(object).validate(object, request, findings);
  for (const Finding& finding : findings.errors()) {
    answer.errors.push_back(finding.error.ToString());
    const auto& known = RulesOf(object).rules;
    EXPECT_NE(std::find(known.begin(), known.end(), finding.rule), known.end())
        << finding.rule->id << " is not in the list of its kind";
  }
  answer.warnings = Texts(findings.warnings());
}

Value Merged(std::string_view base, std::string_view patch) {
  Value object = Yaml(base);
  json::ApplyMergePatch(object, Yaml(patch));
  return object;
}

}  // namespace

Value Yaml(std::string_view text) {
  auto value = json::ParseYamlDocument(text);
  EXPECT_TRUE(value.ok()) << value.status().ToString() << "\n" << text;
  return value.ok() ? *value : Value::Object();
}

Value Graph(std::string_view worker, std::string_view object) {
  Value graph = Yaml(kGraph);
  json::ApplyMergePatch(graph.Find("spec")->Find("components")->items()[1], Yaml(worker));
  json::ApplyMergePatch(graph, Yaml(object));
  return graph;
}

Value Component(std::string_view object) { return Merged(kComponent, object); }
Value Checkpoint(std::string_view object) { return Merged(kCheckpoint, object); }

Answer Ask(Value object, Request request) {
  Answer answer;
  MakeReady(object, request);
  answer.object = std::move(object);
  AskSchema(request, answer);
  if (!answer.from_schema) {
    AskRules(request, answer);
  }
  return answer;
}

Answer AskUpdate(Value old, Value object, Request request) {
  MakeReady(old, request);
  request.operation = Operation::kUpdate;
  request.old = &old;
  return Ask(std::move(object), std::move(request));
}

}  // namespace hearth::admission::dynamo
