#include "controller/manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "controller/testing/memory_api.h"
#include "controller/testing/reconciler_double.h"
#include "http/client.h"

namespace hearth::controller {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

using Size = json::Projection<json::Field<"data.size", std::string>>;
using Colour = json::Projection<json::Field<"data.colour", std::string>>;

kube::ObjectKey Key(const std::string& name) { return {"ns", name}; }

class ManagerTest : public testing::Test {
 protected:
  static ManagerOptions Options() {
    ManagerOptions options;
    options.name = "tester";
    options.health_address = "127.0.0.1:0";
    options.shutdown_timeout = seconds(20);
    return options;
  }
  static ManagerOptions Electing() {
    ManagerOptions options = Options();
    options.leader_elect = true;
    options.lease_namespace = "ns";
    options.lease_duration = seconds(2);
    options.renew_deadline = seconds(1);
    options.retry_period = milliseconds(20);
    return options;
  }
  std::unique_ptr<Manager> Make(ManagerOptions options = Options()) {
    return Manager::CreateWith(std::move(options), *transport_, Logger::Null());
  }
  std::future<Status> Run(Manager& manager) {
    return std::async(std::launch::async, [&] { return manager.Run(stop_.get_token()); });
  }

  // While held, lists are refused, so that no cache fills.
  void HoldLists(bool hold) {
    api_.Intercept([hold](const http::Request& request) -> std::optional<http::Response> {
      const bool is_list =
          request.method == "GET" && request.target.find("limit=") != std::string::npos;
      http::Response busy;
      busy.status = 503;
      return hold && is_list ? std::optional(busy) : std::nullopt;
    });
  }
  void Put(const std::string& name) {
    api_.Put(kube::types::ConfigMaps(),
             json::Value::Object(
                 {{"metadata", json::Value::Object({{"name", name}, {"namespace", "ns"}})},
                  {"data", json::Value::Object({{"size", "1"}, {"colour", "red"}})}}));
  }
  std::string Holder() {
    const auto lease = api_.Find(kube::types::Leases(), {"ns", "tester"});
    return lease ? lease->FindPath("spec.holderIdentity")->string() : "no lease";
  }
  void Steal() {
    json::Value lease = *api_.Find(kube::types::Leases(), {"ns", "tester"});
    lease["spec"].Set("holderIdentity", "thief");
    api_.Put(kube::types::Leases(), lease);
  }

  http::Response Ask(Manager& manager, const std::string& target) {
    while (!manager.health_endpoint().has_value()) {
      std::this_thread::yield();
    }
    http::Client client(loop_, *manager.health_endpoint(), nullptr);
    const auto answer = client.Send({.target = target}, WaitLimit::Forever());
    EXPECT_OK(answer);
    return answer.ok() ? *answer : http::Response();
  }
  void AwaitReady(Manager& manager) {
    while (Ask(manager, "/readyz").status != 200) {
      std::this_thread::yield();
    }
  }

  MemoryApi api_;
  net::EventLoop loop_{"test"};
  std::unique_ptr<kube::Transport> transport_ = kube::MakeHandlerTransport(loop_, api_.Handler());
  std::stop_source stop_;
};

TEST_F(ManagerTest, RunsControllersOverFilledCachesUntilStopped) {
  Put("a");
  Put("b");
  const auto manager = Make();
  const auto sizes = manager->Watch<Size>(kube::types::ConfigMaps());
  std::atomic<size_t> seen{0};
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) {
    seen = sizes.List().size();
    return Outcome::Done();
  });
  manager->AddController({.name = "sizes"}, reconciler).For(sizes);
  auto ran = Run(*manager);
  reconciler.AwaitCalls(2);
  stop_.request_stop();
  EXPECT_OK(ran.get());  // a call is counted when it begins, and has ended now
  EXPECT_EQ(seen, 2U) << "a worker began before the cache was filled";
  EXPECT_FALSE(manager->health_endpoint().has_value());
}

