#include "dynamo/recovery/recovery_controllers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <thread>

#include "controller/testing/memory_api.h"
#include "kube/client/transport.h"
#include "kube/model/object.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

struct Place {
  std::string name_space = "ns";
  std::string group = "graph-0-worker";
  std::string replica = "0";
  std::string index = "0";
};

// Both controllers over an API server in memory; the test plays kubelet and Grove.
class Rig {
 public:
  explicit Rig(RecoveryOptions options = {}) : options_(std::move(options)) {
    transport_ = kube::MakeHandlerTransport(loop_, api_.Handler());
  }
  ~Rig() { Stop(); }

  void Start() {
    manager_ = controller::Manager::CreateWith({.name = "operator"}, *transport_, Logger::Null());
    controllers_ = std::make_unique<RecoveryControllers>(*manager_, options_);
    stop_ = std::stop_source();
    thread_ = std::thread([this] { EXPECT_TRUE(manager_->Run(stop_.get_token()).ok()); });
  }
  // Passes that have begun come to their end, and so do events.
  void Stop() {
    stop_.request_stop();
    if (thread_.joinable()) {
      thread_.join();
    }
    manager_.reset();
    controllers_.reset();
  }

  void PutEngine(const std::string& name, const std::string& phase, const Place& at = {},
                 const std::function<void(Value& labels)>& change = {}) {
    Value pod = kube::NewObject(kube::types::Pods(), {at.name_space, name});
    Value labels = Value::Object({{"nvidia.com/dynamo-failover-engine-group-member", "true"},
                                  {"grove.io/podcliquescalinggroup", at.group},
                                  {"grove.io/podcliquescalinggroup-replica-index", at.replica},
                                  {"grove.io/podclique-pod-index", at.index}});
    if (change) {
      change(labels);
    }
    pod["metadata"].Set("labels", std::move(labels));
    pod.MakePath("status.phase") = phase;
    api_.Put(kube::types::Pods(), std::move(pod));
  }

  void PutRestored(const std::string& name, int64_t restarts,
                   const std::string& name_space = "ns") {
    Value pod = kube::NewObject(kube::types::Pods(), {name_space, name});
    pod["metadata"].Set("labels",
                        Value::Object({{"nvidia.com/snapshot-is-restore-target", "true"}}));
    const kube::OwnerReference owner{.api_version = "apps/v1",
                                     .kind = "ReplicaSet",
                                     .name = "r",
                                     .uid = "u",
                                     .controller = true};
    pod["metadata"].Set("ownerReferences", Value::Array({owner.ToValue()}));
    pod.MakePath("spec.initContainers") =
        Value::Array({Value::Object({{"name", "gms-server"}, {"restartPolicy", "Always"}})});
    pod.MakePath("status.phase") = "Running";
    pod.MakePath("status.initContainerStatuses") =
        Value::Array({Value::Object({{"name", "gms-server"}, {"restartCount", restarts}})});
    api_.Put(kube::types::Pods(), std::move(pod));
  }

  std::set<std::string> Pods() const {
    std::set<std::string> names;
    for (const Value& pod : api_.All(kube::types::Pods())) {
      names.insert(pod.FindPath("metadata.name")->string());
    }
    return names;
  }
  bool Has(const std::string& name) const { return Pods().contains(name); }
  static void Await(const std::function<bool()>& condition) {
    while (!condition()) {
      std::this_thread::yield();
    }
  }
  void AwaitGone(const std::string& name) const {
    Await([&] { return !Has(name); });
  }
  // "type regarding: note" of the events of a reason.
  std::vector<std::string> Events(const std::string& reason) const {
    std::vector<std::string> found;
    for (const Value& event : api_.All(kube::types::Events())) {
      if (event.FindPath("reason")->StringOr("") == reason) {
        found.push_back(event.FindPath("type")->StringOr("") + " " +
                        event.FindPath("regarding.name")->StringOr("") + ": " +
                        event.FindPath("note")->StringOr(""));
      }
    }
    return found;
  }
  size_t Writes() const {
    size_t count = 0;
    for (const std::string& request : api_.requests()) {
      count += !request.starts_with("GET") && !request.starts_with("WATCH") &&
                       request.find("/events") == std::string::npos
                   ? 1
                   : 0;
    }
    return count;
  }
  std::string Metrics() { return manager_->metrics().Expose(); }
  controller::MemoryApi& api() { return api_; }

