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

  // A settled controller that is woken for something new writes nothing else.
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

  // Lists and watches: a reflector that tries again without a pause makes thousands in a second.
  static void ExpectFewReads(GreeterRig& rig, int most) {
    EXPECT_LE(rig.faults().CountSent("GET"), most) << "it spins";
  }

  static std::vector<std::string> Writes(GreeterRig& rig) {
    std::vector<std::string> sent = rig.faults().Sent();
    std::erase_if(sent, [](const std::string& line) { return line.starts_with("GET "); });
    return sent;
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
  rig.faults().ForgetSent();
  plane_->KillApiServer();
  ASSERT_OK(plane_->StartApiServer());
  load.join();
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(rig.AwaitGreetings("load-" + std::to_string(i),
                                   GreeterRig::Expected({"guest" + std::to_string(i)})))
        << i;
  }
  ExpectFewReads(rig, 40);
  ExpectSettled(rig);
  EXPECT_OK(rig.Stop());
}

TEST_F(Faults, WatchCutMidLine) {
  RigOptions options;
  options.through_proxy = true;
  GreeterRig rig(*plane_, options);
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  for (int i = 0; i < 6; ++i) {
    // Somewhere inside an event, another place every time.
    rig.proxy().CutAfter(300 + 211 * static_cast<uint64_t>(i));
    const uint64_t before = rig.proxy().cut();
    rig.Greet("cut-" + std::to_string(i), {"a", "b"});
    EXPECT_TRUE(Eventually([&] { return rig.proxy().cut() > before; })) << i;
    if (i % 2 == 0) {
      rig.proxy().CutAll();
    }
  }
  rig.proxy().CutAfter(0);
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(rig.AwaitGreetings("cut-" + std::to_string(i), GreeterRig::Expected({"a", "b"})))
        << i;
  }
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
  rig.faults().ForgetSent();
  rig.faults().AnswerNext(3, Failure(429, "TooManyRequests"),
                          [](const http::Request& request) { return request.method == "GET"; });
  rig.faults().ExpireWatches();
  rig.Greet("after", {"x"});
  EXPECT_TRUE(rig.AwaitGreetings("after", GreeterRig::Expected({"x"})));
  ExpectFewReads(rig, 20);
  ExpectSettled(rig);
}

