// What a controller must survive, each against a real kube-apiserver: nothing is missed, nothing is
// done twice, nothing spins.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>

#include "base/publish.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "eventually.h"
#include "greeter_rig.h"
#include "kube/model/api_status.h"

namespace hearth {
namespace {

using namespace std::chrono_literals;

class Faults : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    plane_ = kube::SharedControlPlane(&why_not);
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    InstallGreetings(*plane_);
  }

  // A settled controller, told to look at everything again, sends no write.
  static void ExpectSettled(GreeterRig& rig) {
    ASSERT_TRUE(Eventually([&] { return AllStatusesWritten(rig); }));
    rig.faults().ForgetSent();
    rig.Greet("settled-probe", {"me"});
    ASSERT_TRUE(rig.AwaitGreetings("settled-probe", GreeterRig::Expected({"me"})));
    ASSERT_TRUE(Eventually([&] { return StatusWritten(rig, "settled-probe"); }));
    for (const std::string& line : rig.faults().Sent()) {
      if (line.starts_with("GET ")) {
        continue;
      }
      EXPECT_TRUE(line.find("settled-probe") != std::string::npos ||
                  line.find("/events") != std::string::npos)
          << "a settled controller wrote: " << line;
    }
  }

  static bool AllStatusesWritten(GreeterRig& rig) {
    const auto greetings = rig.client().List(greeter::kGreetings, rig.name_space(), rig.Limit());
    return greetings.ok() &&
           std::all_of(greetings->items.begin(), greetings->items.end(), [](const auto& greeting) {
             return greeting.view()["status"]["guests"].exists();
           });
  }

  static bool StatusWritten(GreeterRig& rig, const std::string& name) {
    const auto greeting =
        rig.client().Get(greeter::kGreetings, {rig.name_space(), name}, rig.Limit());
    return greeting.ok() && greeting->view()["status"]["guests"].exists();
  }

  static http::Response Failure(int code, const std::string& reason) {
    http::Response response;
    response.status = code;
    response.headers.Set("Content-Type", "application/json");
    response.headers.Set("Retry-After", "1");
    response.body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":")" + reason +
                    R"(","code":)" + std::to_string(code) + R"(,"message":"made up by the test"})";
    return response;
  }

  kube::TestControlPlane* plane_ = nullptr;
};

TEST_F(Faults, ServerKilledAndRestartedUnderLoad) {
  GreeterRig rig(*plane_, {});
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  std::thread load([&] {
    for (int i = 0; i < 30; ++i) {
      rig.Greet("load-" + std::to_string(i), {"guest" + std::to_string(i)});
    }
  });
  ASSERT_TRUE(Eventually([&] { return !rig.Greetings("load-5").empty(); }));
  plane_->KillApiServer();
  ASSERT_OK(plane_->StartApiServer());
  load.join();
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(rig.AwaitGreetings("load-" + std::to_string(i),
                                   GreeterRig::Expected({"guest" + std::to_string(i)})))
        << i;
  }
  ExpectSettled(rig);
  EXPECT_OK(rig.Stop());
}

TEST_F(Faults, WatchCutMidLine) {
  RigOptions options;
  options.through_proxy = true;
  GreeterRig rig(*plane_, options);
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  const uint64_t connections = rig.proxy().accepted();
  for (int i = 0; i < 12; ++i) {
    // Somewhere inside an event, another place every time.
    rig.proxy().CutAfter(700 + 331 * static_cast<uint64_t>(i));
    rig.Greet("cut-" + std::to_string(i), {"a", "b"});
    if (i % 3 == 0) {
      rig.proxy().CutAll();
    }
  }
  rig.proxy().CutAfter(0);
  for (int i = 0; i < 12; ++i) {
    EXPECT_TRUE(rig.AwaitGreetings("cut-" + std::to_string(i), GreeterRig::Expected({"a", "b"})))
        << i;
  }
  EXPECT_GE(rig.proxy().accepted(), connections + 1) << "nothing was cut";
  ExpectSettled(rig);
}

