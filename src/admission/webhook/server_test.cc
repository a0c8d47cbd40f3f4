#include "admission/webhook/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "http/client.h"
#include "json/parse.h"

namespace hearth::admission::webhook {
namespace {

using json::Value;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr Rule kNever{"thing-is-never-good", "for the test"};

void Refuse(const Value&, const Request&, Findings& findings) {
  findings.Add(kNever, schema::Required(schema::FieldPath::Base("spec")));
}

const KindRules kRules{"nvidia.com", "v1alpha1", "DynamoCheckpoint", nullptr, Refuse, {&kNever}};

std::string Review(std::string_view kind, std::string_view group, std::string_view version,
                   const char* object = "{}") {
  Value review = json::ParseValue(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",
      "request":{"uid":"u","operation":"CREATE","namespace":"models"}})")
                     .value();
  review.MakePath("request.kind.kind") = kind;
  review.MakePath("request.kind.group") = group;
  review.MakePath("request.kind.version") = version;
  review.MakePath("request.object") = json::ParseValue(object).value();
  return review.Write();
}

std::string CheckpointReview() { return Review("DynamoCheckpoint", "nvidia.com", "v1alpha1"); }

class WebhookServerTest : public testing::Test {
 protected:
  WebhookServerTest() {
    services_.find_rules = [](std::string_view, std::string_view kind) -> const KindRules* {
      return kind == kRules.kind ? &kRules : nullptr;
    };
    options_.listen = {.tls = true, .host = "127.0.0.1"};
  }

  WebhookServer& Start() {
    server_ = std::make_unique<WebhookServer>(loop_, clock_, options_, services_, metrics_,
                                              Logger::Null());
    return *server_;
  }
  net::CertificatePair Authority() {
    return net::MakeCertificate({.common_name = "ca", .is_ca = true}, RealClock()).value();
  }
  net::TlsMaterial Sign(const net::CertificatePair& authority) {
    const auto pair = net::MakeCertificate({.ip_addresses = {"127.0.0.1"}, .lifetime = hours(24)},
                                           RealClock(), &authority)
                          .value();
    return {"", pair.certificate_pem, pair.private_key_pem};
  }
  // Over a new connection each time.
  Result<http::Response> Ask(const net::CertificatePair& believed, std::string_view path,
                             std::string body) {
    auto tls = net::TlsContext::Create({.ca_pem = believed.certificate_pem}, {}).value();
    http::Client client(loop_, *server_->endpoint(), std::move(tls));
    http::Request request{.method = "POST", .target = std::string(path), .body = std::move(body)};
    request.headers.Set("Content-Type", "application/json");
    return client.Send(std::move(request), WaitLimit::For(RealClock(), minutes(2)));
  }
  double Count(const std::string& name, const MetricLabels& labels) {
    return metrics_.counter(name, "", labels).value();
  }

  net::EventLoop loop_{"webhook-test"};
  ManualClock clock_{RealClock().WallNow()};
  Metrics metrics_;
  Services services_;
  WebhookServerOptions options_;
  std::unique_ptr<WebhookServer> server_;
};

TEST_F(WebhookServerTest, ListensFromTheFirstCertificateOn) {
  WebhookServer& server = Start();
  EXPECT_EQ(server.endpoint(), std::nullopt);
  EXPECT_THAT(server.Ready().ToString(), HasSubstr("waits for its certificate"));
  const auto authority = Authority();
  ASSERT_OK(server.Serve(Sign(authority)));
  EXPECT_OK(server.Ready());
  ASSERT_OK_AND_ASSIGN(const auto answer,
                       Ask(authority, kValidateCheckpointPath, CheckpointReview()));
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr("is invalid: spec: Required value"));
}

TEST_F(WebhookServerTest, AnswersNewConnectionsWithTheNewCertificate) {
  WebhookServer& server = Start();
  const auto one = Authority();
  const auto two = Authority();
  ASSERT_OK(server.Serve(Sign(one)));
  EXPECT_CODE(Code::kUnauthenticated, Ask(two, kValidateCheckpointPath, CheckpointReview()));
  ASSERT_OK(server.Serve(Sign(two)));
  EXPECT_OK(Ask(two, kValidateCheckpointPath, CheckpointReview()));
}

TEST_F(WebhookServerTest, KeepsWhatItHasWhenTheNewOneIsGarbage) {
  WebhookServer& server = Start();
  const auto authority = Authority();
  EXPECT_CODE(Code::kInvalid, server.Serve({"", "garbage", "garbage"}));
  ASSERT_OK(server.Serve(Sign(authority)));
  EXPECT_CODE(Code::kInvalid, server.Serve({"", Sign(authority).certificate_pem, "garbage"}));
  EXPECT_OK(Ask(authority, kValidateCheckpointPath, CheckpointReview()));
}

