#include <gtest/gtest.h>

#include <future>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "http/testing/stream_recorder.h"
#include "kube/client/testing/scripted_api.h"
#include "kube/client/transport.h"

namespace hearth::kube {
namespace {

http::Request Get(std::string target) { return {"GET", std::move(target), {}, ""}; }

class HandlerTransportTest : public ::testing::Test {
 protected:
  std::unique_ptr<http::Stream> Start(const http::StreamOptions& options = {}) {
    return transport_->Start(Get("/"), recorder_, options);
  }

  net::EventLoop loop_{"test"};
  ScriptedApi api_;
  std::unique_ptr<Transport> transport_ = MakeHandlerTransport(loop_, api_.handler());
  http::StreamRecorder recorder_;
};

TEST_F(HandlerTransportTest, CarriesRequestAndAnswerWhole) {
  api_.Answer({418, {{"X-A", "b"}}, "teapot"});
  http::Request request{"POST", "/x?y=z", {{"X-B", "c"}}, "body"};
  ASSERT_OK_AND_ASSIGN(const http::Response answer,
                       transport_->Send(request, WaitLimit::Forever()));
  EXPECT_EQ(answer.status, 418);
  EXPECT_EQ(answer.headers.Get("x-a"), "b");
  EXPECT_EQ(answer.body, "teapot");
  const http::Request seen = api_.requests().at(0);
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/x?y=z");
  EXPECT_EQ(seen.headers.Get("X-B"), "c");
  EXPECT_EQ(seen.body, "body");
}

TEST_F(HandlerTransportTest, APiecemealAnswerIsCollected) {
  api_.Stream({"a", "b", "c"});
  ASSERT_OK_AND_ASSIGN(const http::Response answer,
                       transport_->Send(Get("/"), WaitLimit::Forever()));
  EXPECT_EQ(answer.body, "abc");
}

TEST_F(HandlerTransportTest, AHandlerThatLetsGoGivesAnError) {
  api_.Then([](const http::Request&, std::unique_ptr<http::ResponseWriter>) {});
  EXPECT_EQ(transport_->Send(Get("/"), WaitLimit::Forever())->status, 500);
  api_.Then([](const http::Request&, std::unique_ptr<http::ResponseWriter>) { throw 1; });
  EXPECT_EQ(transport_->Send(Get("/"), WaitLimit::Forever())->status, 500);
  api_.Then([](const http::Request&, std::unique_ptr<http::ResponseWriter> writer) {
    ASSERT_OK(writer->Begin({200, {}, ""}));
  });
  EXPECT_CODE(Code::kDataLoss, transport_->Send(Get("/"), WaitLimit::Forever()));
}

TEST_F(HandlerTransportTest, TheCallersLimitStopsTheHandler) {
  ManualClock clock;
  std::promise<void> stopped;
  api_.Then([&](const http::Request&, std::unique_ptr<http::ResponseWriter> writer) {
    const std::stop_callback on_stop(writer->stop(), [&] { stopped.set_value(); });
    stopped.get_future().wait();
    EXPECT_CODE(Code::kUnavailable, writer->Send({200, {}, ""}));
  });
  const auto transport = MakeHandlerTransport(loop_, api_.handler(), clock);
  auto answer = std::async(std::launch::async, [&] {
    return transport->Send(Get("/slow"), WaitLimit::For(clock, std::chrono::seconds(5)));
  });
  clock.AwaitWaiters(1);
  clock.Advance(std::chrono::seconds(5));
  const auto result = answer.get();
  EXPECT_CODE(Code::kDeadlineExceeded, result);
  EXPECT_NE(result.status().message().find("/slow"), std::string_view::npos);
}

TEST_F(HandlerTransportTest, StreamsArriveInOrder) {
  api_.Stream({"a", "b", "c"});
  const auto stream = Start();
  EXPECT_OK(recorder_.AwaitEnd());
  EXPECT_EQ(recorder_.head().status, 200);
  EXPECT_EQ(recorder_.data(), "abc");
}

TEST_F(HandlerTransportTest, AWholeAnswerStreamsToo) {
  api_.Json(404, "{}");
  const auto stream = Start();
  EXPECT_OK(recorder_.AwaitEnd());
  EXPECT_EQ(recorder_.head().status, 404);
  EXPECT_EQ(recorder_.head().body, "");
  EXPECT_EQ(recorder_.data(), "{}");
}

TEST_F(HandlerTransportTest, AStreamCutByItsHandlerIsDataLoss) {
  api_.Then([](const http::Request&, std::unique_ptr<http::ResponseWriter> writer) {
    ASSERT_OK(writer->Begin({200, {}, ""}));
    ASSERT_OK(writer->Write("half", WaitLimit::Forever()));
  });
  const auto stream = Start();
  EXPECT_CODE(Code::kDataLoss, recorder_.AwaitEnd());
  EXPECT_EQ(recorder_.data(), "half");
}

TEST_F(HandlerTransportTest, CancelEndsAnOpenStream) {
  api_.Stream({"a"}, true);
  const auto stream = Start();
  ASSERT_TRUE(recorder_.AwaitData(1));
  stream->Cancel();
  EXPECT_CODE(Code::kCancelled, recorder_.AwaitEnd());
}

TEST_F(HandlerTransportTest, APausedStreamHoldsItsWriterBack) {
  std::promise<size_t> written;
  api_.Then([&](const http::Request&, std::unique_ptr<http::ResponseWriter> writer) {
    ASSERT_OK(writer->Begin({200, {}, ""}));
    const std::string piece(100 << 10, 'x');
    size_t total = 0;
    // A limit that is over already: the first write that would have to wait fails.
    while (writer->Write(piece, WaitLimit::For(RealClock(), Duration::zero())).ok()) {
      total += piece.size();
    }
    written.set_value(total);
    ASSERT_OK(writer->Write("end", WaitLimit::Forever()));
    ASSERT_OK(writer->Finish());
  });
  std::promise<void> on_loop;
  std::promise<void> go;
  // Paused before the first byte: nothing can be delivered while the loop is held here.
  loop_.Post([&] {
    on_loop.set_value();
    go.get_future().wait();
  });
  on_loop.get_future().wait();
  const auto stream = Start();
  stream->Pause();
  go.set_value();
  const size_t total = written.get_future().get();
  EXPECT_GE(total, size_t{256} << 10);
  EXPECT_LT(total, size_t{512} << 10);
  EXPECT_EQ(recorder_.data_size(), 0u);
  stream->Resume();
  EXPECT_OK(recorder_.AwaitEnd());
  EXPECT_EQ(recorder_.data_size(), total + 3);
}

TEST_F(HandlerTransportTest, NothingIsHeardAfterTheStreamIsGone) {
  api_.Stream({"a"}, true);
  auto stream = Start();
  ASSERT_TRUE(recorder_.AwaitData(1));
  stream = nullptr;
  EXPECT_FALSE(recorder_.ended());
}

TEST_F(HandlerTransportTest, LimitsEndAStream) {
  const auto soon = std::chrono::milliseconds(20);
  for (const http::StreamOptions& options :
       {http::StreamOptions{.head_timeout = soon}, http::StreamOptions{.idle_timeout = soon},
        http::StreamOptions{.deadline = RealClock().Now() + soon}}) {
    http::StreamRecorder recorder;
    api_.Then([](const http::Request&, std::unique_ptr<http::ResponseWriter> writer) {
      std::promise<void> stopped;
      const std::stop_callback on_stop(writer->stop(), [&] { stopped.set_value(); });
      stopped.get_future().wait();
    });
    const auto stream = transport_->Start(Get("/"), recorder, options);
    EXPECT_CODE(Code::kDeadlineExceeded, recorder.AwaitEnd());
  }
}

TEST_F(HandlerTransportTest, GoingEndsWhatIsUnderWay) {
  api_.Stream({"a"}, true);
  const auto stream = Start();
  ASSERT_TRUE(recorder_.AwaitData(1));
  transport_ = nullptr;
  EXPECT_CODE(Code::kCancelled, recorder_.AwaitEnd());
}

TEST_F(HandlerTransportTest, AStreamMayGoInItsOwnCallback) {
  class GoesOnData : public http::StreamRecorder {
   public:
    void OnData(std::string_view bytes, size_t capacity) override {
      http::StreamRecorder::OnData(bytes, capacity);
      ready.get_future().wait();
      stream = nullptr;
      gone.set_value();
    }
    std::unique_ptr<http::Stream> stream;
    std::promise<void> ready;
    std::promise<void> gone;
  } recorder;
  api_.Stream({"a", "b"});
  recorder.stream = transport_->Start(Get("/"), recorder, {});
  recorder.ready.set_value();
  recorder.gone.get_future().wait();
  EXPECT_EQ(recorder.data(), "a");
  EXPECT_FALSE(recorder.ended());
}

}  // namespace
}  // namespace hearth::kube