 private:
  controller::MemoryApi api_;
  net::EventLoop loop_{"rig"};
  std::unique_ptr<kube::Transport> transport_;
  RecoveryOptions options_;
  std::unique_ptr<controller::Manager> manager_;
  std::unique_ptr<RecoveryControllers> controllers_;
  std::stop_source stop_;
  std::thread thread_;
};

// C1: also those that had ended before we came.
TEST(FailoverCascade, DeletesTheWholeGroupAndNobodyElse) {
  Rig rig;
  rig.PutEngine("leader", "Failed");
  rig.PutEngine("worker", "Running");
  rig.PutEngine("other-index", "Running", {.index = "1"});
  rig.PutEngine("other-replica", "Running", {.replica = "1"});
  rig.PutEngine("other-namespace", "Running", {.name_space = "elsewhere"});
  rig.PutEngine("gms", "Running", {}, [](Value& labels) {
    labels.Erase("nvidia.com/dynamo-failover-engine-group-member");
  });
  rig.Start();
  rig.AwaitGone("leader");
  EXPECT_THAT(rig.Pods(),
              UnorderedElementsAre("other-index", "other-replica", "other-namespace", "gms"));
  Rig::Await([&] { return !rig.Events("FailoverCascade").empty(); });
  const auto events = rig.Events("FailoverCascade");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(events[0], HasSubstr("Warning leader: "));
  EXPECT_THAT(events[0], HasSubstr("(pcsg graph-0-worker, replica 0, index 0)"));
  Rig::Await(
      [&] { return rig.Metrics().find("hearth_failover_cascades_total 1") != std::string::npos; });
  EXPECT_THAT(rig.Metrics(),
              HasSubstr("hearth_recovery_pods_deleted_total{reason=\"failover_cascade\"} 2"));
}

// C1.
TEST(FailoverCascade, BeginsWhenAnEngineEndsWhetherItFailedOrNot) {
  Rig rig;
  rig.PutEngine("leader", "Running");
  rig.PutEngine("worker", "Running");
  rig.Start();
  rig.PutEngine("worker", "Succeeded");
  rig.AwaitGone("worker");
  EXPECT_THAT(rig.Pods(), UnorderedElementsAre());
}

// C2: several at once, in any order.
TEST(FailoverCascade, IsTheSameWhenSeveralHaveEnded) {
  Rig rig;
  for (int i = 0; i < 8; ++i) {
    rig.PutEngine("engine-" + std::to_string(i), i % 2 == 0 ? "Failed" : "Succeeded");
  }
  rig.PutEngine("shadow", "Running", {.index = "1"});
  rig.Start();
  Rig::Await([&] { return rig.Pods().size() == 1; });
  EXPECT_THAT(rig.Pods(), UnorderedElementsAre("shadow"));
}

// C2, W24: nothing is touched where it does not apply. The last pod shows that all were looked at.
TEST(FailoverCascade, LeavesAloneWhatIsNoneOfIts) {
  Rig rig({.includes = [](std::string_view ns) { return ns != "foreign"; }, .name_space = ""});
  rig.PutEngine("alive", "Running");
  rig.PutEngine("foreign", "Failed", {.name_space = "foreign"});
  rig.PutEngine("restored", "Failed", {.index = "5"},
                [](Value& labels) { labels.Set("nvidia.com/snapshot-is-restore-target", "true"); });
  rig.PutEngine("ungrouped", "Failed", {.index = "6"},
                [](Value& labels) { labels.Erase("grove.io/podclique-pod-index"); });
  rig.PutEngine("quarantined", "Failed", {.index = "7"}, [](Value& labels) {
    labels.Erase("nvidia.com/dynamo-failover-engine-group-member");
  });
  // A restored member of a group that goes.
  rig.PutEngine("member", "Running", {.index = "8"},
                [](Value& labels) { labels.Set("nvidia.com/snapshot-is-restore-target", "true"); });
  rig.PutEngine("z-last", "Failed", {.index = "8"});
  rig.Start();
  rig.AwaitGone("z-last");
  rig.Stop();
  EXPECT_THAT(rig.Pods(), UnorderedElementsAre("alive", "foreign", "restored", "ungrouped",
                                               "quarantined", "member"));
}

