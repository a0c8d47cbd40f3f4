#include "controller/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/testing/status_matchers.h"
#include "controller/testing/memory_api.h"
#include "controller/testing/reconciler_double.h"
#include "json/projection.h"
#include "kube/model/api_status.h"

namespace hearth::controller {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

using Settings = json::Projection<json::Field<"data.size", std::string>,
                                  json::Field<"data.quiet", std::string, json::Wake::kNo>,
                                  json::Field<"metadata.labels", json::View>,
                                  json::Field<"metadata.annotations", json::View, json::Wake::kNo>>;

kube::ObjectKey Key(const std::string& name) { return {"ns", name}; }

json::Value ConfigMap(const std::string& name, const std::string& size) {
  return json::Value::Object(
      {{"apiVersion", "v1"},
       {"kind", "ConfigMap"},
       {"metadata", json::Value::Object({{"name", name}, {"namespace", "ns"}})},
       {"data", json::Value::Object({{"size", size}})}});
}

http::Response Refusal(int code, std::string body) {
  return {.status = code, .headers = {}, .body = std::move(body)};
}

class Lines : public LogSink {
 public:
  void Write(LogLevel, std::string_view line) override {
    std::lock_guard lock(mutex_);
    text_ += line;
  }
  std::string text() const {
    std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

// Ends the passes before what they use goes: declare it after that.
class [[nodiscard]] Running {
 public:
  explicit Running(Controller& controller) : controller_(controller) {}
  ~Running() { EXPECT_OK(controller_.Stop(WaitLimit::Forever())); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  Controller* operator->() { return &controller_; }

 private:
  Controller& controller_;
};

class ControllerTest : public testing::Test {
 protected:
  static ControllerOptions Fast(int workers = 1) {
    return {
        .name = "settings",
        .workers = workers,
        .retry = {.initial = milliseconds(1), .max = milliseconds(5), .factor = 2, .jitter = 0}};
  }

  // The caches are filled, the workers have not begun.
  Running Make(Reconciler& reconciler) {
    Prepare(reconciler, Fast(), MapToSelf());
    return Running(*controller_);
  }
  void Prepare(Reconciler& reconciler, ControllerOptions options, Mapper mapper) {
    controller_ = std::make_unique<Controller>(
        std::move(options), reconciler,
        Controller::Wiring{client_, RealClock(), events_, gate_, logger_, metrics_});
    controller_->Watch(informer_, std::move(mapper), fields_);
    gate_.Watch(informer_);
    informer_.Start();
    EXPECT_OK(informer_.WaitForSync(WaitLimit::Forever()));
  }
  Running Start(Reconciler& reconciler, ControllerOptions options = Fast(),
                Mapper mapper = MapToSelf()) {
    Prepare(reconciler, std::move(options), std::move(mapper));
    controller_->Start();
    return Running(*controller_);
  }

  // Until what was put is in the cache.
  void AwaitCached(const std::string& name, const std::string& size) {
    while (true) {
      const ObjectPtr object = informer_.store().Get("ns", name);
      if (object && object->view()["data"]["size"].Equals(size)) {
        return;
      }
      std::this_thread::yield();
    }
  }
  // Until so many passes have ended. A pass is counted first; the rest of what becomes of it is
  // done once its key is.
  void AwaitPasses(double count) {
    while (Total("success") + Total("error") + Total("requeue") + Total("requeue_after") < count ||
           controller_->queue().running() > 0) {
      std::this_thread::yield();
    }
  }
  void Put(const std::string& name, const std::string& size) {
    api_.Put(kube::types::ConfigMaps(), ConfigMap(name, size));
  }

  double Count(const std::string& name) {
    return metrics_.counter("controller_runtime_" + name, "", {{"controller", "settings"}}).value();
  }
  double Total(const std::string& result) {
    return metrics_
        .counter("controller_runtime_reconcile_total", "",
                 {{"controller", "settings"}, {"result", result}})
        .value();
  }

  MemoryApi api_;
  net::EventLoop loop_{"test"};
  std::unique_ptr<kube::Transport> transport_ = kube::MakeHandlerTransport(loop_, api_.Handler());
  kube::Client client_{*transport_, RealClock()};
  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
  Logger logger_{lines_, LogFormat::kText, LogLevel::kInfo};
  Metrics metrics_;
  EventRecorder events_{client_, RealClock(), {}, logger_};
  json::FieldSet fields_ = Settings::Fields();
  Informer informer_{
      client_, RealClock(), kube::types::ConfigMaps(), {}, Settings::Fields(), {}, {},
      logger_, nullptr};
  WrittenGate gate_{RealClock(), logger_};
  std::unique_ptr<Controller> controller_;
};

TEST_F(ControllerTest, EveryChangeOfWhatItReadsBecomesAPass) {
  Put("a", "1");
  ReconcilerDouble reconciler;
  const Running controller = Start(reconciler);
  reconciler.AwaitCalls(1);
  Put("b", "1");
  reconciler.AwaitCalls(2);
  Put("a", "2");
  reconciler.AwaitCalls(3);
  api_.Remove(kube::types::ConfigMaps(), Key("b"));
  EXPECT_THAT(reconciler.AwaitCalls(4), ElementsAre(Key("a"), Key("b"), Key("a"), Key("b")));
  AwaitPasses(4);
  EXPECT_EQ(Total("success"), 4);
}

TEST_F(ControllerTest, ChangeOfWhatItDoesNotReadIsIgnored) {
  Put("a", "1");
  ReconcilerDouble reconciler;
  const Running controller = Start(reconciler);
  reconciler.AwaitCalls(1);
  json::Value quiet = ConfigMap("a", "1");
  quiet["data"].Set("quiet", "changed");
  quiet["data"].Set("undeclared", "changed");
  api_.Put(kube::types::ConfigMaps(), quiet);
  Put("b", "1");
  EXPECT_THAT(reconciler.AwaitCalls(2), ElementsAre(Key("a"), Key("b")));
}

TEST_F(ControllerTest, MoveFromOneOwnerToAnotherConcernsBoth) {
  json::Value object = ConfigMap("x", "1");
  object.MakePath("metadata.labels").Set("owner", "old");
  api_.Put(kube::types::ConfigMaps(), object);
  ReconcilerDouble reconciler;
  const Running controller = Start(reconciler, Fast(), MapToLabel("owner"));
  reconciler.AwaitCalls(1);
  object.MakePath("metadata.labels").Set("owner", "new");
  api_.Put(kube::types::ConfigMaps(), object);
  EXPECT_THAT(reconciler.AwaitCalls(3), ElementsAre(Key("old"), Key("old"), Key("new")));
}

// Compared each with each, they would take minutes.
TEST_F(ControllerTest, OneChangeMayConcernVeryManyKeysEachOnce) {
  constexpr size_t kMany = 40'000;
  Put("a", "1");
  ReconcilerDouble reconciler;
  const Running controller =
      Start(reconciler, Fast(), [](const CachedObject& object, const Enqueue& enqueue) {
        for (size_t i = 0; i < 2 * kMany && object.view()["data"]["size"].Equals("2"); ++i) {
          enqueue(Key(std::to_string(i % kMany)));
        }
      });
  const SteadyTime begin = RealClock().Now();
  Put("a", "2");
  reconciler.AwaitCalls(1);  // the passes begin when the keys are there
  EXPECT_LT(RealClock().Now() - begin, seconds(10));
  const auto calls = reconciler.AwaitCalls(kMany);
  EXPECT_EQ(std::set<kube::ObjectKey>(calls.begin(), calls.end()).size(), kMany);
}

TEST_F(ControllerTest, LiveChangesGoBeforeTheFirstFilling) {
  Put("a", "1");
  Put("b", "1");
  Put("z", "1");
  ReconcilerDouble reconciler;
  Running controller = Make(reconciler);
  Put("z", "2");
  AwaitCached("z", "2");
  // The store shows a change before the callback for it has run.
  std::promise<void> behind;
  loop_.Post([&] { behind.set_value(); });
  behind.get_future().wait();
  controller->Start();
  EXPECT_THAT(reconciler.AwaitCalls(3), ElementsAre(Key("z"), Key("a"), Key("b")));
}

TEST_F(ControllerTest, KeyIsInOnePassAtATime) {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) {
    most = std::max(most.load(), ++inside);
    std::this_thread::yield();
    --inside;
    return Outcome::Done();
  });
  Running controller = Start(reconciler, Fast(4));
  for (size_t i = 0; i < 200; ++i) {
    controller->Enqueue(Key("a"));
    reconciler.AwaitCalls(i / 20);
  }
  EXPECT_OK(controller->Stop(WaitLimit::Forever()));
  EXPECT_EQ(most, 1);
}

TEST_F(ControllerTest, KeyIsHeldUntilTheCacheShowsWhatItsPassWrote) {
  Guarded<std::vector<bool>> child_seen;
  ReconcilerDouble reconciler([&](Pass& pass, const kube::ObjectKey& key) -> Result<Outcome> {
    if (key == Key("parent")) {
      const ObjectPtr child = informer_.store().Get("ns", "child");
      child_seen.Lock()->push_back(static_cast<bool>(child));
      RETURN_IF_ERROR(pass.Apply(kube::types::ConfigMaps(), ConfigMap("child", "1"), child.get()));
    }
    return Outcome::Done();
  });
  Running controller = Start(reconciler);
  api_.HoldWatches(true);
  controller->Enqueue(Key("parent"));
  reconciler.AwaitCalls(1);
  controller->Enqueue(Key("parent"));
  controller->Enqueue(Key("other"));
  // The one worker goes on with others although the first key is not done.
  EXPECT_THAT(reconciler.AwaitCalls(2), ElementsAre(Key("parent"), Key("other")));
  EXPECT_EQ(gate_.held(), 1U);
  EXPECT_EQ(controller->queue().size(), 0U) << "the held key must not be handed out";
  api_.HoldWatches(false);
  const auto calls = reconciler.AwaitCalls(4);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), Key("parent")), 2);
  AwaitPasses(4);
  EXPECT_THAT(*child_seen.Lock(), ElementsAre(false, true));
  const auto requests = api_.requests();
  EXPECT_EQ(
      std::count(requests.begin(), requests.end(), "PATCH /api/v1/namespaces/ns/configmaps/child"),
      1)
      << "the second pass acted on an old cache";
}