TEST_F(ManagerTest, SameTypeAndScopeShareOneWatchAndKeepAllFields) {
  Put("a");
  const auto manager = Make();
  const auto sizes = manager->Watch<Size>(kube::types::ConfigMaps(),
                                          {.indexes = {IndexByField("size", "data.size")}});
  const auto colours = manager->Watch<Colour>(kube::types::ConfigMaps(),
                                              {.indexes = {IndexByField("colour", "data.colour")}});
  const auto elsewhere =
      manager->Watch<Size>(kube::types::ConfigMaps(), {.scope = {.name_space = "other"}});
  EXPECT_EQ(&sizes.informer(), &colours.informer());
  EXPECT_NE(&sizes.informer(), &elsewhere.informer());
  auto ran = Run(*manager);
  AwaitReady(*manager);
  EXPECT_EQ(sizes.Get(Key("a"))->get<"data.size">(), "1");
  EXPECT_EQ(colours.Get(Key("a"))->get<"data.colour">(), "red");
  EXPECT_EQ(sizes.Lookup("size", "1").size(), 1U);
  EXPECT_EQ(colours.Lookup("colour", "red").size(), 1U);
  EXPECT_EQ(elsewhere.List().size(), 0U);
  const auto watches = [&] {
    const auto requests = api_.requests();
    return std::count(requests.begin(), requests.end(), "WATCH /api/v1/configmaps");
  };
  while (watches() == 0) {  // begins after the cache is filled
    std::this_thread::yield();
  }
  stop_.request_stop();
  EXPECT_OK(ran.get());
  EXPECT_EQ(watches(), 1);
}

// Somebody who reads a field without wanting to hear of it must not make others miss its changes.
TEST_F(ManagerTest, FieldThatOneDoesNotListenToWakesTheOther) {
  using QuietSize = json::Projection<json::Field<"data.size", std::string, json::Wake::kNo>>;
  Put("a");
  const auto manager = Make();
  const auto sizes = manager->Watch<Size>(kube::types::ConfigMaps());
  const auto quiet = manager->Watch<QuietSize>(kube::types::ConfigMaps());
  ASSERT_EQ(&sizes.informer(), &quiet.informer());
  ReconcilerDouble listening;
  ReconcilerDouble deaf;
  manager->AddController({.name = "listening", .workers = 1}, listening).For(sizes);
  manager->AddController({.name = "deaf", .workers = 1}, deaf).For(quiet);
  auto ran = Run(*manager);
  listening.AwaitCalls(1);
  deaf.AwaitCalls(1);
  json::Value grown = *api_.Find(kube::types::ConfigMaps(), Key("a"));
  grown["data"].Set("size", "2");
  api_.Put(kube::types::ConfigMaps(), grown);
  const auto count_of_a_before = [](ReconcilerDouble& who, const std::string& last) {
    std::vector<kube::ObjectKey> heard = who.AwaitCalls(1);
    while (heard.back() != Key(last)) {
      heard = who.AwaitCalls(heard.size() + 1);
    }
    return std::count(heard.begin(), heard.end(), Key("a"));
  };
  Put("b");
  count_of_a_before(listening, "b");
  count_of_a_before(deaf, "b");
  Put("c");  // by now whatever became of the change stands before this in the queues
  EXPECT_EQ(count_of_a_before(listening, "c"), 2);
  EXPECT_EQ(count_of_a_before(deaf, "c"), 1);
  stop_.request_stop();
  EXPECT_OK(ran.get());
}

TEST_F(ManagerTest, IsReadyOnceTheCachesAreFilled) {
  HoldLists(true);
  const auto manager = Make();
  manager->Watch<Size>(kube::types::ConfigMaps());
  std::atomic<bool> warm{false};
  manager->AddReadyCheck("warm", [&] { return warm ? Status::Ok() : UnavailableError("cold"); });
  manager->AddHealthCheck("heart", [] { return Status::Ok(); });
  auto ran = Run(*manager);
  EXPECT_EQ(Ask(*manager, "/readyz").status, 500);
  EXPECT_THAT(Ask(*manager, "/readyz").body,
              HasSubstr("[-]caches failed: the cache of configmaps is not filled yet"));
  EXPECT_EQ(Ask(*manager, "/healthz?verbose").body,
            "[+]ping ok\n[+]heart ok\nhealthz check passed\n");
  HoldLists(false);
  while (Ask(*manager, "/readyz/caches").status != 200) {
    std::this_thread::yield();
  }
  EXPECT_THAT(Ask(*manager, "/readyz").body, HasSubstr("[-]warm failed: cold"));
  warm = true;
  EXPECT_EQ(Ask(*manager, "/readyz?verbose").body,
            "[+]caches ok\n[+]warm ok\nreadyz check passed\n");
  stop_.request_stop();
  EXPECT_OK(ran.get());
}

