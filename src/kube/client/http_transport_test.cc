#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>

#include "base/guarded.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "http/server.h"
#include "http/testing/stream_recorder.h"
#include "kube/client/client.h"
#include "kube/client/testing/scripted_api.h"
#include "kube/client/transport.h"

namespace hearth::kube {
namespace {

using ::testing::ElementsAre;

http::Request Get(std::string target) { return {"GET", std::move(target), {}, ""}; }

// Gives one token after the other, each until it is rejected; can be made to hang.
class RotatingToken : public Credentials {
 public:
  explicit RotatingToken(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}

  Result<Current> Get(const WaitLimit& limit) override {
    std::unique_lock lock(mutex_);
    const std::stop_callback wake(limit.stop, [&] { changed_.notify_all(); });
    asked_ = true;
    changed_.notify_all();
    while (hanging_) {
      RETURN_IF_ERROR(limit.Check(RealClock(), "token"));
      changed_.wait_for(lock, std::chrono::milliseconds(5));
    }
    return Current{"Bearer " + tokens_.at(std::min(rejections_, tokens_.size() - 1)), "", ""};
  }
  void Rejected() override {
    std::lock_guard lock(mutex_);
    ++rejections_;
  }

  void Hang(bool hanging) {
    std::lock_guard lock(mutex_);
    hanging_ = hanging;
    changed_.notify_all();
  }
  void AwaitAsked() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_; });
  }
  size_t rejections() {
    std::lock_guard lock(mutex_);
    return rejections_;
  }

 private:
  const std::vector<std::string> tokens_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t rejections_ = 0;
  bool hanging_ = false;
  bool asked_ = false;
};

// Lets in who shows this token.
ScriptedApi::Act Guard(std::string token, std::string body = "in") {
  return [token = std::move(token), body = std::move(body)](
             const http::Request& request, std::unique_ptr<http::ResponseWriter> writer) {
    const bool welcome = request.headers.Get("Authorization") == "Bearer " + token;
    (void)writer->Send({welcome ? 200 : 401, {}, welcome ? body : "who are you?"});
  };
}

class HttpTransportTest : public ::testing::Test {
 protected:
  void SetUp() override { Serve({}); }
  void Serve(http::ServerOptions options) {
    options.listen.host = "127.0.0.1";
    auto server =
        http::Server::StartStreaming(loop_, std::move(options), api_.handler(), Logger::Null());
    ASSERT_OK(server);
    server_ = *std::move(server);
    config_.server = server_->endpoint();
  }
  void Connect(HttpTransportOptions options = {}) {
    auto transport = MakeHttpTransport(loop_, config_, ConfigSources::Real(), std::move(options));
    ASSERT_OK(transport);
    transport_ = *std::move(transport);
  }
  void UseTokens(std::vector<std::string> tokens) {
    credentials_ = std::make_shared<RotatingToken>(std::move(tokens));
    config_.credentials = credentials_;
    Connect();
  }
  Result<http::Response> Send() { return transport_->Send(Get("/x"), WaitLimit::Forever()); }

  net::EventLoop loop_{"test"};
  ScriptedApi api_;
  std::unique_ptr<http::Server> server_;
  Config config_;
  std::shared_ptr<RotatingToken> credentials_;
  std::unique_ptr<Transport> transport_;
  http::StreamRecorder recorder_;
};

TEST_F(HttpTransportTest, RequestsAreSigned) {
  config_.credentials = StaticToken("abc");
  config_.path_prefix = "/prefix";
  Connect({.http = {}, .user_agent = "me/1"});
  api_.Answer({200, {}, "ok"});
  EXPECT_EQ(Send()->body, "ok");
  const http::Request seen = api_.requests().at(0);
  EXPECT_EQ(seen.target, "/prefix/x");
  EXPECT_EQ(seen.headers.Get("Authorization"), "Bearer abc");
  EXPECT_EQ(seen.headers.Get("User-Agent"), "me/1");
}

TEST_F(HttpTransportTest, WithoutCredentialsThereIsNoHeader) {
  Connect();
  api_.Answer({200, {}, "ok"});
  EXPECT_OK(Send());
  EXPECT_FALSE(api_.requests().at(0).headers.Has("Authorization"));
}

TEST_F(HttpTransportTest, ARejectedTokenIsFetchedAnewOnce) {
  UseTokens({"old", "new"});
  api_.Then(Guard("new")).Then(Guard("new")).Then(Guard("new"));
  EXPECT_EQ(Send()->body, "in");
  EXPECT_EQ(Send()->body, "in");
  EXPECT_EQ(credentials_->rejections(), 1u);
  EXPECT_EQ(api_.requests().size(), 3u);
}

