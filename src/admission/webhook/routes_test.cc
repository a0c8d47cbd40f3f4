#include "admission/webhook/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "admission/webhook/review.h"
#include "base/base64.h"
#include "base/testing/status_matchers.h"
#include "json/parse.h"
#include "json/patch.h"

namespace hearth::admission::webhook {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Value Json(std::string_view text) { return json::ParseValue(text).value(); }

constexpr Rule kNeedsColor{"thing-needs-color", "for the test"};
constexpr Rule kKeepsColor{"thing-keeps-color", "for the test"};

void SetColor(Value& object, const Request& request) {
  Value& spec = object["spec"];
  if (spec.Find("color") == nullptr) {
    spec["color"] = request.operation == Operation::kCreate ? "red" : "blue";
  }
}

// Refuses what has no color, and changes of it by anybody but the operator.
void CheckColor(const Value& object, const Request& request, Findings& findings) {
  const auto path = schema::FieldPath::Root();
  const auto spec = path.Child("spec");
  const Value* color = object.FindPath("spec.color");
  if (color == nullptr) {
    findings.Add(kNeedsColor, schema::Required(spec.Child("color"), "say one"));
  }
  if (object.FindPath("spec.size") == nullptr) {
    findings.Add(kNeedsColor, schema::Required(spec.Child("size")));
  }
  if (request.old != nullptr && color != nullptr &&
      *color != *request.old->FindPath("spec.color") &&
      request.user != request.setup.operator_account) {
    findings.Add(kKeepsColor, schema::Invalid(spec.Child("color"), *color, "field is immutable"));
  }
  if (object.FindPath("spec.old") != nullptr) {
    findings.Warn({.text = "spec.old is old"});
  }
}

void Throw(Value&, const Request&) { throw std::runtime_error("boom"); }

const KindRules kGraphRules{"nvidia.com", "v1beta1",  "DynamoGraphDeployment",
                            SetColor,     CheckColor, {&kNeedsColor, &kKeepsColor}};
const KindRules kThrowingRules{"nvidia.com", "v1beta1", "DynamoGraphDeployment",
                               Throw,        nullptr,   {}};

// v1alpha1 is v1beta1 with "colour" for "color".
Result<Value> Translate(const Value& object, std::string_view version) {
  Value translated = object;
  if (object.FindPath("spec.unspeakable") != nullptr) {
    return InvalidError("spec.unspeakable cannot be said in " + std::string(version));
  }
  translated["apiVersion"] = "nvidia.com/" + std::string(version);
  Value& spec = translated["spec"];
  const auto [from, to] =
      version == "v1beta1" ? std::pair("colour", "color") : std::pair("color", "colour");
  if (const Value* value = spec.Find(from)) {
    const Value moved = *value;
    spec.Erase(from);
    spec[to] = moved;
  }
  return translated;
}

Services TestServices(const KindRules& rules = kGraphRules) {
  Services services;
  services.find_rules = [&rules](std::string_view group, std::string_view kind) {
    return group == rules.group && kind == rules.kind ? &rules : nullptr;
  };
  services.convert = Translate;
  services.setup.operator_account = "system:serviceaccount:hearth:operator";
  return services;
}

struct Ask {
  std::string version = "v1beta1";
  std::string operation = "CREATE";
  std::string object = "{}";
  std::string old = "null";
  std::string user = "jane";
  std::string asked_version;
  std::string kind = "DynamoGraphDeployment";
};

std::string Review(const Ask& ask) {
  Value review = Json(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"})");
  Value& request = review["request"];
  request["uid"] = "u-1";
  request.MakePath("kind.group") = "nvidia.com";
  request.MakePath("kind.version") = ask.version;
  request.MakePath("kind.kind") = ask.kind;
  if (!ask.asked_version.empty()) {
    request["requestKind"] = *request.Find("kind");
    request["requestKind"]["version"] = ask.asked_version;
  }
  request["name"] = "llm";
  request["namespace"] = "models";
  request["operation"] = ask.operation;
  request.MakePath("userInfo.username") = ask.user;
  request["object"] = Json(ask.object);
  request["oldObject"] = Json(ask.old);
  return review.Write();
}

http::Request Post(std::string_view path, std::string body) {
  http::Request request{.method = "POST", .target = std::string(path), .body = std::move(body)};
  request.headers.Set("Content-Type", "application/json");
  return request;
}

Value ResponseOf(const Answer& answer) {
  EXPECT_EQ(answer.response.status, 200) << answer.response.body;
  return *Json(answer.response.body).Find("response");
}

Value PatchOf(const Answer& answer) {
  const Value response = ResponseOf(answer);
  const Value* patch = response.Find("patch");
  return patch != nullptr ? Json(DecodeBase64(patch->string()).value()) : Value();
}

TEST(Default, AnswersWithThePatch) {
  const Answer answer = Respond(Post(std::string(kDefaultGraphPath) + "?timeout=10s",
                                     Review({.object = R"({"spec":{"size":1}})"})),
                                TestServices());
  EXPECT_EQ(answer.verdict, Verdict::kPatched);
  EXPECT_EQ(ResponseOf(answer).Find("uid")->string(), "u-1");
  EXPECT_EQ(PatchOf(answer).Write(), R"([{"op":"add","path":"/spec/color","value":"red"}])");
}

TEST(Default, SaysNothingWhenNothingIsMissing) {
  const Answer answer = Respond(
      Post(kDefaultGraphPath, Review({.object = R"({"spec":{"color":"green"}})"})), TestServices());
  EXPECT_EQ(answer.verdict, Verdict::kAllowed);
  EXPECT_EQ(ResponseOf(answer).Write(), R"({"uid":"u-1","allowed":true})");
}

TEST(Default, AnOldEndpointIsPatchedInItsOwnVersion) {
  const Answer answer =
      Respond(Post("/mutate-nvidia-com-v1alpha1-dynamographdeployment",
                   Review({.version = "v1alpha1",
                           .object = R"({"apiVersion":"nvidia.com/v1alpha1","spec":{}})"})),
              TestServices());
  EXPECT_EQ(PatchOf(answer).Write(), R"([{"op":"add","path":"/spec/colour","value":"red"}])");
}

TEST(Validate, AllowsWithWarnings) {
  const Answer answer =
      Respond(Post(kValidateGraphPath,
                   Review({.object = R"({"spec":{"color":"red","size":1,"old":true}})"})),
              TestServices());
  EXPECT_EQ(answer.verdict, Verdict::kAllowed);
  EXPECT_EQ(ResponseOf(answer).Write(),
            R"({"uid":"u-1","allowed":true,"warnings":["spec.old is old"]})");
}

TEST(Validate, DeniesWithEveryFindingAsTheApiServerWould) {
  const Answer answer = Respond(
      Post(kValidateGraphPath, Review({.object = R"({"spec":{"old":1}})"})), TestServices());
  EXPECT_EQ(answer.verdict, Verdict::kDenied);
  EXPECT_THAT(answer.rules, ElementsAre(&kNeedsColor, &kNeedsColor));
  const Value response = ResponseOf(answer);
  EXPECT_EQ(response.Find("allowed")->boolean(), false);
  const Value& status = *response.Find("status");
  EXPECT_EQ(status.Find("code")->Int(), 422);
  EXPECT_EQ(status.Find("reason")->string(), "Invalid");
  EXPECT_EQ(status.Find("message")->string(),
            "DynamoGraphDeployment.nvidia.com \"llm\" is invalid: [spec.color: Required value: say "
            "one, spec.size: Required value]");
  ASSERT_EQ(status.FindPath("details.causes")->items().size(), 2U);
  EXPECT_EQ(status.FindPath("details.causes")->items()[0].Find("field")->string(), "spec.color");
  EXPECT_EQ(response.Find("warnings")->Write(), R"(["spec.old is old"])");
}

TEST(Validate, AnUpdateKnowsWhatWasAndWhoAsks) {
  Ask ask{.operation = "UPDATE",
          .object = R"({"spec":{"color":"red","size":1}})",
          .old = R"({"spec":{"color":"blue","size":1}})"};
  EXPECT_THAT(Respond(Post(kValidateGraphPath, Review(ask)), TestServices()).cause,
              HasSubstr("field is immutable"));
  ask.user = "system:serviceaccount:hearth:operator";
  EXPECT_EQ(Respond(Post(kValidateGraphPath, Review(ask)), TestServices()).verdict,
            Verdict::kAllowed);
}

TEST(Validate, AnOldEndpointIsJudgedInTheVersionOfTheRules) {
  const std::string path = "/validate-nvidia-com-v1alpha1-dynamographdeployment";
  Ask ask{.version = "v1alpha1", .object = R"({"spec":{"colour":"red","size":1}})"};
  EXPECT_EQ(Respond(Post(path, Review(ask)), TestServices()).verdict, Verdict::kAllowed);
  ask.object = R"({"spec":{"size":1}})";
  EXPECT_THAT(Respond(Post(path, Review(ask)), TestServices()).cause, HasSubstr("Required value"));
}

TEST(Validate, AnObjectThatCannotBeConvertedIsDeniedWithTheReason) {
  const Answer answer =
      Respond(Post("/validate-nvidia-com-v1alpha1-dynamographdeployment",
                   Review({.version = "v1alpha1", .object = R"({"spec":{"unspeakable":1}})"})),
              TestServices());
  EXPECT_EQ(answer.verdict, Verdict::kDenied);
  EXPECT_THAT(answer.cause, HasSubstr("llm\" is invalid: converting to v1beta1: spec.unspeakable"));
}

TEST(Validate, NamesAnObjectThatHasNoNameYet) {
  Value review = Json(Review({.object = R"({"metadata":{"generateName":"gen-"},"spec":{}})"}));
  review["request"].Erase("name");
  EXPECT_THAT(Respond(Post(kValidateGraphPath, review.Write()), TestServices()).cause,
              HasSubstr("\"gen-\" is invalid"));
}

TEST(Admission, RefusesAnotherKindOrVersionInUpstreamsWords) {
  for (const Ask& ask : {Ask{.version = "v1alpha1"}, Ask{.kind = "DynamoCheckpoint"}}) {
    const Answer answer = Respond(Post(kValidateGraphPath, Review(ask)), TestServices());
    EXPECT_EQ(answer.verdict, Verdict::kDenied);
    EXPECT_EQ(answer.cause,
              "admission requires nvidia.com/v1beta1, Kind=DynamoGraphDeployment, got "
              "nvidia.com/" +
                  ask.version + ", Kind=" + ask.kind +
                  "; check webhook and CRD conversion configuration");
    EXPECT_EQ(ResponseOf(answer).FindPath("status.code")->Int(), 400);
  }
}

TEST(Admission, HasNothingToSayAboutWhatIsGoing) {
  const Ask ask{.operation = "UPDATE",
                .object = R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}})",
                .old = "{}"};
  for (const std::string_view path : {kValidateGraphPath, kDefaultGraphPath}) {
    EXPECT_EQ(Respond(Post(path, Review(ask)), TestServices()).verdict, Verdict::kAllowed);
  }
}

