#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "http/client.h"
#include "http/internal/body_budget.h"
#include "http/testing/raw_client.h"
#include "http/testing/stream_recorder.h"

namespace hearth::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Reached by failures only.
WaitLimit Soon() { return WaitLimit::For(RealClock(), minutes(2)); }

Response Echo(const ServerRequest& request) {
  return {.status = 200,
          .headers = {{"X-Method", request.message.method}},
          .body = request.message.target + "|" + request.message.body};
}

// Keeps the lines for a look.
class MemorySink : public LogSink {
 public:
  void Write(LogLevel /*level*/, std::string_view line) override {
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

ServerOptions Loopback() {
  ServerOptions options;
  options.listen.host = "127.0.0.1";
  return options;
}

// A server on a loopback port, its loop and its log.
struct Rig {
  explicit Rig(Handler handler, ServerOptions options = Loopback())
      : server(Server::Start(loop, std::move(options), std::move(handler), logger).value()) {}
  explicit Rig(StreamingHandler handler, ServerOptions options = Loopback())
      : server(
            Server::StartStreaming(loop, std::move(options), std::move(handler), logger).value()) {}

  const net::Endpoint& endpoint() const { return server->endpoint(); }

  std::shared_ptr<MemorySink> log = std::make_shared<MemorySink>();
  Logger logger{log, LogFormat::kText, LogLevel::kInfo};
  net::EventLoop loop{"server-test"};
  std::unique_ptr<Server> server;
};

constexpr size_t kOneBuffer = 64 << 10;
constexpr char kGet[] = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";

TEST(Server, AnswersRequestsOfAClient) {
  Rig rig(Echo);
  Client client(rig.loop, rig.endpoint(), nullptr);
  for (const size_t size : {0, 5, 100'000, 2'000'000}) {
    const std::string body(size, 'b');
    ASSERT_OK_AND_ASSIGN(
        const Response response,
        client.Send({.method = "PUT", .target = "/path?q=1", .body = body}, Soon()));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.headers.Get("X-Method"), "PUT");
    EXPECT_EQ(response.body, "/path?q=1|" + body);
  }
  EXPECT_EQ(client.stats().connections_opened, 1U);
}

TEST(Server, ListensOnAFreePort) {
  Rig rig(Echo);
  EXPECT_NE(rig.endpoint().port, 0);
  net::EventLoop loop("other");
  ServerOptions same = Loopback();
  same.listen = rig.endpoint();
  EXPECT_CODE(Code::kAlreadyExists, Server::Start(loop, same, Echo));
}

TEST(Server, RefusesToBeReachableWhenOnlyLoopbackIsAllowed) {
  net::EventLoop loop("server-test");
  ServerOptions options = Loopback();
  options.loopback_only = true;
  EXPECT_OK(Server::Start(loop, options, Echo));
  options.listen.host = "0.0.0.0";
  EXPECT_CODE(Code::kInvalid, Server::Start(loop, options, Echo));
  options.listen.host = "";
  EXPECT_CODE(Code::kInvalid, Server::Start(loop, options, Echo));
}

TEST(Server, PipelinedRequestsAreAnsweredInOrder) {
  Rig rig([](const ServerRequest& request) {
    return Response{.status = 200, .body = request.message.target + request.message.body};
  });
  RawClient client(rig.endpoint());
  client.Send(
      "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n"
      "POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
      "POST /3 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n0\r\n\r\n"
      "GET /4 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadAnswer(), EndsWith("\r\n\r\n/1"));
  EXPECT_THAT(client.ReadAnswer(), EndsWith("\r\n\r\n/2abc"));
  EXPECT_THAT(client.ReadAnswer(), EndsWith("\r\n\r\n/3de"));
  EXPECT_THAT(client.ReadToEnd(), AllOf(EndsWith("\r\n\r\n/4"), HasSubstr("Connection: close")));
}

TEST(Server, LimitsAreAnswered) {
  ServerOptions options = Loopback();
  options.max_head_bytes = 1000;
  options.max_body_bytes = 10;
  Rig rig(Echo, options);
  const auto answer_to = [&](const std::string& bytes) {
    RawClient client(rig.endpoint());
    client.Send(bytes);
    return client.ReadToEnd().substr(0, 12);
  };
  EXPECT_EQ(answer_to("GET / HTTP/1.1\r\nA: " + std::string(5000, 'a')), "HTTP/1.1 431");
  EXPECT_EQ(answer_to("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n"), "HTTP/1.1 413");
  EXPECT_EQ(answer_to("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "b\r\n01234567890\r\n0\r\n\r\n"),
            "HTTP/1.1 413");
  EXPECT_EQ(answer_to("nonsense\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(answer_to("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 400");
}

TEST(Server, ARefusalArrivesThoughTheClientStillSends) {
  ServerOptions options = Loopback();
  options.max_body_bytes = 10;
  Rig rig(Echo, options);
  for (int i = 0; i < 10; ++i) {
    Client client(rig.loop, rig.endpoint(), nullptr);
    const std::string large(3 << 20, 'x');
    ASSERT_OK_AND_ASSIGN(const Response response,
                         client.Send({.method = "POST", .body = large}, Soon()));
    EXPECT_EQ(response.status, 413);
  }
}

TEST(Server, ASlowRequestIsCutOff) {
  ServerOptions options = Loopback();
  options.read_timeout = milliseconds(500);  // for the first bytes, too: who sends none hears none
  Rig rig(Echo, options);
  RawClient begun(rig.endpoint());
  begun.Send("GET / HTTP/1.1\r\nHo");
  EXPECT_THAT(begun.ReadToEnd(), StartsWith("HTTP/1.1 408"));
  RawClient in_body(rig.endpoint());
  in_body.Send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_THAT(in_body.ReadToEnd(), StartsWith("HTTP/1.1 408"));
  RawClient silent(rig.endpoint());
  EXPECT_EQ(silent.ReadToEnd(), "");
}

TEST(Server, AnIdleConnectionIsClosed) {
  ServerOptions options = Loopback();
  options.idle_timeout = milliseconds(30);
  Rig rig(Echo, options);
  RawClient client(rig.endpoint());
  client.Send(kGet);
  EXPECT_THAT(client.ReadAnswer(), EndsWith("/x|"));
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(Server, ConnectionsBeyondTheLimitAreTurnedAway) {
  ServerOptions options = Loopback();
  options.max_connections = 1;
  Rig rig(Echo, options);
  RawClient first(rig.endpoint());
  first.Send(kGet);
  EXPECT_THAT(first.ReadAnswer(), StartsWith("HTTP/1.1 200"));
  RawClient second(rig.endpoint());
  EXPECT_THAT(second.ReadToEnd(), StartsWith("HTTP/1.1 503"));
  first.Send(kGet);
  EXPECT_THAT(first.ReadAnswer(), StartsWith("HTTP/1.1 200"));
}

TEST(Server, SilentConnectionsMakeRoomTheLongestFirst) {
  ServerOptions options = Loopback();
  options.max_connections = 2;
  options.make_room = true;
  Rig rig(Echo, options);
  RawClient mute(rig.endpoint());
  mute.Send("GET / HT");
  RawClient idle(rig.endpoint());
  idle.Send(kGet);
  EXPECT_THAT(idle.ReadAnswer(), StartsWith("HTTP/1.1 200"));
  RawClient third(rig.endpoint());
  third.Send(kGet);
  EXPECT_THAT(third.ReadAnswer(), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(mute.ReadToEnd(), "");
  idle.Send(kGet);
  EXPECT_THAT(idle.ReadAnswer(), StartsWith("HTTP/1.1 200")) << "the other one had to go";
}

TEST(Server, RequestsUnderWayMakeNoRoom) {
  std::promise<void> busy;
  std::promise<void> let_go;
  ServerOptions options = Loopback();
  options.max_connections = 1;
  options.make_room = true;
  Rig rig(
      [&](const ServerRequest&) {
        busy.set_value();
        let_go.get_future().wait();
        return Response{.status = 200};
      },
      options);
  RawClient first(rig.endpoint());
  first.Send(kGet);
  busy.get_future().wait();
  RawClient second(rig.endpoint());
  EXPECT_THAT(second.ReadToEnd(), StartsWith("HTTP/1.1 503"));
  let_go.set_value();
  EXPECT_THAT(first.ReadAnswer(), StartsWith("HTTP/1.1 200"));
}

constexpr size_t kFree = BodyBudget::kFreeBytes;

std::string PutHead(size_t length) {
  return "PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
}

ServerOptions WithRoomFor(size_t bytes) {
  ServerOptions options = Loopback();
  options.max_held_bytes = bytes;
  return options;
}

TEST(Server, BodiesTogetherAreBounded) {
  std::promise<void> busy;
  std::promise<void> let_go;
  Rig rig(
      [&](const ServerRequest& request) {
        if (request.message.body.size() == kFree + 1000) {
          busy.set_value();
          let_go.get_future().wait();
        }
        return Response{.status = 200};
      },
      WithRoomFor(1000));
  RawClient first(rig.endpoint());
  first.Send(PutHead(kFree + 1000) + std::string(kFree + 1000, 'x'));
  busy.get_future().wait();
  RawClient second(rig.endpoint());
  second.Send(PutHead(kFree + 1) + std::string(kFree + 1, 'x'));
  EXPECT_THAT(second.ReadToEnd(),
              AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("bytes of other requests")));
  RawClient small(rig.endpoint());
  small.Send(PutHead(kFree) + std::string(kFree, 'x'));
  EXPECT_THAT(small.ReadAnswer(), StartsWith("HTTP/1.1 200")) << "small ones are free";
  let_go.set_value();
  EXPECT_THAT(first.ReadAnswer(), StartsWith("HTTP/1.1 200"));
  // A moment after the answer.
  const auto serves_two = [&] {
    RawClient next(rig.endpoint());
    for (int i = 0; i < 2; ++i) {
      next.Send(PutHead(kFree + 999) + std::string(kFree + 999, 'x'));
      if (!next.ReadAnswer().starts_with("HTTP/1.1 200")) {
        return false;
      }
    }
    return true;
  };
  for (int tries = 0; !serves_two(); ++tries) {
    ASSERT_LT(tries, 1000) << "what was answered is not given back";
  }
}

TEST(Server, BodiesOfClientsThatWentAreGivenBack) {
  Rig rig(Echo, WithRoomFor(1000));
  for (int i = 0; i < 3; ++i) {
    RawClient gone(rig.endpoint());
    gone.Send(PutHead(kFree + 1001) + std::string(kFree + 1000, 'x'));
    gone.CloseSending();
    EXPECT_EQ(gone.ReadToEnd(), "") << "not a refusal";
  }
}

TEST(Server, SlowBodiesMakeRoomForOthers) {
  ServerOptions options = WithRoomFor(1000);
  options.make_room = true;
  Rig rig(Echo, options);
  RawClient slow(rig.endpoint());
  slow.Send("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 999999\r\n\r\n");
  EXPECT_THAT(slow.ReadUntil("\r\n\r\n"), HasSubstr("100 Continue"));
  slow.Send(std::string(kFree + 900, 'x'));
  // What the one before had may be given back a moment after he has his answer.
  const auto served = [&] {
    RawClient other(rig.endpoint());
    other.Send(PutHead(kFree + 1000) + std::string(kFree + 1000, 'x'));
    return other.ReadAnswer().starts_with("HTTP/1.1 200");
  };
  for (int answers = 0, tries = 0; answers < 3; ++tries) {
    ASSERT_LT(tries, 1000) << "the slow one holds all there is";
    answers += served() ? 1 : 0;
  }
  EXPECT_THAT(slow.ReadToEnd(), StartsWith("HTTP/1.1 503"));
}

// Were it otherwise, a slow client would drive out one client after the other.
TEST(Server, TheSlowestMakesRoomItself) {
  ServerOptions options = WithRoomFor(1000);
  options.make_room = true;
  Rig rig(Echo, options);
  const auto begin = [&](RawClient& client, size_t length) {
    client.Send("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: " +
                std::to_string(length) + "\r\n\r\n");
    EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("100 Continue"));
  };
  RawClient slow(rig.endpoint());
  begin(slow, kFree + 5000);
  RawClient other(rig.endpoint());
  begin(other, kFree + 500);
  other.Send(std::string(kFree + 400, 'x'));
  slow.Send(std::string(kFree + 900, 'x'));
  EXPECT_THAT(slow.ReadToEnd(), StartsWith("HTTP/1.1 503"));
  other.Send(std::string(100, 'x'));
  EXPECT_THAT(other.ReadAnswer(), StartsWith("HTTP/1.1 200"));
}

TEST(Server, ContinueIsSaidBeforeTheBody) {
  Rig rig(Echo);
  RawClient client(rig.endpoint());
  client.Send("PUT /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("ok");
  EXPECT_THAT(client.ReadAnswer(), EndsWith("/x|ok"));
}

TEST(Server, TooLargeABodyIsRefusedBeforeItIsSent) {
  ServerOptions options = Loopback();
  options.max_body_bytes = 1;
  Rig rig(Echo, options);
  RawClient client(rig.endpoint());
  client.Send("PUT /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 413"));
}

TEST(Server, HeadHasNoBody) {
  Rig rig(Echo);
  RawClient client(rig.endpoint());
  client.Send("HEAD /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), AllOf(HasSubstr("Content-Length: 3\r\n"), EndsWith("\r\n\r\n")));
}

TEST(Server, OldClientsGetNoChunks) {
  Rig rig([](ServerRequest /*request*/, std::unique_ptr<ResponseWriter> writer) {
    EXPECT_OK(writer->Begin({.status = 200}));
    EXPECT_OK(writer->Write("as it is", WaitLimit::Forever()));
    EXPECT_OK(writer->Finish());
  });
  RawClient client(rig.endpoint());
  client.Send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), AllOf(Not(HasSubstr("chunked")), EndsWith("\r\n\r\nas it is")));
}

TEST(Server, AHandlerThatThrowsHurtsOnlyItsRequest) {
  Rig rig([](const ServerRequest& request) -> Response {
    if (request.message.target == "/throw") {
      throw std::runtime_error("on purpose");
    }
    if (request.message.target == "/throw-odd") {
      throw 42;
    }
    if (request.message.target == "/inject") {
      return {.status = 200, .headers = {{"A", "b\r\nC: d"}}};
    }
    return {.status = 200};
  });
  Client client(rig.loop, rig.endpoint(), nullptr);
  for (const char* target : {"/throw", "/throw-odd", "/inject"}) {
    ASSERT_OK_AND_ASSIGN(const Response response, client.Send({.target = target}, Soon()));
    EXPECT_EQ(response.status, 500) << target;
    EXPECT_FALSE(response.headers.Has("C"));
  }
  ASSERT_OK_AND_ASSIGN(const Response response, client.Send({}, Soon()));
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(rig.log->text(), AllOf(HasSubstr("on purpose"), HasSubstr("/inject")));
}

TEST(Server, RequestsRunSideBySide) {
  std::promise<void> second_ran;
  const std::shared_future<void> ran = second_ran.get_future().share();
  Rig rig([&, ran](const ServerRequest& request) {
    if (request.message.target == "/first") {
      ran.wait_for(minutes(2));
    } else {
      second_ran.set_value();
    }
    return Response{.status = 200};
  });
  Client client(rig.loop, rig.endpoint(), nullptr);
  StreamRecorder first;
  const auto stream = client.Start({.target = "/first"}, first, {});
  EXPECT_OK(client.Send({.target = "/second"}, Soon()));
  EXPECT_OK(first.AwaitEnd());
}

TEST(Server, AWriterLivesLongerThanItsHandler) {
  std::promise<std::unique_ptr<ResponseWriter>> promise;
  Rig rig([&](ServerRequest /*request*/, std::unique_ptr<ResponseWriter> writer) {
    promise.set_value(std::move(writer));
  });
  Client client(rig.loop, rig.endpoint(), nullptr);
  StreamRecorder recorder;
  const auto stream = client.Start({}, recorder, {});
  const std::unique_ptr<ResponseWriter> writer = promise.get_future().get();
  ASSERT_OK(writer->Begin({.status = 201}));
  ASSERT_TRUE(recorder.AwaitHead());
  EXPECT_EQ(recorder.head().status, 201);
  ASSERT_OK(writer->Write("one", Soon()));
  ASSERT_TRUE(recorder.AwaitData(3));
  ASSERT_OK(writer->Write("two", Soon()));
  ASSERT_OK(writer->Finish());
  EXPECT_OK(recorder.AwaitEnd());
  EXPECT_EQ(recorder.data(), "onetwo");
  EXPECT_CODE(Code::kInvalid, writer->Write("three", Soon()));
}

TEST(Server, AWriterThatGoesUnusedAnswers500) {
  Rig rig(
      [](ServerRequest /*request*/, std::unique_ptr<ResponseWriter> writer) { writer = nullptr; });
  Client client(rig.loop, rig.endpoint(), nullptr);
  ASSERT_OK_AND_ASSIGN(const Response response, client.Send({}, Soon()));
  EXPECT_EQ(response.status, 500);
}

TEST(Server, AnAnswerLeftUnfinishedCutsTheConnection) {
  Rig rig([](ServerRequest request, std::unique_ptr<ResponseWriter> writer) {
    Response head{.status = 200};
    if (request.message.target == "/length") {
      head.headers.Set("Content-Length", "100");
    }
    EXPECT_OK(writer->Begin(head));
    EXPECT_OK(writer->Write("half", WaitLimit::Forever()));
    if (request.message.target == "/length") {
      EXPECT_CODE(Code::kInvalid, writer->Finish());
    }
  });
  Client client(rig.loop, rig.endpoint(), nullptr);
  for (const char* target : {"/chunks", "/length"}) {
    const Result<Response> response = client.Send({.target = target}, Soon());
    EXPECT_FALSE(response.ok()) << target;
  }
}

TEST(Server, DeclaredLengthIsKept) {
  Rig rig([](ServerRequest /*request*/, std::unique_ptr<ResponseWriter> writer) {
    EXPECT_OK(writer->Begin({.status = 200, .headers = {{"Content-Length", "4"}}}));
    EXPECT_OK(writer->Write("fo", WaitLimit::Forever()));
    EXPECT_CODE(Code::kInvalid, writer->Write("more", WaitLimit::Forever()));
    EXPECT_OK(writer->Write("ur", WaitLimit::Forever()));
    (void)writer->Finish();  // the client has it all by now, and may be gone
  });
  Client client(rig.loop, rig.endpoint(), nullptr);
  ASSERT_OK_AND_ASSIGN(const Response response, client.Send({}, Soon()));
  EXPECT_EQ(response.body, "four");
}

TEST(Server, AStreamingHandlerReadsTheBodyPieceByPiece) {
  Rig rig([](ServerRequest request, std::unique_ptr<ResponseWriter> writer) {
    uint64_t total = 0;
    for (;;) {
      const Result<std::string> piece = request.body->Read(Soon());
      if (!piece.ok() || piece->empty()) {
        EXPECT_OK(piece);
        break;
      }
      total += piece->size();
    }
    EXPECT_OK(writer->Send({.status = 200, .body = std::to_string(total)}));
  });
  Client client(rig.loop, rig.endpoint(), nullptr);
  for (const size_t size : {0, 100, 3'000'000}) {
    ASSERT_OK_AND_ASSIGN(const Response response,
                         client.Send({.method = "POST", .body = std::string(size, 'x')}, Soon()));
    EXPECT_EQ(response.body, std::to_string(size));
  }
  EXPECT_EQ(client.stats().connections_opened, 1U);
}

TEST(Server, ABodyNobodyReadsEndsTheConnection) {
  Rig rig([](ServerRequest /*request*/, std::unique_ptr<ResponseWriter> writer) {
    EXPECT_OK(writer->Send({.status = 403}));
  });
  RawClient client(rig.endpoint());
  client.Send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\nbeginning");
  EXPECT_THAT(client.ReadToEnd(),
              AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("Connection: close")));
}

TEST(Server, AStreamingHandlerAsksForTheBodyByReading) {
  Rig rig([](ServerRequest request, std::unique_ptr<ResponseWriter> writer) {
    if (request.message.target == "/refuse") {
      EXPECT_OK(writer->Send({.status = 403}));
      return;
    }
    const Result<std::string> piece = request.body->Read(Soon());
    EXPECT_OK(writer->Send({.status = 200, .body = piece.ok() ? *piece : "none"}));
  });
  const std::string fields = "Host: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  RawClient reading(rig.endpoint());
  reading.Send("PUT /read HTTP/1.1\r\n" + fields);
  EXPECT_EQ(reading.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  reading.Send("ok");
  EXPECT_THAT(reading.ReadAnswer(), EndsWith("\r\n\r\nok"));
  RawClient refused(rig.endpoint());
  refused.Send("PUT /refuse HTTP/1.1\r\n" + fields);
  EXPECT_THAT(refused.ReadAnswer(), StartsWith("HTTP/1.1 403"));
}

TEST(Server, ABrokenBodyIsToldToTheReader) {
  std::promise<std::string> first;
  std::promise<Status> last;
  Rig rig([&](ServerRequest request, std::unique_ptr<ResponseWriter> writer) {
    first.set_value(request.body->Read(Soon()).value());
    last.set_value(request.body->Read(Soon()).status());
    (void)writer->Send({.status = 400});
  });
  RawClient client(rig.endpoint());
  client.Send("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab");
  EXPECT_EQ(first.get_future().get(), "ab");
  client.Send("\r\nzz\r\n");
  EXPECT_CODE(Code::kInvalid, last.get_future().get());
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 400"));
}

TEST(Server, HangingUpStopsTheHandler) {
  std::promise<void> running;
  std::promise<Status> result;
  Rig rig([&](ServerRequest request, std::unique_ptr<ResponseWriter> writer) {
    EXPECT_OK(writer->Begin({.status = 200}));
    running.set_value();
    while (!request.stop.stop_requested()) {
      std::this_thread::yield();
    }
    EXPECT_TRUE(writer->stop().stop_requested());
    result.set_value(writer->Write("too late", Soon()));
  });
  {
    RawClient client(rig.endpoint());
    client.Send(kGet);
    running.get_future().wait();
  }
  EXPECT_CODE(Code::kUnavailable, result.get_future().get());
}

TEST(Server, AHalfClosedClientStillGetsItsAnswer) {
  Rig rig(Echo);
  RawClient client(rig.endpoint());
  client.Send(kGet);
  client.CloseSending();
  EXPECT_THAT(client.ReadToEnd(), EndsWith("/x|"));
}

TEST(Server, SlowClientsHoldTheWriterBack) {
  constexpr size_t kPiece = 32 << 10;
  constexpr int kPieces = 1000;
  std::atomic<int> written{0};
  std::atomic<bool> was_held{false};
  std::promise<void> held;
  Rig rig([&](ServerRequest /*request*/, std::unique_ptr<ResponseWriter> writer) {
    const std::string piece(kPiece, 'p');
    EXPECT_OK(writer->Begin({.status = 200}));
    for (; written < kPieces; ++written) {
      Status status = writer->Write(piece, WaitLimit::For(RealClock(), milliseconds(100)));
      if (status.Is(Code::kDeadlineExceeded)) {
        if (!was_held.exchange(true)) {
          held.set_value();
        }
        status = writer->Write(piece, Soon());  // a write in vain wrote nothing
      }
      EXPECT_OK(status);
    }
    EXPECT_OK(writer->Finish());
  });
  Client client(rig.loop, rig.endpoint(), nullptr);
  StreamRecorder recorder;
  std::unique_ptr<Stream> stream;
  // On the loop, so that nothing can arrive before it is paused.
  rig.loop.Post([&] {
    stream = client.Start({}, recorder, {});
    stream->Pause();
  });
  ASSERT_EQ(held.get_future().wait_for(minutes(2)), std::future_status::ready);
  EXPECT_LT(written, kPieces);
  EXPECT_LE(recorder.data_size(), kOneBuffer);
  stream->Resume();
  EXPECT_OK(recorder.AwaitEnd());
  EXPECT_EQ(recorder.data_size(), kPiece * kPieces);
}

TEST(Server, AWriterGivesUpInTime) {
  std::promise<Status> result;
  Rig rig([&](ServerRequest /*request*/, std::unique_ptr<ResponseWriter> writer) {
    const std::string piece(1 << 20, 'p');
    EXPECT_OK(writer->Begin({.status = 200}));
    Status status;
    while (status.ok()) {
      status = writer->Write(piece, WaitLimit::For(RealClock(), milliseconds(30)));
    }
    result.set_value(status);
  });
  RawClient client(rig.endpoint());
  client.Send(kGet);
  EXPECT_CODE(Code::kDeadlineExceeded, result.get_future().get());
}

TEST(Server, SlowReadersHoldTheClientBack) {
  constexpr size_t kSize = 64 << 20;
  std::promise<void> go;
  const std::shared_future<void> went = go.get_future().share();
  ServerOptions options = Loopback();
  options.max_body_bytes = kSize;
  Rig rig(
      [&, went](ServerRequest request, std::unique_ptr<ResponseWriter> writer) {
        went.wait();
        size_t total = 0;
        size_t largest = 0;
        for (Result<std::string> piece = request.body->Read(Soon()); piece.ok() && !piece->empty();
             piece = request.body->Read(Soon())) {
          total += piece->size();
          largest = std::max(largest, piece->size());
        }
        EXPECT_LE(largest, 2 * kOneBuffer) << "more than was worth keeping";
        EXPECT_OK(writer->Send({.status = 200, .body = std::to_string(total)}));
      },
      options);
  Client client(rig.loop, rig.endpoint(), nullptr);
  StreamRecorder recorder;
  const auto stream =
      client.Start({.method = "POST", .body = std::string(kSize, 'x')}, recorder, {});
  EXPECT_FALSE(recorder.ended());
  go.set_value();
  EXPECT_OK(recorder.AwaitEnd());
  EXPECT_EQ(recorder.data(), std::to_string(kSize));
}

TEST(Server, StopLetsRequestsFinish) {
  std::promise<void> running;
  Rig rig([&](const ServerRequest& request) {
    running.set_value();
    while (!request.stop.stop_requested()) {
      std::this_thread::yield();
    }
    return Response{.status = 200, .body = "finished"};
  });
  RawClient idle(rig.endpoint());
  RawClient busy(rig.endpoint());
  busy.Send(kGet);
  running.get_future().wait();
  rig.server->Stop(Soon());
  EXPECT_THAT(busy.ReadToEnd(), AllOf(HasSubstr("Connection: close"), EndsWith("finished")));
  EXPECT_EQ(idle.ReadToEnd(), "");
  EXPECT_FALSE(RawClient(rig.endpoint()).connected());
}

TEST(Server, StopDoesNotWaitForever) {
  std::promise<std::unique_ptr<ResponseWriter>> promise;
  Rig rig([&](ServerRequest /*request*/, std::unique_ptr<ResponseWriter> writer) {
    EXPECT_OK(writer->Begin({.status = 200}));
    promise.set_value(std::move(writer));
  });
  RawClient client(rig.endpoint());
  client.Send(kGet);
  const std::unique_ptr<ResponseWriter> writer = promise.get_future().get();
  rig.server->Stop(WaitLimit::For(RealClock(), milliseconds(20)));
  EXPECT_TRUE(writer->stop().stop_requested());
  EXPECT_CODE(Code::kUnavailable, writer->Write("late", Soon()));
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 200"));
  rig.server = nullptr;
  EXPECT_CODE(Code::kUnavailable, writer->Write("later", Soon()));
}

TEST(Server, GoingWakesBlockedHandlers) {
  std::promise<void> running;
  Rig rig([&](ServerRequest /*request*/, std::unique_ptr<ResponseWriter> writer) {
    EXPECT_OK(writer->Begin({.status = 200}));
    running.set_value();
    const std::string piece(1 << 20, 'p');
    while (writer->Write(piece, WaitLimit::Forever()).ok()) {
    }
  });
  RawClient client(rig.endpoint());
  client.Send(kGet);
  running.get_future().wait();
  rig.server = nullptr;
}

// --- Unix sockets.

ServerOptions UnixServer(const std::string& path) {
  ServerOptions options;
  options.listen.unix_path = path;
  return options;
}

TEST(UnixServer, KnowsItsPeer) {
  const TempDirectory directory;
  Rig rig(
      [](const ServerRequest& request) {
        return Response{.status = 200,
                        .body = request.peer.address + " " + std::to_string(request.peer.pid) +
                                " " + std::to_string(request.peer.uid)};
      },
      UnixServer(directory / "s"));
  Client client(rig.loop, rig.endpoint(), nullptr);
  ASSERT_OK_AND_ASSIGN(const Response response, client.Send({}, Soon()));
  EXPECT_EQ(response.body, "unix " + std::to_string(::getpid()) + " " + std::to_string(::getuid()));
}

TEST(UnixServer, ModeIsAsAskedWhateverTheUmask) {
  const TempDirectory directory;
  const std::string path = directory / "s";
  for (const mode_t umask : {0, 022, 077}) {
    for (const uint32_t mode : {0600, 0660, 0666}) {
      const mode_t old = ::umask(umask);
      ServerOptions options = UnixServer(path);
      options.unix_mode = mode;
      const Rig rig(Echo, options);
      ::umask(old);
      struct stat file {};
      ASSERT_EQ(::stat(path.c_str(), &file), 0);
      EXPECT_EQ(file.st_mode & 0777, mode);
    }
  }
}

TEST(UnixServer, TakesTheFileAwayWhenItGoes) {
  const TempDirectory directory;
  const std::string path = directory / "s";
  { const Rig rig(Echo, UnixServer(path)); }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(UnixServer, ReplacesTheSocketOfADeadServer) {
  const TempDirectory directory;
  const std::string path = directory / "s";
  {
    const Rig rig(Echo, UnixServer(path));
    // As if it had been killed: the file stays under its name.
    std::filesystem::rename(path, path + ".kept");
  }
  std::filesystem::rename(path + ".kept", path);
  Rig rig(Echo, UnixServer(path));
  Client client(rig.loop, rig.endpoint(), nullptr);
  EXPECT_OK(client.Send({}, Soon()));
}

TEST(UnixServer, LeavesALivingServerAlone) {
  const TempDirectory directory;
  const std::string path = directory / "s";
  Rig rig(Echo, UnixServer(path));
  EXPECT_CODE(Code::kAlreadyExists, Server::Start(rig.loop, UnixServer(path), Echo));
  Client client(rig.loop, rig.endpoint(), nullptr);
  EXPECT_OK(client.Send({}, Soon()));
}

TEST(UnixServer, LeavesOtherFilesAlone) {
  const TempDirectory directory;
  const std::string path = directory / "s";
  std::filesystem::create_directory(path);
  net::EventLoop loop("server-test");
  EXPECT_CODE(Code::kAlreadyExists, Server::Start(loop, UnixServer(path), Echo));
  EXPECT_TRUE(std::filesystem::is_directory(path));
}

TEST(UnixServer, AbstractNamesWork) {
  Rig rig(Echo, UnixServer("@hearth-server-test-" + std::to_string(::getpid())));
  Client client(rig.loop, rig.endpoint(), nullptr);
  EXPECT_OK(client.Send({}, Soon()));
}

TEST(UnixServer, NobodyThereIsUnavailable) {
  const TempDirectory directory;
  net::EventLoop loop("server-test");
  Client client(loop, {.unix_path = directory / "none"}, nullptr);
  EXPECT_CODE(Code::kUnavailable, client.Send({}, Soon()));
}

// --- Endurance.

size_t OpenFiles() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

TEST(Server, ManyRequestsLeakNoFiles) {
  const size_t before = OpenFiles();
  {
    Rig rig(Echo);
    Client client(rig.loop, rig.endpoint(), nullptr);
    for (int i = 0; i < 10'000; ++i) {
      // Now and then on a connection of its own.
      const Headers headers = i % 20 == 0 ? Headers{{"Connection", "close"}} : Headers{};
      ASSERT_OK(client.Send({.headers = headers}, Soon()));
    }
    EXPECT_EQ(client.stats().connections_opened, 501U);
    EXPECT_LT(OpenFiles(), before + 20);
  }
  EXPECT_EQ(OpenFiles(), before);
}

}  // namespace
}  // namespace hearth::http
