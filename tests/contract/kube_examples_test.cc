// What users write, and what comes of changing it: taken or refused by a real API server with the
// definitions of deploy/crds exactly as by the library.
#include <map>
#include <set>

#include "api/catalog/catalog.h"
#include "differential_test.h"
#include "product_kinds.h"

namespace hearth::kube {
namespace {

using json::Value;
using testing::EndsWith;
using testing::IsEmpty;

const int kDamaged = 60 * kTimes;  // objects of each kind and version
const int kGuided = 100 * kTimes;
const int kGuidedUpdates = 60 * kTimes;
const int kGuidedStatuses = 20 * kTimes;

std::vector<Manifest> Manifests() { return ReadManifests({"examples", "tests/manifests"}); }

// The plural of Kubernetes' own kinds that manifests bring along.
const std::map<std::string, ResourceType>& CoreTypes() {
  static const std::map<std::string, ResourceType> kTypes = {
      {"v1/Pod", types::Pods()},
      {"v1/ConfigMap", types::ConfigMaps()},
      {"v1/Secret", types::Secrets()},
      {"v1/Service", types::Services()},
      {"v1/ServiceAccount", types::ServiceAccounts()},
      {"v1/PersistentVolumeClaim", {"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"}},
      {"batch/v1/Job", {"batch", "v1", "jobs", "Job"}},
      {"resource.k8s.io/v1/ResourceClaimTemplate",
       {"resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate"}},
      {"resource.k8s.io/v1/DeviceClass",
       {"resource.k8s.io", "v1", "deviceclasses", "DeviceClass", false}}};
  return kTypes;
}

class KubeExamples : public DifferentialTest {
 protected:
  ClientOptions Options() override {
    ClientOptions options;
    options.on_warning = [this](std::string_view text) { warnings_.emplace(text); };
    return options;
  }

  // The object as the copy of its kind has it.
  static Value Copied(const ProductKind& kind, Value object) {
    object["apiVersion"] = kind.copy_api_version;
    return object;
  }

  // What tests/contract/schemas/product.cases.yaml has of the kind; null when nothing.
  static const Value* CasesOf(const ProductKind& kind) {
    static const std::vector<Value> cases = schema::ReadDocuments("product.cases.yaml");
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const Value& document) {
      return document.FindPath("base.apiVersion")->string() == kind.api_version &&
             document.FindPath("base.kind")->string() == kind.kind;
    });
    return found == cases.end() ? nullptr : &*found;
  }

  // The base of the cases, each with one row of edits.
  static std::vector<Value> Edited(const Value& base, const Value* rows) {
    std::vector<Value> objects;
    if (rows != nullptr) {
      for (const Value& edits : rows->items()) {
        objects.push_back(base);
        schema::Edit(objects.back(), edits);
      }
    }
    return objects;
  }

  // All good objects of a kind that we have: what users write, and the base of the cases.
  static std::vector<Value> Seeds(const ProductKind& kind) {
    std::vector<Value> seeds;
    if (const Value* cases = CasesOf(kind)) {
      seeds.push_back(Copied(kind, *cases->Find("base")));
    }
    for (const Manifest& manifest : Manifests()) {
      if (manifest.api_version() == kind.api_version && manifest.kind() == kind.kind) {
        seeds.push_back(Copied(kind, manifest.object));
      }
    }
    return seeds;
  }

  Result<Object> ApplyStrictly(const ResourceType& type, const Value& object) {
    const json::Blob body = object.ToBlob();
    return client().Apply(type, Meta(body.view()).key(), body.view(), Limit(),
                          {.field_validation = "Strict", .force = true});
  }

  void Remove(const ResourceType& type, const Value& object) {
    const json::Blob body = object.ToBlob();
    EXPECT_OK(client().Delete(type, Meta(body.view()).key(), Limit(), {.grace_period_seconds = 0}));
  }

  void ApplyCoreKind(const Manifest& manifest) {
    const auto found = CoreTypes().find(manifest.api_version() + "/" + manifest.kind());
    if (found == CoreTypes().end()) {
      ++skipped_;
      return;
    }
    type_ = found->second;
    const Value object = Named(manifest.object);
    ASSERT_OK(ApplyStrictly(type_, object));
    Remove(type_, object);
  }

  struct Installed {
    ResourceType type;
    std::unique_ptr<schema::Ours> ours;
  };

  // Installed when it is first needed, and the type of what follows.
  const schema::Ours& OursOf(const ProductKind& kind) {
    Installed& installed = installed_[kind.copy_api_version + kind.kind];
    if (installed.ours == nullptr) {
      Install(kind.crd);
      installed = {type_, std::make_unique<schema::Ours>(kind.crd)};
    }
    type_ = installed.type;
    return *installed.ours;
  }

  void ApplyProductKind(const ProductKind& kind, const Manifest& manifest) {
    const schema::Ours& known = OursOf(kind);
    ASSERT_FALSE(HasFatalFailure());
    const Value object = Named(Copied(kind, manifest.object));
    std::vector<std::string> unknown;
    const Verdict ours = known.Create(object, &unknown);
    EXPECT_THAT(unknown, IsEmpty());
    const auto applied = ApplyStrictly(type_, object);
    ASSERT_OK(applied);
    Compare(ours, Theirs(applied), object);
    Remove(type_, object);
    ++applied_;
  }