// From something between us and the API server. No verdict on the object, so the work must be done.
TEST_F(Faults, AnswersThatAreNotTheServersAreNotBelieved) {
  GreeterRig rig(*plane_, {});
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  const auto writes = [](const http::Request& request) { return request.method == "PATCH"; };
  for (const int code : {400, 404, 418, 422}) {
    http::Response page;
    page.status = code;
    page.headers.Set("Content-Type", "text/html");
    page.body = "<html><body>made up by the test</body></html>";
    rig.faults().AnswerNext(1, page, writes);
    const std::string name = "page-" + std::to_string(code);
    rig.Greet(name, {"x"});
    EXPECT_TRUE(rig.AwaitGreetings(name, GreeterRig::Expected({"x"}))) << code;
  }
  const std::string garbage[] = {
      "\x15\x03\x01 not for you \r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: a few\r\n\r\n{}",
      "HTTP/1.1 200 OK\r\nPadding: " + std::string(100 << 10, 'x') + "\r\n\r\n",
  };
  for (size_t i = 0; i < std::size(garbage); ++i) {
    rig.faults().AnswerNextWithBytes(1, garbage[i], writes);
    const std::string name = "garbage-" + std::to_string(i);
    rig.Greet(name, {"x"});
    EXPECT_TRUE(rig.AwaitGreetings(name, GreeterRig::Expected({"x"}))) << i;
  }
  // Also when it is the lists and watches that get them.
  rig.faults().ForgetSent();
  rig.faults().AnswerNextWithBytes(
      3, garbage[0], [](const http::Request& request) { return request.method == "GET"; });
  rig.faults().ExpireWatches();
  rig.Greet("after", {"x"});
  EXPECT_TRUE(rig.AwaitGreetings("after", GreeterRig::Expected({"x"})));
  ExpectFewReads(rig, 20);
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

// The same long before the idle limit: the server is asked, and used to answer.
TEST_F(Faults, HungConnectionIsNoticedByASignOfLifeThatDoesNotCome) {
  RigOptions options;
  options.through_proxy = true;
  options.manager.informer.ask_for_life_after = 2s;  // a busy server answers late
  GreeterRig rig(*plane_, options);
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  // Some questions and answers: until two have come it is not known that they do.
  SleepFor(RealClock(), 10s, {});
  EXPECT_EQ(rig.proxy().connections(), static_cast<int>(rig.proxy().accepted()))
      << "no watch was given up that lives";
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
  // Long enough for the request to be on its way; nothing can be observed of a server that stands.
  SleepFor(RealClock(), 2s, {});
  plane_->ResumeApiServer();
  greeting.join();
  EXPECT_TRUE(rig.AwaitGreetings("paused", GreeterRig::Expected({"x"})));
}

// Trap 4. The new object is equal to the old one in everything but its uid.
TEST_F(Faults, ObjectDeletedAndRecreatedUnderTheSameName) {
  GreeterRig rig(*plane_, {});
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  const kube::ObjectKey key{rig.name_space(), "twin"};
  rig.Greet("twin", {"same"});
  ASSERT_TRUE(rig.AwaitGreetings("twin", GreeterRig::Expected({"same"})));
  ASSERT_TRUE(Eventually([&] { return StatusWritten(rig, "twin"); }));
  ASSERT_OK_AND_ASSIGN(const auto old, rig.client().Get(greeter::kGreetings, key, rig.Limit()));
  rig.faults().HoldWatches(true);
  ASSERT_OK(rig.client().Delete(greeter::kGreetings, key, rig.Limit()));
  rig.Greet("twin", {"same"});
  const json::Blob status =
      json::Value::Object({{"status", json::Value(old.view()["status"])}}).ToBlob();
  ASSERT_OK(rig.client().Patch(greeter::kGreetings, key, kube::PatchType::kMerge, status.view(),
                               rig.Limit(), {.subresource = "status"}));
  ASSERT_OK_AND_ASSIGN(const auto recreated,
                       rig.client().Get(greeter::kGreetings, key, rig.Limit()));
  ASSERT_NE(recreated.meta().uid(), old.meta().uid());
  rig.faults().ExpireWatches();
  rig.faults().HoldWatches(false);
  EXPECT_TRUE(Eventually([&] {
    const auto map = rig.client().Get(kube::types::ConfigMaps(), key, rig.Limit());
    return map.ok() && map->meta().owners().at(0).uid == recreated.meta().uid();
  })) << "the ConfigMap still belongs to the object that is gone";
}

// Trap 5: the key is held until the cache shows what the last pass wrote.
TEST_F(Faults, OwnWriteNotYetInTheCacheIsNotRepeated) {
  GreeterRig rig(*plane_, {});
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  rig.Greet("lag", {"x"});
  ASSERT_TRUE(rig.AwaitGreetings("lag", GreeterRig::Expected({"x"})));
  ExpectSettled(rig);
  rig.faults().ForgetSent();
  const auto patches_of_lag = [&] {
    const auto sent = rig.faults().Sent();
    return std::count_if(sent.begin(), sent.end(), [](const std::string& line) {
      return line.starts_with("PATCH ") && line.find("/configmaps/lag") != std::string::npos;
    });
  };
  // From here on the cache does not see ConfigMaps. The pass writes one, and then is wanted again.
  rig.faults().HoldWatches(true, "/configmaps");
  rig.Greet("lag", {"y"});
  ASSERT_TRUE(rig.AwaitGreetings("lag", GreeterRig::Expected({"y"})));
  rig.Greet("lag", {"y"}, "Good morning");
  // Another key, wanted later, comes through.
  rig.Greet("other", {"z"});
  ASSERT_TRUE(Eventually([&] { return StatusWritten(rig, "other"); }));
  EXPECT_EQ(patches_of_lag(), 1) << "the key ran again on what it knew before its own write";
  rig.faults().HoldWatches(false);
  EXPECT_TRUE(rig.AwaitGreetings("lag", GreeterRig::Expected({"y"}, "Good morning")));
  EXPECT_EQ(patches_of_lag(), 2);
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
  options.config = plane_->config();
  options.config.ca_file = plane_->ca_file();
  const kube::Config with_old_authority = plane_->config();
  GreeterRig rig(*plane_, options);
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  ASSERT_OK(plane_->ReplaceServingCertificate());
  rig.proxy().CutAll();
  rig.Greet("new-certificate", {"x"});
  EXPECT_TRUE(rig.AwaitGreetings("new-certificate", GreeterRig::Expected({"x"})));

  // What the controller trusts so far is of no more use: it must read the file again.
  ASSERT_OK(plane_->ReplaceAuthority());
  net::EventLoop loop("certificates");
  ASSERT_OK_AND_ASSIGN(const auto transport, kube::MakeHttpTransport(loop, with_old_authority,
                                                                     kube::ConfigSources::Real()));
  kube::Client shut_out(*transport, RealClock());
  ASSERT_EQ(shut_out.List(greeter::kGreetings, "default", rig.Limit()).status().reason(),
            "CertificateInvalid");
  rig.proxy().CutAll();
  rig.Greet("new-authority", {"x"});
  EXPECT_TRUE(rig.AwaitGreetings("new-authority", GreeterRig::Expected({"x"})));
}

// Trap 10. The first leader is cut off from the server in the middle of its work; it must have
// ended before the second may act.
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

  // Work enough for the first to be writing when the connection freezes.
  for (int i = 0; i < 20; ++i) {
    first.Greet("busy-" + std::to_string(i), {"x"});
  }
  ASSERT_TRUE(Eventually([&] { return first.faults().CountSent("PATCH") > 0; }));
  first.proxy().SetFrozen(true);
  second.Greet("handed-over", {"x"});
  ASSERT_TRUE(Eventually([&] { return second.faults().CountSent("PATCH") > 0; }));
  EXPECT_TRUE(first.ended()) << "two leaders at once";
  const std::vector<std::string> sent = Writes(first);
  first.proxy().SetFrozen(false);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(first.AwaitGreetings("busy-" + std::to_string(i), GreeterRig::Expected({"x"})))
        << i;
  }
  // Its caches may look for the server until it is gone; what counts is that it writes nothing.
  EXPECT_EQ(Writes(first), sent) << "the former leader went on writing";
  EXPECT_FALSE(first.Stop().ok());
}

TEST_F(Faults, SettledSystemMakesNoRequests) {
  GreeterRig rig(*plane_, {});
  rig.Start();
  ASSERT_TRUE(rig.AwaitReady());
  ExpectSettled(rig);
}

}  // namespace
}  // namespace hearth