TEST_F(HttpTransportTest, ASecondRejectionIsTheAnswer) {
  UseTokens({"one", "two", "three"});
  api_.Then(Guard("x")).Then(Guard("x"));
  EXPECT_EQ(Send()->status, 401);
  EXPECT_EQ(api_.requests().size(), 2u);
}

TEST_F(HttpTransportTest, NothingIsRepeatedWithTheSameToken) {
  UseTokens({"only"});
  api_.Then(Guard("x"));
  EXPECT_EQ(Send()->status, 401);
  EXPECT_EQ(api_.requests().size(), 1u);
}

TEST_F(HttpTransportTest, ATokenFileIsReadAgainAfterARejection) {
  TempDirectory directory;
  ASSERT_OK(RealFileSystem().Write(directory / "token", "old", 0600));
  config_.credentials = TokenFile(directory / "token", RealFileSystem(), RealClock());
  Connect();
  api_.Then(Guard("old")).Then(Guard("new")).Then(Guard("new"));
  EXPECT_EQ(Send()->status, 200);
  ASSERT_OK(RealFileSystem().Write(directory / "token", "new", 0600));
  EXPECT_EQ(Send()->status, 200);
}

TEST_F(HttpTransportTest, StreamsAreSignedAndGoOnceMoreToo) {
  UseTokens({"old", "new"});
  api_.Then(Guard("new")).Then(Guard("new", "the answer"));
  const auto stream = transport_->Start(Get("/x"), recorder_, {});
  EXPECT_OK(recorder_.AwaitEnd());
  EXPECT_EQ(recorder_.head().status, 200);
  EXPECT_EQ(recorder_.data(), "the answer");
  EXPECT_EQ(credentials_->rejections(), 1u);
}

TEST_F(HttpTransportTest, AStreamRefusedForGoodGetsTheWholeRefusal) {
  UseTokens({"only"});
  api_.Then(Guard("x"));
  const auto stream = transport_->Start(Get("/x"), recorder_, {});
  EXPECT_OK(recorder_.AwaitEnd());
  EXPECT_EQ(recorder_.head().status, 401);
  EXPECT_EQ(recorder_.data(), "who are you?");
}

TEST_F(HttpTransportTest, AStreamNeedsNoThreadForFixedCredentials) {
  config_.credentials = StaticToken("abc");
  Connect();
  api_.Stream({"a", "b"});
  // On the loop itself, where nothing may block.
  std::promise<std::unique_ptr<http::Stream>> started;
  loop_.Post([&] { started.set_value(transport_->Start(Get("/x"), recorder_, {})); });
  const auto stream = started.get_future().get();
  EXPECT_OK(recorder_.AwaitEnd());
  EXPECT_EQ(recorder_.data(), "ab");
}

TEST_F(HttpTransportTest, StartDoesNotWaitForTheCredentials) {
  UseTokens({"late"});
  credentials_->Hang(true);
  api_.Stream({"a"});
  const auto stream = transport_->Start(Get("/x"), recorder_, {});
  credentials_->AwaitAsked();
  EXPECT_TRUE(api_.requests().empty());
  credentials_->Hang(false);
  EXPECT_OK(recorder_.AwaitEnd());
  EXPECT_EQ(recorder_.data(), "a");
}

TEST_F(HttpTransportTest, AStreamCanBeCancelledWhileItsCredentialsAreFetched) {
  UseTokens({"late"});
  credentials_->Hang(true);
  const auto stream = transport_->Start(Get("/x"), recorder_, {});
  credentials_->AwaitAsked();
  stream->Cancel();
  EXPECT_CODE(Code::kCancelled, recorder_.AwaitEnd());
  EXPECT_TRUE(api_.requests().empty());
}

TEST_F(HttpTransportTest, AStreamCanGoWhileItsCredentialsAreFetched) {
  UseTokens({"late"});
  credentials_->Hang(true);
  auto stream = transport_->Start(Get("/x"), recorder_, {});
  credentials_->AwaitAsked();
  stream = nullptr;
  transport_ = nullptr;
  EXPECT_FALSE(recorder_.ended());
}

