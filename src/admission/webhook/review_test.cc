#include "admission/webhook/review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::admission::webhook {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kReview = R"({
  "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
  "request": {
    "uid": "u-1",
    "kind": {"group": "nvidia.com", "version": "v1beta1", "kind": "DynamoGraphDeployment"},
    "resource": {"group": "nvidia.com", "version": "v1beta1", "resource": "dynamographdeployments"},
    "requestKind": {"group": "nvidia.com", "version": "v1alpha1", "kind": "DynamoGraphDeployment"},
    "name": "llm", "namespace": "models", "operation": "UPDATE",
    "userInfo": {"username": "jane", "groups": ["a"]},
    "object": {"spec": 1}, "oldObject": {"spec": 2}, "dryRun": true, "options": null}})";

Value Json(std::string_view text) { return json::ParseValue(text).value(); }

Value WithRequest(std::string_view path, Value value) {
  Value review = Json(kReview);
  review["request"].MakePath(path) = std::move(value);
  return review;
}

TEST(AdmissionReview, IsReadWhole) {
  ASSERT_OK_AND_ASSIGN(const AdmissionRequest read, ReadAdmissionReview(kReview));
  EXPECT_EQ(read.uid, "u-1");
  EXPECT_EQ(read.kind.ToString(), "nvidia.com/v1beta1, Kind=DynamoGraphDeployment");
  EXPECT_EQ(read.asked_kind.version, "v1alpha1");
  EXPECT_EQ(read.operation, "UPDATE");
  EXPECT_EQ(read.name, "llm");
  EXPECT_EQ(read.name_space, "models");
  EXPECT_EQ(read.user, "jane");
  EXPECT_TRUE(read.dry_run);
  EXPECT_EQ(read.object.Write(), R"({"spec":1})");
  EXPECT_EQ(read.old_object.Write(), R"({"spec":2})");
}

TEST(AdmissionReview, WithoutARequestKindTheUserSentWhatWeSee) {
  Value review = Json(kReview);
  review["request"].Erase("requestKind");
  ASSERT_OK_AND_ASSIGN(const AdmissionRequest read, ReadAdmissionReview(review.Write()));
  EXPECT_EQ(read.asked_kind, read.kind);
}

TEST(AdmissionReview, ACoreKindIsToldAsGoTellsIt) {
  EXPECT_EQ((KindName{"", "v1", "Pod"}).ToString(), "/v1, Kind=Pod");
}

TEST(AdmissionReview, RefusesWhatIsNone) {
  const std::pair<std::string, const char*> rows[] = {
      {"", "invalid JSON at byte"},
      {"{", "invalid JSON at byte"},
      {"[]", "expected kind AdmissionReview"},
      {R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{}})",
       "v1beta1"},
      {R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"})", "request is missing"},
      {WithRequest("uid", "").Write(), "request.uid"},
      {WithRequest("uid", std::string(300, 'x')).Write(), "request.uid"},
      {WithRequest("uid", 7).Write(), "request.uid"},
      {WithRequest("object", Value()).Write(), "request.object must be an object"},
      {WithRequest("object", "x").Write(), "request.object must be an object"},
      {WithRequest("oldObject", Value()).Write(), "request.oldObject must be an object"},
  };
  for (const auto& [text, says] : rows) {
    const auto read = ReadAdmissionReview(text);
    EXPECT_CODE(Code::kInvalid, read);
    EXPECT_THAT(read.status().message(), HasSubstr(says)) << text;
  }
}

TEST(AdmissionReview, OneTooLargeIsRefusedUnread) {
  EXPECT_CODE(Code::kExhausted, ReadAdmissionReview(std::string(kMaxAdmissionBytes + 1, ' ')));
}

// So many values, each of two bytes.
std::string Zeros(size_t count) {
  std::string text = "[0";
  for (size_t i = 1; i < count; ++i) {
    text += ",0";
  }
  return text + "]";
}

std::string WithObject(const std::string& value) {
  std::string review = kReview;
  const std::string object = R"({"spec": 1})";
  return review.replace(review.find(object), object.size(), "{\"spec\":" + value + "}");
}

TEST(AdmissionReview, OneOfTooManyValuesIsRefusedUnread) {
  const auto read = ReadAdmissionReview(WithObject(Zeros(kMaxAdmissionValues)));
  EXPECT_CODE(Code::kExhausted, read);
  EXPECT_THAT(read.status().message(), HasSubstr("values; shorten the object"));
}