TEST_F(ControllerTest, FailedPassIsHeldAsWell) {
  Guarded<std::vector<bool>> child_seen;
  ReconcilerDouble reconciler([&](Pass& pass, const kube::ObjectKey& key) -> Result<Outcome> {
    if (key == Key("child")) {
      return Outcome::Done();
    }
    const ObjectPtr child = informer_.store().Get("ns", "child");
    child_seen.Lock()->push_back(static_cast<bool>(child));
    RETURN_IF_ERROR(pass.Apply(kube::types::ConfigMaps(), ConfigMap("child", "1"), child.get()));
    if (child_seen.Lock()->size() == 1) {
      return UnavailableError("after the write");
    }
    return Outcome::Done();
  });
  Running controller = Start(reconciler);
  api_.HoldWatches(true);
  controller->Enqueue(Key("parent"));
  reconciler.AwaitCalls(1);
  controller->Enqueue(Key("child"));
  reconciler.AwaitCalls(2);
  EXPECT_EQ(gate_.held(), 1U);
  api_.HoldWatches(false);
  AwaitPasses(4);
  EXPECT_THAT(*child_seen.Lock(), ElementsAre(false, true));
}

TEST_F(ControllerTest, FailureIsTriedAgainAndForgottenOnSuccess) {
  std::atomic<int> left{3};
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) -> Result<Outcome> {
    if (left-- > 0) {
      return UnavailableError("not yet");
    }
    return Outcome::Done();
  });
  Running controller = Start(reconciler);
  controller->Enqueue(Key("a"));
  AwaitPasses(4);
  EXPECT_EQ(controller->queue().failures(Key("a")), 0);
  EXPECT_EQ(Total("error"), 3);
  EXPECT_EQ(Count("reconcile_errors_total"), 3);
  EXPECT_EQ(Total("success"), 1);
  EXPECT_THAT(lines_->text(), HasSubstr("not yet"));
  EXPECT_THAT(lines_->text(), HasSubstr("controller=settings key=ns/a reconcileID="));
}

