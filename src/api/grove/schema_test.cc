#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/grove/constants.h"
#include "api/grove/definitions.h"
#include "api/grove/testing/sharing_example.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"
#include "schema/prepare.h"
#include "schema/structural.h"
#include "schema/validate.h"

namespace hearth::api::grove {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

schema::ResourceDefinition Definition(std::string_view kind) {
  for (schema::ResourceDefinition& definition : Definitions()) {
    if (definition.kind == kind) {
      return definition;
    }
  }
  ADD_FAILURE() << "no " << kind;
  return {};
}

const schema::Schema& At(std::string_view kind, const std::vector<std::string>& path) {
  static std::vector<schema::SchemaPtr> alive;
  const schema::Schema* schema = alive.emplace_back(Definition(kind).versions.front().schema).get();
  for (const std::string& name : path) {
    schema = name == "[]" ? schema->items.get() : schema->Find(name);
    if (schema == nullptr) {
      ADD_FAILURE() << "no " << name;
      static const schema::Schema none;
      return none;
    }
  }
  return *schema;
}

// What the API server would say, up to the rules. Each as "path: text".
std::vector<std::string> Faults(std::string_view kind, json::Value object) {
  const schema::SchemaPtr schema = Definition(kind).versions.front().schema;
  std::vector<std::string> faults;
  const auto unknown = schema::Prepare(object, *schema);
  EXPECT_OK(unknown);
  for (const std::string& place : *unknown) {
    faults.push_back(place + ": unknown");
  }
  const auto validator = schema::Validator::Make(schema);
  EXPECT_OK(validator);
  for (const schema::FieldError& error : validator->Validate(object)) {
    faults.push_back(error.ToString());
  }
  return faults;
}

json::Value Yaml(std::string_view text) {
  auto value = json::ParseYamlDocument(text);
  EXPECT_OK(value);
  return value.ok() ? *std::move(value) : json::Value();
}

json::Value Example() { return Yaml(SharingExample()); }
json::Value& Template(json::Value& set) { return set.MakePath("spec.template"); }
json::Value& First(json::Value& object, std::string_view list) {
  return object.Find(list)->items().front();
}

TEST(GroveSchema, EveryDefinitionIsStructuralAndFitsIntoOneRequest) {
  for (const schema::ResourceDefinition& definition : Definitions()) {
    SCOPED_TRACE(definition.kind);
    ASSERT_EQ(definition.versions.size(), 1U);
    EXPECT_THAT(schema::CheckStructural(*definition.versions.front().schema), ElementsAre());
    EXPECT_OK(schema::Validator::Make(definition.versions.front().schema));
    const json::Value crd = schema::ToCrd(definition);
    EXPECT_LT(crd.Write().size(), 1U << 20);
    const auto again = schema::FromCrd(crd);
    ASSERT_OK(again);
    EXPECT_EQ(schema::ToCrd(*again), crd);
  }
}

TEST(GroveSchema, KindsHaveTheNamesThatClientsKnow) {
  std::vector<std::string> names;
  for (const schema::ResourceDefinition& definition : Definitions()) {
    names.push_back(definition.Name() + " " + definition.short_names.front());
    EXPECT_EQ(definition.namespaced, definition.kind != "ClusterTopologyBinding");
    EXPECT_THAT(definition.categories, ElementsAre("grove", "hearth"));
    EXPECT_EQ(definition.versions.front().name, kVersion);
    EXPECT_TRUE(definition.versions.front().storage);
    EXPECT_TRUE(definition.versions.front().status_subresource);
  }
  EXPECT_THAT(names,
              ElementsAre("podcliquesets.grove.io pcs", "podcliquescalinggroups.grove.io pcsg",
                          "podcliques.grove.io pclq", "clustertopologybindings.grove.io ct",
                          "podgangs.scheduler.grove.io pg"));
}

std::string Scale(std::string_view kind) {
  const auto scale = Definition(kind).versions.front().scale;
  return !scale ? "" : scale->spec_path + " " + scale->status_path + " " + scale->selector_path;
}

TEST(GroveSchema, WhatScalesHasAScaleSubresource) {
  EXPECT_EQ(Scale("PodCliqueSet"), ".spec.replicas .status.replicas .status.hpaPodSelector");
  EXPECT_EQ(Scale("PodCliqueScalingGroup"), ".spec.replicas .status.replicas .status.selector");
  EXPECT_EQ(Scale("PodClique"), ".spec.replicas .status.replicas .status.hpaPodSelector");
  EXPECT_EQ(Scale("PodGang"), "");
  EXPECT_EQ(Scale("ClusterTopologyBinding"), "");
}

std::vector<std::string> Columns(std::string_view kind) {
  std::vector<std::string> names;
  const schema::ResourceDefinition definition = Definition(kind);
  for (const schema::PrinterColumn& column : definition.versions.front().columns) {
    names.push_back(column.name + (column.priority > 0 ? " wide" : ""));
    EXPECT_NE(column.description, "") << column.name;
  }
  return names;
}

TEST(GroveSchema, ColumnsShowProgressAndClaims) {
  EXPECT_THAT(Columns("PodCliqueSet"),
              ElementsAre("Replicas", "Available", "Updated", "PCLQs-Updated", "PCLQs-Total",
                          "PCSGs-Updated", "PCSGs-Total", "Claims", "Claims-Reason wide", "Age"));
  EXPECT_THAT(
      Columns("PodCliqueScalingGroup"),
      ElementsAre("MinAvail", "Replicas", "Available", "Scheduled", "Updated", "PCLQs-Updated",
                  "PCLQs-Total", "MinBreached wide", "Claims", "Claims-Reason wide", "Age"));
  EXPECT_THAT(Columns("PodClique"),
              ElementsAre("MinAvail", "Replicas", "Ready", "Scheduled", "Updated", "Gated wide",
                          "MinBreached wide", "Claims", "Claims-Reason wide", "Age"));
  EXPECT_THAT(Columns("ClusterTopologyBinding"), ElementsAre("Domains", "Sync", "Age"));
  EXPECT_THAT(Columns("PodGang"),
              ElementsAre("Phase", "Initialized", "Scheduled", "Priority-Class wide", "Age"));
}

// Kubernetes' own types are described elsewhere.
bool IsForeign(std::string_view name) {
  return name == "podSpec" || name == "templateSpec" || name == "metrics" || name == "metadata";
}

void ExpectDescriptions(const schema::Schema& schema, const std::string& path) {
  for (const schema::Property& property : schema.properties) {
    const std::string place = path + "." + property.name;
    if (property.name != "metadata") {
      EXPECT_NE(property.schema->description, "") << place;
    }
    if (!IsForeign(property.name)) {
      ExpectDescriptions(*property.schema, place);
    }
  }
  if (schema.items != nullptr) {
    if (schema.items->type == schema::Type::kObject) {
      EXPECT_NE(schema.items->description, "") << path << "[]";
    }
    ExpectDescriptions(*schema.items, path + "[]");
  }
}

TEST(GroveSchema, EveryFieldIsDescribed) {
  for (const schema::ResourceDefinition& definition : Definitions()) {
    const schema::Schema& root = *definition.versions.front().schema;
    EXPECT_NE(root.description, "") << definition.kind;
    ExpectDescriptions(root, definition.kind);
  }
}

void ExpectListTypes(const schema::Schema& schema, const std::string& path) {
  for (const schema::Property& property : schema.properties) {
    if (!IsForeign(property.name) || property.name == "metrics") {
      ExpectListTypes(*property.schema, path + "." + property.name);
    }
  }
  if (schema.items != nullptr) {
    const bool keyed = path.ends_with(".cliques") || path.ends_with(".conditions");
    EXPECT_EQ(schema.list_type, keyed ? schema::ListType::kMap : schema::ListType::kAtomic) << path;
    if (!path.ends_with(".metrics")) {
      ExpectListTypes(*schema.items, path + "[]");
    }
  }
}

TEST(GroveSchema, ListsAreAtomicExceptCliquesAndConditions) {
  for (const schema::ResourceDefinition& definition : Definitions()) {
    ExpectListTypes(*definition.versions.front().schema, definition.kind);
  }
  EXPECT_THAT(At("PodCliqueSet", {"spec", "template", "cliques"}).list_map_keys,
              ElementsAre("name"));
}

TEST(GroveSchema, RequiredFieldsAreUpstreams) {
  const auto required = [](std::string_view kind, const std::vector<std::string>& path) {
    return At(kind, path).required;
  };
  EXPECT_THAT(required("PodCliqueSet", {}), ElementsAre("spec"));
  EXPECT_THAT(required("PodCliqueSet", {"spec"}), ElementsAre("template"));
  EXPECT_THAT(required("PodCliqueSet", {"spec", "template"}), ElementsAre("cliques"));
  EXPECT_THAT(required("PodCliqueSet", {"spec", "template", "cliques", "[]"}),
              ElementsAre("name", "spec"));
  EXPECT_THAT(required("PodCliqueSet", {"spec", "template", "cliques", "[]", "spec"}),
              ElementsAre("roleName", "podSpec", "replicas"));
  EXPECT_THAT(required("PodCliqueSet", {"spec", "template", "podCliqueScalingGroups", "[]"}),
              ElementsAre("name", "cliqueNames"));
  EXPECT_THAT(required("PodCliqueSet", {"spec", "template", "resourceSharing", "[]"}),
              ElementsAre("name", "scope"));
  EXPECT_THAT(required("PodCliqueSet", {"spec", "template", "resourceClaimTemplates", "[]"}),
              ElementsAre("name", "templateSpec"));
  EXPECT_THAT(required("PodCliqueSet", {"status"}),
              ElementsAre("updatedReplicas", "availableReplicas"));
  EXPECT_THAT(required("PodCliqueScalingGroup", {"spec"}), ElementsAre("replicas", "cliqueNames"));
  EXPECT_THAT(required("PodCliqueScalingGroup", {"status"}),
              ElementsAre("scheduledReplicas", "availableReplicas", "updatedReplicas"));
  EXPECT_THAT(required("PodCliqueScalingGroup", {"status", "updateProgress"}),
              ElementsAre("updateStartedAt", "podCliqueSetGenerationHash"));
  EXPECT_THAT(required("PodClique", {"spec"}), ElementsAre("roleName", "podSpec", "replicas"));
  EXPECT_THAT(required("PodClique", {"status"}),
              ElementsAre("readyReplicas", "updatedReplicas", "scheduleGatedReplicas",
                          "scheduledReplicas"));
  EXPECT_THAT(required("PodClique", {"status", "updateProgress"}),
              ElementsAre("podCliqueSetGenerationHash", "podTemplateHash"));
  EXPECT_THAT(required("PodGang", {"spec", "podgroups", "[]"}),
              ElementsAre("name", "podReferences", "minReplicas"));
  EXPECT_THAT(required("PodGang", {"status"}), ElementsAre("phase"));
  EXPECT_THAT(required("ClusterTopologyBinding", {"spec", "levels", "[]"}),
              ElementsAre("domain", "key"));
}

TEST(GroveSchema, DefaultsAreFilledIn) {
  json::Value set = Yaml(R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: small}
spec:
  updateStrategy: {}
  template:
    headlessServiceConfig: {}
    cliques: [{name: a, spec: {roleName: a, replicas: 1, podSpec: {containers: []}}}]
    podCliqueScalingGroups: [{name: g, cliqueNames: [a]}]
status: {updateProgress: {}}
)");
  EXPECT_OK(schema::Prepare(set, *Definition("PodCliqueSet").versions.front().schema));
  EXPECT_EQ(*set.FindPath("spec.replicas"), json::Value(0));
  EXPECT_EQ(*set.FindPath("spec.updateStrategy.type"), json::Value("RollingRecreate"));
  json::Value& set_template = Template(set);
  EXPECT_EQ(*set_template.Find("cliqueStartupType"), json::Value("CliqueStartupTypeAnyOrder"));
  EXPECT_EQ(*set_template.FindPath("headlessServiceConfig.publishNotReadyAddresses"),
            json::Value(true));
  EXPECT_EQ(set_template.Find("terminationDelay"), nullptr);  // the webhook's
  const json::Value& group = First(set_template, "podCliqueScalingGroups");
  EXPECT_EQ(*group.Find("replicas"), json::Value(1));
  EXPECT_EQ(*group.Find("minAvailable"), json::Value(1));
  EXPECT_EQ(*set.FindPath("status.updatedReplicas"), json::Value(0));
  EXPECT_EQ(*set.FindPath("status.availableReplicas"), json::Value(0));
  EXPECT_EQ(*set.FindPath("status.updateProgress.totalPodCliquesCount"), json::Value(0));