TEST_F(HttpTransportTest, GoingEndsStreamsThatWaitForCredentials) {
  UseTokens({"late"});
  credentials_->Hang(true);
  const auto first = transport_->Start(Get("/x"), recorder_, {});
  http::StreamRecorder other;
  const auto second = transport_->Start(Get("/y"), other, {});
  credentials_->AwaitAsked();
  transport_ = nullptr;
  EXPECT_CODE(Code::kCancelled, recorder_.AwaitEnd());
  EXPECT_CODE(Code::kCancelled, other.AwaitEnd());
}

TEST_F(HttpTransportTest, CredentialsThatTakeTooLongEndAStreamByItsHeadTimeout) {
  UseTokens({"late"});
  credentials_->Hang(true);
  const auto stream = transport_->Start(
      Get("/x"), recorder_, http::StreamOptions{.head_timeout = std::chrono::milliseconds(20)});
  EXPECT_CODE(Code::kDeadlineExceeded, recorder_.AwaitEnd());
}

TEST_F(HttpTransportTest, AWatchTakesNobodysConnection) {
  struct Ignore : WatchHandler {
    Status OnEvent(WatchEventType, std::string_view, size_t) override { return Status::Ok(); }
    void OnEnd(Status) override {}
  } handler;
  config_.credentials = NoCredentials();
  Connect({.http = {.max_connections = 1}});
  Client client(*transport_, RealClock());
  api_.Stream({}, true);
  const auto watch = client.StartWatch(types::ConfigMaps(), "", {}, handler, {});
  ASSERT_TRUE(api_.AwaitRequests(1));
  api_.Answer({200, {}, "ok"});
  EXPECT_OK(transport_->Send(Get("/x"), WaitLimit::For(RealClock(), std::chrono::minutes(2))));
}

TEST_F(HttpTransportTest, NoServerIsAConnectFailure) {
  Connect();
  server_ = nullptr;
  const auto answer = Send();
  EXPECT_CODE(Code::kUnavailable, answer);
  EXPECT_EQ(answer.status().reason(), "ConnectFailed");
}

// Certificates for a server on the loopback address, by authorities that the test makes.
class HttpsTransportTest : public HttpTransportTest {
 protected:
  void SetUp() override {
    ca_ = MakeCa("first");
    server_tls_ = Tls(ca_, "server");
    http::ServerOptions options;
    options.listen.tls = true;
    options.tls = server_tls_;
    Serve(std::move(options));
  }
  net::CertificatePair Make(net::CertificateRequest request, const net::CertificatePair* ca) {
    auto pair = net::MakeCertificate(request, RealClock(), ca);
    EXPECT_OK(pair);
    return pair.ok() ? *pair : net::CertificatePair();
  }
  net::CertificatePair MakeCa(const std::string& name) {
    net::CertificateRequest request;
    request.common_name = name;
    request.is_ca = true;
    return Make(request, nullptr);
  }
  net::CertificatePair MakeLeaf(const std::string& name, const net::CertificatePair& ca) {
    net::CertificateRequest request;
    request.common_name = name;
    request.ip_addresses = {"127.0.0.1"};
    return Make(request, &ca);
  }
  net::TlsMaterial Material(const net::CertificatePair& ca, const std::string& name) {
    const net::CertificatePair leaf = MakeLeaf(name, ca);
    return {ca.certificate_pem, leaf.certificate_pem, leaf.private_key_pem};
  }
  std::shared_ptr<net::TlsContext> Tls(const net::CertificatePair& ca, const std::string& name) {
    net::TlsContext::Options options;
    options.server = true;
    auto context = net::TlsContext::Create(Material(ca, name), options);
    EXPECT_OK(context);
    return context.ok() ? *context : nullptr;
  }
  void WriteFile(const std::string& name, const std::string& text) {
    ASSERT_OK(RealFileSystem().Write(directory_ / name, text, 0600));
  }
  // Who the server took the last client for.
  ScriptedApi::Act Ok() {
    return [](const http::Request&, std::unique_ptr<http::ResponseWriter> writer) {
      (void)writer->Send({200, {{"Connection", "close"}}, "ok"});
    };
  }

  TempDirectory directory_;
  net::CertificatePair ca_;
  std::shared_ptr<net::TlsContext> server_tls_;
};

TEST_F(HttpsTransportTest, TheServerIsVerified) {
  config_.ca_pem = ca_.certificate_pem;
  Connect();
  api_.Then(Ok());
  EXPECT_OK(Send());
  config_.ca_pem = MakeCa("other").certificate_pem;
  Connect();
  const auto refused = Send();
  EXPECT_CODE(Code::kUnauthenticated, refused);
  EXPECT_EQ(refused.status().reason(), "CertificateInvalid");
}

