#include "admission/certificates/file_certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "net/certificate_facts.h"

namespace hearth::admission::certificates {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::HasSubstr;

class FileCertificatesTest : public testing::Test {
 protected:
  ~FileCertificatesTest() override { thread_.request_stop(); }

  void Run() {
    thread_ = std::jthread([this](const std::stop_token& stop) {
      EXPECT_OK(source_.Run(stop, [this](const net::TlsMaterial& material) {
        served_.Lock()->push_back(material.certificate_pem);
        return Status::Ok();
      }));
    });
    clock_.AwaitWaiters(1);
  }
  // The next look, whole.
  void LookAgain() {
    clock_.Advance(seconds(5));
    clock_.AwaitWaiters(1);
  }
  net::CertificatePair Make() {
    return net::MakeCertificate({.dns_names = {"x"}, .lifetime = hours(10)}, clock_).value();
  }
  void Write(const std::string& name, const std::string& text) {
    ASSERT_OK(RealFileSystem().Write(directory_.path() + "/" + name, text, 0600));
  }
  void Put(const net::CertificatePair& pair) {
    Write("tls.crt", pair.certificate_pem);
    Write("tls.key", pair.private_key_pem);
  }
  size_t Times() { return served_.Lock()->size(); }

  ManualClock clock_;
  TempDirectory directory_;
  FileCertificates source_{directory_.path(), RealFileSystem(), clock_, Logger::Null()};
  Guarded<std::vector<std::string>> served_;
  std::jthread thread_;
};

TEST_F(FileCertificatesTest, WaitsForTheFiles) {
  Run();
  EXPECT_THAT(std::string(source_.Ready().message()), HasSubstr("tls.crt"));
  const auto pair = Make();
  Put(pair);
  LookAgain();
  EXPECT_THAT(*served_.Lock(), testing::ElementsAre(pair.certificate_pem));
  EXPECT_OK(source_.Ready());
}

TEST_F(FileCertificatesTest, TakesAChangeAndNothingTwice) {
  Put(Make());
  Run();
  LookAgain();
  EXPECT_EQ(Times(), 1U);
  const auto next = Make();
  Put(next);
  LookAgain();
  EXPECT_EQ(Times(), 2U);
  EXPECT_EQ(served_.Lock()->back(), next.certificate_pem);
}

TEST_F(FileCertificatesTest, KeepsTheOldPairWhileTheNewOneDoesNotFit) {
  Put(Make());
  Run();
  Write("tls.crt", Make().certificate_pem);
  LookAgain();
  EXPECT_EQ(Times(), 1U);
  EXPECT_OK(source_.Ready());
  ASSERT_OK(RealFileSystem().Remove(directory_.path() + "/tls.key"));
  LookAgain();
  EXPECT_EQ(Times(), 1U);
}

TEST_F(FileCertificatesTest, IsNotReadyWithAnExpiredCertificate) {
  Put(Make());
  Run();
  EXPECT_OK(source_.Ready());
  clock_.Advance(hours(11));
  EXPECT_CODE(Code::kUnavailable, source_.Ready());
}

}  // namespace
}  // namespace hearth::admission::certificates