TEST_F(ControllerTest, WaitThatTheServerAskedForIsKept) {
  std::atomic<bool> failed{false};
  SteadyTime first;
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) -> Result<Outcome> {
    if (!failed.exchange(true)) {
      first = RealClock().Now();
      return ExhaustedError("too many requests").WithRetryAfter(milliseconds(40));
    }
    EXPECT_GE(RealClock().Now() - first, milliseconds(40));
    return Outcome::Done();
  });
  Running controller = Start(reconciler);
  controller->Enqueue(Key("a"));
  reconciler.AwaitCalls(2);
}

TEST_F(ControllerTest, TerminalFailureIsNotTriedAgain) {
  ReconcilerDouble reconciler([](Pass&, const kube::ObjectKey& key) -> Result<Outcome> {
    if (key.name == "invalid") {
      return TerminalError("spec.size must be a number");
    }
    if (key.name == "told") {
      return UnavailableError("never mind").WithReason(kTerminalError);
    }
    if (key.name == "refused") {
      return kube::StatusFromResponse(
          Refusal(422, R"({"kind":"Status","apiVersion":"v1","reason":"Invalid","code":422})"));
    }
    return Outcome::Done();
  });
  Running controller = Start(reconciler);
  controller->Enqueue(Key("invalid"));
  controller->Enqueue(Key("told"));
  controller->Enqueue(Key("refused"));
  AwaitPasses(3);
  EXPECT_EQ(controller->queue().delayed(), 0U);
  EXPECT_EQ(controller->queue().failures(Key("invalid")), 0);
  EXPECT_EQ(Count("terminal_reconcile_errors_total"), 3);
  EXPECT_EQ(Count("reconcile_errors_total"), 3);
}