void CheckDeleted(const Value& object, const Request& request, Findings& findings) {
  if (object.FindPath("spec.color") == nullptr && request.old != nullptr &&
      request.old->FindPath("spec.color") != nullptr) {
    findings.Add(kKeepsColor, schema::Required(schema::FieldPath::Base("spec.color"), "keep it"));
  }
}

// What is going is still in lists.
TEST(Validate, WhatIsGoingIsAskedForWhatMattersThen) {
  const KindRules rules{"nvidia.com",   "v1beta1",   "DynamoGraphDeployment", SetColor, CheckColor,
                        {&kKeepsColor}, CheckDeleted};
  const auto verdict = [&](const std::string& spec, const std::string& old) {
    const std::string going = R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":)";
    const Ask ask{.operation = "UPDATE", .object = going + spec + "}", .old = old};
    EXPECT_EQ(Respond(Post(kDefaultGraphPath, Review(ask)), TestServices(rules)).verdict,
              Verdict::kAllowed);
    return Respond(Post(kValidateGraphPath, Review(ask)), TestServices(rules)).verdict;
  };
  EXPECT_EQ(verdict("{}", R"({"spec":{"color":"red"}})"), Verdict::kDenied);
  EXPECT_EQ(verdict("{}", R"({"spec":{}})"), Verdict::kAllowed);
  EXPECT_EQ(verdict(R"({"color":"blue"})", R"({"spec":{"color":"red"}})"), Verdict::kAllowed);
}

