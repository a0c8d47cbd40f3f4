// Whatever an object is, it is judged: no crash, no stall, and what is defaulted once stays as it
// is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/grove/grove_rules.h"
#include "admission/grove/testing/rig.h"
#include "base/random.h"
#include "json/parse.h"

namespace hearth::admission::grove {
namespace {

using json::Value;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Wraps by moving: Value::Array({...}) copies what it is given, at every depth all that is below.
Value Deep(int depth) {
  Value value = "bottom";
  for (int i = 0; i < depth; ++i) {
    if (i % 2 == 0) {
      Value::Items items;
      items.push_back(std::move(value));
      value = Value::FromItems(std::move(items));
    } else {
      Value::Members members;
      members.emplace_back("name", std::move(value));
      value = Value::FromMembers(std::move(members));
    }
  }
  return value;
}

void Collect(Value& value, std::vector<Value*>& nodes) {
  nodes.push_back(&value);
  if (value.IsObject()) {
    for (auto& [name, member] : value.members()) {
      Collect(member, nodes);
    }
  } else if (value.IsArray()) {
    for (Value& item : value.items()) {
      Collect(item, nodes);
    }
  }
}

Value Poison(Random& random) {
  switch (random.Below(16)) {
    case 0:
      return nullptr;
    case 1:
      return random.Below(2) == 0;
    case 2:
      return "";
    case 3:
      return std::string(1 + random.Below(5000), 'a');
    case 4:
      return "\u00e4\u6f22\U0001f600-\x01*-'\"\\";
    case 5:
      return Value(Value::Number{"1e308"});
    case 6:
      return Value(Value::Number{"-9223372036854775808"});
    case 7:
      return Value(Value::Number{"99999999999999999999999999"});
    case 8:
      return Value(Value::Number{"-1.5"});
    case 9:
      return Deep(static_cast<int>(random.Below(400)));
    case 10:
      return Value::Object();
    case 11:
      return Value::Array();
    case 12:
      return static_cast<int64_t>(random.Below(5)) - 2;
    case 13:
      return int64_t{2147483647};
    case 14:
      return Value::Object({{"name", "front"}, {"", nullptr}});
    default:
      return Value::Array({"front", "pair", nullptr, 3, "front"});
  }
}

// Spoils one node, takes one away, doubles one, or puts a copy of one in the place of another.
void Mutate(Value& object, Random& random) {
  std::vector<Value*> nodes;
  Collect(object, nodes);
  Value& target = *nodes[random.Below(nodes.size())];
  const Value& other = *nodes[random.Below(nodes.size())];
  const uint64_t what = random.Below(8);
  if (what == 0 && target.IsObject() && !target.members().empty()) {
    target.members().erase(target.members().begin() +
                           static_cast<std::ptrdiff_t>(random.Below(target.members().size())));
  } else if (what == 1 && target.IsArray() && !target.items().empty()) {
    target.Append(Value(target.items().front()));
  } else if (what == 2) {
    target = Value(other);
  } else {
    target = Poison(random);
  }
}

Value Good() {
  static const Value kGood = GoodSet();
  return kGood;
}

Value Hostile(Random& random) {
  Value object = Good();
  for (uint64_t count = 1 + random.Below(6); count > 0; --count) {
    Mutate(object, random);
  }
  return object;
}

Request RandomRequest(Random& random, const Value& old) {
  Request request;
  request.setup.topology = random.Below(2) == 0;
  const std::vector<std::string> choices[] = {
      {}, {"default-scheduler"}, {"kai-scheduler"}, {"volcano", "lpx-scheduler"}};
  request.setup.schedulers = choices[random.Below(std::size(choices))];
  if (random.Below(2) == 0) {
    request.operation = Operation::kUpdate;
    request.old = random.Below(8) == 0 ? nullptr : &old;
  }
  return request;
}

void ExpectJudged(const Value& object, const Request& request) {
  for (const KindRules& kind : GroveRules()) {
    Findings findings;
    kind.validate(object, request, findings);
    for (const Finding& finding : findings.errors()) {
      ASSERT_NE(finding.rule, nullptr);
      ASSERT_FALSE(finding.error.path.empty());
      ASSERT_FALSE(finding.error.detail.empty() && finding.error.bad_value.empty());
    }
  }
}

TEST(HostileSets, TenThousandAreJudged) {
  Random random(20260819);
  size_t refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    Value object = Hostile(random);
    const Value old = random.Below(2) == 0 ? Good() : Hostile(random);
    const Request request = RandomRequest(random, old);
    ASSERT_NO_FATAL_FAILURE(ExpectJudged(object, request)) << object.Write();
    GroveRules().front().set_defaults(object, request);
    const Value once = object;
    GroveRules().front().set_defaults(object, request);
    ASSERT_EQ(object, once) << once.Write();
    ASSERT_NO_FATAL_FAILURE(ExpectJudged(object, request)) << object.Write();
    refused += Check(object).ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 3'000U);
  EXPECT_LT(refused, 10'000U);
}

// Many cliques in a row, each after the three before it: exponentially many paths.
Value Large(int cliques) {
  Value set = GoodSet();
  const Value plain = Yaml("{spec: {replicas: 1, minAvailable: 1, podSpec: {}}}");
  const Value sharing = Yaml("[{name: gpu, scope: AllReplicas}, {name: '7', scope: PerReplica}]");
  Value::Items items;
  Value members = Value::Array();
  for (int i = 0; i < cliques; ++i) {
    const std::string name = "c-" + std::to_string(i);
    Value after = Value::Array();
    for (int k = 1; k <= 3 && k <= i; ++k) {
      after.Append("c-" + std::to_string(i - k));
    }
    Value clique = plain;
    clique.Set("name", name);
    clique.Set("resourceSharing", sharing);
    clique.Find("spec")->Set("roleName", name);
    clique.Find("spec")->Set("startsAfter", std::move(after));
    items.push_back(std::move(clique));
    members.Append(name);
  }
  Value& set_template = set.MakePath("spec.template");
  set_template.Set("cliques", Value::FromItems(std::move(items)));
  set_template.Set("resourceSharing", Value::Array());
  Value& group = set_template.Find("podCliqueScalingGroups")->items().front();
  group.Set("cliqueNames", std::move(members));
  group.Set("resourceSharing", Value::Array());
  return set;
}

TEST(HostileSets, TenThousandCliquesAreJudgedWithoutWanderingAllPaths) {
  Value set = Large(10'000);
  EXPECT_THAT(Errors(set), IsEmpty());
  EXPECT_THAT(UpdateErrors(set, set), IsEmpty());
  set = Edited(std::move(set), {{"spec.template.cliques[0].spec.startsAfter", "[c-9999]"}});
  EXPECT_THAT(Errors(set), ::testing::ElementsAre(HasSubstr("circular dependencies")));
}

// Each clique would have the group read to its end, to find out how often it is there: ten thousand
// million looks.
TEST(HostileSets, AGroupWithAMillionFieldsIsReadOnceForAllItsCliques) {
  Value set = Large(10'000);
  Value& group = set.MakePath("spec.template.podCliqueScalingGroups").items().front();
  group.Erase("replicas");
  for (int i = 0; i < 1'000'000; ++i) {
    group.members().emplace_back("field" + std::to_string(i), 0);
  }
  EXPECT_THAT(Errors(set), IsEmpty());
}

// Every entry is named by numbers alone, with its indices in other places than the next one's.
TEST(HostileSets, NamesMadeOfNumbersAreComparedInBoundedTime) {
  Value set = GoodSet();
  const Value plain = Yaml("{spec: {replicas: 1, minAvailable: 1, podSpec: {}}}");
  const Value sharing = Yaml(
      "[{name: 1-1-1-1-1-1-1-1-1, scope: PerReplica}, {name: "
      "1-1-1, scope: PerReplica}, {name: '5', scope: PerReplica}]");
  Value::Items cliques;
  for (int i = 0; i < 3000; ++i) {
    std::string name = "1";
    for (int k = 0; k < i % 19; ++k) {
      name += "-" + std::to_string((i + k) % 10);
    }
    Value clique = plain;
    clique.Set("name", name);
    clique.Set("resourceSharing", sharing);
    clique.Find("spec")->Set("roleName", std::to_string(i));
    cliques.push_back(std::move(clique));
  }
  set.MakePath("spec.template.cliques") = Value::FromItems(std::move(cliques));
  EXPECT_THAT(Check(set).errors(), SizeIs(schema::ErrorList::kLimit));
}

TEST(HostileSets, AMillionFaultsAreToldUpToTheLimit) {
  Value set = Large(10'000);
  for (Value& clique : set.MakePath("spec.template.cliques").items()) {
    clique.Find("spec")->Set("replicas", -1);
    clique.MakePath("spec.podSpec.restartPolicy") = "Never";
  }
  EXPECT_THAT(Check(set).errors(), SizeIs(schema::ErrorList::kLimit));
  EXPECT_THAT(Check(set).warnings(), SizeIs(schema::ErrorList::kLimit));
}

}  // namespace
}  // namespace hearth::admission::grove
