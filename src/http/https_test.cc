// Client and server over TLS.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <future>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "http/client.h"
#include "http/server.h"
#include "http/testing/raw_client.h"
#include "http/testing/scripted_server.h"
#include "http/testing/stream_recorder.h"
#include "net/internal/listener.h"
#include "net/internal/tls_context.h"

namespace hearth::http {
namespace {

using net::CertificatePair;
using net::MakeCertificate;
using net::TlsContext;
using net::TlsMaterial;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

// Reached by failures only.
WaitLimit Soon() { return WaitLimit::For(RealClock(), minutes(2)); }

// A certificate authority that signs what tests need.
struct Authority {
  Authority()
      : pair(MakeCertificate({.common_name = "test authority", .is_ca = true}, RealClock())
                 .value()) {}

  CertificatePair Sign(const net::CertificateRequest& request, Clock& clock = RealClock()) const {
    return MakeCertificate(request, clock, &pair).value();
  }
  CertificatePair ForLocalhost() const {
    return Sign(
        {.common_name = "server", .dns_names = {"localhost"}, .ip_addresses = {"127.0.0.1"}});
  }

  CertificatePair pair;
};

TlsMaterial Shows(const CertificatePair& pair, const std::string& ca_pem = "") {
  return {.ca_pem = ca_pem,
          .certificate_pem = pair.certificate_pem,
          .private_key_pem = pair.private_key_pem};
}

TlsMaterial Trusts(const Authority& authority) {
  return {.ca_pem = authority.pair.certificate_pem};
}

std::shared_ptr<TlsContext> ServerTls(const TlsMaterial& material, bool require_client = false) {
  return TlsContext::Create(material,
                            {.server = true, .require_client_certificate = require_client})
      .value();
}

std::shared_ptr<TlsContext> ClientTls(const TlsMaterial& material,
                                      TlsContext::Options options = {}) {
  return TlsContext::Create(material, std::move(options)).value();
}

Response SayWho(const ServerRequest& request) {
  std::string body = request.peer.certificate_common_name;
  for (const std::string& organization : request.peer.certificate_organizations) {
    body += "," + organization;
  }
  return {.status = 200, .body = body};
}

struct TlsServer {
  explicit TlsServer(std::shared_ptr<TlsContext> tls, Handler handler = SayWho) {
    ServerOptions options{.listen = {.tls = true, .host = "127.0.0.1"}, .tls = std::move(tls)};
    server = Server::Start(loop, std::move(options), std::move(handler), Logger::Null()).value();
  }

  Result<Response> Ask(std::shared_ptr<TlsContext> tls, Request request = {}) {
    Client client(loop, server->endpoint(), std::move(tls));
    return client.Send(std::move(request), Soon());
  }