// The projection does not mention annotations; what is owned is compared with the stamp all the
// same.
TEST_F(ManagerTest, FieldOfAnOwnedObjectThatIsNoLongerWantedIsGivenUp) {
  const auto manager = Make();
  const auto secrets = manager->Watch<Size>(kube::types::Secrets());
  const auto owned = manager->Watch<Size>(kube::types::ConfigMaps());
  std::vector<Result<bool>> sent;
  ReconcilerDouble reconciler([&](Pass& pass, const kube::ObjectKey& key) -> Result<Outcome> {
    json::Value desired = kube::NewObject(kube::types::ConfigMaps(), key);
    desired.Set("data", json::Value::Object({{"size", "1"}}));
    if (sent.empty()) {
      desired["data"].Set("colour", "red");
    }
    const auto cached = owned.Get(key);
    sent.push_back(pass.Apply(kube::types::ConfigMaps(), desired, cached ? &**cached : nullptr));
    return sent.size() < 3 ? Outcome::After(milliseconds(1)) : Outcome::Done();
  });
  manager->AddController({.name = "owner", .workers = 1}, reconciler)
      .For(secrets)
      .Owns(owned, kube::types::Secrets());
  api_.Put(kube::types::Secrets(), kube::NewObject(kube::types::Secrets(), Key("a")));
  auto ran = Run(*manager);
  reconciler.AwaitCalls(3);
  stop_.request_stop();
  EXPECT_OK(ran.get());
  ASSERT_GE(sent.size(), 3U);
  EXPECT_THAT(std::vector<bool>({*sent[0], *sent[1], *sent[2]}),
              testing::ElementsAre(true, true, false));
}

TEST_F(ManagerTest, MetricsAreExposedUpToTheMoment) {
  std::promise<void> let_go;
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) {
    let_go.get_future().wait();
    return Outcome::Done();
  });
  const auto manager = Make();
  Controller& controller = manager->AddController({.name = "slow"}, reconciler).controller();
  auto ran = Run(*manager);
  controller.Enqueue(Key("a"));
  reconciler.AwaitCalls(1);
  const std::string text = Ask(*manager, "/metrics").body;
  EXPECT_THAT(text, HasSubstr("controller_runtime_active_workers{controller=\"slow\"} 1"));
  EXPECT_THAT(text, HasSubstr("workqueue_longest_running_processor_seconds{name=\"slow\"}"));
  EXPECT_THAT(text,
              testing::Not(HasSubstr("workqueue_unfinished_work_seconds{name=\"slow\"} 0\n")));
  let_go.set_value();
  stop_.request_stop();
  EXPECT_OK(ran.get());
}

TEST_F(ManagerTest, CacheThatNeverFillsEndsItAndIsNamed) {
  HoldLists(true);
  ManagerOptions options = Options();
  options.sync_timeout = milliseconds(30);
  const auto manager = Make(options);
  manager->Watch<Size>(kube::types::ConfigMaps());
  const Status ran = manager->Run(stop_.get_token());
  EXPECT_CODE(Code::kDeadlineExceeded, ran);
  EXPECT_THAT(std::string(ran.message()), HasSubstr("configmaps"));
}

TEST_F(ManagerTest, StopWhileCachesFillIsNoFailure) {
  HoldLists(true);
  const auto manager = Make();
  manager->Watch<Size>(kube::types::ConfigMaps());
  auto ran = Run(*manager);
  Ask(*manager, "/healthz");
  stop_.request_stop();
  EXPECT_OK(ran.get());
}