TEST_F(Faults, AllWatchesExpireAtOnce) {
  GreeterRig rig(*plane_, {});
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  for (int i = 0; i < 5; ++i) {
    const std::string name = "gone-" + std::to_string(i);
    rig.faults().HoldWatches(true);
    rig.Greet(name, {"x"});
    // The event that tells of it is lost together with the watches.
    rig.faults().ExpireWatches();
    rig.faults().HoldWatches(false);
    EXPECT_TRUE(rig.AwaitGreetings(name, GreeterRig::Expected({"x"}))) << i;
  }
  ExpectSettled(rig);
}

TEST_F(Faults, ObjectDeletedWhileNobodyWatchedIsNoticed) {
  GreeterRig rig(*plane_, {});
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  rig.Greet("kept", {"x"});
  ASSERT_TRUE(rig.AwaitGreetings("kept", GreeterRig::Expected({"x"})));
  ASSERT_TRUE(Eventually([&] { return StatusWritten(rig, "kept"); }));
  rig.faults().HoldWatches(true);
  ASSERT_OK(
      rig.client().Delete(kube::types::ConfigMaps(), {rig.name_space(), "kept"}, rig.Limit()));
  rig.faults().ExpireWatches();
  rig.faults().HoldWatches(false);
  EXPECT_TRUE(rig.AwaitGreetings("kept", GreeterRig::Expected({"x"})))
      << "the owner was not woken by its child's disappearance";
}

TEST_F(Faults, ServerAnswersTooManyRequestsAndErrors) {
  GreeterRig rig(*plane_, {});
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  const auto writes = [](const http::Request& request) { return request.method == "PATCH"; };
  for (const auto& [code, reason] : std::map<int, std::string>{
           {429, "TooManyRequests"}, {500, "InternalError"}, {503, "ServiceUnavailable"}}) {
    rig.faults().AnswerNext(2, Failure(code, reason), writes);
    const std::string name = "busy-" + std::to_string(code);
    rig.Greet(name, {"x"});
    EXPECT_TRUE(rig.AwaitGreetings(name, GreeterRig::Expected({"x"}))) << code;
  }
  // Also when it is the watches that are refused.
  rig.faults().AnswerNext(3, Failure(429, "TooManyRequests"),
                          [](const http::Request& request) { return request.method == "GET"; });
  rig.faults().ExpireWatches();
  rig.Greet("after", {"x"});
  EXPECT_TRUE(rig.AwaitGreetings("after", GreeterRig::Expected({"x"})));
  ExpectSettled(rig);
}

TEST_F(Faults, HungConnectionIsNoticed) {
  RigOptions options;
  options.through_proxy = true;
  options.manager.informer.watch_idle_timeout = 1s;
  options.manager.informer.head_timeout = 2s;
  GreeterRig rig(*plane_, options);
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  rig.proxy().HangExisting();
  rig.Greet("hung", {"x"});
  EXPECT_TRUE(rig.AwaitGreetings("hung", GreeterRig::Expected({"x"})));
}

TEST_F(Faults, ServerThatStopsRunningIsWaitedFor) {
  GreeterRig rig(*plane_, {});
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  plane_->PauseApiServer();
  std::thread greeting([&] { rig.Greet("paused", {"x"}); });
  plane_->ResumeApiServer();
  greeting.join();
  EXPECT_TRUE(rig.AwaitGreetings("paused", GreeterRig::Expected({"x"})));
}

TEST_F(Faults, ObjectDeletedAndRecreatedUnderTheSameName) {
  GreeterRig rig(*plane_, {});
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  rig.Greet("twin", {"first"});
  ASSERT_TRUE(rig.AwaitGreetings("twin", GreeterRig::Expected({"first"})));
  ASSERT_TRUE(Eventually([&] { return StatusWritten(rig, "twin"); }));
  rig.faults().HoldWatches(true);
  ASSERT_OK(rig.client().Delete(greeter::kGreetings, {rig.name_space(), "twin"}, rig.Limit()));
  rig.Greet("twin", {"second"});
  const auto recreated =
      rig.client().Get(greeter::kGreetings, {rig.name_space(), "twin"}, rig.Limit());
  ASSERT_OK(recreated);
  rig.faults().ExpireWatches();
  rig.faults().HoldWatches(false);
  EXPECT_TRUE(rig.AwaitGreetings("twin", GreeterRig::Expected({"second"})));
  EXPECT_TRUE(Eventually([&] { return StatusWritten(rig, "twin"); }))
      << "the new object's status was taken for the old one's";
  const auto config_map =
      rig.client().Get(kube::types::ConfigMaps(), {rig.name_space(), "twin"}, rig.Limit());
  ASSERT_OK(config_map);
  EXPECT_EQ(config_map->meta().owners().at(0).uid, recreated->meta().uid());
}