// What stands between us and the API server, or is half written at the moment, says nothing about
// the object.
TEST_F(ControllerTest, FailureThatIsNotTheApiServersVerdictIsTriedAgain) {
  const Status passing[] = {
      InvalidError("the token file is empty"),
      DataLossError("the answer is not valid HTTP"),
      ExhaustedError("the answer is longer than 5 bytes"),
      kube::StatusFromResponse(Refusal(400, "<html>Bad Request</html>")),
      kube::StatusFromResponse(Refusal(422, "<html>Unprocessable</html>")),
      kube::StatusFromResponse(Refusal(418, "short and stout")),
      kube::StatusFromResponse(
          Refusal(400, R"({"kind":"Status","apiVersion":"v1","reason":"BadRequest","code":400})")),
  };
  std::atomic<size_t> next{0};
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) -> Result<Outcome> {
    const size_t at = next++;
    return at < std::size(passing) ? Result<Outcome>(passing[at]) : Outcome::Done();
  });
  Running controller = Start(reconciler);
  controller->Enqueue(Key("a"));
  reconciler.AwaitCalls(std::size(passing) + 1);
  EXPECT_EQ(Count("terminal_reconcile_errors_total"), 0);
}

TEST_F(ControllerTest, ExceptionIsCountedAndTriedAgain) {
  std::atomic<int> calls{0};
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) -> Result<Outcome> {
    switch (calls++) {
      case 0:
        throw std::runtime_error("boom");
      case 1:
        throw 7;  // NOLINT(hicpp-exception-baseclass)
      default:
        return Outcome::Done();
    }
  });
  Running controller = Start(reconciler);
  controller->Enqueue(Key("a"));
  AwaitPasses(3);
  EXPECT_EQ(Count("reconcile_panics_total"), 2);
  EXPECT_EQ(Total("error"), 2);
  EXPECT_EQ(Total("success"), 1);
  EXPECT_THAT(lines_->text(), HasSubstr("boom"));
}

TEST_F(ControllerTest, ConflictIsTriedAgainQuietly) {
  std::atomic<bool> failed{false};
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) -> Result<Outcome> {
    if (!failed.exchange(true)) {
      return ConflictError("somebody was faster");
    }
    return Outcome::Done();
  });
  Running controller = Start(reconciler);
  controller->Enqueue(Key("a"));
  AwaitPasses(2);
  EXPECT_EQ(Total("requeue"), 1);
  EXPECT_EQ(Count("reconcile_errors_total"), 0);
  EXPECT_THAT(lines_->text(), testing::Not(HasSubstr("faster")));
}

TEST_F(ControllerTest, OutcomeLaterLooksAgain) {
  std::atomic<bool> waited{false};
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) -> Result<Outcome> {
    return waited.exchange(true) ? Outcome::Done() : Outcome::After(milliseconds(3));
  });
  Running controller = Start(reconciler);
  controller->Enqueue(Key("a"));
  AwaitPasses(2);
  EXPECT_EQ(Total("requeue_after"), 1);
  EXPECT_EQ(Total("success"), 1);
}