TEST_F(ManagerTest, StandbyIsWarmAndTakesOverWhenTheLeaderStops) {
  Put("a");
  ReconcilerDouble first_reconciler;
  ReconcilerDouble second_reconciler;
  ManagerOptions options = Electing();
  options.lease_duration = seconds(60);
  options.renew_deadline = seconds(40);
  const auto first = Make(options);
  const auto second = Make(options);
  const auto cached = second->Watch<Size>(kube::types::ConfigMaps());
  first->AddController({.name = "sizes"}, first_reconciler)
      .For(first->Watch<Size>(kube::types::ConfigMaps()));
  second->AddController({.name = "sizes"}, second_reconciler).For(cached);
  auto first_ran = Run(*first);
  first_reconciler.AwaitCalls(1);

  std::stop_source stop_second;
  auto second_ran =
      std::async(std::launch::async, [&] { return second->Run(stop_second.get_token()); });
  AwaitReady(*second);
  EXPECT_EQ(cached.List().size(), 1U);
  EXPECT_EQ(second_reconciler.calls(), 0U) << "it acts without leading";

  const SteadyTime stopped = RealClock().Now();
  stop_.request_stop();
  EXPECT_OK(first_ran.get());
  second_reconciler.AwaitCalls(1);
  EXPECT_LT(RealClock().Now() - stopped, options.lease_duration)
      << "it waited for the lease to run out";
  stop_second.request_stop();
  EXPECT_OK(second_ran.get());
  EXPECT_EQ(Holder(), "");
}

TEST_F(ManagerTest, LostLeaseEndsItAtOnceWithoutDraining) {
  std::promise<void> let_go;
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) {
    let_go.get_future().wait();
    return Outcome::Done();
  });
  {
    const auto manager = Make(Electing());
    Controller& controller = manager->AddController({.name = "stuck"}, reconciler).controller();
    auto ran = Run(*manager);
    controller.Enqueue(Key("a"));
    reconciler.AwaitCalls(1);
    Steal();
    const Status lost = ran.get();
    EXPECT_CODE(Code::kConflict, lost);
    EXPECT_THAT(std::string(lost.message()), HasSubstr("thief"));
    EXPECT_EQ(Holder(), "thief");
    let_go.set_value();
  }
}

using ManagerDeathTest = ManagerTest;

TEST_F(ManagerDeathTest, ProgramOfAFormerLeaderWaitsForNobody) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr int kDestroyed = 7;
  EXPECT_EXIT(
      {
        ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) {
          Steal();
          SleepFor(RealClock(), seconds(20), {});  // deaf
          return Outcome::Done();
        });
        {
          const auto manager = Manager::CreateWith(
              Electing(), *transport_, Logger(StderrSink(), LogFormat::kText, LogLevel::kError));
          manager->AddController({.name = "stuck"}, reconciler).controller().Enqueue(Key("a"));
          static_cast<void>(RunProgram(*manager, {}));
        }
        std::_Exit(kDestroyed);
      },
      testing::ExitedWithCode(EXIT_FAILURE), "ended.*thief");
}

TEST_F(ManagerTest, FormerLeaderPublishesNoEvents) {
  std::promise<void> leads;
  const auto manager = Make(Electing());
  manager->AddRunnable("leader", true, [&](const std::stop_token&) {
    leads.set_value();
    return Status::Ok();
  });
  auto ran = Run(*manager);
  leads.get_future().wait();
  Steal();
  EXPECT_CODE(Code::kConflict, ran.get());
  // A pass that has not noticed yet.
  manager->events().Record({kube::types::ConfigMaps(), Key("a"), "u", "1"}, EventType::kNormal,
                           "Seen", "Look", "hello");
  EXPECT_OK(manager->events().Flush(WaitLimit::Forever()));
  EXPECT_EQ(manager->events().dropped(), 1U);
  EXPECT_THAT(api_.All(kube::types::Events()), testing::IsEmpty());
}

// Nobody has waited for it, so it says so while the manager goes. The address sanitizer looks on.
TEST_F(ManagerTest, RunnableMayFailAsLateAsInTheManagersDestruction) {
  std::promise<void> leads;
  const auto manager = Make(Electing());
  manager->AddRunnable("stubborn", false, [](const std::stop_token& stop) {
    SleepFor(RealClock(), Duration::max(), stop);
    return UnavailableError("told to stop");
  });
  manager->AddRunnable("leader", true, [&](const std::stop_token&) {
    leads.set_value();
    return Status::Ok();
  });
  auto ran = Run(*manager);
  leads.get_future().wait();
  Steal();
  EXPECT_CODE(Code::kConflict, ran.get());
}

