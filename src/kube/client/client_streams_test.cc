#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "base/testing/status_matchers.h"
#include "http/testing/scripted_server.h"
#include "kube/client/client.h"
#include "kube/client/testing/scripted_api.h"

namespace hearth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class WatchRecorder : public WatchHandler {
 public:
  Status OnEvent(WatchEventType type, std::string_view object, size_t) override {
    std::lock_guard lock(mutex_);
    events_.emplace_back(type, object);
    return answer;
  }
  void OnEnd(Status status) override { end_.set_value(std::move(status)); }

  Status AwaitEnd() { return end_.get_future().get(); }
  std::vector<std::pair<WatchEventType, std::string>> events() {
    std::lock_guard lock(mutex_);
    return events_;
  }
  Status answer;

 private:
  std::mutex mutex_;
  std::vector<std::pair<WatchEventType, std::string>> events_;
  std::promise<Status> end_;
};

class ListRecorder : public ListHandler {
 public:
  Status OnItem(std::string_view object, size_t) override {
    items.emplace_back(object);
    return answer;
  }
  void OnEnd(Result<Tail> tail) override { end_.set_value(std::move(tail)); }
  Result<Tail> AwaitEnd() { return end_.get_future().get(); }
  std::vector<std::string> items;
  Status answer;

 private:
  std::promise<Result<Tail>> end_;
};

class ClientStreamsTest : public ::testing::Test {
 protected:
  std::unique_ptr<http::Stream> Watch(WatchHandler& handler) {
    return client_.StartWatch(types::Pods(), "ns", {.resource_version = "7"}, handler, {});
  }
  std::unique_ptr<http::Stream> List(ListHandler& handler) {
    return client_.StartList(types::Pods(), "ns", {}, handler, {});
  }

  net::EventLoop loop_{"test"};
  ScriptedApi api_;
  std::unique_ptr<Transport> transport_ = MakeHandlerTransport(loop_, api_.handler());
  Client client_{*transport_, RealClock()};
};

TEST_F(ClientStreamsTest, AWatchGivesItsEvents) {
  api_.Stream({R"({"type":"ADDED","obj)", R"(ect":{"a":1}})"
                                          "\n"
                                          R"({"type":"ERROR","object":{}})"
                                          "\n"});
  WatchRecorder recorder;
  const auto stream = Watch(recorder);
  EXPECT_OK(recorder.AwaitEnd());
  EXPECT_THAT(recorder.events(), ElementsAre(Pair(WatchEventType::kAdded, R"({"a":1})"),
                                             Pair(WatchEventType::kError, "{}")));
  EXPECT_THAT(api_.request_lines(),
              ElementsAre("GET /api/v1/namespaces/ns/pods?watch=true&allowWatchBookmarks=true"
                          "&resourceVersion=7"));
}

TEST_F(ClientStreamsTest, AWatchCutInsideAnEventIsDataLoss) {
  api_.Stream({R"({"type":"ADDED","object":{"a")"});
  WatchRecorder recorder;
  const auto stream = Watch(recorder);
  const Status end = recorder.AwaitEnd();
  EXPECT_CODE(Code::kDataLoss, end);
  EXPECT_THAT(std::string(end.message()), HasSubstr("watch pods in ns: "));
  EXPECT_THAT(recorder.events(), IsEmpty());
}

TEST_F(ClientStreamsTest, ARefusedWatchEndsWithTheReason) {
  api_.Failure(Status(Code::kGone, "Expired", "too old resource version"));
  WatchRecorder recorder;
  const auto stream = Watch(recorder);
  const Status end = recorder.AwaitEnd();
  EXPECT_CODE(Code::kGone, end);
  EXPECT_EQ(end.reason(), "Expired");
  EXPECT_THAT(std::string(end.message()), HasSubstr("watch pods in ns: too old"));
}