// A pod of the same name that came meanwhile is another pod.
TEST(FailoverCascade, DeletesTheVeryPodsThatItSaw) {
  Rig rig;
  rig.PutEngine("leader", "Running");
  rig.PutEngine("worker", "Running");
  rig.Start();
  Rig::Await([&] { return rig.api().requests().size() >= 2; });
  std::atomic<bool> replaced = false;
  rig.api().Intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "DELETE" && request.target.find("/worker") != std::string::npos &&
        !replaced) {
      replaced = true;
      rig.api().Remove(kube::types::Pods(), {"ns", "worker"});
      rig.PutEngine("worker", "Pending");
    }
    return std::nullopt;
  });
  rig.PutEngine("leader", "Failed");
  rig.AwaitGone("leader");
  EXPECT_TRUE(rig.Has("worker"));
  rig.api().Intercept({});
}

// Whoever is killed after any of the writes leaves enough for the next to do the rest.
TEST(FailoverCascade, ComesToTheSameEndWhereverItIsCutOff) {
  for (size_t allowed = 0; allowed < 3; ++allowed) {
    Rig rig;
    rig.PutEngine("leader", "Failed");
    rig.PutEngine("worker-1", "Running");
    rig.PutEngine("worker-2", "Running");
    std::atomic<size_t> deletes = 0;
    std::atomic<bool> refused = false;
    rig.api().Intercept([&](const http::Request& request) -> std::optional<http::Response> {
      if (request.method != "DELETE" || ++deletes <= allowed) {
        return std::nullopt;
      }
      refused = true;
      http::Response down;
      down.status = 500;
      return down;
    });
    rig.Start();
    Rig::Await([&] { return refused.load(); });
    rig.Stop();
    EXPECT_TRUE(rig.Has("leader")) << allowed;
    rig.api().Intercept({});
    rig.Start();
    Rig::Await([&] { return rig.Pods().empty(); });
  }
}

TEST(FailoverCascade, WritesNothingWhenAllRun) {
  Rig rig;
  rig.PutEngine("leader", "Running");
  rig.PutEngine("worker", "Pending");
  rig.PutRestored("restored", 0);
  rig.Start();
  rig.PutEngine("worker", "Running");
  rig.PutEngine("marker", "Failed", {.index = "9"});
  rig.AwaitGone("marker");
  rig.Stop();
  EXPECT_EQ(rig.Writes(), 1u);
}

TEST(Replacement, DeletesRestoredPodsWhoseServerRestarted) {
  Rig rig({.includes = [](std::string_view ns) { return ns != "foreign"; }, .name_space = ""});
  rig.PutRestored("before-us", 3);
  rig.PutRestored("well", 0);
  rig.PutRestored("foreign", 1, "foreign");
  rig.PutRestored("later", 0);
  rig.Start();
  rig.AwaitGone("before-us");
  rig.PutRestored("later", 1);
  rig.AwaitGone("later");
  Rig::Await([&] { return rig.Events("MemoryServerRestarted").size() == 2; });
  EXPECT_THAT(rig.Events("MemoryServerRestarted")[0], HasSubstr("Warning "));
  Rig::Await([&] {
    return rig.Metrics().find(
               "hearth_recovery_pods_deleted_total{reason=\"gms_server_restarted\"} 2") !=
           std::string::npos;
  });
  rig.Stop();
  EXPECT_THAT(rig.Pods(), UnorderedElementsAre("well", "foreign"));
}

}  // namespace
}  // namespace hearth::dynamo
