// What is tried again and again is counted as work, whether something is made of it or not. Work is
// counted here, not timed: what is not counted can take minutes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "api/conversion/convert.h"
#include "api/conversion/internal/envelope.h"
#include "api/conversion/internal/object_map.h"
#include "api/conversion/internal/restore.h"
#include "api/conversion/testing/full_graph.h"
#include "api/conversion/testing/graphs.h"

namespace hearth::api::conversion {
namespace {

using internal::Arena;
using internal::Edit;
using internal::Tree;
using json::Value;
using testing::BetaGraph;
using testing::Converted;
using testing::Worker;
using testing::Yaml;

Value Repeated(size_t count, const Value& item) {
  Value list = Value::Array();
  for (size_t i = 0; i < count; ++i) {
    list.Append(item);
  }
  return list;
}

Value Numbered(const std::string& prefix, size_t count, const Value& value) {
  Value object = Value::Object();
  for (size_t i = 0; i < count; ++i) {
    object.members().emplace_back(prefix + std::to_string(i), value);
  }
  return object;
}

// Something a service may have that takes as long to read as it has items, and gives little or
// nothing.
struct Shape {
  const char* name;
  std::function<Value(size_t)> service;
  size_t bytes = 8;  // that each item must count at least
};

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.name; }

Value Below(const std::string& path, Value value) {
  Value service = Value::Object();
  service.MakePath(path) = std::move(value);
  return service;
}

const Shape kShapes[] = {
    {"EmptyMounts",
     [](size_t count) { return Below("volumeMounts", Repeated(count, Value::Object())); }},
    {"MountsThatAreNone", [](size_t count) { return Below("volumeMounts", Repeated(count, 0)); }},
    {"MembersOfAMount",
     [](size_t count) { return Below("volumeMounts", Value::Array({Numbered("m", count, 0)})); }},
    {"NoQuantities",
     [](size_t count) { return Below("resources.limits.custom", Numbered("q", count, "none")); },
     256},
    {"NumbersForQuantities",
     [](size_t count) { return Below("resources.limits.custom", Numbered("q", count, 1)); }},
    {"DigitsOfAQuantity",
     [](size_t count) { return Below("resources.limits.cpu", std::string(count, '1') + "x"); }, 1},
    {"DigitsOfASize",
     [](size_t count) { return Below("sharedMemory.size", std::string(count, '1') + "x"); }, 1},
    {"UnknownFields", [](size_t count) { return Numbered("unknown", count, 1); }, 16 * 8},
    {"FieldsOfMain",
     [](size_t count) { return Below("extraPodSpec.mainContainer", Numbered("u", count, 1)); }},
    {"MembersOfAContainer",
     [](size_t count) {
       return Below("extraPodSpec.containers", Value::Array({Numbered("u", count, 1)}));
     }},
    {"Variables",
     [](size_t count) {
       Value service = Below("extraPodSpec.mainContainer.env", Repeated(1, Yaml("{name: a}")));
       service.Set("envs", Repeated(count, Yaml("{name: b}")));
       return service;
     },
     64},
    {"LettersOfAVariable",
     [](size_t count) {
       Value service = Below("extraPodSpec.mainContainer.env", Repeated(1, Yaml("{name: a}")));
       service["envs"].Append(Value::Object({{"name", std::string(count, 'b')}}));
       return service;
     },
     1},
    {"FieldsOfAnOffFeature",
     [](size_t count) { return Below("failover", Numbered("u", count, 1)); }},
    {"FieldsOfMetadata",
     [](size_t count) { return Below("extraPodMetadata", Numbered("u", count, 1)); }},
    {"FieldsOfASidecar",
     [](size_t count) { return Below("frontendSidecar", Numbered("u", count, 1)); }},
};

class Shapes : public ::testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Work, Shapes, ::testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

size_t SpentToMap(const Value& service) {
  Value spec = Value::Object();
  spec["services"].Set("worker", service);
  Arena arena;
  static_cast<void>(internal::GraphSpecToBeta(Tree(&spec), arena));
  return arena.spent();
}

TEST_P(Shapes, ReadingIsWork) {
  constexpr size_t kItems = 1'000;
  const size_t few = SpentToMap(GetParam().service(0));
  EXPECT_GE(SpentToMap(GetParam().service(kItems)) - few, kItems * GetParam().bytes);
}

size_t SizeOf(const Tree& tree) {
  size_t size = 1 + tree.text().size();
  for (size_t i = 0; i < tree.size(); ++i) {
    size += SizeOf(tree.at(i));
  }
  return size;
}

// The service is what an annotation asks for, followed by many fields that cannot come back: each
// is tried by itself, and has the whole service mapped.
TEST_P(Shapes, AreNotReadAgainForEveryField) {
  constexpr size_t kItems = 20'000;
  constexpr size_t kFields = 5'000;
  const Value beta = BetaGraph("{podTemplate: {spec: {containers: [{name: main}]}}}");
  Value saved = Value::Object();
  saved["services"].Set("worker", GetParam().service(kItems));
  Value& pod = saved["services"]["worker"]["extraPodSpec"];
  for (size_t i = 0; i < kFields; ++i) {
    pod["gone" + std::to_string(i)] = 1;
  }
  const Tree live(beta.Find("spec"));
  Arena arena;
  const Tree converted = internal::GraphSpecToAlpha(live, arena);
  const std::vector<Edit> edits = internal::ReadEnvelope(saved.Write(), "spec", converted, arena);
  size_t reads = 0;
  const internal::Mapping back = [&](const Tree& spec, Arena& mapping) {
    reads += SizeOf(spec);
    return internal::GraphSpecToBeta(spec, mapping);
  };
  static_cast<void>(internal::Restore(converted, edits, live, back, arena));
  EXPECT_LT(reads, kItems * kFields / 4);
}

// Members that are not in order are sorted before a digest is taken.
TEST(Work, DigestsCountSorting) {
  constexpr size_t kMembers = 4'096;
  Value sorted = Value::Object();
  for (size_t i = 0; i < kMembers; ++i) {
    sorted["labels"].Set("m" + std::to_string(10'000 + i), 1);
  }
  Value shuffled = sorted;
  Value::Members& members = shuffled["labels"].members();
  std::reverse(members.begin(), members.end());
  const auto spent = [](const Value& value) {
    Edit edit;
    edit.only_if = internal::Condition{.at = {"labels"}, .digest = "0"};
    Arena arena;
    EXPECT_FALSE(internal::Holds(Tree(&value), edit, arena));
    return arena.spent();
  };
  EXPECT_LT(spent(sorted), kMembers * 32);
  EXPECT_GT(spent(shuffled), spent(sorted) + kMembers * 12 * 8);
}

// As many as the schema takes, everything set on each, and each changed in the meantime: all is
// found out piece by piece, and what can come back does.
TEST(Work, ThereIsEnoughForTheLargestGraphs) {
  Value alpha = testing::FullGraph();
  const Value service = *alpha.FindPath("spec.services.decode");
  alpha["spec"].Set("services", Numbered("service", 25, service));
  Value beta = Converted(alpha, "v1beta1");
  for (Value& component : beta["spec"]["components"].items()) {
    component["podTemplate"]["spec"]["containers"].items()[0]["env"].items().pop_back();
  }
  const Value back = Converted(beta, "v1alpha1");
  for (const auto& [name, now] : back.FindPath("spec.services")->members()) {
    EXPECT_EQ(*now.Find("ingress"), *service.Find("ingress")) << name;
    EXPECT_EQ(*now.Find("failover"), *service.Find("failover")) << name;
    EXPECT_EQ(now.FindPath("extraPodSpec.mainContainer.env"), nullptr) << name;
  }
}

}  // namespace
}  // namespace hearth::api::conversion