TEST_F(WebhookServerTest, IsNotReadyWithAnExpiredCertificate) {
  WebhookServer& server = Start();
  ASSERT_OK(server.Serve(Sign(Authority())));
  clock_.Advance(hours(25));
  EXPECT_THAT(server.Ready().ToString(), HasSubstr("expired"));
}

TEST_F(WebhookServerTest, IsNotReadyOnceStopped) {
  WebhookServer& server = Start();
  ASSERT_OK(server.Serve(Sign(Authority())));
  server.Stop(WaitLimit::For(RealClock(), seconds(5)));
  EXPECT_CODE(Code::kUnavailable, server.Ready());
  EXPECT_CODE(Code::kCancelled, server.Serve(Sign(Authority())));
}

TEST_F(WebhookServerTest, CountsByPathVerdictAndRule) {
  WebhookServer& server = Start();
  const auto authority = Authority();
  ASSERT_OK(server.Serve(Sign(authority)));
  ASSERT_OK(
      Ask(authority, std::string(kValidateCheckpointPath) + "?timeout=10s", CheckpointReview()));
  ASSERT_OK(Ask(authority, "/some/where", "{}"));
  ASSERT_OK(Ask(authority, "/else/where", "{}"));
  const std::string path(kValidateCheckpointPath);
  EXPECT_EQ(
      Count("dynamo_operator_webhook_requests_total", {{"path", path}, {"verdict", "denied"}}), 1);
  EXPECT_EQ(
      Count("dynamo_operator_webhook_requests_total", {{"path", "other"}, {"verdict", "failed"}}),
      2);
  EXPECT_EQ(Count("dynamo_operator_webhook_denials_total", {{"rule", kNever.id}}), 1);
  EXPECT_EQ(metrics_.gauge("dynamo_operator_webhook_in_flight", "").value(), 0);
  EXPECT_THAT(metrics_.Expose(), HasSubstr("dynamo_operator_webhook_duration_seconds_count"));
}

std::string Conversion(size_t padding) {
  Value review = json::ParseValue(R"({"apiVersion":"apiextensions.k8s.io/v1",
      "kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"nvidia.com/v1beta1",
      "objects":[{"apiVersion":"nvidia.com/v1alpha1"}]}})")
                     .value();
  review.MakePath("request.padding") = std::string(padding, 'p');
  return review.Write();
}

// Conversions that stay inside until they are let go.
class HeldConversions {
 public:
  Result<Value> Convert(const Value& object) {
    std::unique_lock lock(mutex_);
    most_inside_ = std::max(most_inside_, ++inside_);
    changed_.notify_all();
    changed_.wait(lock, [&] { return let_go_; });
    --inside_;
    return object;
  }
  void AwaitOneInside() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside_ > 0; });
  }
  void LetGo() {
    std::lock_guard lock(mutex_);
    let_go_ = true;
    changed_.notify_all();
  }
  int most_inside() {
    std::lock_guard lock(mutex_);
    return most_inside_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  int most_inside_ = 0;
  bool let_go_ = false;
};

TEST_F(WebhookServerTest, LooksAtLargeReviewsOneByOneAndAtSmallOnesBeside) {
  HeldConversions held;
  services_.convert = [&](const Value& object, std::string_view) { return held.Convert(object); };
  WebhookServer& server = Start();
  const auto authority = Authority();
  ASSERT_OK(server.Serve(Sign(authority)));
  const auto send_large = [&] { return Ask(authority, kConvertPath, Conversion(1 << 20)); };
  auto one = std::async(std::launch::async, send_large);
  auto two = std::async(std::launch::async, send_large);
  held.AwaitOneInside();
  for (int i = 0; i < 20; ++i) {
    EXPECT_OK(Ask(authority, kValidateCheckpointPath, CheckpointReview()));
  }
  EXPECT_EQ(held.most_inside(), 1);
  held.LetGo();
  EXPECT_OK(one.get());
  EXPECT_OK(two.get());
}

// Answers in the order they come.
class Answers {
 public:
  void Add(Result<http::Response> answer) {
    std::lock_guard lock(mutex_);
    answers_.push_back(std::move(answer));
    changed_.notify_all();
  }
  Result<http::Response> Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !answers_.empty(); });
    Result<http::Response> answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result<http::Response>> answers_;
};

