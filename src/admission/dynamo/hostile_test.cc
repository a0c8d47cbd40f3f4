// Whatever an object is, rules and defaults neither break nor stall.
#include <gtest/gtest.h>

#include <set>

#include "admission/dynamo/dynamo_rules.h"
#include "admission/dynamo/testing/small_door.h"
#include "base/random.h"
#include "json/patch.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;

constexpr const char* kEverything = R"(
replicas: 2
minAvailable: 1
multinode: {nodeCount: 4}
scalingAdapter: {}
frontendSidecar: side
topologyConstraint: {packDomain: rack}
experimental:
  gpuMemoryService:
    mode: IntraPod
    extraClientContainers: [side]
    checkpoint:
      loader: {envs: [{name: GMS_SOCKET_DIR}], volumeMounts: [{name: v, mountPath: /v}]}
      saver: {image: s}
  failover: {mode: IntraPod, numShadows: 1}
  checkpoint:
    enabled: true
    targetContainerName: side
    job:
      gmsClientContainers: [main]
      podTemplate: {metadata: {labels: {a: b}}, spec: {containers: [{name: main, env: [{name: A}]}]}}
)";

constexpr const char* kWhole = R"(
metadata:
  annotations:
    nvidia.com/enable-grove: "true"
    nvidia.com/dynamo-operator-origin-version: 1.2.3
    nvidia.com/dynamo-kube-discovery-mode: container
    nvidia.com/dgd-spec: "{}"
  ownerReferences: [{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, controller: true}]
spec:
  priorityClassName: high
  restart: {id: a, strategy: {order: [worker, Frontend]}}
status: {rollingUpdate: {phase: Pending}}
)";

std::vector<Value> Seeds() {
  Value component = Component(kWhole);
  json::ApplyMergePatch(*component.Find("spec"), Yaml(kEverything));
  return {Graph(kEverything, kWhole), std::move(component),
          Checkpoint("{metadata: {annotations: {nvidia.com/snapshot-artifact-version: \"1\"}}}")};
}

// Turns some place of an object into something else.
class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  void Mutate(Value& object) {
    Value* at = &object;
    while (random_.Below(6) != 0) {
      Value* child = RandomChild(*at);
      if (child == nullptr) {
        break;
      }
      at = child;
    }
    Change(*at);
  }

  bool Flip() { return random_.Below(2) == 0; }

 private:
  Value* RandomChild(Value& value) {
    if (value.IsObject() && !value.members().empty()) {
      return &value.members()[random_.Below(value.members().size())].second;
    }
    if (value.IsArray() && !value.items().empty()) {
      return &value.items()[random_.Below(value.items().size())];
    }
    return nullptr;
  }

  void Change(Value& value) {
    switch (random_.Below(5)) {
      case 0:
        value = Junk();
        break;
      case 1:
        Shrink(value);
        break;
      case 2:
        Grow(value);
        break;
      case 3:
        Rename(value);
        break;
      default:
        value = Value::Array({value, Junk()});
    }
  }

  void Shrink(Value& value) {
    if (value.IsObject() && !value.members().empty()) {
      value.members().erase(value.members().begin() + random_.Below(value.members().size()));
    } else if (value.IsArray() && !value.items().empty()) {
      value.items().pop_back();
    } else {
      value = Value();
    }
  }

  void Grow(Value& value) {
    const size_t times = 1 + random_.Below(40);
    if (value.IsObject()) {
      value.members().emplace_back("name", Junk());  // perhaps a second one
    } else if (value.IsArray() && !value.items().empty()) {
      const Value first = value.items().front();
      value.items().insert(value.items().end(), times, first);
    } else if (value.IsString()) {
      std::string longer;
      for (size_t i = 0; i < times; ++i) {
        longer += value.string() + "/";
      }
      value = longer;
    }
  }

  void Rename(Value& value) {
    if (value.IsObject() && !value.members().empty()) {
      value.members()[random_.Below(value.members().size())].first = RandomName();
    }
  }

  std::string RandomName() {
    static const char* kNames[] = {"",        "name", "mode",       "spec",       "containers",
                                   "enabled", "main", "gms-loader", "targetName", "a.b/c[0]"};
    return kNames[random_.Below(std::size(kNames))];
  }

  Value Junk() {
    switch (random_.Below(9)) {
      case 0:
        return nullptr;
      case 1:
        return Flip();
      case 2:
        return static_cast<int64_t>(random_.Next());
      case 3:
        return Value::Number{"1e400"};
      case 4:
        return std::string(random_.Below(3000), 'x');
      case 5:
        return Value::Object({{RandomName(), Value::Array({RandomName()})}});
      case 6:
        return Value::Array({nullptr, 1, "InterPod", Value::Object()});
      case 7:
        return "InterPod";
      default:
        return RandomName();
    }
  }

  Random random_;
};