  // Changes of what is stored, so that rules about oldSelf are asked.
  void CompareUpdates(const schema::Ours& ours, const schema::Schema& guide,
                      const std::vector<Value>& seeds, const Value* rows) {
    std::vector<Value> stored;
    for (size_t i = 0; i < seeds.size(); ++i) {
      Value object = Named(seeds[i]);
      object["metadata"]["name"] = "stored-" + std::to_string(i);
      ASSERT_OK_AND_ASSIGN(const Object created, Create(type_, object));
      stored.push_back(created.ToValue());
    }
    CompareEditedUpdates(ours, stored[0], rows);
    const auto changed = schema::GenerateGuided(guide, stored, "spec", kSeed, kGuidedUpdates);
    for (size_t i = 0; i < changed.size(); ++i) {
      Compare(ours.Update(changed[i], stored[i % stored.size()]),
              Theirs(Update(type_, changed[i], {.dry_run = true})), changed[i]);
    }
    if (ours.definition().versions[0].status_subresource) {
      CompareStatuses(ours, guide, stored);
    }
    for (const Value& object : stored) {
      Remove(type_, object);
    }
  }

  void CompareEditedUpdates(const schema::Ours& ours, const Value& stored, const Value* rows) {
    for (const Value& object : Edited(stored, rows)) {
      Compare(ours.Update(object, stored), Theirs(Update(type_, object, {.dry_run = true})),
              object);
    }
  }

  void CompareStatuses(const schema::Ours& ours, const schema::Schema& guide,
                       const std::vector<Value>& stored) {
    const auto changed = schema::GenerateGuided(guide, stored, "status", kSeed, kGuidedStatuses);
    for (size_t i = 0; i < changed.size(); ++i) {
      Compare(ours.UpdateStatus(changed[i], stored[i % stored.size()]),
              Theirs(Update(type_, changed[i], {.subresource = "status", .dry_run = true})),
              changed[i]);
    }
  }

  void CompareKind(const ProductKind& kind) {
    const schema::Ours& ours = OursOf(kind);
    ASSERT_FALSE(HasFatalFailure());
    const std::vector<Value> seeds = Seeds(kind);
    ASSERT_FALSE(seeds.empty()) << "nobody shows what one looks like";
    const schema::Schema& guide = *api::FindKind(kind.api_version, kind.kind)->version.schema;
    const Value* cases = CasesOf(kind);
    CompareCreates(ours, seeds);
    if (cases != nullptr) {
      CompareCreates(ours, Edited(seeds[0], cases->Find("creates")));
    }
    CompareCreates(ours, schema::Generate(seeds, kSeed, kDamaged));
    CompareCreates(ours, schema::GenerateGuided(guide, seeds, "spec", kSeed, kGuided));
    CompareUpdates(ours, guide, seeds, cases == nullptr ? nullptr : cases->Find("updates"));
  }

  // What a broken rule says for certain: the first text of an expression, or all.
  static std::string WordsOf(const schema::Rule& rule) {
    const std::string& expression = rule.message_expression;
    const size_t begin = expression.find('\'') + 1;
    return expression.empty() ? rule.message
                              : expression.substr(begin, expression.find('\'', begin) - begin);
  }

  bool WasTold(const std::string& words) const {
    return std::any_of(told_.begin(), told_.end(), [&](const std::string& cause) {
      return cause.find(words) != std::string::npos;
    });
  }

  // Rules that no object broke, so that nothing is known of them.
  std::set<std::string> RulesNotBroken(const schema::Schema& schema) const {
    std::set<std::string> found;
    for (const schema::Rule& rule : schema.rules) {
      if (!WasTold(WordsOf(rule))) {
        found.insert(rule.message);
      }
    }
    for (const schema::Property& property : schema.properties) {
      found.merge(RulesNotBroken(*property.schema));
    }
    for (const schema::SchemaPtr& inner : {schema.items, schema.additional_properties}) {
      if (inner != nullptr) {
        found.merge(RulesNotBroken(*inner));
      }
    }
    return found;
  }

  std::map<std::string, Installed> installed_;
  std::set<std::string> warnings_;
  int applied_ = 0;
  int skipped_ = 0;
};

TEST_P(KubeExamples, AreAppliedWithStrictValidationAndOnlyDeprecationIsWarnedOf) {
  const std::vector<ProductKind> kinds = ProductKinds();
  for (const Manifest& manifest : Manifests()) {
    SCOPED_TRACE(manifest.place);
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const ProductKind& candidate) {
      return candidate.api_version == manifest.api_version() && candidate.kind == manifest.kind();
    });
    if (kind == kinds.end()) {
      ApplyCoreKind(manifest);
    } else {
      ApplyProductKind(*kind, manifest);
    }
  }
  EXPECT_GE(applied_, 50);
  EXPECT_LE(skipped_, 2) << "kinds that no test knows";
  for (const std::string& warning : warnings_) {
    EXPECT_THAT(warning, testing::HasSubstr(" is deprecated; use nvidia.com/v1beta1 "));
  }
  RecordProperty("applied", applied_);
}

TEST_P(KubeExamples, AndWhatComesOfChangingThemIsSeenAlike) {
  for (const ProductKind& kind : ProductKinds()) {
    SCOPED_TRACE(kind.api_version + " " + kind.kind);
    told_.clear();
    CompareKind(kind);
    EXPECT_THAT(RulesNotBroken(*OursOf(kind).definition().versions[0].schema), IsEmpty())
        << "add a case to tests/contract/schemas/product.cases.yaml";
  }
  EXPECT_GE(compared_, 1000);
  EXPECT_GT(taken_, compared_ / 5);
  EXPECT_LT(taken_, compared_ * 4 / 5);
  RecordProperty("compared", compared_);
  RecordProperty("taken", taken_);
}

INSTANTIATE_CONTRACT(KubeExamples);

}  // namespace
}  // namespace hearth::kube
