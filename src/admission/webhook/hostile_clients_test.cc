// Anybody in the cluster can reach the webhooks: whatever they do, the API server is answered.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <thread>

#include "admission/webhook/server.h"
#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "http/client.h"
#include "json/parse.h"
#include "net/internal/address.h"

namespace hearth::admission::webhook {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr Rule kNever{"thing-is-never-good", "for the test"};

void Refuse(const json::Value&, const Request&, Findings& findings) {
  findings.Add(kNever, schema::Required(schema::FieldPath::Base("spec")));
}

const KindRules kRules{"nvidia.com", "v1alpha1", "DynamoCheckpoint", nullptr, Refuse, {&kNever}};

std::string Review(size_t padding) {
  json::Value review =
      json::ParseValue(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",
      "request":{"uid":"u","operation":"CREATE","namespace":"models",
                 "kind":{"group":"nvidia.com","version":"v1alpha1","kind":"DynamoCheckpoint"}}})")
          .value();
  review.MakePath("request.object.metadata.annotations.padding") = std::string(padding, 'p');
  return review.Write();
}

const std::string kHead =
    "POST " + std::string(kValidateCheckpointPath) + " HTTP/1.1\r\nHost: h\r\n";

// Verifies nothing, waits for nothing, and does not mind being refused.
class Attacker {
 public:
  explicit Attacker(const net::Endpoint& server) {
    const net::Address address = net::NumericAddress(server.host, server.port);
    fd_.reset(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval limit{.tv_sec = 10, .tv_usec = 0};
    (void)::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    EXPECT_EQ(::connect(fd_.get(), address.get(), address.size), 0);
  }

  Attacker& Raw(std::string_view bytes) {
    (void)::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return *this;
  }
  Attacker& ShakeHands(int version = TLS1_3_VERSION) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_max_proto_version(context_.get(), version);
    tls_.reset(SSL_new(context_.get()));
    SSL_set_fd(tls_.get(), fd_.get());
    (void)SSL_connect(tls_.get());
    ::fcntl(fd_.get(), F_SETFL, O_NONBLOCK);
    return *this;
  }
  Attacker& Say(std::string_view bytes) {
    (void)SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
    return *this;
  }
  Attacker& SayGoodbye() {
    (void)SSL_shutdown(tls_.get());
    return *this;
  }
  Attacker& CloseSending() {
    (void)::shutdown(fd_.get(), SHUT_WR);
    return *this;
  }
  Attacker& Renegotiate() {
    (void)SSL_renegotiate(tls_.get());
    (void)SSL_do_handshake(tls_.get());
    return *this;
  }
  Attacker& ChangeKeys() {
    (void)SSL_key_update(tls_.get(), SSL_KEY_UPDATE_REQUESTED);
    (void)SSL_do_handshake(tls_.get());
    return *this;
  }
  void Reset() {
    const linger none{.l_onoff = 1, .l_linger = 0};
    (void)::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof(none));
    fd_.reset();
  }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* tls) const { SSL_free(tls); }
  };
  UniqueFd fd_;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> tls_;
};

// Asks without end, over a connection that is kept and over new ones, and remembers what went
// wrong.
class HonestClient {
 public:
  HonestClient(const net::Endpoint& server, std::shared_ptr<net::TlsContext> tls)
      : server_(server), tls_(std::move(tls)), kept_(loop_, server_, tls_) {
    thread_ = std::jthread([this](const std::stop_token& stop) {
      for (int i = 0; !stop.stop_requested(); ++i) {
        http::Client fresh(loop_, server_, tls_);
        Ask(i % 2 == 0 ? kept_ : fresh, i % 3 == 0 && AlsoLarge() ? 300 << 10 : 100);
      }
    });
  }

  // Reviews that are small are answered whatever is going on; large ones unless others fill the
  // memory with whole ones.
  void SendLarge(bool large) {
    std::lock_guard lock(mutex_);
    large_ = large;
  }
  // So many more than when it was called.
  bool AwaitAnswers(int count) {
    std::unique_lock lock(mutex_);
    const int wanted = answered_ + count;
    return answered_more_.wait_for(lock, seconds(60), [&] { return answered_ >= wanted; });
  }
  std::vector<std::string> TakeTroubles() {
    std::lock_guard lock(mutex_);
    return std::exchange(troubles_, {});
  }

 private:
  bool AlsoLarge() {
    std::lock_guard lock(mutex_);
    return large_;
  }
  void Ask(http::Client& client, size_t padding) {
    http::Request request{
        .method = "POST", .target = std::string(kValidateCheckpointPath), .body = Review(padding)};
    request.headers.Set("Content-Type", "application/json");
    const auto answer = client.Send(std::move(request), WaitLimit::For(RealClock(), seconds(20)));
    const bool fine = answer.ok() && answer->status == 200 &&
                      answer->body.find("spec: Required value") != std::string::npos;
    std::lock_guard lock(mutex_);
    if (fine) {
      ++answered_;
      answered_more_.notify_all();
    } else {
      troubles_.push_back(answer.ok() ? std::to_string(answer->status) + answer->body
                                      : answer.status().ToString());
    }
  }

  const net::Endpoint server_;
  const std::shared_ptr<net::TlsContext> tls_;
  net::EventLoop loop_{"honest"};
  http::Client kept_;
  std::mutex mutex_;
  std::condition_variable answered_more_;
  int answered_ = 0;
  bool large_ = true;
  std::vector<std::string> troubles_;
  std::jthread thread_;
};

class HostileClientsTest : public testing::Test {
 protected:
  static constexpr int kFew = 20;