TEST_F(WebhookServerTest, LargeReviewsThatWaitLeaveHalfOfTheWorkersToSmallOnes) {
  options_.workers = 4;
  HeldConversions held;
  services_.convert = [&](const Value& object, std::string_view) { return held.Convert(object); };
  WebhookServer& server = Start();
  const auto authority = Authority();
  ASSERT_OK(server.Serve(Sign(authority)));
  Answers answers;
  std::vector<std::future<void>> clients(4);
  for (auto& client : clients) {
    client = std::async(std::launch::async,
                        [&] { answers.Add(Ask(authority, kConvertPath, Conversion(1 << 20))); });
  }
  for (int refused = 0; refused < 2; ++refused) {
    const auto answer = answers.Next();
    EXPECT_OK(answer);
    EXPECT_EQ(answer.ok() ? answer->status : 0, 503);
    EXPECT_THAT(answer.ok() ? answer->body : "", HasSubstr("wait for their turn; try again"));
    EXPECT_EQ(answer.ok() ? answer->headers.Get("Retry-After") : "", "1");
  }
  EXPECT_OK(Ask(authority, kValidateCheckpointPath, CheckpointReview()));
  held.LetGo();
  for (int answered = 0; answered < 2; ++answered) {
    const auto answer = answers.Next();
    EXPECT_OK(answer);
    EXPECT_EQ(answer.ok() ? answer->status : 0, 200);
  }
  EXPECT_OK(Ask(authority, kConvertPath, Conversion(1 << 20)));
}

// A large review that asks about a PodCliqueSet.
std::string LargeUpdateOfAClique() {
  Value review = json::ParseValue(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",
      "request":{"uid":"u","operation":"UPDATE","namespace":"models","name":"c",
      "userInfo":{"username":"somebody"},
      "kind":{"group":"grove.io","version":"v1alpha1","kind":"PodClique"},
      "oldObject":{"metadata":{"labels":{"app.kubernetes.io/managed-by":"grove-operator",
      "app.kubernetes.io/part-of":"set"}}}}})")
                     .value();
  review.MakePath("request.object") = *review.FindPath("request.oldObject");
  review.MakePath("request.padding") = std::string(1 << 20, 'p');
  return review.Write();
}

TEST_F(WebhookServerTest, ALargeReviewThatAsksOthersKeepsNobodyWaiting) {
  std::promise<void> asked;
  std::promise<void> let_go;
  services_.guard.read_set = [&](const kube::ObjectKey& key) -> Result<Value> {
    EXPECT_EQ(key.ToString(), "models/set");
    asked.set_value();  // a second time would throw
    let_go.get_future().wait();
    return json::ParseValue(R"({"metadata":{"name":"set"}})").value();
  };
  services_.convert = [](const Value& object, std::string_view) { return object; };
  WebhookServer& server = Start();
  const auto authority = Authority();
  ASSERT_OK(server.Serve(Sign(authority)));
  auto slow = std::async(std::launch::async,
                         [&] { return Ask(authority, kProtectPath, LargeUpdateOfAClique()); });
  asked.get_future().wait();
  ASSERT_OK_AND_ASSIGN(const auto beside, Ask(authority, kConvertPath, Conversion(1 << 20)));
  EXPECT_EQ(beside.status, 200);
  let_go.set_value();
  ASSERT_OK_AND_ASSIGN(const auto answer, slow.get());
  EXPECT_THAT(answer.body, HasSubstr("disable-managed-resource-protection"))
      << "it is judged by what the set says";
}

// W12
TEST_F(WebhookServerTest, TellsOfPodsThatStartCold) {
  std::promise<std::string> told;
  options_.on_cold_start = [&](const Answer::ColdStart& cold_start) {
    told.set_value(std::string(pod_restore::SkipReason(cold_start.why.skip)));
  };
  WebhookServer& server = Start();
  const auto authority = Authority();
  ASSERT_OK(server.Serve(Sign(authority)));
  ASSERT_OK(Ask(authority, kRestorePodPath, Review("Pod", "", "v1", R"({"metadata":{
      "labels":{"nvidia.com/dynamo-component":"w","nvidia.com/dynamo-namespace":"n",
                "nvidia.com/selector":"s"},
      "annotations":{"nvidia.com/dynamo-checkpoint-restore-candidate":"true",
                     "nvidia.com/dynamo-checkpoint-name":"c"}},"spec":{}})")));
  EXPECT_EQ(told.get_future().get(), "checkpoint_unreadable");
  EXPECT_EQ(Count("hearth_restore_skipped_total", {{"reason", "checkpoint_unreadable"}}), 1);
}

// A pod that never asked for a checkpoint misses none.
TEST_F(WebhookServerTest, CountsOnlyPodsThatAsked) {
  std::promise<bool> asked;
  options_.on_cold_start = [&](const Answer::ColdStart& cold_start) {
    asked.set_value(cold_start.asked);
  };
  WebhookServer& server = Start();
  const auto authority = Authority();
  ASSERT_OK(server.Serve(Sign(authority)));
  ASSERT_OK(
      Ask(authority, kRestorePodPath, Review("Pod", "", "v1", R"({"metadata":{},"spec":{}})")));
  EXPECT_FALSE(asked.get_future().get());
  EXPECT_EQ(Count("hearth_restore_skipped_total", {{"reason", "not_candidate"}}), 0);
}

}  // namespace
}  // namespace hearth::admission::webhook