TEST_F(ControllerTest, PassHasADeadline) {
  ControllerOptions options = Fast();
  options.reconcile_timeout = milliseconds(5);
  std::atomic<bool> timed_out{false};
  ReconcilerDouble reconciler([&](Pass& pass, const kube::ObjectKey&) -> Result<Outcome> {
    if (timed_out.exchange(true)) {
      return Outcome::Done();
    }
    SleepFor(RealClock(), pass.limit().Remaining(RealClock()), pass.limit().stop);
    return pass.limit().Check(RealClock(), "waiting");
  });
  Running controller = Start(reconciler, options);
  controller->Enqueue(Key("a"));
  AwaitPasses(2);
  EXPECT_EQ(Count("reconcile_timeouts_total"), 1);
}

TEST_F(ControllerTest, StopAsksRunningPassesAndWaits) {
  ReconcilerDouble reconciler([](Pass& pass, const kube::ObjectKey&) -> Result<Outcome> {
    SleepFor(RealClock(), Duration::max(), pass.limit().stop);
    return pass.limit().Check(RealClock(), "waiting");
  });
  Running controller = Start(reconciler);
  controller->Enqueue(Key("a"));
  controller->Enqueue(Key("never begun"));
  reconciler.AwaitCalls(1);
  EXPECT_OK(controller->Stop(WaitLimit::Forever()));
  EXPECT_EQ(reconciler.calls(), 1U);
  EXPECT_EQ(Total("error"), 0) << "being told to stop is no failure";
}

TEST_F(ControllerTest, PassThatDoesNotStopIsNamed) {
  std::promise<void> let_go;
  ReconcilerDouble reconciler([&](Pass&, const kube::ObjectKey&) {
    let_go.get_future().wait();
    return Outcome::Done();
  });
  Running controller = Start(reconciler, Fast(2));
  controller->Enqueue(Key("stuck"));
  reconciler.AwaitCalls(1);
  const Status stopped = controller->Stop(WaitLimit::For(RealClock(), milliseconds(10)));
  EXPECT_CODE(Code::kDeadlineExceeded, stopped);
  EXPECT_THAT(std::string(stopped.message()), HasSubstr("ns/stuck"));
  EXPECT_THAT(std::string(stopped.message()), HasSubstr("settings"));
  let_go.set_value();
  EXPECT_OK(controller->Stop(WaitLimit::Forever()));
}

TEST_F(ControllerTest, ResyncLooksAtEverythingAgain) {
  Put("a", "1");
  Put("b", "1");
  ControllerOptions options = Fast();
  options.resync = milliseconds(2);
  ReconcilerDouble reconciler;
  const Running controller = Start(reconciler, options);
  const auto calls = reconciler.AwaitCalls(12);
  EXPECT_GE(std::count(calls.begin(), calls.end(), Key("a")), 5);
  EXPECT_GE(std::count(calls.begin(), calls.end(), Key("b")), 5);
}

TEST_F(ControllerTest, MetricsHaveTheNamesDashboardsKnow) {
  ReconcilerDouble reconciler;
  Running controller = Start(reconciler, Fast(3));
  controller->Enqueue(Key("a"));
  reconciler.AwaitCalls(1);
  EXPECT_OK(controller->Stop(WaitLimit::Forever()));
  const std::string text = metrics_.Expose();
  for (const char* series :
       {"controller_runtime_reconcile_total{controller=\"settings\",result=\"success\"} 1",
        "controller_runtime_reconcile_total{controller=\"settings\",result=\"error\"} 0",
        "controller_runtime_reconcile_total{controller=\"settings\",result=\"requeue\"} 0",
        "controller_runtime_reconcile_total{controller=\"settings\",result=\"requeue_after\"} 0",
        "controller_runtime_reconcile_errors_total{controller=\"settings\"} 0",
        "controller_runtime_terminal_reconcile_errors_total{controller=\"settings\"} 0",
        "controller_runtime_reconcile_panics_total{controller=\"settings\"} 0",
        "controller_runtime_reconcile_time_seconds_count{controller=\"settings\"} 1",
        "controller_runtime_active_workers{controller=\"settings\"} 0",
        "controller_runtime_max_concurrent_reconciles{controller=\"settings\"} 3",
        "workqueue_depth{name=\"settings\"} 0", "workqueue_adds_total{name=\"settings\"} 1",
        "workqueue_queue_duration_seconds_count{name=\"settings\"} 1",
        "workqueue_work_duration_seconds_count{name=\"settings\"} 1",
        "workqueue_retries_total{name=\"settings\"} 0"}) {
    EXPECT_THAT(text, HasSubstr(series));
  }
}

}  // namespace
}  // namespace hearth::controller