TEST(Validate, WhatIsGoingMayGoAlsoWhenItCannotBeConverted) {
  const KindRules rules{"nvidia.com", "v1beta1",  "DynamoComponentDeployment",
                        nullptr,      CheckColor, {&kKeepsColor},
                        CheckDeleted};
  const Ask ask{
      .version = "v1alpha1",
      .operation = "UPDATE",
      .object =
          R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"unspeakable":1}})",
      .old = R"({"spec":{"colour":"red"}})",
      .kind = "DynamoComponentDeployment"};
  EXPECT_EQ(Respond(Post(kValidateComponentPath, Review(ask)), TestServices(rules)).verdict,
            Verdict::kAllowed);
}

TEST(Admission, HasNothingToSayAboutADeletion) {
  const Ask ask{.operation = "DELETE", .object = "null", .old = "{}"};
  EXPECT_EQ(Respond(Post(kValidateGraphPath, Review(ask)), TestServices()).verdict,
            Verdict::kAllowed);
}

TEST(Admission, LeavesNamespacesOfAnotherOperatorAlone) {
  Services services = TestServices();
  services.leaves_alone = [](std::string_view name_space) { return name_space == "models"; };
  EXPECT_EQ(Respond(Post(kValidateGraphPath, Review({})), services).verdict, Verdict::kAllowed);
  services.leaves_alone = [](std::string_view name_space) { return name_space == "other"; };
  EXPECT_EQ(Respond(Post(kValidateGraphPath, Review({})), services).verdict, Verdict::kDenied);
}

