#include "http/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>

#include "base/testing/status_matchers.h"
#include "http/testing/gzip.h"
#include "http/testing/scripted_server.h"
#include "http/testing/stream_recorder.h"

namespace hearth::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Reached by failures only.
WaitLimit Soon() { return WaitLimit::For(RealClock(), minutes(2)); }

constexpr char kHello[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

// Serves every request on the connection with the same bytes.
ScriptedServer::Script Always(std::string answer) {
  return [answer = std::move(answer)](ScriptedConnection& connection) {
    while (!connection.ReadRequest().empty()) {
      connection.Send(answer);
    }
  };
}

// A server and a client that talks to it.
struct Pair {
  template <typename Scripts>
  explicit Pair(Scripts scripts, ClientOptions options = {})
      : server(std::move(scripts)), client(loop, server.endpoint(), nullptr, options) {}

  Result<Response> Get(const std::string& target = "/") {
    return client.Send({.target = target}, Soon());
  }

  ScriptedServer server;
  net::EventLoop loop{"client-test"};
  Client client;
};

TEST(Client, GetsAnAnswerWithLength) {
  Pair pair(Always(kHello));
  ASSERT_OK_AND_ASSIGN(const Response response, pair.Get("/greeting?to=world"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "hello");
  EXPECT_EQ(response.headers.Get("content-length"), "5");
  EXPECT_THAT(pair.server.requests(), ElementsAre(StartsWith("GET /greeting?to=world HTTP/1.1\r\n"
                                                             "Host: 127.0.0.1:")));
}

TEST(Client, UndoesChunking) {
  Pair pair(
      Always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
             "5;note=x\r\nhello\r\n7\r\n, world\r\n0\r\nTrailer: t\r\n\r\n"));
  ASSERT_OK_AND_ASSIGN(const Response response, pair.Get());
  EXPECT_EQ(response.body, "hello, world");
  EXPECT_FALSE(response.headers.Has("Trailer"));
  EXPECT_OK(pair.Get());
  EXPECT_EQ(pair.client.stats().connections_opened, 1U);
}

TEST(Client, TakesBytesOneByOne) {
  Pair pair([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.SendSlowly(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "a\r\n0123456789\r\n0\r\n\r\n");
    connection.AwaitClose();
  });
  ASSERT_OK_AND_ASSIGN(const Response response, pair.Get());
  EXPECT_EQ(response.body, "0123456789");
}

TEST(Client, SendsBodiesOfAnySize) {
  for (const size_t size : {0, 10, 20'000, 5'000'000}) {
    Pair pair(Always(kHello));
    const std::string body(size, 'x');
    ASSERT_OK(pair.client.Send({.method = "POST", .target = "/", .body = body}, Soon()));
    const std::string request = pair.server.requests().at(0);
    EXPECT_THAT(request.substr(0, 200), HasSubstr("Content-Length: " + std::to_string(size)));
    EXPECT_TRUE(request.ends_with("\r\n\r\n" + body));
  }
}

TEST(Client, KeepsItsConnection) {
  Pair pair(Always(kHello));
  for (int i = 0; i < 10; ++i) {
    ASSERT_OK(pair.Get());
  }
  const Client::Stats stats = pair.client.stats();
  EXPECT_EQ(stats.connections_opened, 1U);
  EXPECT_EQ(stats.requests_sent, 10U);
  EXPECT_EQ(stats.open_connections, 1);
}

TEST(Client, ConnectionCloseIsHonoured) {
  Pair pair(Always("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"));
  ASSERT_OK(pair.Get());
  ASSERT_OK(pair.Get());
  EXPECT_EQ(pair.client.stats().connections_opened, 2U);
  EXPECT_EQ(pair.client.stats().open_connections, 0);
}

TEST(Client, SomeAnswersHaveNoBody) {
  Pair pair(Always("HTTP/1.1 204 No Content\r\n\r\n"));
  ASSERT_OK_AND_ASSIGN(const Response response, pair.Get());
  EXPECT_EQ(response.status, 204);
  ASSERT_OK(pair.Get());
  EXPECT_EQ(pair.client.stats().connections_opened, 1U);

  Pair head(Always("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"));
  ASSERT_OK_AND_ASSIGN(const Response to_head, head.client.Send({.method = "HEAD"}, Soon()));
  EXPECT_EQ(to_head.headers.Get("Content-Length"), "500");
  EXPECT_EQ(to_head.body, "");
}

TEST(Client, BodyMayLastUntilTheServerCloses) {
  Pair pair(ScriptedServer::Answer("HTTP/1.1 200 OK\r\n\r\neverything"));
  ASSERT_OK_AND_ASSIGN(const Response response, pair.Get());
  EXPECT_EQ(response.body, "everything");
}

TEST(Client, CutAnswersAreDataLoss) {
  const char* const kCut[] = {
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n",
      "HTTP/1.1 200 OK\r\nContent-Le",
      "HTT",
  };
  for (const char* bytes : kCut) {
    SCOPED_TRACE(bytes);
    Pair pair(ScriptedServer::Answer(bytes));
    EXPECT_CODE(Code::kDataLoss, pair.Get());
  }
}

TEST(Client, RefusesWhatIsNotHttp) {
  const std::string kBad[] = {
      "220 smtp.example ESMTP\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
      "HTTP/1.1 200 OK\r\nA: " + std::string(100 << 10, 'a'),
  };
  for (const std::string& bytes : kBad) {
    SCOPED_TRACE(bytes.substr(0, 100));
    Pair pair([&](ScriptedConnection& connection) {
      connection.ReadRequest();
      connection.Send(bytes);
      connection.AwaitClose();
    });
    // Never kInvalid: it is not the request that is wrong.
    EXPECT_CODE(bytes.size() > 1000 ? Code::kExhausted : Code::kDataLoss, pair.Get());
    EXPECT_EQ(pair.client.stats().open_connections, 0);
  }
}

TEST(Client, LimitsTheBodyOfACollectedAnswer) {
  Pair pair(Always("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + std::string(5000, 'x')),
            {.max_body_bytes = 4999});
  EXPECT_CODE(Code::kExhausted, pair.Get());
  Pair enough(Always("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + std::string(5000, 'x')),
              {.max_body_bytes = 5000});
  EXPECT_OK(enough.Get());
}

TEST(Client, SendsNothingWhenARequestIsMalformed) {
  Pair pair(Always(kHello));
  EXPECT_CODE(Code::kInvalid, pair.Get("/a\r\nX-Evil: 1"));
  EXPECT_CODE(Code::kInvalid, pair.client.Send({.headers = {{"A", "b\r\nC: d"}}}, Soon()));
  EXPECT_EQ(pair.client.stats().connections_opened, 0U);
}

TEST(Client, NobodyListeningIsUnavailable) {
  net::Endpoint endpoint;
  {
    const ScriptedServer server(Always(kHello));
    endpoint = server.endpoint();
  }
  net::EventLoop loop("client-test");
  Client client(loop, endpoint, nullptr);
  const Result<Response> response = client.Send({}, Soon());
  EXPECT_CODE(Code::kUnavailable, response);
  EXPECT_THAT(response.status().ToString(), HasSubstr("refused"));
  EXPECT_THAT(response.status().ToString(), HasSubstr(endpoint.ToString()));
}

TEST(Client, LooksNamesUp) {
  const ScriptedServer server(Always(kHello));
  net::Endpoint endpoint = server.endpoint();
  endpoint.host = "localhost";
  net::EventLoop loop("client-test");
  Client client(loop, endpoint, nullptr);
  EXPECT_OK(client.Send({}, Soon()));
  Client lost(loop, {.host = "no-such-host.invalid", .port = 1}, nullptr);
  EXPECT_CODE(Code::kUnavailable, lost.Send({}, Soon()));
}

// The first connection serves one request and dies when it gets the second; the second connection
// works.
std::vector<ScriptedServer::Script> DiesWhenReused() {
  return {[](ScriptedConnection& connection) {
            connection.ReadRequest();
            connection.Send(kHello);
            connection.ReadRequest();
          },
          Always(kHello)};
}

TEST(Client, RequestThatOnlyReadsIsSentAgainWhenItsKeptConnectionIsDead) {
  for (const char* method : {"GET", "HEAD", "OPTIONS"}) {
    Pair pair(DiesWhenReused());
    ASSERT_OK(pair.Get());
    EXPECT_OK(pair.client.Send({.method = method}, Soon()));
    EXPECT_EQ(pair.client.stats().connections_opened, 2U);
  }
}

// The server may have acted before it died; then a DELETE would hit what was made anew meanwhile.
TEST(Client, RequestThatWritesIsNotSentTwice) {
  for (const char* method : {"POST", "PATCH", "PUT", "DELETE"}) {
    Pair pair(DiesWhenReused());
    ASSERT_OK(pair.Get());
    EXPECT_CODE(Code::kUnavailable, pair.client.Send({.method = method, .body = "x"}, Soon()));
    EXPECT_EQ(pair.server.connections(), 1);
  }
}

TEST(Client, ADeadNewConnectionIsNotTriedAgain) {
  Pair pair([](ScriptedConnection& connection) { connection.ReadRequest(); });
  EXPECT_CODE(Code::kUnavailable, pair.Get());
  EXPECT_EQ(pair.server.connections(), 1);
}

TEST(Client, AResetInsideTheAnswerIsReported) {
  Pair pair([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    connection.Reset();
  });
  const Result<Response> response = pair.Get();
  EXPECT_TRUE(response.status().Is(Code::kUnavailable) || response.status().Is(Code::kDataLoss))
      << response.status();
}

TEST(Client, NoticesThatAnIdleConnectionWasClosed) {
  Pair pair(ScriptedServer::Answer(kHello));
  for (int i = 0; i < 20; ++i) {
    ASSERT_OK(pair.Get());
  }
}

TEST(Client, AnEarlyRefusalIsHeardWhileSending) {
  Pair pair([](ScriptedConnection& connection) {
    connection.Send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
    connection.AwaitClose();
  });
  const std::string large(50 << 20, 'x');
  ASSERT_OK_AND_ASSIGN(const Response response,
                       pair.client.Send({.method = "POST", .body = large}, Soon()));
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(pair.client.stats().open_connections, 0);
}

void Hang(ScriptedConnection& connection) { connection.AwaitClose(); }

TEST(Client, DeadlineEndsTheWait) {
  Pair pair(Hang);
  EXPECT_CODE(Code::kDeadlineExceeded,
              pair.client.Send({}, WaitLimit::For(RealClock(), milliseconds(30))));
  EXPECT_CODE(Code::kDeadlineExceeded,
              pair.client.Send({}, WaitLimit::For(RealClock(), Duration(0))));
}

TEST(Client, StopEndsTheWait) {
  Pair pair(Hang);
  std::stop_source source;
  std::thread stopper([&] {
    while (pair.client.stats().requests_sent == 0) {
      std::this_thread::yield();
    }
    source.request_stop();
  });
  EXPECT_CODE(Code::kCancelled, pair.client.Send({}, {.stop = source.get_token()}));
  stopper.join();
}

TEST(Client, StreamLimitsEndIt) {
  Pair silent(Hang);
  StreamRecorder deadline;
  const auto a = silent.client.Start(
      {}, deadline, {.deadline = std::chrono::steady_clock::now() + milliseconds(20)});
  StreamRecorder head_timeout;
  const auto b = silent.client.Start({}, head_timeout, {.head_timeout = milliseconds(20)});
  EXPECT_CODE(Code::kDeadlineExceeded, deadline.AwaitEnd());
  EXPECT_CODE(Code::kDeadlineExceeded, head_timeout.AwaitEnd());
  EXPECT_THAT(head_timeout.AwaitEnd().ToString(), HasSubstr("GET /"));
}

TEST(Client, IdleLimitEndsAStreamThatGoesQuiet) {
  Pair pair([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
    connection.AwaitClose();
  });
  // Anew with a longer limit where the machine is too busy to bring the byte in time.
  std::string data;
  for (Duration limit = milliseconds(30); data.empty() && limit < seconds(60); limit *= 2) {
    StreamRecorder recorder;
    const auto stream = pair.client.Start({}, recorder, {.idle_timeout = limit});
    EXPECT_CODE(Code::kDeadlineExceeded, recorder.AwaitEnd());
    data = recorder.data();
  }
  EXPECT_EQ(data, "x");
}

TEST(Client, HeadTimeoutDoesNotTouchALongBody) {
  Pair pair([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
    connection.ReadRequest();  // nothing comes: ends when the client closes
  });
  StreamRecorder recorder;
  auto stream = pair.client.Start({}, recorder, {.head_timeout = minutes(2)});
  ASSERT_TRUE(recorder.AwaitData(1));
  stream->Cancel();
  EXPECT_CODE(Code::kCancelled, recorder.AwaitEnd());
}

TEST(Client, DestroyingAStreamSilencesItsHandler) {
  Pair pair([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\n\r\n");
    for (int i = 0; i < 1000; ++i) {
      connection.Send("some data ");
    }
    connection.AwaitClose();
  });
  for (int i = 0; i < 20; ++i) {
    StreamRecorder recorder;
    auto stream = pair.client.Start({}, recorder, {});
    recorder.AwaitData(i);
    stream = nullptr;
    // The recorder goes here; the address sanitizer would see a late call.
  }
}

// Ends its own stream from inside a callback.
struct SelfDestroyer : StreamHandler {
  void OnHead(Response /*head*/) override {}
  void OnData(std::string_view /*bytes*/, size_t /*capacity*/) override {
    std::lock_guard lock(mutex);
    stream = nullptr;
    ++calls;
    called.notify_all();
  }
  void OnEnd(Status /*status*/) override { ADD_FAILURE() << "called after it was destroyed"; }

  std::mutex mutex;
  std::condition_variable called;
  std::unique_ptr<Stream> stream;
  int calls = 0;
};

TEST(Client, AStreamMayBeDestroyedInsideItsCallback) {
  Pair pair([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n");
    connection.AwaitClose();
  });
  SelfDestroyer handler;
  std::unique_lock lock(handler.mutex);
  handler.stream = pair.client.Start({}, handler, {});
  EXPECT_TRUE(handler.called.wait_for(lock, minutes(2), [&] { return handler.calls > 0; }));
  EXPECT_EQ(handler.calls, 1);
}

// Destroys the client it belongs to from inside a callback.
struct ClientDestroyer : StreamRecorder {
  void OnData(std::string_view bytes, size_t capacity) override {
    client = nullptr;
    EXPECT_TRUE(ended());
    (void)bytes;
    (void)capacity;
  }
  std::unique_ptr<Client> client;
  std::unique_ptr<Stream> stream;
};

TEST(Client, MayBeDestroyedInsideACallback) {
  const ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n");
    connection.AwaitClose();
  });
  net::EventLoop loop("client-test");
  ClientDestroyer handler;
  handler.client = std::make_unique<Client>(loop, server.endpoint(), nullptr);
  // On the loop, so that the callback cannot come in the middle of Start.
  loop.Post([&] { handler.stream = handler.client->Start({}, handler, {}); });
  EXPECT_CODE(Code::kCancelled, handler.AwaitEnd());
  loop.Stop();
}

TEST(Client, GoingEndsWhatIsUnderWay) {
  const ScriptedServer server(Hang);
  net::EventLoop loop("client-test");
  StreamRecorder connected;
  StreamRecorder queued;
  std::unique_ptr<Stream> streams[2];
  {
    Client client(loop, server.endpoint(), nullptr, {.max_connections = 1});
    streams[0] = client.Start({}, connected, {});
    streams[1] = client.Start({}, queued, {});
  }
  EXPECT_TRUE(connected.ended());
  EXPECT_CODE(Code::kCancelled, connected.AwaitEnd());
  EXPECT_CODE(Code::kCancelled, queued.AwaitEnd());
  streams[0]->Cancel();
}

TEST(Client, AStreamThatEndedMayOutliveEverything) {
  StreamRecorder recorder;
  std::unique_ptr<Stream> stream;
  {
    Pair pair(Hang);
    stream = pair.client.Start({}, recorder, {});
  }
  stream->Resume();
  stream->Cancel();
  stream = nullptr;
  EXPECT_CODE(Code::kCancelled, recorder.AwaitEnd());
}

TEST(Client, RequestsBeyondTheLimitWaitTheirTurn) {
  Pair pair(Always(kHello), {.max_connections = 2});
  std::vector<std::unique_ptr<StreamRecorder>> recorders;
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < 50; ++i) {
    recorders.push_back(std::make_unique<StreamRecorder>());
    streams.push_back(pair.client.Start({}, *recorders.back(), {}));
  }
  for (const auto& recorder : recorders) {
    EXPECT_OK(recorder->AwaitEnd());
    EXPECT_EQ(recorder->data(), "hello");
  }
  EXPECT_LE(pair.client.stats().connections_opened, 2U);
}

TEST(Client, LastingStreamsLeaveConnectionsForOthers) {
  Pair pair(
      [](ScriptedConnection& connection) {
        while (true) {
          const std::string request = connection.ReadRequest();
          if (request.empty()) {
            return;
          }
          if (request.find("/watch") == std::string::npos) {
            connection.Send(kHello);
          }
        }
      },
      {.max_connections = 1});
  StreamRecorder recorders[5];
  std::unique_ptr<Stream> watches[5];
  for (int i = 0; i < 5; ++i) {
    watches[i] = pair.client.Start({.target = "/watch"}, recorders[i], {.lasting = true});
  }
  EXPECT_OK(pair.Get());
  EXPECT_OK(pair.Get());
  EXPECT_EQ(pair.client.stats().connections_opened, 6U);
}

TEST(Client, AWaitingRequestCanBeCancelled) {
  Pair pair(Hang, {.max_connections = 1});
  StreamRecorder first;
  StreamRecorder second;
  const auto a = pair.client.Start({}, first, {});
  const auto b = pair.client.Start({}, second, {});
  b->Cancel();
  EXPECT_CODE(Code::kCancelled, second.AwaitEnd());
  EXPECT_FALSE(first.ended());
  a->Cancel();
  EXPECT_CODE(Code::kCancelled, first.AwaitEnd());
}

TEST(Client, KeepsOnlyAFewIdleConnections) {
  Pair pair(Always(kHello), {.max_idle_connections = 1});
  StreamRecorder recorders[5];
  std::unique_ptr<Stream> streams[5];
  for (int i = 0; i < 5; ++i) {
    streams[i] = pair.client.Start({}, recorders[i], {});
  }
  for (StreamRecorder& recorder : recorders) {
    EXPECT_OK(recorder.AwaitEnd());
  }
  ASSERT_OK(pair.Get());  // behind everything posted before
  EXPECT_EQ(pair.client.stats().open_connections, 1);
}

TEST(Client, IdleConnectionsGetOld) {
  Pair pair(Always(kHello), {.idle_connection_timeout = milliseconds(10)});
  ASSERT_OK(pair.Get());
  const SteadyTime end = RealClock().Now() + minutes(2);
  while (pair.client.stats().open_connections > 0 && RealClock().Now() < end) {
    std::this_thread::yield();
  }
  EXPECT_EQ(pair.client.stats().open_connections, 0);
}

TEST(Client, DropIdleConnectionsMakesNewOnes) {
  Pair pair(Always(kHello));
  ASSERT_OK(pair.Get());
  pair.client.DropIdleConnections();
  ASSERT_OK(pair.Get());
  EXPECT_EQ(pair.client.stats().connections_opened, 2U);
  EXPECT_EQ(pair.client.stats().open_connections, 1);
}

TEST(Client, BusyConnectionIsDroppedOnceItsAnswerIsThere) {
  std::promise<void> dropped;
  Pair pair([answer = dropped.get_future().share()](ScriptedConnection& connection) {
    while (!connection.ReadRequest().empty()) {
      answer.wait();
      connection.Send(kHello);
    }
  });
  StreamRecorder recorder;
  const auto stream = pair.client.Start({}, recorder, {});
  while (pair.client.stats().requests_sent == 0) {
    std::this_thread::yield();
  }
  pair.client.DropIdleConnections();
  pair.loop.Post([&] { dropped.set_value(); });  // behind the dropping
  ASSERT_OK(recorder.AwaitEnd());
  EXPECT_EQ(recorder.data(), "hello") << "what is under way finishes first";
  ASSERT_OK(pair.Get());
  EXPECT_EQ(pair.client.stats().connections_opened, 2U);
}

TEST(Client, RefusesTlsThatDoesNotFit) {
  net::EventLoop loop("client-test");
  Client client(loop, {.tls = true, .host = "127.0.0.1", .port = 1}, nullptr);
  EXPECT_CODE(Code::kInvalid, client.Send({}, Soon()));
}

TEST(Client, UndoesGzipItAskedFor) {
  const std::string plain(1'000'000, 'z');
  const std::string packed = Gzip(plain);
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                             std::to_string(packed.size()) + "\r\n\r\n" + packed;
  Pair pair(Always(answer), {.accept_gzip = true});
  ASSERT_OK_AND_ASSIGN(const Response response, pair.Get());
  EXPECT_EQ(response.body, plain);
  EXPECT_FALSE(response.headers.Has("Content-Encoding"));
  EXPECT_THAT(pair.server.requests().at(0), HasSubstr("Accept-Encoding: gzip\r\n"));
  // Who asks for it in person gets it as it is.
  ASSERT_OK_AND_ASSIGN(const Response raw,
                       pair.client.Send({.headers = {{"Accept-Encoding", "gzip"}}}, Soon()));
  EXPECT_EQ(raw.body, packed);
}

TEST(Client, GzipBombsAreBounded) {
  const std::string packed = Gzip(std::string(200 << 20, '\0'));
  Pair pair(Always("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                   std::to_string(packed.size()) + "\r\n\r\n" + packed),
            {.max_body_bytes = 1 << 20, .accept_gzip = true});
  EXPECT_CODE(Code::kExhausted, pair.Get());
}

TEST(Client, CutGzipIsDataLoss) {
  const std::string packed = Gzip("a text that is long enough to be cut").substr(0, 30);
  Pair pair(Always("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                   std::to_string(packed.size()) + "\r\n\r\n" + packed),
            {.accept_gzip = true});
  EXPECT_CODE(Code::kDataLoss, pair.Get());
}

// Pauses from inside the first piece and counts what comes after.
struct Pauser : StreamRecorder {
  void OnData(std::string_view bytes, size_t capacity) override {
    {
      std::lock_guard lock(mutex);
      stream->Pause();
    }
    StreamRecorder::OnData(bytes, capacity);
  }
  std::mutex mutex;
  std::unique_ptr<Stream> stream;
};

TEST(Client, PauseHoldsGzipBackToo) {
  const std::string plain(10 << 20, 'z');
  const std::string packed = Gzip(plain);
  Pair pair(Always("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                   std::to_string(packed.size()) + "\r\n\r\n" + packed),
            {.accept_gzip = true});
  Pauser pauser;
  {
    std::lock_guard lock(pauser.mutex);
    pauser.stream = pair.client.Start({}, pauser, {});
  }
  size_t seen = 0;
  while (!pauser.ended()) {
    ASSERT_TRUE(pauser.AwaitData(std::min(seen + 1, plain.size())));
    seen = pauser.data_size();
    pauser.stream->Resume();
  }
  EXPECT_OK(pauser.AwaitEnd());
  EXPECT_EQ(pauser.data(), plain);
}

int ThreadCount() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/self/task")) {
    ++count;
  }
  return count;
}

TEST(Client, NumericAddressesNeedNoLookUpThread) {
  Pair pair(Always(kHello));
  ASSERT_OK(pair.Get());
  const int before = ThreadCount();
  pair.client.DropIdleConnections();
  ASSERT_OK(pair.Get());
  // One more connection is one more thread of the scripted server, and no other.
  EXPECT_LE(ThreadCount(), before + 1);
}

}  // namespace
}  // namespace hearth::http
