#include "grove/reconcile/resources.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "controller/sources.h"
#include "controller/testing/pruned.h"

namespace hearth::grove {
namespace {

// A set before and after one of its annotations changes, as a cache that all share keeps it.
controller::Change AnnotationChange(const std::string& name) {
  const auto set = [&](const char* value) {
    json::FieldSet fields = SetFields::Fields();
    fields.Include(SetDecisionFields::Fields());
    fields.Include(SetGangFields::Fields());
    return controller::MakeCached(
        fmt::format(R"({{"metadata":{{"name":"s","namespace":"n","uid":"u","resourceVersion":"1",)"
                    R"("annotations":{{"{}":"{}"}}}},"spec":{{"replicas":1}}}})",
                    name, value),
        fields);
  };
  return {controller::Change::Type::kUpdated, set("1"), set("2")};
}

TEST(SetFields, AnotherLookThatIsAskedForIsOneAtTheSet) {
  const controller::Change change = AnnotationChange("grove.io/reconcile-trigger");
  EXPECT_TRUE(controller::Concerns(change, SetFields::Fields()));
  EXPECT_FALSE(controller::Concerns(change, SetDecisionFields::Fields()));
  EXPECT_FALSE(controller::Concerns(change, SetGangFields::Fields()));
}

TEST(SetFields, OtherAnnotationsConcernTheParts) {
  const controller::Change change = AnnotationChange("hearth.dev/hash-aliases");
  EXPECT_TRUE(controller::Concerns(change, SetDecisionFields::Fields()));
  EXPECT_TRUE(controller::Concerns(change, SetGangFields::Fields()));
}

// Values of an index of a set with this template.
std::vector<std::string> Values(const controller::Index& index, const std::string& set_template) {
  const auto set = controller::MakeCached(
      fmt::format(R"({{"metadata":{{"name":"s","namespace":"n","uid":"u","resourceVersion":"1"}},)"
                  R"("spec":{{"template":{}}}}})",
                  set_template));
  std::vector<std::string> values;
  index.values(*set, [&](std::string_view value) { values.emplace_back(value); });
  return values;
}

TEST(SetsByTopology, TheFirstBindingThatIsNamedCounts) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(Values(SetsByTopology(), R"({"topologyConstraint":{"topologyName":"a"}})"), Names{"a"});
  EXPECT_EQ(Values(SetsByTopology(),
                   R"({"cliques":[{"name":"c"},{"topologyConstraint":{"topologyName":"b"}}],)"
                   R"("podCliqueScalingGroups":[{"topologyConstraint":{"topologyName":"c"}}]})"),
            Names{"c"});
  EXPECT_EQ(Values(SetsByTopology(), R"({"cliques":[{"name":"c"}]})"), Names{});
}

}  // namespace
}  // namespace hearth::grove
