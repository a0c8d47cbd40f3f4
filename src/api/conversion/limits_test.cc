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
using ::testing::StartsWith;
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

// Dropping what is saved would lose it without a word.
void ExpectTooMuchWork(const Value& beta) {
  const auto refused = Convert(beta, "v1alpha1");
  EXPECT_CODE(Code::kInvalid, refused);
  EXPECT_EQ(refused.status().reason(), kUnkeptReason);
  EXPECT_THAT(refused.status().message(), HasSubstr("annotation nvidia.com/dgd-spec: keeps so "));
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
}

// No webhook is asked about a status, and one that cannot be read keeps all others from being read.
TEST(ConvertLimits, AStatusIsReadWhateverIsInIt) {
  for (const size_t name_bytes : {size_t{254}, kLong}) {
    Value beta = BetaGraph("{replicas: 1}");
    Value component = Numbered("unknown", 1'000, 1);
    component.Set("componentKind", "Deployment");
    beta["status"]["components"].Set(std::string(name_bytes, 'c'), std::move(component));
    const Value alpha = Converted(beta, "v1alpha1");
    EXPECT_EQ(alpha.FindPath("status.services")->members().size(), 1U);
  }
  Value odd = BetaGraph("{replicas: 1}");
  odd["status"].Set("restart", "no object");
  odd["status"].Set("unknown", std::string(300'000, 'u'));
  odd["status"]["components"]["worker"].Set("replicas", "no number");
  EXPECT_OK(Convert(odd, "v1alpha1"));
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
  EXPECT_EQ(refused.status().reason(), kTooMuchToKeepReason);
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

TEST(ConvertLimits, SavedFieldsBelowALongNameAreRefused) {
  const auto saved_fields = [](size_t name_bytes) {
    const std::string name(name_bytes, 'i');
    Value item = Numbered("field", 1'000, 1);
    item.Set("name", name);
    Value saved = Value::Object();
    saved["services"]["worker"]["extraPodSpec"]["initContainers"].Append(std::move(item));
    saved["services"]["worker"]["dynamoNamespace"] = "saved";
    const Value beta = WithInitContainer(name, Value::Array());
    return WithSaved(beta, saved.Write());
  };
  const Value few = Converted(saved_fields(10), "v1alpha1");
  EXPECT_NE(Worker(few)->Find("dynamoNamespace"), nullptr);
  ExpectTooMuchWork(saved_fields(kLong));
}

TEST(ConvertLimits, ManySavedFieldsComeBack) {
  const Value beta = BetaGraph("{replicas: 1}");
  Value saved = Value::Object();
  saved["services"].Set("worker", Numbered("saved", 15'000, 1));
  const Value alpha = Converted(WithSaved(beta, saved.Write()), "v1alpha1");
  EXPECT_EQ(Worker(alpha)->members().size(), 15'001U);
  EXPECT_EQ(Converted(alpha, "v1beta1").FindPath("spec")->Write(), beta.FindPath("spec")->Write());
}

// One by one they would be looked for among all that came before: this would take many seconds.
TEST(ConvertLimits, ManySavedFieldsOfAMapThatIsThereAreLookedForQuickly) {
  Value beta = BetaGraph("{replicas: 1}");
  (*Worker(beta))["podTemplate"]["metadata"].Set("annotations", Numbered("own", 50'000, "x"));
  Value saved = Value::Object();
  saved["services"]["worker"]["extraPodMetadata"].Set("annotations", Numbered("saved", 15'000, ""));
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
  beta["status"].Set("components", Numbered("c", 10'000, component));
  const Value alpha = Converted(beta, "v1alpha1");
  EXPECT_EQ(alpha.FindPath("status.services")->members().size(), 10'000U);
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
TEST(ConvertLimits, RecordsAboutALongListAreRefused) {
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
    SCOPED_TRACE(record);
    ExpectTooMuchWork(WithSaved(beta, Saved(record, 3'000)));
  }
}

// What is saved for one and the same item, again and again.
TEST(ConvertLimits, ItemsThatAreSavedManyTimesAreRefused) {
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
    return WithSaved(beta, saved.Write());
  };
  const Value few = Converted(saved_items(2), "v1alpha1");
  EXPECT_NE(Worker(few)->Find("dynamoNamespace"), nullptr);
  ExpectTooMuchWork(saved_items(120));
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
TEST(ConvertLimits, WhatIsComparedTooOftenIsRefused) {
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
    return WithSaved(beta, ReplacedByItsEqual(list, additions));
  };
  const Value few = Converted(saved_fields(20), "v1alpha1");
  EXPECT_NE(few.FindPath("spec.services.a.dynamoNamespace"), nullptr);
  EXPECT_NE(Worker(few)->Find("dynamoNamespace"), nullptr);
  ExpectTooMuchWork(saved_fields(1'000));
}

// What an API server takes of annotations: what is saved beyond that would fail every list.
TEST(ConvertLimits, WhatNobodyStoresIsNotSaved) {
  const auto labelled = [](size_t bytes) {
    Value alpha = AlphaGraph("{}");
    (*Worker(alpha))["labels"].Set("long", std::string(bytes, 'l'));
    return alpha;
  };
  const Value beta = Converted(labelled(260'000), "v1beta1");
  EXPECT_EQ(Converted(beta, "v1alpha1"), labelled(260'000));
  const auto refused = Convert(labelled(262'144), "v1beta1");
  EXPECT_CODE(Code::kInvalid, refused);
  EXPECT_EQ(refused.status().reason(), kTooMuchToKeepReason);
  EXPECT_THAT(refused.status().message(),
              StartsWith("spec.services.worker.labels.long: the other version has no word for"));
  EXPECT_THAT(refused.status().message(), HasSubstr("shorten it, or the annotations"));
}

size_t AnnotationBytes(const Value& object) {
  size_t bytes = 0;
  for (const auto& [name, text] : object.FindPath("metadata.annotations")->members()) {
    bytes += name.size() + text.string().size();
  }
  return bytes;
}

// The limit is one for all annotations, names and texts together.
TEST(ConvertLimits, AnnotationsOfOthersCount) {
  const auto annotated = [](size_t bytes) {
    Value alpha = AlphaGraph("{}");
    (*Worker(alpha))["labels"].Set("kept", "by the conversion");
    alpha["metadata"]["annotations"].Set("note", std::string(bytes, 'n'));
    return alpha;
  };
  const size_t kept = AnnotationBytes(Converted(annotated(0), "v1beta1"));
  EXPECT_EQ(AnnotationBytes(Converted(annotated(262'144 - 32 - kept), "v1beta1")), 262'144U - 32);
  const auto refused = Convert(annotated(262'144 - kept + 1), "v1beta1");
  EXPECT_EQ(refused.status().reason(), kTooMuchToKeepReason);
  EXPECT_THAT(refused.status().message(), StartsWith("spec.services.worker.labels"));
  EXPECT_THAT(refused.status().message(), HasSubstr("bytes of other annotations"));
}

// The first to go is what is kept of the status.
TEST(ConvertLimits, WhatIsKeptOfAStatusMakesRoom) {
  const auto annotated = [](size_t bytes) {
    Value alpha = AlphaGraph("{}");
    (*Worker(alpha))["labels"].Set("kept", "by the conversion");
    alpha["status"].Set("unknown", std::string(10'000, 'u'));
    alpha["metadata"]["annotations"].Set("note", std::string(bytes, 'n'));
    return *Converted(alpha, "v1beta1").FindPath("metadata.annotations");
  };
  EXPECT_NE(annotated(200'000).Find("nvidia.com/dgd-status"), nullptr);
  const Value crowded = annotated(255'000);
  EXPECT_EQ(crowded.Find("nvidia.com/dgd-status"), nullptr);
  EXPECT_NE(crowded.Find("nvidia.com/dgd-spec"), nullptr);
}

// Nothing is said of annotations that the conversion leaves as they are.
TEST(ConvertLimits, AnnotationsOfOthersAloneAreNoneOfItsBusiness) {
  Value beta = BetaGraph("{replicas: 1}");
  beta["metadata"]["annotations"].Set("note", std::string(300'000, 'n'));
  EXPECT_OK(Convert(beta, "v1alpha1"));
}

// The message leads to what is worth shortening.
TEST(ConvertLimits, TheLargestFieldIsNamedWhereverItIsKept) {
  Value beta = BetaGraph(
      "{frontendSidecar: sidecar-frontend, podTemplate: {spec: {containers: [{name: main, image: "
      "i}, {name: sidecar-frontend, image: f}]}}}");
  Value& sidecar = (*Worker(beta))["podTemplate"]["spec"]["containers"].items()[1];
  sidecar.Set("command", Value::Array({std::string(300'000, 'x')}));
  const auto refused = Convert(beta, "v1alpha1");
  EXPECT_EQ(refused.status().reason(), kTooMuchToKeepReason);
  EXPECT_THAT(refused.status().message(), StartsWith("spec.components"));
  EXPECT_THAT(refused.status().message(), HasSubstr("worker"));
  EXPECT_THAT(refused.status().message(), HasSubstr("command: the other version"));
}

TEST(ConvertLimits, WhatIsTooLongToBeReadIsRefused) {
  const Value beta = WithSaved(BetaGraph("{replicas: 1}"), std::string(1'100'000, ' '));
  const auto refused = Convert(beta, "v1alpha1");
  EXPECT_CODE(Code::kInvalid, refused);
  EXPECT_EQ(refused.status().reason(), kUnkeptReason);
}

// Nobody is asked about a status: what cannot be put back must not keep everything else from being
// read.
TEST(ConvertLimits, WhatWasSavedOfAStatusIsGivenUp) {
  Value beta = BetaGraph("{replicas: 1}");
  beta["status"]["components"]["worker"].Set("componentKind", "Deployment");
  const auto with = [&](const std::string& text) {
    Value object = beta;
    object["metadata"]["annotations"].Set("nvidia.com/dgd-status", text);
    return object;
  };
  EXPECT_OK(Convert(with(std::string(1'100'000, ' ')), "v1alpha1"));
  Value kept = Value::Object({{"version", 1}});
  Value& service = kept["status"]["services"]["worker"];
  service = Numbered("gone", 4'000, 1);
  service.Set("availableReplicas", 7);
  const auto converted = Convert(with(kept.Write()), "v1alpha1");
  ASSERT_OK(converted);
  EXPECT_NE(converted->FindPath("status.services.worker"), nullptr);
}

}  // namespace
}  // namespace hearth::api::conversion