// Trap 5: the key is held until the cache shows what the last pass wrote.
TEST_F(Faults, OwnWriteNotYetInTheCacheIsNotRepeated) {
  GreeterRig rig(*plane_, {});
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  rig.Greet("lag", {"x"});
  ASSERT_TRUE(rig.AwaitGreetings("lag", GreeterRig::Expected({"x"})));
  ASSERT_TRUE(Eventually([&] { return StatusWritten(rig, "lag"); }));
  ExpectSettled(rig);
  rig.faults().ForgetSent();
  // A change arrives, and from then on the cache is blind: the pass writes and must not run again
  // on what it knew before.
  rig.Greet("lag", {"y"});
  ASSERT_TRUE(Eventually([&] { return rig.faults().CountSent("PATCH") >= 1; }));
  rig.faults().HoldWatches(true);
  ASSERT_TRUE(rig.AwaitGreetings("lag", GreeterRig::Expected({"y"})));
  rig.Greet("other", {"z"});
  const auto patches_of_lag = [&] {
    int count = 0;
    for (const std::string& line : rig.faults().Sent()) {
      count +=
          line.starts_with("PATCH ") && line.find("/configmaps/lag") != std::string::npos ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(patches_of_lag(), 1);
  rig.faults().HoldWatches(false);
  EXPECT_TRUE(rig.AwaitGreetings("other", GreeterRig::Expected({"z"})));
  EXPECT_EQ(patches_of_lag(), 1);
}

// A token of a service account that may do everything. It dies with the account.
class ServiceAccountToken {
 public:
  ServiceAccountToken(kube::Client& client, std::string name)
      : client_(client), key_{"default", std::move(name)} {
    const auto limit = WaitLimit::For(RealClock(), 20s);
    const json::Blob account = kube::NewObject(kube::types::ServiceAccounts(), key_).ToBlob();
    EXPECT_OK(
        client_.Create(kube::types::ServiceAccounts(), key_.name_space, account.view(), limit));
    const json::Blob binding = Binding().ToBlob();
    EXPECT_OK(client_.Create(ClusterRoleBindings(), "", binding.view(), limit));
    const json::Blob request =
        json::Value::Object({{"apiVersion", "authentication.k8s.io/v1"},
                             {"kind", "TokenRequest"},
                             {"spec", json::Value::Object({{"expirationSeconds", 3600}})}})
            .ToBlob();
    kube::WriteOptions options;
    options.subresource = "token";
    const auto issued = client_.CreateSubresource(kube::types::ServiceAccounts(), key_,
                                                  request.view(), limit, options);
    EXPECT_OK(issued);
    text_ = issued.ok() ? issued->view()["status"]["token"].StringOr("") : "";
  }
  const std::string& text() const { return text_; }
  void Revoke() {
    EXPECT_OK(
        client_.Delete(kube::types::ServiceAccounts(), key_, WaitLimit::For(RealClock(), 20s)));
  }

 private:
  static const kube::ResourceType& ClusterRoleBindings() {
    static const kube::ResourceType kType{"rbac.authorization.k8s.io", "v1", "clusterrolebindings",
                                          "ClusterRoleBinding", false};
    return kType;
  }
  json::Value Binding() const {
    json::Value binding = kube::NewObject(ClusterRoleBindings(), {"", key_.name});
    binding.Set("roleRef", json::Value::Object({{"apiGroup", "rbac.authorization.k8s.io"},
                                                {"kind", "ClusterRole"},
                                                {"name", "cluster-admin"}}));
    binding.Set(
        "subjects",
        json::Value::Array({json::Value::Object(
            {{"kind", "ServiceAccount"}, {"name", key_.name}, {"namespace", key_.name_space}})}));
    return binding;
  }

  kube::Client& client_;
  kube::ObjectKey key_;
  std::string text_;
};

TEST_F(Faults, TokenRotated) {
  net::EventLoop loop("tokens");
  ASSERT_OK_AND_ASSIGN(const auto transport, kube::MakeHttpTransport(loop, plane_->config(),
                                                                     kube::ConfigSources::Real()));
  kube::Client admin(*transport, RealClock());
  ServiceAccountToken first(admin, "rotating-1-" + std::to_string(::getpid()));
  ServiceAccountToken second(admin, "rotating-2-" + std::to_string(::getpid()));
  TempDirectory directory;
  const std::string token_file = directory / "token";
  ASSERT_OK(PublishFile(RealFileSystem(), token_file, first.text()));

  RigOptions options;
  options.config = plane_->config();
  options.config.certificate_pem.clear();
  options.config.private_key_pem.clear();
  options.config.credentials = kube::TokenFile(token_file, RealFileSystem(), RealClock());
  kube::Config with_first = options.config;
  with_first.credentials = kube::StaticToken(first.text());
  GreeterRig rig(*plane_, options);
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());

  // The new token is in the file, the old one stops working: the client finds out by being refused.
  ASSERT_OK(PublishFile(RealFileSystem(), token_file, second.text()));
  first.Revoke();
  ASSERT_OK_AND_ASSIGN(const auto old_transport,
                       kube::MakeHttpTransport(loop, with_first, kube::ConfigSources::Real()));
  kube::Client old_client(*old_transport, RealClock());
  ASSERT_TRUE(Eventually([&] {
    return old_client.List(greeter::kGreetings, "default", WaitLimit::For(RealClock(), 5s))
        .status()
        .Is(Code::kUnauthenticated);
  })) << "the API server still takes the revoked token";
  rig.Greet("rotated", {"x"});
  EXPECT_TRUE(rig.AwaitGreetings("rotated", GreeterRig::Expected({"x"})));
}

TEST_F(Faults, CertificateRotated) {
  RigOptions options;
  options.through_proxy = true;
  GreeterRig rig(*plane_, options);
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  ASSERT_OK(plane_->ReplaceServingCertificate());
  rig.proxy().CutAll();
  rig.Greet("new-certificate", {"x"});
  EXPECT_TRUE(rig.AwaitGreetings("new-certificate", GreeterRig::Expected({"x"})));
}

// Trap 10. The first leader is cut off from the server; it must have ended before the second may
// act.
TEST_F(Faults, LeaderLostWhileWriting) {
  RigOptions options;
  options.through_proxy = true;
  options.manager.leader_elect = true;
  options.manager.lease_name = "rig-lease-" + std::to_string(::getpid());
  options.manager.lease_namespace = "default";
  options.manager.lease_duration = 6s;
  options.manager.renew_deadline = 3s;
  options.manager.retry_period = 500ms;
  GreeterRig first(*plane_, options);
  first.Start();
  ASSERT_TRUE(first.AwaitReady());
  GreeterRig second(*plane_, options);
  second.Start();

  first.proxy().SetFrozen(true);
  second.Greet("handed-over", {"x"});
  ASSERT_TRUE(second.AwaitGreetings("handed-over", GreeterRig::Expected({"x"})));
  // The second leads, so the first has given up by itself, without any answer from the server.
  EXPECT_FALSE(first.Stop().ok());
  const size_t sent = first.faults().Sent().size();
  first.proxy().SetFrozen(false);
  second.Greet("later", {"y"});
  EXPECT_TRUE(second.AwaitGreetings("later", GreeterRig::Expected({"y"})));
  EXPECT_EQ(first.faults().Sent().size(), sent) << "the former leader went on writing";
}

TEST_F(Faults, SettledSystemMakesNoRequests) {
  GreeterRig rig(*plane_, {});
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  ExpectSettled(rig);
}

}  // namespace
}  // namespace hearth