  HostileClientsTest() {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to sockets that were closed
    services_.find_rules = [](std::string_view, std::string_view) { return &kRules; };
    options_.listen = {.tls = true, .host = "127.0.0.1"};
    options_.max_held_bytes = 4 << 20;
    server_ = std::make_unique<WebhookServer>(loop_, clock_, options_, services_, metrics_,
                                              Logger::Null());
    const auto authority =
        net::MakeCertificate({.common_name = "ca", .is_ca = true}, RealClock()).value();
    const auto pair = net::MakeCertificate({.ip_addresses = {"127.0.0.1"}, .lifetime = hours(24)},
                                           RealClock(), &authority)
                          .value();
    EXPECT_OK(server_->Serve({"", pair.certificate_pem, pair.private_key_pem}));
    honest_ = std::make_unique<HonestClient>(
        *server_->endpoint(),
        net::TlsContext::Create({.ca_pem = authority.certificate_pem}, {}).value());
    EXPECT_TRUE(honest_->AwaitAnswers(1));
  }

  Attacker& New() { return attackers_.emplace_back(*server_->endpoint()); }
  void HonestOnesAreServed(const char* while_others) {
    EXPECT_TRUE(honest_->AwaitAnswers(6)) << while_others;
    EXPECT_THAT(honest_->TakeTroubles(), testing::IsEmpty()) << while_others;
  }

  net::EventLoop loop_{"webhook-test"};
  ManualClock clock_{RealClock().WallNow()};
  Metrics metrics_;
  Services services_;
  WebhookServerOptions options_;
  std::unique_ptr<WebhookServer> server_;
  std::unique_ptr<HonestClient> honest_;
  std::deque<Attacker> attackers_;  // all stay
};

// Both ends of every connection are ours.
void AllowManyFiles() {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  ASSERT_GE(limit.rlim_max, 4096U) << "raise the hard limit of open files (ulimit -Hn)";
  limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, 4096);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST_F(HostileClientsTest, SayNothing) {
  ASSERT_NO_FATAL_FAILURE(AllowManyFiles());
  for (int i = 0; i < options_.max_connections + 100; ++i) {
    New();
  }
  HonestOnesAreServed("a thousand are silent");
}

TEST_F(HostileClientsTest, SpeakNoTls) {
  for (int i = 0; i < kFew; ++i) {
    New().Raw(kHead + "\r\n");
    New().Raw(std::string(70'000, static_cast<char>(i)));
    New().Raw("\x16\x03\x01\x40");                                   // a record, cut
    New().Raw(std::string_view("\x16\x03\x01\x02\x00\x01\xff", 7));  // a hello that is too long
    New().Raw(std::string_view("\x15\x03\x03\x00\x02\x02\x28", 7));  // an alert at once
  }
  HonestOnesAreServed("others speak no TLS");
}

TEST_F(HostileClientsTest, SendSlowly) {
  for (int i = 0; i < kFew; ++i) {
    New().ShakeHands().Say("POST / HT");
    New()
        .ShakeHands()
        .Say(kHead + "Content-Length: 60000000\r\n\r\n")
        .Say(std::string(1 << 20, 'x'));
    New().ShakeHands().Say(kHead + "Transfer-Encoding: chunked\r\n\r\n40000000\r\n");
  }
  for (int drop = 0; drop < 10; ++drop) {
    for (Attacker& attacker : attackers_) {
      attacker.Say(std::string(drop * 10'000, 'x'));
    }
    HonestOnesAreServed("others send slowly");
  }
}

TEST_F(HostileClientsTest, SendFarTooMuch) {
  honest_->SendLarge(false);
  HonestOnesAreServed("nobody does anything yet");
  for (int i = 0; i < kFew; ++i) {
    New().ShakeHands().Say(kHead + "Content-Length: 99999999999999\r\n\r\n");
    New().ShakeHands().Say(kHead + "A: " + std::string(100'000, 'a'));
    New().ShakeHands().Say(kHead + "Content-Length: 1000000\r\n\r\n" + std::string(1'000'000, '['));
  }
  for (Attacker& attacker : attackers_) {
    attacker.Say(std::string(1 << 20, 'x'));
  }
  HonestOnesAreServed("others send far too much");
}

TEST_F(HostileClientsTest, AskWithoutReadingTheAnswers) {
  const std::string request = kHead + "Content-Length: 2\r\n\r\n{}";
  std::string many;
  for (int i = 0; i < 2000; ++i) {
    many += request;
  }
  for (int i = 0; i < kFew; ++i) {
    New().ShakeHands().Say(many);
  }
  HonestOnesAreServed("others ask two thousand questions at once");
}

TEST_F(HostileClientsTest, GoInTheMiddle) {
  const std::string request = kHead + "Content-Length: 2\r\n\r\n{";
  for (int i = 0; i < kFew; ++i) {
    New().ShakeHands().Say(request).SayGoodbye();
    New().ShakeHands().Say(request + "}").SayGoodbye();
    New().ShakeHands().Say(request).CloseSending();
    New().ShakeHands().Say(request + "}").CloseSending();
    New().CloseSending();
    New().ShakeHands().Say(request).Reset();
    New().ShakeHands().Say(request + "}").Reset();
    New().Raw("\x16\x03\x01").Reset();
  }
  HonestOnesAreServed("others go in the middle");
}

TEST_F(HostileClientsTest, ChangeKeysAllTheTime) {
  for (int i = 0; i < kFew; ++i) {
    Attacker& old = New().ShakeHands(TLS1_2_VERSION).Say("POST");
    Attacker& current = New().ShakeHands().Say("POST");
    for (int change = 0; change < 100; ++change) {
      old.Renegotiate();
      current.ChangeKeys();
    }
  }
  HonestOnesAreServed("others change keys all the time");
}

}  // namespace
}  // namespace hearth::admission::webhook