TEST_F(ManagerTest, LeaseIsKeptWhilePassesFinish) {
  std::promise<void> let_go;
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) {
    let_go.get_future().wait();
    return Outcome::Done();
  });
  const auto manager = Make(Electing());
  Controller& controller = manager->AddController({.name = "slow"}, reconciler).controller();
  auto ran = Run(*manager);
  controller.Enqueue(Key("a"));
  reconciler.AwaitCalls(1);
  stop_.request_stop();
  const std::string holder = Holder();
  const auto renewals = [&] {
    const auto requests = api_.requests();
    return std::count_if(requests.begin(), requests.end(),
                         [](const std::string& request) { return request.starts_with("PUT "); });
  };
  const auto before = renewals();
  while (renewals() < before + 3) {
    std::this_thread::yield();
  }
  EXPECT_NE(holder, "");
  EXPECT_EQ(Holder(), holder);
  let_go.set_value();
  EXPECT_OK(ran.get());
  EXPECT_EQ(Holder(), "");
}

TEST_F(ManagerTest, LeaseIsNotReleasedWhileSomebodyStillActs) {
  std::promise<void> let_go;
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) {
    let_go.get_future().wait();
    return Outcome::Done();
  });
  ManagerOptions options = Electing();
  options.shutdown_timeout = milliseconds(20);
  const auto manager = Make(options);
  Controller& controller = manager->AddController({.name = "stuck"}, reconciler).controller();
  auto ran = Run(*manager);
  controller.Enqueue(Key("a"));
  reconciler.AwaitCalls(1);
  stop_.request_stop();
  const Status late = ran.get();
  EXPECT_CODE(Code::kDeadlineExceeded, late);
  EXPECT_THAT(std::string(late.message()), HasSubstr("ns/a"));
  EXPECT_NE(Holder(), "");
  let_go.set_value();
}

TEST_F(ManagerTest, FailureOfARunnableEndsIt) {
  const auto manager = Make();
  std::atomic<bool> stopped{false};
  manager->AddRunnable("patient", true, [&](const std::stop_token& stop) {
    SleepFor(RealClock(), Duration::max(), stop);
    stopped = true;
    return Status::Ok();
  });
  manager->AddRunnable("weak", false,
                       [](const std::stop_token&) { return UnavailableError("gave up"); });
  const Status ran = manager->Run(stop_.get_token());
  EXPECT_EQ(ran.message(), "weak: gave up");
}

TEST_F(ManagerTest, RunnablesForTheLeaderWaitForTheLease) {
  const auto first = Make(Electing());
  std::atomic<bool> always{false};
  std::promise<void> acted;
  api_.Put(kube::types::Leases(),
           json::Value::Object(
               {{"metadata", json::Value::Object({{"name", "tester"}, {"namespace", "ns"}})},
                {"spec",
                 json::Value::Object({{"holderIdentity", "old"}, {"leaseDurationSeconds", 1}})}}));
  first->AddRunnable("always", false, [&](const std::stop_token&) {
    always = true;
    return Status::Ok();
  });
  const SteadyTime began = RealClock().Now();
  first->AddRunnable("leader", true, [&](const std::stop_token&) {
    EXPECT_TRUE(always);
    EXPECT_GE(RealClock().Now() - began, seconds(1)) << "the old leader may still act";
    acted.set_value();
    return Status::Ok();
  });
  auto ran = Run(*first);
  acted.get_future().wait();
  stop_.request_stop();
  EXPECT_OK(ran.get());
}

TEST_F(ManagerTest, BadOptionsEndItBeforeAnythingStarts) {
  ManagerOptions options = Electing();
  options.renew_deadline = seconds(60);
  EXPECT_CODE(Code::kInvalid, Make(options)->Run(stop_.get_token()));
  ManagerOptions address = Options();
  address.health_address = "nonsense";
  address.health_address += ":port";
  EXPECT_CODE(Code::kInvalid, Make(address)->Run(stop_.get_token()));
  EXPECT_THAT(api_.requests(), testing::IsEmpty());
}

TEST_F(ManagerTest, EventsAreSentBeforeItEnds) {
  const auto manager = Make();
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey& key) {
    manager->events().Record({kube::types::ConfigMaps(), key, "u", "1"}, EventType::kNormal, "Seen",
                             "Look", "hello");
    return Outcome::Done();
  });
  Controller& controller = manager->AddController({.name = "talker"}, reconciler).controller();
  auto ran = Run(*manager);
  controller.Enqueue(Key("a"));
  reconciler.AwaitCalls(1);
  stop_.request_stop();
  EXPECT_OK(ran.get());
  ASSERT_EQ(api_.All(kube::types::Events()).size(), 1U);
  EXPECT_EQ(api_.All(kube::types::Events())[0].Find("reportingController")->string(), "tester");
}

