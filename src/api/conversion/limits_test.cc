// Objects and annotations made to take far more time or memory than their bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conversion/convert.h"
#include "api/conversion/internal/edit.h"
#include "api/conversion/testing/graphs.h"
#include "base/base64.h"
#include "base/testing/status_matchers.h"

namespace hearth::api::conversion {
namespace {

using json::Value;
using testing::AlphaGraph;
using testing::BetaGraph;
using testing::Converted;
using ::testing::HasSubstr;
using testing::Object;
using testing::Worker;

constexpr size_t kLong = 100'000;

Value Numbered(std::string_view prefix, size_t count, const Value& value) {
  Value object = Value::Object();
  for (size_t i = 0; i < count; ++i) {
    object.members().emplace_back(std::string(prefix) + std::to_string(i), value);
  }
  return object;
}

Value WithSaved(Value object, std::string_view text) {
  object["metadata"]["annotations"].Set("nvidia.com/dgd-spec", text);
  return object;
}

Value ServiceNamed(const std::string& name) {
  Value service = Value::Object();
  service["resources"]["requests"].Set("custom", Numbered("lost", 1'000, "no quantity"));
  Value alpha = AlphaGraph("{}");
  alpha["spec"].Set("services", Value::Object());
  alpha["spec"]["services"].members().emplace_back(name, std::move(service));
  return alpha;
}

// Each field that is saved would say the name again.
TEST(ConvertLimits, LongNamesOfComponentsAreRefused) {
  EXPECT_OK(Convert(ServiceNamed(std::string(253, 's')), "v1beta1"));
  const auto refused = Convert(ServiceNamed(std::string(kLong, 's')), "v1beta1");
  EXPECT_CODE(Code::kInvalid, refused);
  EXPECT_THAT(refused.status().message(), HasSubstr("spec.services: the name \"sss"));
  EXPECT_THAT(refused.status().message(), HasSubstr("has 100000 bytes, and 253 are converted"));
  EXPECT_LT(refused.status().message().size(), 300U);
}

TEST(ConvertLimits, LongNamesAreRefusedWhereverComponentsAre) {
  Value beta = BetaGraph("{replicas: 1}");
  Worker(beta)->Set("name", std::string(254, 'c'));
  EXPECT_CODE(Code::kInvalid, Convert(beta, "v1alpha1"));
  Value status = BetaGraph("{replicas: 1}");
  status["status"]["components"].Set(std::string(254, 'c'), Value::Object());
  EXPECT_CODE(Code::kInvalid, Convert(status, "v1alpha1"));
}

TEST(ConvertLimits, LongNamesOfItemsAreRefusedWhenMuchMustBeSavedBelowThem) {
  const auto converted = [](size_t name_bytes) {
    Value mount = Numbered("unknown", 1'000, 1);
    mount.Set("name", std::string(name_bytes, 'm'));
    mount.Set("mountPoint", "/models");
    Value alpha = AlphaGraph("{}");
    (*Worker(alpha))["volumeMounts"].Append(std::move(mount));
    return Convert(alpha, "v1beta1");
  };
  EXPECT_OK(converted(1'000));
  const auto refused = converted(kLong);
  EXPECT_CODE(Code::kInvalid, refused);
  EXPECT_THAT(refused.status().message(),
              HasSubstr("spec: too many fields that the other version has"));
}

Value WithInitContainer(const std::string& name, const Value& env) {
  Value beta = BetaGraph("{replicas: 1}");
  Value container = Value::Object({{"name", name}});
  container.Set("env", env);
  (*Worker(beta))["podTemplate"]["spec"]["initContainers"].Append(std::move(container));
  return beta;
}

TEST(ConvertLimits, SavedFieldsBelowALongNameAreDropped) {
  const auto saved_fields = [](size_t name_bytes) {
    const std::string name(name_bytes, 'i');
    Value item = Numbered("field", 1'000, 1);
    item.Set("name", name);
    Value saved = Value::Object();
    saved["services"]["worker"]["extraPodSpec"]["initContainers"].Append(std::move(item));
    saved["services"]["worker"]["dynamoNamespace"] = "saved";
    const Value beta = WithInitContainer(name, Value::Array());
    return Converted(WithSaved(beta, saved.Write()), "v1alpha1");
  };
  const Value few = saved_fields(10);
  EXPECT_NE(Worker(few)->Find("dynamoNamespace"), nullptr);
  const Value many = saved_fields(kLong);
  EXPECT_EQ(Worker(many)->Find("dynamoNamespace"), nullptr);
}

TEST(ConvertLimits, ManySavedFieldsComeBack) {
  const Value beta = BetaGraph("{replicas: 1}");
  Value saved = Value::Object();
  saved["services"].Set("worker", Numbered("saved", 20'000, 1));
  const Value alpha = Converted(WithSaved(beta, saved.Write()), "v1alpha1");
  EXPECT_EQ(Worker(alpha)->members().size(), 20'001U);
  EXPECT_EQ(Converted(alpha, "v1beta1").FindPath("spec")->Write(), beta.FindPath("spec")->Write());
}

// One by one they would be looked for among all that came before: this would take many seconds.
TEST(ConvertLimits, ManySavedFieldsOfAMapThatIsThereAreLookedForQuickly) {
  Value beta = BetaGraph("{replicas: 1}");
  (*Worker(beta))["podTemplate"]["metadata"].Set("annotations", Numbered("own", 50'000, "x"));
  Value saved = Value::Object();
  saved["services"]["worker"]["extraPodMetadata"].Set("annotations", Numbered("saved", 50'000, ""));
  saved["services"]["worker"]["dynamoNamespace"] = "saved";
  const Value alpha = Converted(WithSaved(beta, saved.Write()), "v1alpha1");
  EXPECT_EQ(
      *alpha.FindPath("spec.services.worker.extraPodMetadata.annotations"),
      *beta.FindPath("spec.components")->items()[0].FindPath("podTemplate.metadata.annotations"));
  EXPECT_NE(Worker(alpha)->Find("dynamoNamespace"), nullptr);
}

// Nobody counts them when they are written: whatever is stored must be read.
TEST(ConvertLimits, AStatusMayHaveManyComponents) {
  Value beta = BetaGraph("{replicas: 1}");
  const Value component =
      Value::Object({{"componentKind", "Deployment"}, {"replicas", 1}, {"unknown", 1}});
  beta["status"].Set("components", Numbered("c", 20'000, component));
  const Value alpha = Converted(beta, "v1alpha1");
  EXPECT_EQ(alpha.FindPath("status.services")->members().size(), 20'000U);
  EXPECT_EQ(Converted(alpha, "v1beta1").FindPath("status")->WriteCanonical(),
            beta.FindPath("status")->WriteCanonical());
}

Value Variables(size_t count) {
  Value list = Value::Array();
  for (size_t i = 0; i < count; ++i) {
    list.Append(Value::Object({{"name", "V" + std::to_string(i)}}));
  }
  return list;
}

// Records with # for a number, beside what shows whether the annotation was followed.
std::string Saved(std::string_view record, size_t count) {
  std::string text = R"({"rawJSON":[)";
  for (size_t i = 0; i < count; ++i) {
    for (const char c : record) {
      text += c == '#' ? std::to_string(i) : std::string(1, c);
    }
    text += ',';
  }
  text.back() = ']';
  return text + R"(,"spec":{"services":{"worker":{"dynamoNamespace":"saved"}}},"version":1})";
}

// Each would have the list read from its start, or made anew.
TEST(ConvertLimits, RecordsAboutALongListAreDropped) {
  Value beta = BetaGraph("{podTemplate: {spec: {containers: [{name: main}]}}}");
  Value& pod = (*Worker(beta))["podTemplate"]["spec"];
  pod["containers"].items()[0].Set("env", Variables(20'000));
  for (const char* const record :
       {R"({"path":"/services/worker/envs/name=none#/x","raw":"MQ=="})",
        R"({"path":"/services/worker/envs/name=V#/x","raw":"MQ=="})",
        R"({"path":"/services/worker/envs","order":["V#"],"key":"name"})",
        R"({"path":"/labels","raw":"e30=","if":{"path":"/services/worker/envs/name=none"}})"}) {
    const Value few = Converted(WithSaved(beta, Saved(record, 5)), "v1alpha1");
    EXPECT_NE(Worker(few)->Find("dynamoNamespace"), nullptr) << record;
    const Value many = Converted(WithSaved(beta, Saved(record, 9'000)), "v1alpha1");
    EXPECT_EQ(Worker(many)->Find("dynamoNamespace"), nullptr) << record;
  }
}

// What is saved for one and the same item, again and again.
TEST(ConvertLimits, ItemsThatAreSavedManyTimesAreDropped) {
  const Value beta = WithInitContainer("init", Variables(20'000));
  const auto saved_items = [&](size_t count) {
    Value item = Value::Object({{"name", "init"}});
    for (size_t i = 0; i < count; ++i) {
      item["env"].Append(Value::Object({{"name", "none"}}));
    }
    Value saved = Value::Object();
    for (size_t i = 0; i < count; ++i) {
      saved["services"]["worker"]["extraPodSpec"]["initContainers"].Append(item);
    }
    saved["services"]["worker"]["dynamoNamespace"] = "saved";
    return Converted(WithSaved(beta, saved.Write()), "v1alpha1");
  };
  const Value few = saved_items(2);
  EXPECT_NE(Worker(few)->Find("dynamoNamespace"), nullptr);
  const Value many = saved_items(200);
  EXPECT_EQ(Worker(many)->Find("dynamoNamespace"), nullptr);
}

// A component beside the worker, with a list that a record replaces by its equal. From then on it
// is not the list that was read, and only reading both to their end tells that nothing changed.
Value BesideALongList(const Value& list) {
  Value beta = BetaGraph("{podTemplate: {spec: {containers: [{name: main, image: i}]}}}");
  Value other = *Worker(beta);
  other.Set("name", "a");
  other["podTemplate"]["spec"]["containers"].Append(
      Value::Object({{"name", "s"}, {"image", "i"}, {"args", list}}));
  Value& components = beta["spec"]["components"];
  components.items().insert(components.items().begin(), std::move(other));
  return beta;
}

std::string ReplacedByItsEqual(const Value& list, const Value& additions) {
  Value record = Value::Object({{"path", "/services/a/extraPodSpec/containers/name=s/args"}});
  record.Set("was", internal::Digest(internal::Tree(&list)));
  record.Set("raw", EncodeBase64(list.Write()));
  Value saved = Value::Object({{"version", 1}, {"spec", additions}});
  saved["rawJSON"].Append(std::move(record));
  return saved.Write();
}

// Each field that cannot come back is a matter of its own, and has the whole list compared again.
TEST(ConvertLimits, WhatIsComparedTooOftenIsDropped) {
  Value list = Value::Array();
  for (size_t i = 0; i < 20'000; ++i) {
    list.Append("");
  }
  const Value beta = BesideALongList(list);
  const auto saved_fields = [&](size_t count) {
    Value additions = Value::Object();
    additions["services"]["a"]["dynamoNamespace"] = "early";
    additions["services"]["worker"].Set("extraPodSpec", Numbered("gone", count, 1));
    additions["services"]["worker"]["dynamoNamespace"] = "late";
    return Converted(WithSaved(beta, ReplacedByItsEqual(list, additions)), "v1alpha1");
  };
  const Value few = saved_fields(20);
  EXPECT_NE(few.FindPath("spec.services.a.dynamoNamespace"), nullptr);
  EXPECT_NE(Worker(few)->Find("dynamoNamespace"), nullptr);
  const Value many = saved_fields(1'000);
  EXPECT_NE(many.FindPath("spec.services.a.dynamoNamespace"), nullptr);
  EXPECT_EQ(Worker(many)->Find("dynamoNamespace"), nullptr);
  EXPECT_EQ(*many.FindPath("spec.services.a.extraPodSpec"),
            *few.FindPath("spec.services.a.extraPodSpec"));
}

}  // namespace
}  // namespace hearth::api::conversion