TEST(AdmissionReview, OneOfManyValuesIsRead) {
  EXPECT_OK(ReadAdmissionReview(WithObject(Zeros(kMaxObjectValues - 100))));
}

std::string WithOld(std::string review, const std::string& value) {
  const std::string old_object = R"({"spec": 2})";
  return review.replace(review.find(old_object), old_object.size(), value);
}

TEST(AdmissionReview, OnlyAnUpdateMayHaveTheValuesOfTwoObjects) {
  const std::string one = Zeros(kMaxObjectValues - 100);
  EXPECT_OK(ReadAdmissionReview(WithOld(WithObject(one), "{\"spec\":" + one + "}")));
  const std::string more = WithObject(Zeros(kMaxObjectValues));
  EXPECT_CODE(Code::kExhausted, ReadAdmissionReview(WithOld(more, "null")));
}

TEST(AdmissionReview, AnUpdateMakesNoObjectThatCouldNotBeCreated) {
  const std::string more = WithObject(Zeros(kMaxObjectValues));
  EXPECT_CODE(Code::kExhausted, ReadAdmissionReview(more));
  // One that is so large already can be changed, also when a status made it so.
  const std::string stored = Zeros(kMaxConvertedObjectValues - 100);
  EXPECT_OK(ReadAdmissionReview(WithOld(WithObject(stored), "{\"spec\":" + stored + "}")));
  const std::string status = R"(1,"status":)" + Zeros(kMaxConvertedObjectValues - 100);
  EXPECT_OK(ReadAdmissionReview(WithObject(status)));
}

std::string Nested(int depth) {
  return std::string(static_cast<size_t>(depth), '[') +
         std::string(static_cast<size_t>(depth), ']');
}

// In a conversion objects are deeper by one, and what cannot be read fails the list it is in.
TEST(ConversionReview, WhatIsAdmittedIsNotTooDeep) {
  int deepest = kMaxAdmissionDepth;
  while (!ReadAdmissionReview(WithObject(Nested(deepest))).ok()) {
    ASSERT_GT(--deepest, 0);
  }
  const std::string objects = "[{\"spec\":" + Nested(deepest) + "}]";
  const std::string review =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u",)"
      R"("desiredAPIVersion":"nvidia.com/v1alpha1","objects":)" +
      objects + "}}";
  EXPECT_OK(ReadConversionReview(review));
}

// 200,000
std::string Grouped(size_t number) {
  std::string text = std::to_string(number);
  for (size_t i = text.size(); i > 3; i -= 3) {
    text.insert(i - 3, ",");
  }
  return text;
}

std::string Row(const std::string& review, size_t bytes, size_t values) {
  const std::string mebibytes = bytes == 0 ? "" : " " + std::to_string(bytes >> 20);
  return "| " + review + " |" + mebibytes + " | " + Grouped(values) + " |\n";
}

TEST(AdmissionReview, PageTellsTheLimits) {
  ASSERT_OK_AND_ASSIGN(const std::string page,
                       RealFileSystem().Read(HEARTH_SOURCE_DIR "/docs/webhooks.md", 1U << 20U));
  EXPECT_THAT(
      page, HasSubstr(Row("admission without an old object (CREATE)", kMaxAdmissionBytes,
                          kMaxObjectValues) +
                      Row("admission with one (UPDATE)", kMaxAdmissionBytes, kMaxAdmissionValues) +
                      Row("conversion", kMaxConversionBytes, kMaxConversionValues) +
                      Row("each object of a conversion", 0, kMaxConvertedObjectValues)));
}

TEST(AdmissionReview, ALongTextIsOneValueWhateverIsInIt) {
  EXPECT_OK(ReadAdmissionReview(WithObject('"' + std::string(1 << 20, ',') + '"')));
}

TEST(AdmissionReview, ADeletionNeedsNoObject) {
  Value review = WithRequest("operation", "DELETE");
  review["request"].Set("object", Value());
  EXPECT_OK(ReadAdmissionReview(review.Write()));
}