TEST_F(HttpsTransportTest, ANewAuthorityIsReadFromItsFileWhenTheOldOneDoesNotDo) {
  WriteFile("ca.crt", ca_.certificate_pem);
  config_.ca_file = directory_ / "ca.crt";
  config_.ca_pem = ca_.certificate_pem;
  Connect();
  api_.Then(Ok()).Then(Ok()).Stream({"a"});
  EXPECT_OK(Send());
  const net::CertificatePair next = MakeCa("next");
  ASSERT_OK(server_tls_->Replace(Material(next, "server")));
  EXPECT_CODE(Code::kUnauthenticated, Send());
  WriteFile("ca.crt", next.certificate_pem);
  EXPECT_OK(Send());
  const auto stream = transport_->Start(Get("/x"), recorder_, {});
  EXPECT_OK(recorder_.AwaitEnd());
}

TEST_F(HttpsTransportTest, StreamsFindTheNewAuthorityToo) {
  WriteFile("ca.crt", "");
  config_.ca_file = directory_ / "ca.crt";
  config_.ca_pem = MakeCa("old").certificate_pem;
  Connect();
  WriteFile("ca.crt", ca_.certificate_pem);
  api_.Stream({"a"});
  const auto stream = transport_->Start(Get("/x"), recorder_, {});
  EXPECT_OK(recorder_.AwaitEnd());
  EXPECT_EQ(recorder_.data(), "a");
}

TEST_F(HttpsTransportTest, AWrongKeyIsToldWhenTheTransportIsMade) {
  config_.certificate_pem = MakeLeaf("client", ca_).certificate_pem;
  config_.private_key_pem = MakeLeaf("client", ca_).private_key_pem;
  config_.origin = "context dev";
  const auto transport = MakeHttpTransport(loop_, config_, ConfigSources::Real());
  EXPECT_CODE(Code::kInvalid, transport);
  EXPECT_NE(transport.status().message().find("context dev"), std::string_view::npos);
}

// Gives certificates instead of tokens.
class CertificateCredentials : public Credentials {
 public:
  explicit CertificateCredentials(net::CertificatePair pair) : pair_(std::move(pair)) {}
  Result<Current> Get(const WaitLimit&) override {
    const auto pair = pair_.Lock();
    return Current{"", pair->certificate_pem, pair->private_key_pem};
  }
  void Rejected() override {}
  void Replace(net::CertificatePair pair) { *pair_.Lock() = std::move(pair); }

 private:
  Guarded<net::CertificatePair> pair_;
};

// A server that answers with the name of who asks.
class ClientCertificateTest : public HttpsTransportTest {
 protected:
  void SetUp() override {
    ca_ = MakeCa("first");
    net::TlsContext::Options tls_options;
    tls_options.server = true;
    tls_options.require_client_certificate = true;
    auto tls = net::TlsContext::Create(Material(ca_, "server"), tls_options);
    ASSERT_OK(tls);
    http::ServerOptions options;
    options.listen.tls = true;
    options.listen.host = "127.0.0.1";
    options.tls = *tls;
    auto server = http::Server::Start(
        loop_, options,
        [](const http::ServerRequest& request) {
          return http::Response{200, {}, request.peer.certificate_common_name};
        },
        Logger::Null());
    ASSERT_OK(server);
    server_ = *std::move(server);
    config_.server = server_->endpoint();
    config_.ca_pem = ca_.certificate_pem;
  }
  std::string NameSeen() {
    const auto answer = Send();
    EXPECT_OK(answer);
    return answer.ok() ? answer->body : "";
  }
};

TEST_F(ClientCertificateTest, ACertificateFromTheCredentialsIsShown) {
  config_.credentials = std::make_shared<CertificateCredentials>(MakeLeaf("somebody", ca_));
  Connect();
  EXPECT_EQ(NameSeen(), "somebody");
}

TEST_F(ClientCertificateTest, ANewCertificateIsNotShownOnOldConnections) {
  const auto credentials = std::make_shared<CertificateCredentials>(MakeLeaf("before", ca_));
  config_.credentials = credentials;
  Connect();
  EXPECT_EQ(NameSeen(), "before");
  credentials->Replace(MakeLeaf("after", ca_));
  EXPECT_EQ(NameSeen(), "after");
}

}  // namespace
}  // namespace hearth::kube