TEST(ManagerOptions, AreDeclaredOnce) {
  ManagerOptions options;
  OptionTable table("tester", "Tests.");
  options.AddTo(table);
  const char* argv[] = {"tester",
                        "--kubeconfig=/tmp/k",
                        "--context=dev",
                        "--health-address",
                        ":8081",
                        "--leader-elect",
                        "--lease-name=x",
                        "--lease-namespace=y",
                        "--lease-duration=30s",
                        "--renew-deadline",
                        "20s",
                        "--retry-period=5s"};
  ASSERT_OK(table.Parse(std::size(argv), argv));
  EXPECT_EQ(options.config.kubeconfig, "/tmp/k");
  EXPECT_EQ(options.config.context, "dev");
  EXPECT_EQ(options.health_address, ":8081");
  EXPECT_TRUE(options.leader_elect);
  EXPECT_EQ(options.lease_name, "x");
  EXPECT_EQ(options.lease_namespace, "y");
  EXPECT_EQ(options.lease_duration, seconds(30));
  EXPECT_EQ(options.renew_deadline, seconds(20));
  EXPECT_EQ(options.retry_period, seconds(5));
}

TEST(ManagerOptions, TimesThatCannotBeAreRefusedWithOrWithoutAnElection) {
  for (const char* option :
       {"--lease-duration=-5s", "--renew-deadline=0s", "--retry-period=-1ms"}) {
    ManagerOptions options;
    OptionTable table("tester", "Tests.");
    options.AddTo(table);
    const char* argv[] = {"tester", option};
    SCOPED_TRACE(option);
    EXPECT_CODE(Code::kInvalid, table.Parse(std::size(argv), argv));
  }
}

// A manager for a kubeconfig whose user has this exec plugin.
Result<std::unique_ptr<Manager>> WithPlugin(const TempDirectory& folder, const std::string& exec) {
  RETURN_IF_ERROR(RealFileSystem().Write(folder.path() + "/config", R"yaml(
apiVersion: v1
kind: Config
current-context: dev
contexts: [{name: dev, context: {cluster: dev, user: me}}]
clusters: [{name: dev, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: me, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never,
         )yaml" + exec + "}}}]\n",
                                         0600));
  ManagerOptions options;
  options.config.kubeconfig = folder.path() + "/config";
  return Manager::Create(options, Logger::Null());
}

TEST(ManagerCredentials, MissingPluginEndsItAtOnceAndIsNamed) {
  const TempDirectory folder;
  ASSERT_OK_AND_ASSIGN(
      const auto manager,
      WithPlugin(folder, "command: no-such-plugin, installHint: install it first"));
  const Status ran = manager->Run({});
  EXPECT_THAT(std::string(ran.message()), HasSubstr("no-such-plugin"));
  EXPECT_THAT(std::string(ran.message()), HasSubstr("install it first"));
}

TEST(ManagerCredentials, StopDoesNotWaitForAPlugin) {
  const TempDirectory folder;
  const std::string began = folder / "began";
  ASSERT_OK_AND_ASSIGN(
      const auto manager,
      WithPlugin(folder, "command: /bin/sh, args: [-c, 'touch " + began + "; sleep 100']"));
  std::stop_source stop;
  auto ran = std::async(std::launch::async, [&] { return manager->Run(stop.get_token()); });
  while (!RealFileSystem().Stat(began).ok()) {
    std::this_thread::yield();
  }
  stop.request_stop();
  const SteadyTime asked = RealClock().Now();
  EXPECT_OK(ran.get());
  EXPECT_LT(RealClock().Now() - asked, seconds(30));
}

TEST(ManagerCreate, SaysWhyThereIsNoConfiguration) {
  ManagerOptions options;
  options.config.kubeconfig = "/nonexistent/kubeconfig";
  const auto manager = Manager::Create(options, Logger::Null());
  ASSERT_FALSE(manager.ok());
  EXPECT_THAT(std::string(manager.status().message()), HasSubstr("/nonexistent/kubeconfig"));
}

}  // namespace
}  // namespace hearth::controller