// W19: who may not read a template may not have claims made from it. What is shared stays as it
// was created, so only that is asked about.
TEST(Admission, TemplatesOfOtherNamespacesAreForThoseWhoMayReadThem) {
  Services services;
  services.find_rules = [](std::string_view, std::string_view) {
    static const KindRules rules{"grove.io",
                                 "v1alpha1",
                                 "PodCliqueSet",
                                 nullptr,
                                 [](const Value&, const Request&, Findings&) {},
                                 {}};
    return &rules;
  };
  std::vector<std::string> asked;
  bool allowed = false;
  services.templates.may_read = [&](const Value& user, const kube::ObjectKey& key,
                                    const WaitLimit&) -> Result<bool> {
    asked.push_back(user.FindPath("username")->string() + " " + key.ToString());
    return allowed;
  };
  const auto respond = [&](const std::string& operation) {
    const std::string set =
        R"({"spec":{"template":{"resourceSharing":[{"name":"t","namespace":"other"}]}}})";
    Value review = Json(Review({.version = "v1alpha1",
                                .operation = operation,
                                .object = set,
                                .old = set,
                                .kind = "PodCliqueSet"}));
    review.MakePath("request.kind.group") = "grove.io";
    return Respond(Post("/webhooks/validate-podcliqueset", review.Write()), services);
  };
  const Answer denied = respond("CREATE");
  EXPECT_EQ(denied.verdict, Verdict::kDenied);
  EXPECT_THAT(denied.rules, ElementsAre(&access::kTemplateAccess));
  EXPECT_THAT(asked, ElementsAre("jane other/t"));
  EXPECT_EQ(respond("UPDATE").verdict, Verdict::kAllowed);
  EXPECT_EQ(asked.size(), 1U);
  allowed = true;
  EXPECT_EQ(respond("CREATE").verdict, Verdict::kAllowed);
}