  json::Value group_object = Yaml("spec: {cliqueNames: [a]}\nstatus: {}");
  EXPECT_OK(
      schema::Prepare(group_object, *Definition("PodCliqueScalingGroup").versions.front().schema));
  EXPECT_EQ(*group_object.FindPath("spec.replicas"), json::Value(1));
  EXPECT_EQ(*group_object.FindPath("spec.minAvailable"), json::Value(1));
  EXPECT_EQ(*group_object.FindPath("status.scheduledReplicas"), json::Value(0));
}

TEST(GroveSchema, TakesTheExample) {
  EXPECT_THAT(Faults("PodCliqueSet", Example()), ElementsAre());
}

TEST(GroveSchema, RefusesWhatIsNotASetAtTheRightPlace) {
  struct Case {
    const char* path;
    std::function<void(json::Value&)> spoil;  // given spec.template
  };
  const Case cases[] = {
      {"spec.template.cliques: Required value", [](auto& t) { t.Erase("cliques"); }},
      {"spec.template.cliques[1]: Duplicate value",
       [](auto& t) { t.Find("cliques")->items()[1].Set("name", "worker-a"); }},
      {"spec.template.cliques[0].spec.roleName: Required value",
       [](auto& t) { First(t, "cliques").Find("spec")->Erase("roleName"); }},
      {"spec.template.cliques[0].spec.podSpec: Required value",
       [](auto& t) { First(t, "cliques").Find("spec")->Erase("podSpec"); }},
      {"spec.template.cliques[0].spec.replicas: Invalid value",
       [](auto& t) { First(t, "cliques").Find("spec")->Set("replicas", "two"); }},
      {"spec.template.cliqueStartupType: Unsupported value",
       [](auto& t) { t.Set("cliqueStartupType", "Random"); }},
      {"spec.template.resourceSharing[0].scope: Unsupported value",
       [](auto& t) { First(t, "resourceSharing").Set("scope", "Sometimes"); }},
      {"spec.template.resourceSharing[0].scope: Required value",
       [](auto& t) { First(t, "resourceSharing").Erase("scope"); }},
      {"spec.template.cliques[0].resourceSharing[0].filter: unknown",
       [](auto& t) {
         First(First(t, "cliques"), "resourceSharing").Set("filter", json::Value::Object());
       }},
      {"spec.template.podCliqueScalingGroups[0].resourceSharing[2].filter.childScalingGroupNames: "
       "unknown",
       [](auto& t) {
         First(t, "podCliqueScalingGroups")
             .Find("resourceSharing")
             ->items()[2]
             .Find("filter")
             ->Set("childScalingGroupNames", json::Value::Array({"sga"}));
       }},
      {"spec.template.podCliqueScalingGroups[0].cliqueNames: Required value",
       [](auto& t) { First(t, "podCliqueScalingGroups").Erase("cliqueNames"); }},
      {"spec.template.resourceClaimTemplates[0].templateSpec: Required value",
       [](auto& t) { First(t, "resourceClaimTemplates").Erase("templateSpec"); }},
      {"spec.template.topologyConstraint.pack.required: Invalid value",
       [](auto& t) { t.MakePath("topologyConstraint.pack").Set("required", "Rack 7"); }},
      {"spec.template.headlessServiceConfig.publishNotReadyAddresses: Invalid value",
       [](auto& t) { t.MakePath("headlessServiceConfig").Set("publishNotReadyAddresses", "no"); }},
  };
  for (const Case& c : cases) {
    json::Value set = Example();
    c.spoil(Template(set));
    EXPECT_THAT(Faults("PodCliqueSet", set), testing::Contains(HasSubstr(c.path)));
  }
}

