#include "grove/initc/wait.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>

#include "base/testing/status_matchers.h"
#include "controller/testing/memory_api.h"
#include "json/yaml.h"
#include "kube/client/transport.h"
#include "net/event_loop.h"

namespace hearth::grove::initc {
namespace {

using testing::HasSubstr;

// What was logged, to wait for.
class Lines : public LogSink {
 public:
  void Write(LogLevel /*level*/, std::string_view line) override {
    const std::lock_guard lock(mutex_);
    text_ += line;
    changed_.notify_all();
  }
  void Await(const std::string& part) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, std::chrono::seconds(60),
                                  [&] { return text_.find(part) != std::string::npos; }))
        << part << " was not logged:\n"
        << text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
};

class WaitTest : public testing::Test {
 protected:
  void PutPod(const std::string& name, const std::string& clique, bool ready,
              const std::string& more_metadata = "") {
    const auto pod = json::ParseYamlDocument(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: ns" + more_metadata +
        ", labels: {grove.io/podgang: s-0, grove.io/podclique: " + clique +
        "}}\nstatus: {conditions: [{type: Ready, status: \"" + (ready ? "True" : "False") +
        "\"}]}\n");
    ASSERT_OK(pod);
    api_.Put(kube::types::Pods(), *pod);
  }

  void Start(Parents parents) {
    waiting_ = std::async(std::launch::async, [this, parents = std::move(parents)] {
      return WaitForParents(client_, {"ns", "s-0", parents},
                            Logger(lines_, LogFormat::kText, LogLevel::kInfo), stop_.get_token());
    });
  }

  controller::MemoryApi api_;
  net::EventLoop loop_{"test"};
  std::unique_ptr<kube::Transport> transport_ = kube::MakeHandlerTransport(loop_, api_.Handler());
  kube::Client client_{*transport_, RealClock()};
  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
  std::stop_source stop_;
  std::future<Status> waiting_;  // goes first
};

TEST_F(WaitTest, EndsWhenEveryParentHasEnoughReadyPods) {
  PutPod("a-1", "s-0-a", false);
  Start({{"s-0-a", 2}, {"s-0-b", 1}});
  lines_->Await("s-0-a 0 of 2, s-0-b 0 of 1");
  PutPod("b-1", "s-0-b", true);
  lines_->Await("missing=\"s-0-a 0 of 2\"");
  PutPod("a-1", "s-0-a", true);
  lines_->Await("missing=\"s-0-a 1 of 2\"");
  PutPod("a-2", "s-0-a", true);
  EXPECT_OK(waiting_.get());
}

TEST_F(WaitTest, EndsAtOnceWhenTheyAreReadyAlready) {
  PutPod("a-1", "s-0-a", true);
  Start({{"s-0-a", 1}});
  EXPECT_OK(waiting_.get());
}

// Names say nothing, and what goes is as good as gone.
TEST_F(WaitTest, CountsByLabelAndOnlyWhatStays) {
  PutPod("s-0-a-bbbbb", "s-0-a-b", true);
  PutPod("s-0-a-ccccc", "s-0-a", true,
         ", deletionTimestamp: \"2026-01-01T00:00:00Z\", finalizers: [f]");
  PutPod("s-0-a-ddddd", "s-0-a", true);
  Start({{"s-0-a", 2}});
  lines_->Await("missing=\"s-0-a 1 of 2\"");
  PutPod("else", "s-0-a", true);
  EXPECT_OK(waiting_.get());
}

TEST_F(WaitTest, SaysWhomItWaitedForWhenStopped) {
  PutPod("a-1", "s-0-a", true);
  Start({{"s-0-a", 3}});
  lines_->Await("missing=\"s-0-a 1 of 3\"");
  stop_.request_stop();
  const Status status = waiting_.get();
  EXPECT_TRUE(status.Is(Code::kCancelled));
  EXPECT_THAT(status.message(), HasSubstr("s-0-a 1 of 3"));
}

// Rights may be granted a moment later than the pod starts.
TEST_F(WaitTest, TriesAgainWhenRefused) {
  std::atomic<int> refusals = 0;
  api_.Intercept([&](const http::Request&) -> std::optional<http::Response> {
    if (++refusals > 2) {
      return std::nullopt;
    }
    http::Response response;
    response.status = 403;
    response.body =
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403})";
    return response;
  });
  PutPod("a-1", "s-0-a", true);
  Start({{"s-0-a", 1}});
  EXPECT_OK(waiting_.get());
  EXPECT_GT(refusals, 2);
}

}  // namespace
}  // namespace hearth::grove::initc