TEST(Admission, ABugOfOursDeniesWithoutEndingTheServer) {
  const Answer answer = Respond(Post(kDefaultGraphPath, Review({})), TestServices(kThrowingRules));
  EXPECT_EQ(answer.verdict, Verdict::kFailed);
  const Value response = ResponseOf(answer);
  EXPECT_EQ(response.Find("allowed")->boolean(), false);
  EXPECT_EQ(response.FindPath("status.code")->Int(), 500);
  EXPECT_THAT(response.FindPath("status.message")->string(), HasSubstr("boom"));
}

struct HttpRow {
  http::Request request;
  int status;
  const char* says;
};

TEST(Respond, TellsWhatIsNoReviewByHttpStatus) {
  http::Request get = Post(kValidateGraphPath, "");
  get.method = "GET";
  http::Request text = Post(kValidateGraphPath, Review({}));
  text.headers.Set("Content-Type", "text/plain");
  const HttpRow rows[] = {
      {Post("/nowhere", "{}"), 404, "there is no webhook at /nowhere"},
      {get, 405, "POST"},
      {text, 415, "application/json"},
      {Post(kValidateGraphPath, "nonsense"), 400, "reading the review"},
      {Post(kConvertPath, Review({})), 400, "ConversionReview"},
      {Post(kValidateGraphPath, std::string(9 << 20, ' ')), 413, "reading the review"},
  };
  for (const HttpRow& row : rows) {
    const Answer answer = Respond(row.request, TestServices());
    EXPECT_EQ(answer.response.status, row.status);
    EXPECT_EQ(answer.verdict, Verdict::kFailed);
    const Value status = Json(answer.response.body);
    EXPECT_EQ(status.Find("kind")->string(), "Status");
    EXPECT_EQ(status.Find("code")->Int(), row.status);
    EXPECT_THAT(status.Find("message")->string(), HasSubstr(row.says));
  }
}

std::string Conversion(std::string_view objects, std::string_view version = "nvidia.com/v1beta1") {
  Value review = Json(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"})");
  review.MakePath("request.uid") = "c-1";
  review.MakePath("request.desiredAPIVersion") = version;
  review.MakePath("request.objects") = Json(objects);
  return review.Write();
}

TEST(Convert, ConvertsAllObjectsOfAReview) {
  const Answer answer = Respond(Post(kConvertPath, Conversion(R"([
        {"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","spec":{"colour":"red"}},
        {"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","spec":{}}])")),
                                TestServices());
  EXPECT_EQ(answer.verdict, Verdict::kConverted);
  const Value response = ResponseOf(answer);
  EXPECT_EQ(response.FindPath("result.status")->string(), "Success");
  const auto& objects = response.Find("convertedObjects")->items();
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0].FindPath("spec.color")->string(), "red");
  EXPECT_EQ(objects[1].Find("apiVersion")->string(), "nvidia.com/v1beta1");
}