TEST(AdmissionAnswer, AllowsWithThePatchAndTheWarnings) {
  const Value patch = Json(R"([{"op":"add","path":"/a","value":1}])");
  const Value answer =
      Json(WriteAdmissionReview("u-1", {.warnings = {"w1", "w2"}, .patch = patch}));
  EXPECT_EQ(answer.FindPath("apiVersion")->string(), "admission.k8s.io/v1");
  const Value& response = *answer.Find("response");
  EXPECT_EQ(response.Find("uid")->string(), "u-1");
  EXPECT_EQ(response.Find("allowed")->boolean(), true);
  EXPECT_EQ(response.Find("patchType")->string(), "JSONPatch");
  EXPECT_EQ(DecodeBase64(response.Find("patch")->string()).value(), patch.Write());
  EXPECT_EQ(response.Find("warnings")->Write(), R"(["w1","w2"])");
}

TEST(AdmissionAnswer, AnEmptyPatchIsNone) {
  const Value answer = Json(WriteAdmissionReview("u", {.patch = Value::Array()}));
  EXPECT_EQ(answer.Find("response")->Write(), R"({"uid":"u","allowed":true})");
}

TEST(AdmissionAnswer, DeniesWithAStatusThatNamesTheObject) {
  const Status status = Status(Code::kInvalid, "Invalid", "it is invalid")
                            .WithCause({"FieldValueRequired", "Required value", "spec.a"});
  const Value denial = DenialOf(status, {"nvidia.com", "v1", "Thing"}, "x");
  const Value answer = Json(WriteAdmissionReview("u", {.denied = denial}));
  EXPECT_EQ(answer.FindPath("response.allowed")->boolean(), false);
  const Value& written = *answer.FindPath("response.status");
  EXPECT_EQ(written.Find("code")->Int(), 422);
  EXPECT_EQ(written.Find("reason")->string(), "Invalid");
  EXPECT_EQ(written.Find("message")->string(), "it is invalid");
  EXPECT_EQ(written.FindPath("details.kind")->string(), "Thing");
  EXPECT_EQ(written.FindPath("details.group")->string(), "nvidia.com");
  EXPECT_EQ(written.FindPath("details.name")->string(), "x");
  EXPECT_EQ(written.FindPath("details.causes")->Write(),
            R"([{"reason":"FieldValueRequired","message":"Required value","field":"spec.a"}])");
}

constexpr const char* kConversion = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
  "request": {"uid": "c-1", "desiredAPIVersion": "nvidia.com/v1beta1", "objects": [{"a":1},{"b":2}]}})";

TEST(ConversionReview, IsReadAndAnswered) {
  ASSERT_OK_AND_ASSIGN(ConversionRequest read, ReadConversionReview(kConversion));
  EXPECT_EQ(read.uid, "c-1");
  EXPECT_EQ(read.desired_api_version, "nvidia.com/v1beta1");
  ASSERT_EQ(read.objects.size(), 2U);
  const Value answer = Json(WriteConversionReview("c-1", read.objects));
  EXPECT_EQ(answer.Find("response")->Write(),
            R"({"uid":"c-1","convertedObjects":[{"a":1},{"b":2}],"result":{"status":"Success"}})");
}

TEST(ConversionReview, AFailureCarriesNoObjects) {
  const Value answer = Json(WriteConversionReview("c-1", InvalidError("two of one name")));
  EXPECT_EQ(answer.Find("response")->Write(),
            R"({"uid":"c-1","result":{"status":"Failure","message":"two of one name"}})");
}

TEST(ConversionReview, RefusesWhatIsNone) {
  for (const char* field : {"uid", "desiredAPIVersion", "objects"}) {
    Value review = Json(kConversion);
    review["request"].Erase(field);
    const auto read = ReadConversionReview(review.Write());
    EXPECT_CODE(Code::kInvalid, read);
    EXPECT_THAT(read.status().message(), HasSubstr(field));
  }
  EXPECT_CODE(Code::kInvalid, ReadConversionReview(kReview));
}

TEST(ConversionReview, MayHaveMoreValuesThanAnObjectButNotAnyNumber) {
  const auto with = [](const std::string& objects) {
    std::string review = kConversion;
    return review.replace(review.find(R"([{"a")"), std::string_view(R"([{"a":1},{"b":2}])").size(),
                          objects);
  };
  EXPECT_OK(ReadConversionReview(with(Zeros(kMaxObjectValues * 4))));
  EXPECT_CODE(Code::kExhausted, ReadConversionReview(with(Zeros(kMaxConversionValues))));
}

}  // namespace
}  // namespace hearth::admission::webhook