  net::EventLoop loop{"https-test"};
  std::unique_ptr<Server> server;
};

TEST(Https, CarriesBodiesBothWays) {
  const Authority authority;
  TlsServer server(ServerTls(Shows(authority.ForLocalhost())), [](const ServerRequest& request) {
    return Response{.status = 200, .body = request.message.body};
  });
  Client client(server.loop, server.server->endpoint(), ClientTls(Trusts(authority)));
  for (const size_t size : {0, 10, 16'384, 1'000'000, 2'500'000}) {
    std::string body(size, 'x');
    for (size_t i = 0; i < size; ++i) {
      body[i] = static_cast<char>('a' + i % 23);
    }
    ASSERT_OK_AND_ASSIGN(const Response response,
                         client.Send({.method = "POST", .body = body}, Soon()));
    EXPECT_EQ(response.body, body);
  }
  EXPECT_EQ(client.stats().connections_opened, 1U);
}

TEST(Https, RefusesAServerOfAnotherName) {
  const Authority authority;
  TlsServer server(ServerTls(Shows(authority.Sign({.dns_names = {"elsewhere.example"}}))));
  const Result<Response> response = server.Ask(ClientTls(Trusts(authority)));
  EXPECT_CODE(Code::kUnauthenticated, response);
  EXPECT_EQ(response.status().reason(), "CertificateInvalid");
  EXPECT_THAT(response.status().ToString(), HasSubstr("127.0.0.1"));
  EXPECT_OK(server.Ask(ClientTls(Trusts(authority), {.server_name = "elsewhere.example"})));
  EXPECT_CODE(Code::kUnauthenticated,
              server.Ask(ClientTls(Trusts(authority), {.server_name = "other.example"})));
  EXPECT_OK(server.Ask(ClientTls(Trusts(authority), {.verify_peer = false})));
}

TEST(Https, NameInTheSubjectAloneDoesNotCount) {
  const Authority authority;
  TlsServer server(ServerTls(Shows(authority.Sign({.common_name = "localhost"}))));
  EXPECT_CODE(Code::kUnauthenticated,
              server.Ask(ClientTls(Trusts(authority), {.server_name = "localhost"})));
}

TEST(Https, RefusesAnUnknownAuthority) {
  const Authority authority;
  const Authority stranger;
  TlsServer server(ServerTls(Shows(stranger.ForLocalhost())));
  const Result<Response> response = server.Ask(ClientTls(Trusts(authority)));
  EXPECT_CODE(Code::kUnauthenticated, response);
  EXPECT_EQ(response.status().reason(), "CertificateInvalid");
  EXPECT_THAT(response.status().ToString(), HasSubstr("issuer"));
}

TEST(Https, RefusesAnExpiredCertificate) {
  const Authority authority;
  ManualClock long_ago(WallTime(seconds(1'000'000'000)));
  TlsServer server(ServerTls(Shows(authority.Sign(
      {.ip_addresses = {"127.0.0.1"}, .lifetime = std::chrono::hours(1)}, long_ago))));
  const Result<Response> response = server.Ask(ClientTls(Trusts(authority)));
  EXPECT_CODE(Code::kUnauthenticated, response);
  EXPECT_THAT(response.status().ToString(), HasSubstr("expired"));
}

TEST(Https, TrustsASelfSignedCertificateItWasGiven) {
  const CertificatePair self =
      MakeCertificate({.common_name = "self", .ip_addresses = {"127.0.0.1"}}, RealClock()).value();
  TlsServer server(ServerTls(Shows(self)));
  EXPECT_OK(server.Ask(ClientTls({.ca_pem = self.certificate_pem})));
}

TEST(Https, ServerKnowsItsVerifiedClients) {
  const Authority authority;
  TlsServer server(
      ServerTls(Shows(authority.ForLocalhost(), authority.pair.certificate_pem), false));
  const CertificatePair admin =
      authority.Sign({.common_name = "admin", .organizations = {"system:masters", "ops"}});
  ASSERT_OK_AND_ASSIGN(const Response response,
                       server.Ask(ClientTls(Shows(admin, authority.pair.certificate_pem))));
  EXPECT_EQ(response.body, "admin,system:masters,ops");
  ASSERT_OK_AND_ASSIGN(const Response anonymous, server.Ask(ClientTls(Trusts(authority))));
  EXPECT_EQ(anonymous.body, "");
}

TEST(Https, ServerRefusesStrangersAndTheNameless) {
  const Authority authority;
  const Authority stranger;
  TlsServer server(
      ServerTls(Shows(authority.ForLocalhost(), authority.pair.certificate_pem), true));
  const CertificatePair forged = stranger.Sign({.common_name = "admin"});
  const Result<Response> refused =
      server.Ask(ClientTls(Shows(forged, authority.pair.certificate_pem)));
  EXPECT_FALSE(refused.ok());
  const Result<Response> nameless = server.Ask(ClientTls(Trusts(authority)));
  EXPECT_FALSE(nameless.ok());
  const CertificatePair fine = authority.Sign({.common_name = "fine"});
  EXPECT_OK(server.Ask(ClientTls(Shows(fine, authority.pair.certificate_pem))));
}

TEST(Https, ServerShowsTheNewCertificateAfterReplace) {
  const Authority old_authority;
  const Authority new_authority;
  const auto tls = ServerTls(Shows(old_authority.ForLocalhost()));
  TlsServer server(tls);
  Client old_client(server.loop, server.server->endpoint(), ClientTls(Trusts(old_authority)));
  ASSERT_OK(old_client.Send({}, Soon()));
  ASSERT_OK(tls->Replace(Shows(new_authority.ForLocalhost())));
  EXPECT_OK(old_client.Send({}, Soon()));  // the connection that exists goes on
  old_client.DropIdleConnections();
  EXPECT_CODE(Code::kUnauthenticated, old_client.Send({}, Soon()));
  EXPECT_OK(server.Ask(ClientTls(Trusts(new_authority))));
}

TEST(Https, ClientShowsTheNewCertificateAfterReplace) {
  const Authority authority;
  const std::string& ca = authority.pair.certificate_pem;
  TlsServer server(ServerTls(Shows(authority.ForLocalhost(), ca), true));
  const auto tls = ClientTls(Shows(authority.Sign({.common_name = "old"}), ca));
  Client client(server.loop, server.server->endpoint(), tls);
  EXPECT_EQ(client.Send({}, Soon())->body, "old");
  ASSERT_OK(tls->Replace(Shows(authority.Sign({.common_name = "new"}), ca)));
  EXPECT_EQ(client.Send({}, Soon())->body, "old");
  client.DropIdleConnections();
  EXPECT_EQ(client.Send({}, Soon())->body, "new");
  EXPECT_CODE(Code::kInvalid, tls->Replace({.ca_pem = "rubbish"}));
  client.DropIdleConnections();
  EXPECT_EQ(client.Send({}, Soon())->body, "new") << "a failed replacement changes nothing";
}

TEST(Https, PlainTextWhereTlsIsSpokenIsNoticed) {
  const Authority authority;
  const ScriptedServer plain([](ScriptedConnection& connection) {
    connection.Send("HTTP/1.1 400 Bad Request\r\n\r\n");
    connection.AwaitClose();
  });
  net::EventLoop loop("https-test");
  net::Endpoint endpoint = plain.endpoint();
  endpoint.tls = true;
  Client client(loop, endpoint, ClientTls(Trusts(authority)));
  const Result<Response> response = client.Send({}, Soon());
  EXPECT_CODE(Code::kUnavailable, response);
  EXPECT_THAT(response.status().ToString(), HasSubstr("does not speak TLS"));

  TlsServer server(ServerTls(Shows(authority.ForLocalhost())));
  RawClient raw(server.server->endpoint());
  raw.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(raw.ReadToEnd(), testing::Not(HasSubstr("200")));
}

TEST(Https, AHandshakeThatNeverEndsIsUnavailable) {
  const Authority authority;
  const ScriptedServer silent([](ScriptedConnection& connection) { connection.AwaitClose(); });
  net::EventLoop loop("https-test");
  net::Endpoint endpoint = silent.endpoint();
  endpoint.tls = true;
  Client client(loop, endpoint, ClientTls(Trusts(authority)),
                {.connect_timeout = std::chrono::milliseconds(300)});
  const Result<Response> response = client.Send({}, Soon());
  EXPECT_CODE(Code::kUnavailable, response);
  EXPECT_THAT(response.status().ToString(), HasSubstr("TLS handshake"));
}

// Nobody waits for bytes that come only after the ones at hand were seen.
TEST(Https, EachChunkArrivesBeforeTheNextIsSent) {
  const std::vector<std::string> chunks = {"x", std::string(20'000, 'y'), "z", "ab"};
  const Authority authority;
  net::EventLoop loop("https-test");
  StreamRecorder recorder;
  const auto server = Server::StartStreaming(
                          loop,
                          {.listen = {.tls = true, .host = "127.0.0.1"},
                           .tls = ServerTls(Shows(authority.ForLocalhost()))},
                          [&](ServerRequest /*request*/, std::unique_ptr<ResponseWriter> writer) {
                            EXPECT_OK(writer->Begin({.status = 200}));
                            size_t sent = 0;
                            for (const std::string& chunk : chunks) {
                              EXPECT_OK(writer->Write(chunk, Soon()));
                              sent += chunk.size();
                              EXPECT_TRUE(recorder.AwaitData(sent));
                            }
                            EXPECT_OK(writer->Finish());
                          },
                          Logger::Null())
                          .value();
  Client client(loop, server->endpoint(), ClientTls(Trusts(authority)));
  const auto stream = client.Start({}, recorder, {});
  EXPECT_OK(recorder.AwaitEnd());
}

TEST(Https, PausedStreamsResumeWithoutLoss) {
  constexpr size_t kPiece = 10'000;
  constexpr int kPieces = 2000;
  const Authority authority;
  net::EventLoop loop("https-test");
  std::promise<void> held;
  std::atomic<bool> was_held{false};
  const auto server =
      Server::StartStreaming(
          loop,
          {.listen = {.tls = true, .host = "127.0.0.1"},
           .tls = ServerTls(Shows(authority.ForLocalhost()))},
          [&](ServerRequest /*request*/, std::unique_ptr<ResponseWriter> writer) {
            EXPECT_OK(writer->Begin({.status = 200}));
            for (int i = 0; i < kPieces; ++i) {
              const std::string piece(kPiece, static_cast<char>('a' + i % 26));
              Status status =
                  writer->Write(piece, WaitLimit::For(RealClock(), std::chrono::milliseconds(300)));
              if (status.Is(Code::kDeadlineExceeded)) {
                if (!was_held.exchange(true)) {
                  held.set_value();
                }
                status = writer->Write(piece, Soon());
              }
              EXPECT_OK(status);
            }
            EXPECT_OK(writer->Finish());
          },
          Logger::Null())
          .value();
  Client client(loop, server->endpoint(), ClientTls(Trusts(authority)));
  StreamRecorder recorder;
  const auto stream = client.Start({}, recorder, {});
  stream->Pause();
  ASSERT_EQ(held.get_future().wait_for(minutes(2)), std::future_status::ready);
  stream->Resume();
  EXPECT_OK(recorder.AwaitEnd());
  const std::string data = recorder.data();
  ASSERT_EQ(data.size(), kPiece * kPieces);
  for (int i = 0; i < kPieces; ++i) {
    ASSERT_EQ(data[i * kPiece], 'a' + i % 26);
    ASSERT_EQ(data[(i + 1) * kPiece - 1], 'a' + i % 26);
  }
}

// A server that answers /quick, and anything else with a beginning and then nothing; it can be made
// to hang as a stopped process does: the kernel keeps its connections.
struct SilentServer {
  explicit SilentServer(const Authority& authority) {
    ServerOptions options{.listen = {.tls = true, .host = "127.0.0.1"},
                          .tls = ServerTls(Shows(authority.ForLocalhost()))};
    server = Server::StartStreaming(
                 loop, std::move(options),
                 [](const ServerRequest& request, std::unique_ptr<ResponseWriter> writer) {
                   if (request.message.target == "/quick") {
                     ASSERT_OK(writer->Send({.status = 200}));
                     return;
                   }
                   ASSERT_OK(writer->Begin({.status = 200}));
                   ASSERT_OK(writer->Write("hello", Soon()));
                   std::promise<void> stopped;
                   const std::stop_callback wake(writer->stop(), [&] { stopped.set_value(); });
                   stopped.get_future().wait();
                 },
                 Logger::Null())
                 .value();
  }
  ~SilentServer() { GoOn(); }

  void Hang() {
    loop.Post([held = hold.get_future().share()] { held.wait(); });
    hanging = true;
  }
  void GoOn() {
    if (std::exchange(hanging, false)) {
      hold.set_value();
    }
  }

  std::promise<void> hold;
  bool hanging = false;
  net::EventLoop loop{"silent-server"};
  std::unique_ptr<Server> server;
};

bool AwaitSigns(const Client& client, uint64_t count) {
  const SteadyTime end = RealClock().Now() + minutes(2);
  while (client.stats().signs_of_life < count && RealClock().Now() < end) {
    std::this_thread::yield();
  }
  return client.stats().signs_of_life >= count;
}

TEST(Https, ServerThatHangsIsNoticedThoughItsConnectionStays) {
  const Authority authority;
  SilentServer silent(authority);
  net::EventLoop loop("https-client");
  Client client(loop, silent.server->endpoint(), ClientTls(Trusts(authority)));
  StreamRecorder recorder;
  const auto stream = client.Start(
      {}, recorder, {.ask_for_life_after = std::chrono::milliseconds(400), .lasting = true});
  ASSERT_TRUE(recorder.AwaitData(5));
  ASSERT_TRUE(AwaitSigns(client, 2));
  silent.Hang();
  const Status end = recorder.AwaitEnd();
  EXPECT_CODE(Code::kDeadlineExceeded, end);
  EXPECT_THAT(end.ToString(), HasSubstr("sign of life"));
  silent.GoOn();
}

TEST(Https, RequestOnAKeptConnectionThatHangsIsGivenUpAndTheNextIsNot) {
  const Authority authority;
  SilentServer silent(authority);
  net::EventLoop loop("https-client");
  Client client(loop, silent.server->endpoint(), ClientTls(Trusts(authority)),
                {.dead_peer_timeout = std::chrono::milliseconds(300)});
  StreamRecorder recorder;
  const auto stream = client.Start(
      {}, recorder, {.ask_for_life_after = std::chrono::milliseconds(300), .lasting = true});
  ASSERT_TRUE(AwaitSigns(client, 2));
  ASSERT_OK(client.Send({.target = "/quick"}, Soon()));
  silent.Hang();
  const Status end = client.Send({.method = "POST", .target = "/quick"}, Soon()).status();
  EXPECT_CODE(Code::kDeadlineExceeded, end);
  EXPECT_THAT(end.ToString(), HasSubstr("sign of life"));
  silent.GoOn();
  const uint64_t opened = client.stats().connections_opened;
  EXPECT_OK(client.Send({.target = "/quick"}, Soon()));
  EXPECT_EQ(client.stats().connections_opened, opened + 1);
}

// As Go's server does while the handler has not asked for the body.
TEST(Https, RequestWithABodyMayWaitLongerBeforeItsServerLooksAtIt) {
  const Authority authority;
  SilentServer silent(authority);
  net::EventLoop loop("https-client");
  Client client(loop, silent.server->endpoint(), ClientTls(Trusts(authority)),
                {.dead_peer_timeout = std::chrono::milliseconds(250)});
  StreamRecorder recorder;
  const auto stream = client.Start(
      {}, recorder, {.ask_for_life_after = std::chrono::milliseconds(600), .lasting = true});
  ASSERT_TRUE(AwaitSigns(client, 2));
  ASSERT_OK(client.Send({.target = "/quick"}, Soon()));
  silent.Hang();
  auto sent = std::async(std::launch::async, [&] {
    return client.Send({.method = "POST", .target = "/quick", .body = "{}"}, Soon());
  });
  EXPECT_THAT(recorder.AwaitEnd().ToString(), HasSubstr("sign of life"));
  silent.GoOn();
  EXPECT_OK(sent.get());
}

TEST(Https, ServerThatIsSilentButLivesIsLeftInPeace) {
  const Authority authority;
  SilentServer silent(authority);
  net::EventLoop loop("https-client");
  Client client(loop, silent.server->endpoint(), ClientTls(Trusts(authority)));
  StreamRecorder recorder;
  const auto stream = client.Start(
      {}, recorder, {.ask_for_life_after = std::chrono::milliseconds(300), .lasting = true});
  ASSERT_TRUE(AwaitSigns(client, 4));
  EXPECT_FALSE(recorder.ended());
  EXPECT_EQ(recorder.data(), "hello");
  EXPECT_EQ(client.stats().connections_opened, 1U);
}

// Sends a beginning and waits to be asked for a change of keys. Answers so many times; then it
// hangs up, as boxes do that cannot do that, or answers no more, as OpenSSL's do that have nothing
// to send.
class ServerThatIsAsked {
 public:
  struct Habits {
    int answers = 0;  // on all connections together
    bool hangs_up = false;
  };

  ServerThatIsAsked(const CertificatePair& pair, Habits habits) : habits_(habits) {
    listener_ = net::Listener::Open({.tls = true, .host = "127.0.0.1"}, 0600).value();
    const auto tls = ServerTls(Shows(pair));
    thread_ = std::jthread([this, tls](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        pollfd wanted{listener_->fd(), POLLIN, 0};
        net::Address peer;
        if (::poll(&wanted, 1, 10) > 0) {
          Serve(listener_->Accept(&peer), net::Openssl(*tls).NewSession("").value(), stop);
        }
      }
    });
  }

  const net::Endpoint& endpoint() const { return listener_->endpoint(); }
  int questions() const { return questions_; }

 private:
  void Serve(UniqueFd socket, net::SslPtr ssl, const std::stop_token& stop) {
    ::fcntl(socket.get(), F_SETFL, 0);
    SSL_clear_mode(ssl.get(), SSL_MODE_AUTO_RETRY);
    SSL_set_fd(ssl.get(), socket.get());
    char request[4096];
    constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello";
    if (SSL_accept(ssl.get()) != 1 || SSL_read(ssl.get(), request, sizeof request) <= 0 ||
        SSL_write(ssl.get(), kAnswer.data(), kAnswer.size()) <= 0) {
      return;
    }
    while (AwaitQuestion(socket.get(), ssl.get(), stop)) {
      ++questions_;
      if (habits_.answers > 0) {
        --habits_.answers;
        SSL_key_update(ssl.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
        SSL_do_handshake(ssl.get());
      } else if (habits_.hangs_up) {
        return;
      }
    }
  }

  // False when the client closed.
  static bool AwaitQuestion(int socket, SSL* ssl, const std::stop_token& stop) {
    pollfd wanted{socket, POLLIN, 0};
    while (!stop.stop_requested() && ::poll(&wanted, 1, 10) == 0) {
    }
    char byte = 0;
    const int read = stop.stop_requested() ? 0 : SSL_read(ssl, &byte, 1);
    return read < 0 && SSL_get_error(ssl, read) == SSL_ERROR_WANT_READ;
  }

  Habits habits_;
  std::unique_ptr<net::Listener> listener_;
  std::atomic<int> questions_ = 0;
  std::jthread thread_;
};

TEST(Https, ServerThatHangsUpWhenAskedIsAskedOnce) {
  const Authority authority;
  ServerThatIsAsked server(authority.ForLocalhost(), {.hangs_up = true});
  net::EventLoop loop("https-client");
  Client client(loop, server.endpoint(), ClientTls(Trusts(authority)));
  // Time enough for the server to send its beginning before it is asked, and to hang up.
  const StreamOptions often{.idle_timeout = seconds(2),
                            .ask_for_life_after = std::chrono::milliseconds(300)};
  StreamRecorder first;
  const auto asked = client.Start({}, first, often);
  EXPECT_CODE(Code::kDataLoss, first.AwaitEnd());
  StreamRecorder second;
  const auto left_alone = client.Start({}, second, often);
  EXPECT_THAT(second.AwaitEnd().ToString(), HasSubstr("nothing arrived"));
  EXPECT_EQ(server.questions(), 1);
}

TEST(Https, OtherServerBehindTheSameAddressHasToShowThatItAnswersToo) {
  const Authority authority;
  ServerThatIsAsked server(authority.ForLocalhost(), {.answers = 2});
  net::EventLoop loop("https-client");
  Client client(loop, server.endpoint(), ClientTls(Trusts(authority)));
  const StreamOptions options{.idle_timeout = seconds(3),
                              .ask_for_life_after = std::chrono::milliseconds(300)};
  StreamRecorder first;
  const auto answered_once = client.Start({}, first, options);
  EXPECT_THAT(first.AwaitEnd().ToString(), HasSubstr("sign of life"));
  EXPECT_EQ(client.stats().signs_of_life, 2U);
  StreamRecorder second;
  const auto never_answered = client.Start({}, second, options);
  EXPECT_THAT(second.AwaitEnd().ToString(), HasSubstr("nothing arrived"));
}

TEST(Https, PlainConnectionsCannotBeAskedForLife) {
  ScriptedServer server([](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    connection.AwaitClose();
  });
  net::EventLoop loop("http-client");
  Client client(loop, server.endpoint(), nullptr);
  StreamRecorder recorder;
  const auto stream = client.Start({}, recorder,
                                   {.idle_timeout = std::chrono::milliseconds(200),
                                    .ask_for_life_after = std::chrono::milliseconds(1)});
  const Status end = recorder.AwaitEnd();
  EXPECT_THAT(end.ToString(), HasSubstr("nothing arrived")) << "the idle limit, and nothing before";
  EXPECT_EQ(client.stats().signs_of_life, 0U);
}

}  // namespace
}  // namespace hearth::http