TEST(Convert, WhatObjectsBecomeIsBoundedToo) {
  Services services = TestServices();
  services.convert = [](const json::Value&, std::string_view) -> Result<json::Value> {
    json::Value list = json::Value::Array();
    for (size_t i = 0; i < kMaxConversionValues / 2; ++i) {
      list.Append(0);
    }
    return json::Value::Object({{"spec", std::move(list)}});
  };
  const Answer answer = Respond(Post(kConvertPath, Conversion(R"([
    {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": {"name": "a"}},
    {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": {"name": "b"}}
  ])")),
                                services);
  EXPECT_EQ(answer.verdict, Verdict::kFailed);
  EXPECT_THAT(answer.cause, HasSubstr("list fewer at a time"));
}

std::string GraphOf(size_t zeros) {
  std::string list = "0";
  for (size_t i = 1; i < zeros; ++i) {
    list += ",0";
  }
  return R"([{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
         R"("metadata":{"name":"llm"},"spec":{"list":[)" +
         list + "]}}]";
}

TEST(Convert, AnObjectOfTooManyValuesIsNotConverted) {
  const auto respond = [](size_t zeros) {
    return Respond(Post(kConvertPath, Conversion(GraphOf(zeros))), TestServices());
  };
  EXPECT_EQ(respond(kMaxConvertedObjectValues - 100).verdict, Verdict::kConverted);
  const Answer refused = respond(kMaxConvertedObjectValues);
  EXPECT_EQ(refused.verdict, Verdict::kFailed);
  EXPECT_THAT(refused.cause, HasSubstr("converting DynamoGraphDeployment llm (object 1 of 1)"));
  EXPECT_THAT(refused.cause, HasSubstr("800000 are converted at most"));
}

TEST(Convert, AMemberCountsOnce) {
  std::string members = R"("m":0)";
  for (size_t i = 0; i < kMaxConvertedObjectValues * 3 / 5; ++i) {
    members += R"(,"m)" + std::to_string(i) + R"(":0)";
  }
  const std::string graph =
      R"([{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","spec":{)" + members +
      "}}]";
  const Answer answer = Respond(Post(kConvertPath, Conversion(graph)), TestServices());
  EXPECT_EQ(answer.verdict, Verdict::kConverted) << answer.cause;
}

TEST(Convert, OneFailureFailsTheReviewAndNamesTheObject) {
  const Answer answer = Respond(Post(kConvertPath, Conversion(R"([
        {"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","spec":{}},
        {"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
         "metadata":{"namespace":"models","name":"llm"},"spec":{"unspeakable":1}}])")),
                                TestServices());
  EXPECT_EQ(answer.verdict, Verdict::kFailed);
  const Value response = ResponseOf(answer);
  EXPECT_EQ(response.Find("convertedObjects"), nullptr);
  EXPECT_EQ(response.FindPath("result.status")->string(), "Failure");
  EXPECT_EQ(response.FindPath("result.message")->string(),
            "converting DynamoGraphDeployment models/llm (object 2 of 2) to nvidia.com/v1beta1: "
            "spec.unspeakable cannot be said in v1beta1");
}

TEST(Convert, RefusesWhatIsNotOfTheGroup) {
  for (const char* objects :
       {R"([{"apiVersion":"apps/v1","kind":"Deployment"}])", R"([{"kind":"x"}])", "[null]"}) {
    const Answer answer = Respond(Post(kConvertPath, Conversion(objects)), TestServices());
    EXPECT_EQ(ResponseOf(answer).FindPath("result.status")->string(), "Failure") << objects;
  }
  const Answer answer = Respond(Post(kConvertPath, Conversion("[]", "a/b/c")), TestServices());
  EXPECT_THAT(answer.cause, HasSubstr("a/b/c"));
}

// A pod that is to be restored, as its review.
std::string PodReview(const char* operation = "CREATE") {
  Value review = Json(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{
    "uid":"u-1","kind":{"group":"","version":"v1","kind":"Pod"},"namespace":"models",
    "object":{"metadata":{"generateName":"w-","ownerReferences":[{"kind":"PodClique","name":"w"}],
      "labels":{"nvidia.com/dynamo-component":"w","nvidia.com/dynamo-namespace":"n",
                "nvidia.com/selector":"s"},
      "annotations":{"nvidia.com/dynamo-checkpoint-restore-candidate":"true",
                     "nvidia.com/dynamo-checkpoint-name":"checkpoint-abc",
                     "nvidia.com/snapshot-target-containers":"main"}},
      "spec":{"containers":[{"name":"main"}]}},"oldObject":{}}})");
  review["request"]["operation"] = operation;
  return review.Write();
}

Services RestoringServices(std::string phase) {
  Services services = TestServices();
  services.restore.read_checkpoint = [phase](const pod_restore::Candidate& candidate) {
    return pod_restore::CheckpointFacts{candidate.checkpoint, phase, Value::Object()};
  };
  services.restore.shape = [](Value pod, const pod_restore::Restore& restore) -> Result<Value> {
    pod["metadata"]["labels"]["shaped"] = restore.checkpoint.name + "/" + restore.targets[0];
    return pod;
  };
  return services;
}

// V7
TEST(RestorePod, ShapesWhenTheCheckpointIsReady) {
  const Answer answer = Respond(Post(kRestorePodPath, PodReview()), RestoringServices("Ready"));
  EXPECT_EQ(answer.verdict, Verdict::kPatched);
  EXPECT_EQ(PatchOf(answer).Write(),
            R"([{"op":"add","path":"/metadata/labels/shaped","value":"checkpoint-abc/main"}])");
  EXPECT_FALSE(answer.cold_start.has_value());
}

// V7
TEST(RestorePod, StartsColdWhenNotReadyAndThePodSaysWhy) {
  const Answer answer = Respond(Post(kRestorePodPath, PodReview()), RestoringServices("Creating"));
  EXPECT_EQ(answer.verdict, Verdict::kPatched);
  EXPECT_EQ(PatchOf(answer).Write(),
            R"([{"op":"add","path":"/metadata/annotations/hearth.dev~1start","value":"cold"},)"
            R"({"op":"add","path":"/metadata/annotations/hearth.dev~1start-reason",)"
            R"("value":"not_ready"}])");
  ASSERT_TRUE(answer.cold_start.has_value());
  EXPECT_TRUE(answer.cold_start->asked);
  EXPECT_EQ(answer.cold_start->why.skip, pod_restore::Skip::kNotReady);
  EXPECT_EQ(answer.cold_start->name_space, "models");
  EXPECT_EQ(answer.cold_start->owner.items()[0].Find("name")->string(), "w");
}

// V7
TEST(RestorePod, AdmitsAnUpdateUnchanged) {
  const Answer answer =
      Respond(Post(kRestorePodPath, PodReview("UPDATE")), RestoringServices("Ready"));
  EXPECT_EQ(answer.verdict, Verdict::kAllowed);
  EXPECT_EQ(answer.cold_start->why.skip, pod_restore::Skip::kNotCreate);
  EXPECT_FALSE(answer.cold_start->asked);
}

// V7
TEST(RestorePod, AdmitsAForgedCandidateUnchanged) {
  Value review = Json(PodReview());
  review["request"]["object"]["metadata"]["labels"].Erase("nvidia.com/selector");
  const Answer answer = Respond(Post(kRestorePodPath, review.Write()), RestoringServices("Ready"));
  EXPECT_EQ(answer.verdict, Verdict::kAllowed);
  EXPECT_EQ(answer.cold_start->why.skip, pod_restore::Skip::kNotOurs);
}

TEST(RestorePod, OneThatIsNoPodIsABadRequest) {
  Value review = Json(PodReview());
  review["request"]["object"]["metadata"]["labels"] = "x";
  const Answer answer = Respond(Post(kRestorePodPath, review.Write()), RestoringServices("Ready"));
  EXPECT_EQ(answer.verdict, Verdict::kDenied);
  EXPECT_EQ(ResponseOf(answer).FindPath("status.code")->Int(), 400);
}

TEST(RestorePod, ABugOfOursAdmitsThePod) {
  Services services = RestoringServices("Ready");
  services.restore.shape = [](Value, const pod_restore::Restore&) -> Result<Value> {
    throw std::runtime_error("boom");
  };
  const Answer answer = Respond(Post(kRestorePodPath, PodReview()), services);
  EXPECT_EQ(answer.verdict, Verdict::kFailed);
  EXPECT_EQ(ResponseOf(answer).Write(), R"({"uid":"u-1","allowed":true})");
}

TEST(Endpoints, EachPathIsThereOnceAndItsRulesSpeakOfAVersionItCanHave) {
  std::set<std::string_view> paths;
  for (const Endpoint& endpoint : Endpoints()) {
    EXPECT_TRUE(paths.insert(endpoint.path).second) << endpoint.path;
    const KindRules* rules = FindRules(endpoint.group, endpoint.kind);
    if (rules != nullptr && rules->version != endpoint.version) {
      EXPECT_EQ(rules->version, api::conversion::kHubVersion) << endpoint.path;
      EXPECT_EQ(endpoint.group, "nvidia.com") << endpoint.path;
    }
  }
}

// The authorizer: whatever kind it is asked about.
class Protect : public ::testing::Test {
 protected:
  Protect() {
    services_.guard.accounts = {"system:serviceaccount:hearth:operator"};
    services_.guard.read_set = [this](const kube::ObjectKey&) -> Result<Value> { return set_; };
  }

  Answer Update(const std::string& user) const {
    const std::string old =
        R"({"metadata":{"labels":{"app.kubernetes.io/managed-by":"grove-operator",)"
        R"("app.kubernetes.io/part-of":"llm"}}})";
    return Respond(Post("/webhooks/authorizer-webhook?timeout=10s", Review({.version = "v1alpha1",
                                                                            .operation = "UPDATE",
                                                                            .old = old,
                                                                            .user = user,
                                                                            .kind = "PodClique"})),
                   services_);
  }

  Services services_;
  Result<Value> set_ = Value::Object();
};

TEST_F(Protect, AllowsTheOperator) {
  const Answer answer = Update("system:serviceaccount:hearth:operator");
  EXPECT_EQ(answer.verdict, Verdict::kAllowed);
  EXPECT_EQ(*ResponseOf(answer).Find("allowed"), Value(true));
}

TEST_F(Protect, ForbidsOthers) {
  const Answer answer = Update("jane");
  EXPECT_EQ(answer.verdict, Verdict::kDenied);
  const Value response = ResponseOf(answer);
  EXPECT_EQ(*response.Find("allowed"), Value(false));
  EXPECT_EQ(response.FindPath("status.code")->Int(), 403);
  EXPECT_EQ(response.FindPath("status.reason")->string(), "Forbidden");
  EXPECT_THAT(response.FindPath("status.message")->string(), HasSubstr("\"jane\" may not change"));
}

TEST_F(Protect, WarnsWhereThereIsNoSet) {
  set_ = NotFoundError("gone");
  const Answer answer = Update("jane");
  EXPECT_EQ(answer.verdict, Verdict::kAllowed);
  EXPECT_THAT(ResponseOf(answer).Find("warnings")->Write(), HasSubstr("which is not there"));
}

TEST_F(Protect, RefusesWhileItCannotLook) {
  set_ = UnavailableError("no server");
  const Answer answer = Update("jane");
  EXPECT_EQ(answer.verdict, Verdict::kFailed);
  EXPECT_EQ(ResponseOf(answer).FindPath("status.code")->Int(), 500);
}

TEST_F(Protect, LeavesNamespacesOfOthersAlone) {
  services_.leaves_alone = [](std::string_view) { return true; };
  EXPECT_EQ(Update("jane").verdict, Verdict::kAllowed);
}

}  // namespace
}  // namespace hearth::admission::webhook