TEST_F(ClientStreamsTest, AnEndlessRefusalIsCutShort) {
  api_.Then([](const http::Request&, std::unique_ptr<http::ResponseWriter> writer) {
    ASSERT_OK(writer->Begin({503, {}, ""}));
    const std::string piece(10'000, 'x');
    while (writer->Write(piece, WaitLimit::Forever()).ok()) {
    }
  });
  WatchRecorder recorder;
  const auto stream = Watch(recorder);
  EXPECT_CODE(Code::kUnavailable, recorder.AwaitEnd());
}

TEST_F(ClientStreamsTest, NonsenseEndsAWatch) {
  api_.Stream({"hello\n"}, true);
  WatchRecorder recorder;
  const auto stream = Watch(recorder);
  EXPECT_CODE(Code::kInvalid, recorder.AwaitEnd());
}

TEST_F(ClientStreamsTest, AReceiverThatFailsEndsItsWatch) {
  api_.Stream({R"({"type":"ADDED","object":{}})"
               "\n"
               R"({"type":"ADDED","object":{}})"
               "\n"},
              true);
  WatchRecorder recorder;
  recorder.answer = ConflictError("enough");
  const auto stream = Watch(recorder);
  const Status end = recorder.AwaitEnd();
  EXPECT_CODE(Code::kConflict, end);
  EXPECT_EQ(recorder.events().size(), 1u);
}

TEST_F(ClientStreamsTest, ACancelledWatchSaysSo) {
  api_.Stream({}, true);
  WatchRecorder recorder;
  const auto stream = Watch(recorder);
  ASSERT_TRUE(api_.AwaitRequests(1));
  stream->Cancel();
  EXPECT_CODE(Code::kCancelled, recorder.AwaitEnd());
}

TEST_F(ClientStreamsTest, AWatchMayBeLetGoInItsOwnEvent) {
  class LetsGo : public WatchHandler {
   public:
    Status OnEvent(WatchEventType, std::string_view, size_t) override {
      ++events;
      ready.get_future().wait();
      stream = nullptr;
      gone.set_value();
      return Status::Ok();
    }
    void OnEnd(Status) override { ADD_FAILURE() << "nobody is there to hear it"; }
    std::unique_ptr<http::Stream> stream;
    std::promise<void> ready;
    std::promise<void> gone;
    int events = 0;
  } handler;
  api_.Stream({R"({"type":"ADDED","object":{}})"
               "\n"
               R"({"type":"ADDED","object":{}})"
               "\n"});
  handler.stream = Watch(handler);
  handler.ready.set_value();
  handler.gone.get_future().wait();
  // Whatever was posted meanwhile has run when this has.
  std::promise<void> after;
  loop_.Post([&] { after.set_value(); });
  after.get_future().wait();
  EXPECT_EQ(handler.events, 1);
}

TEST_F(ClientStreamsTest, AListGivesItsItemsAndItsTail) {
  api_.Stream(
      {R"({"kind":"PodList","metadata":{"resourceVersion":"7","continue":"t"},"items":[{"a":)",
       R"(1},{"b":2}]})"});
  ListRecorder recorder;
  const auto stream = List(recorder);
  ASSERT_OK_AND_ASSIGN(const ListHandler::Tail tail, recorder.AwaitEnd());
  EXPECT_THAT(recorder.items, ElementsAre(R"({"a":1})", R"({"b":2})"));
  EXPECT_EQ(tail.resource_version, "7");
  EXPECT_EQ(tail.continue_token, "t");
}

TEST_F(ClientStreamsTest, AListCutShortIsDataLoss) {
  api_.Stream({R"({"kind":"PodList","items":[{"a":1},)"});
  ListRecorder recorder;
  const auto stream = List(recorder);
  EXPECT_CODE(Code::kDataLoss, recorder.AwaitEnd());
}

TEST_F(ClientStreamsTest, ARefusedListEndsWithTheReason) {
  api_.Failure(Status(Code::kPermissionDenied, "Forbidden", "no"));
  ListRecorder recorder;
  const auto stream = List(recorder);
  EXPECT_CODE(Code::kPermissionDenied, recorder.AwaitEnd());
}

TEST_F(ClientStreamsTest, AReceiverThatFailsEndsItsList) {
  api_.Stream({R"({"items":[{},{}]})"});
  ListRecorder recorder;
  recorder.answer = ExhaustedError("full");
  const auto stream = List(recorder);
  EXPECT_CODE(Code::kExhausted, recorder.AwaitEnd());
  EXPECT_EQ(recorder.items.size(), 1u);
}

// A server that does not keep its promises, over a real socket.
class LyingServerTest : public ::testing::Test {
 protected:
  Status Watch(http::ScriptedServer::Script script) {
    http::ScriptedServer server(std::move(script));
    Config config;
    config.server = server.endpoint();
    auto transport = MakeHttpTransport(loop_, config, ConfigSources::Real());
    EXPECT_OK(transport);
    Client client(**transport, RealClock());
    const auto stream = client.StartWatch(types::Pods(), "", {}, recorder_, {});
    return recorder_.AwaitEnd();
  }

  net::EventLoop loop_{"test"};
  WatchRecorder recorder_;
};

TEST_F(LyingServerTest, AChunkThatNeverComesIsDataLoss) {
  EXPECT_CODE(Code::kDataLoss, Watch(http::ScriptedServer::Answer(
                                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                   "1e\r\n{\"type\":\"ADDED\",\"object\":{}}\n\r\n")));
  EXPECT_EQ(recorder_.events().size(), 1u);
}

TEST_F(LyingServerTest, AServerThatIsNoHttpServerIsDataLoss) {
  EXPECT_CODE(Code::kDataLoss, Watch(http::ScriptedServer::Answer("SSH-2.0-OpenSSH\r\n\r\n")));
}

TEST_F(LyingServerTest, AResetIsUnavailableOrDataLoss) {
  const Status end = Watch([](http::ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Reset();
  });
  EXPECT_CODE(Code::kUnavailable, end);
}

}  // namespace
}  // namespace hearth::kube