const KindRules& RulesOfSeed(size_t seed) { return DynamoRules()[seed]; }

void Ask(const KindRules& rules, Value object, const Request& request) {
  if (rules.set_defaults != nullptr) {
    rules.set_defaults(object, request);
    Value again = object;
    rules.set_defaults(again, request);
    ASSERT_EQ(again, object);
  }
  Findings findings;
  rules.validate(object, request, findings);
  for (const Finding& finding : findings.errors()) {
    ASSERT_FALSE(finding.error.path.empty()) << finding.rule->id;
    ASSERT_FALSE(finding.error.ToString().empty());
  }
}

TEST(HostileObjects, NeitherBreakNorStallTheRules) {
  constexpr int kRounds = 10'000;
  Mutator mutator(20260718);
  const std::vector<Value> seeds = Seeds();
  for (int round = 0; round < kRounds; ++round) {
    const size_t kind = round % seeds.size();
    Value object = seeds[kind];
    Value old = seeds[kind];
    for (int i = 0; i <= round % 7; ++i) {
      mutator.Mutate(object);
      mutator.Mutate(old);
    }
    Request request{.user = "system:serviceaccount:a:b",
                    .setup = {.grove = mutator.Flip(),
                              .checkpoints = mutator.Flip(),
                              .gms_snapshots = mutator.Flip(),
                              .operator_version = "1.0.0"}};
    if (mutator.Flip()) {
      request.operation = Operation::kUpdate;
      request.old = &old;
    }
    Ask(RulesOfSeed(kind), object, request);
    ASSERT_FALSE(HasFatalFailure()) << object.Write();
  }
}

// A list of so many elements, each made from its number.
template <typename Make>
Value Many(int count, Make make) {
  Value list = Value::Array();
  for (int i = 0; i < count; ++i) {
    list.Append(make(std::to_string(i)));
  }
  return list;
}

// Every list that an object has, far longer than any schema allows: the work must not grow with the
// product of two lengths.
TEST(HostileObjects, MayBeWide) {
  constexpr int kMany = 30'000;
  const auto name = [](const std::string& i) { return Value("n" + i); };
  const auto named = [](const std::string& i) { return Value::Object({{"name", "n" + i}}); };
  Value graph = Graph(kEverything, kWhole);
  Value& worker = graph.Find("spec")->Find("components")->items()[1];
  *worker.Find("podTemplate")->Find("spec")->Find("containers") = Many(kMany, named);
  Value& experimental = *worker.Find("experimental");
  *experimental.Find("gpuMemoryService")->Find("extraClientContainers") = Many(kMany, name);
  *experimental.Find("checkpoint")->Find("job")->Find("gmsClientContainers") = Many(kMany, name);
  graph.Find("spec")->Find("restart")->Find("strategy")->Set("order", Many(kMany, name));
  Value wide = graph;
  *wide.Find("spec")->Find("components") = Many(kMany, named);
  Value checkpoint = Checkpoint();
  Value& pod = *checkpoint.Find("spec")->Find("job")->Find("podTemplateSpec")->Find("spec");
  *pod.Find("containers") = Many(kMany, [&](const std::string& i) {
    Value container = pod.Find("initContainers")->items()[0];
    container.Set("name", "n" + i);
    return container;
  });
  *checkpoint.Find("spec")->Find("gpuMemoryService")->Find("extraClientContainers") =
      Many(kMany, name);

  // Quadratic, this would run into the test's time-out.
  for (const auto& [kind, object] :
       {std::pair<size_t, const Value*>{0, &graph}, {0, &wide}, {2, &checkpoint}}) {
    Ask(RulesOfSeed(kind), *object, {});
    Ask(RulesOfSeed(kind), *object, {.operation = Operation::kUpdate, .old = &wide});
  }
}

TEST(Rules, HaveIdsOfTheirOwnAndSayWhatTheyAreFor) {
  for (const KindRules& kind : DynamoRules()) {
    std::set<std::string> ids;
    for (const Rule* rule : kind.rules) {
      EXPECT_TRUE(ids.insert(rule->id).second) << kind.kind << " " << rule->id;
      EXPECT_GT(std::string_view(rule->purpose).size(), 20U) << rule->id;
    }
  }
}

}  // namespace
}  // namespace hearth::admission::dynamo
