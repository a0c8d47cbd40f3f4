// Patches, server-side apply, field validation.
#include <mutex>

#include "contract_test.h"
#include "kube/model/api_status.h"

namespace hearth::kube {
namespace {

using json::Value;
using ::testing::Contains;
using ::testing::HasSubstr;

class KubeWrite : public ContractTest {
 protected:
  ClientOptions Options() override {
    ClientOptions options;
    options.on_warning = [this](std::string_view text) {
      std::lock_guard lock(mutex_);
      warnings_.emplace_back(text);
    };
    return options;
  }
  Value Data(const std::string& key, Value value) {
    return Value::Object({{"data", Value::Object({{key, std::move(value)}})}});
  }
  Result<Object> Apply(const Value& object, const WriteOptions& options) {
    const json::Blob body = object.ToBlob();
    return client().Apply(types::ConfigMaps(), Meta(body.view()).key(), body.view(), Limit(),
                          options);
  }
  // Two containers, matched by name in a strategic merge.
  Value Pod(const std::string& name) {
    Value pod = NewObject(types::Pods(), Key(name));
    pod.MakePath("spec.containers") =
        Value::Array({Value::Object({{"name", "a"}, {"image", "one"}}),
                      Value::Object({{"name", "b"}, {"image", "two"}})});
    return pod;
  }

  std::mutex mutex_;
  std::vector<std::string> warnings_;
};

TEST_P(KubeWrite, JsonPatch) {
  ASSERT_OK(Create(types::ConfigMaps(), ConfigMap("a")));
  ASSERT_OK_AND_ASSIGN(
      const Object patched,
      Patch(
          types::ConfigMaps(), "a", PatchType::kJson,
          Value::Array({Value::Object({{"op", "test"}, {"path", "/data/k"}, {"value", "v"}}),
                        Value::Object({{"op", "replace"}, {"path", "/data/k"}, {"value", "w"}})})));
  EXPECT_EQ(patched["data"]["k"].String(), "w");
  EXPECT_CODE(
      Code::kInvalid,
      Patch(types::ConfigMaps(), "a", PatchType::kJson,
            Value::Array({Value::Object({{"op", "test"}, {"path", "/data/k"}, {"value", "v"}})})));
}

TEST_P(KubeWrite, MergePatch) {
  ASSERT_OK(Create(types::ConfigMaps(), ConfigMap("a")));
  ASSERT_OK(Patch(types::ConfigMaps(), "a", PatchType::kMerge, Data("l", "x")));
  ASSERT_OK_AND_ASSIGN(const Object patched,
                       Patch(types::ConfigMaps(), "a", PatchType::kMerge, Data("k", nullptr)));
  EXPECT_FALSE(patched["data"]["k"].exists());
  EXPECT_EQ(patched["data"]["l"].String(), "x");
}

TEST_P(KubeWrite, StrategicMergePatchKnowsListsByKey) {
  ASSERT_OK(Create(types::Pods(), Pod("p")));
  const Value change = Value::Object(
      {{"spec", Value::Object({{"containers", Value::Array({Value::Object(
                                                  {{"name", "b"}, {"image", "three"}})})}})}});
  ASSERT_OK_AND_ASSIGN(const Object patched,
                       Patch(types::Pods(), "p", PatchType::kStrategic, change));
  EXPECT_EQ(patched["spec"]["containers"].size(), 2u);
  EXPECT_EQ(patched["spec"]["containers"].at(1)["image"].String(), "three");
}

TEST_P(KubeWrite, APatchWithAnOldVersionIsAConflict) {
  ASSERT_OK(Create(types::ConfigMaps(), ConfigMap("a")));
  Value change = Data("k", "x");
  change.MakePath("metadata.resourceVersion") = "1";
  EXPECT_CODE(Code::kConflict, Patch(types::ConfigMaps(), "a", PatchType::kMerge, change));
}

TEST_P(KubeWrite, ApplyCreatesAndThenOnlyChangesWhatDiffers) {
  ASSERT_OK_AND_ASSIGN(const Object created, Apply(ConfigMap("a"), {}));
  EXPECT_EQ(created["metadata"]["managedFields"].at(0)["manager"].String(), "hearth");
  EXPECT_EQ(created["metadata"]["managedFields"].at(0)["operation"].String(), "Apply");
  ASSERT_OK_AND_ASSIGN(const Object same, Apply(ConfigMap("a"), {}));
  EXPECT_EQ(same.meta().resource_version(), created.meta().resource_version());
  // What is no longer applied goes.
  ASSERT_OK_AND_ASSIGN(const Object emptied, Apply(NewObject(types::ConfigMaps(), Key("a")), {}));
  EXPECT_FALSE(emptied["data"]["k"].exists());
}

TEST_P(KubeWrite, AnotherManagersFieldIsAConflictUntilForced) {
  ASSERT_OK(Apply(ConfigMap("a", "theirs"), {.field_manager = "other"}));
  const auto conflict = Apply(ConfigMap("a", "ours"), {});
  EXPECT_CODE(Code::kConflict, conflict);
  ASSERT_TRUE(HasCause(conflict.status(), reason::kFieldManagerConflict)) << conflict.status();
  EXPECT_EQ(conflict.status().causes()[0].field, ".data.k");
  EXPECT_THAT(conflict.status().causes()[0].message, HasSubstr("\"other\""));
  ASSERT_OK_AND_ASSIGN(const Object forced, Apply(ConfigMap("a", "ours"), {.force = true}));
  EXPECT_EQ(forced["data"]["k"].String(), "ours");
}

TEST_P(KubeWrite, ApplyingUnderAnotherNameIsABadRequest) {
  const json::Blob body = ConfigMap("a").ToBlob();
  EXPECT_CODE(Code::kInvalid, client().Apply(types::ConfigMaps(), Key("b"), body.view(), Limit()));
}

TEST_P(KubeWrite, UnknownFieldsAreRefusedOrWarnedAbout) {
  Value map = ConfigMap("a");
  map["bogus"] = 1;
  const auto strict = Create(types::ConfigMaps(), map, {.field_validation = "Strict"});
  EXPECT_CODE(Code::kInvalid, strict);
  EXPECT_THAT(std::string(strict.status().message()), HasSubstr("unknown field \"bogus\""));
  EXPECT_OK(Create(types::ConfigMaps(), map, {.field_validation = "Warn"}));
  std::lock_guard lock(mutex_);
  EXPECT_THAT(warnings_, Contains("unknown field \"bogus\""));
}

TEST_P(KubeWrite, LargeNumbersAndOddTextSurvive) {
  Value map = ConfigMap("a", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 \" \\ \n \x01");
  ASSERT_OK(Create(types::ConfigMaps(), map));
  ASSERT_OK_AND_ASSIGN(const Object read, Get("a"));
  EXPECT_EQ(read["data"]["k"].String(), map.FindPath("data.k")->string());
}

TEST_P(KubeWrite, SubresourcesThatAreCreated) {
  ASSERT_OK(Create(types::Pods(), Pod("p")));
  const json::Blob eviction =
      Value::Object({{"apiVersion", "policy/v1"},
                     {"kind", "Eviction"},
                     {"metadata", Value::Object({{"name", "p"}, {"namespace", name_space()}})}})
          .ToBlob();
  ASSERT_OK(client().CreateSubresource(types::Pods(), Key("p"), eviction.view(), Limit(),
                                       {.subresource = "eviction"}));
  EXPECT_CODE(Code::kNotFound, client().Get(types::Pods(), Key("p"), Limit()));
}

INSTANTIATE_CONTRACT(KubeWrite);

}  // namespace
}  // namespace hearth::kube