TEST(GroveSchema, ATopologyNeedsLevelsWithNamesAndLabelKeys) {
  EXPECT_THAT(Faults("ClusterTopologyBinding",
                     Yaml("spec: {levels: [{domain: rack, key: topology.kubernetes.io/rack}]}")),
              ElementsAre());
  EXPECT_THAT(Faults("ClusterTopologyBinding", Yaml("spec: {levels: []}")),
              ElementsAre(HasSubstr("spec.levels: Invalid value")));
  EXPECT_THAT(Faults("ClusterTopologyBinding",
                     Yaml("spec: {levels: [{domain: 7up, key: a/b/c}, {domain: zone, key: ''}]}")),
              ElementsAre(HasSubstr("spec.levels[0].domain"), HasSubstr("spec.levels[0].key"),
                          HasSubstr("spec.levels[1].key")));
}

std::vector<std::string> Rules(std::string_view kind, const std::vector<std::string>& path) {
  std::vector<std::string> messages;
  for (const schema::Rule& rule : At(kind, path).rules) {
    messages.push_back(rule.field_path + " " + rule.message);
  }
  return messages;
}

TEST(GroveSchema, SharingIsImmutableAtEveryLevel) {
  EXPECT_THAT(Rules("PodCliqueSet", {"spec", "template"}),
              ElementsAre(".resourceClaimTemplates field is immutable",
                          ".resourceSharing field is immutable",
                          ".podCliqueScalingGroups podCliqueScalingGroups[].resourceSharing: field "
                          "is immutable"));
  EXPECT_THAT(Rules("PodCliqueSet", {"spec", "template", "cliques", "[]"}),
              ElementsAre(".resourceSharing field is immutable"));
  // An object that has the field only before or only after the change is looked at as well.
  for (const schema::Rule& rule : At("PodCliqueSet", {"spec", "template"}).rules) {
    EXPECT_THAT(rule.rule, HasSubstr("has("));
    EXPECT_EQ(rule.optional_old_self, std::nullopt);
  }
}

TEST(GroveSchema, NewObjectsHaveNoPackDomain) {
  const schema::Schema& root = At("PodCliqueSet", {});
  ASSERT_EQ(root.rules.size(), 3U);
  for (const schema::Rule& rule : root.rules) {
    EXPECT_EQ(rule.optional_old_self, true);
    EXPECT_EQ(rule.reason, "FieldValueForbidden");
    EXPECT_THAT(rule.rule, HasSubstr("oldSelf.hasValue() || "));
  }
}

}  // namespace
}  // namespace hearth::api::grove
