#include "net/certificate_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"

namespace hearth::net {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::IsEmpty;

class CertificateFactsTest : public testing::Test {
 protected:
  CertificatePair Authority(const std::string& name) {
    return MakeCertificate({.common_name = name, .organizations = {"Org"}, .is_ca = true}, clock_)
        .value();
  }
  CertificatePair Sign(const CertificatePair& authority) {
    return MakeCertificate({.common_name = "server",
                            .dns_names = {"a.svc", "a"},
                            .ip_addresses = {"127.0.0.1", "::1"},
                            .lifetime = hours(48)},
                           clock_, &authority)
        .value();
  }
  ManualClock clock_;
};

TEST_F(CertificateFactsTest, TellsWhatTheCertificateSays) {
  ASSERT_OK_AND_ASSIGN(const CertificateFacts facts,
                       ReadCertificateFacts(Sign(Authority("ca")).certificate_pem));
  EXPECT_EQ(facts.common_name, "server");
  EXPECT_THAT(facts.dns_names, ElementsAre("a.svc", "a"));
  EXPECT_THAT(facts.ip_addresses, ElementsAre("127.0.0.1", "::1"));
  EXPECT_EQ(facts.not_after, clock_.WallNow() + hours(48));
  EXPECT_LE(facts.not_before, clock_.WallNow());
  EXPECT_FALSE(facts.is_ca);
}

TEST_F(CertificateFactsTest, KnowsAnAuthority) {
  ASSERT_OK_AND_ASSIGN(const CertificateFacts facts,
                       ReadCertificateFacts(Authority("ca").certificate_pem));
  EXPECT_TRUE(facts.is_ca);
  EXPECT_EQ(facts.common_name, "ca");
  EXPECT_THAT(facts.organizations, ElementsAre("Org"));
  EXPECT_THAT(facts.dns_names, IsEmpty());
}

TEST(CanonicalAddress, IsOneTextForAllSpellings) {
  EXPECT_EQ(CanonicalAddress("0:0:0::1"), "::1");
  EXPECT_EQ(CanonicalAddress("FD00:0::A"), "fd00::a");
  EXPECT_EQ(CanonicalAddress("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(CanonicalAddress("no address"), "no address");
}

TEST_F(CertificateFactsTest, RefusesGarbage) {
  EXPECT_CODE(Code::kInvalid, ReadCertificateFacts(""));
  EXPECT_CODE(Code::kInvalid, ReadCertificateFacts("-----BEGIN CERTIFICATE-----\nxx\n"));
}

TEST_F(CertificateFactsTest, KnowsWhoSigned) {
  const CertificatePair one = Authority("ca");
  const CertificatePair other = Authority("ca");  // of the same name
  const CertificatePair server = Sign(one);
  EXPECT_OK(CheckSignedBy(server.certificate_pem, one.certificate_pem));
  EXPECT_CODE(Code::kInvalid, CheckSignedBy(server.certificate_pem, other.certificate_pem));
  EXPECT_CODE(Code::kInvalid, CheckSignedBy(server.certificate_pem, server.certificate_pem));
  EXPECT_CODE(Code::kInvalid, CheckSignedBy(server.certificate_pem, ""));
}

TEST_F(CertificateFactsTest, KnowsWhichKeyFits) {
  const CertificatePair one = Authority("ca");
  const CertificatePair other = Authority("ca");
  EXPECT_OK(CheckKeyFits(one));
  EXPECT_CODE(Code::kInvalid, CheckKeyFits({one.certificate_pem, other.private_key_pem}));
  EXPECT_CODE(Code::kInvalid, CheckKeyFits({one.certificate_pem, "nonsense"}));
  EXPECT_CODE(Code::kInvalid, CheckKeyFits({"", one.private_key_pem}));
}

TEST_F(CertificateFactsTest, SplitsABundle) {
  const std::string one = Authority("one").certificate_pem;
  const std::string two = Authority("two").certificate_pem;
  ASSERT_OK_AND_ASSIGN(const auto all, SplitCertificates("words\n" + one + "\n\n" + two));
  EXPECT_THAT(all, ElementsAre(one, two));
  ASSERT_OK_AND_ASSIGN(const auto none, SplitCertificates(""));
  EXPECT_THAT(none, IsEmpty());
  EXPECT_CODE(Code::kInvalid, SplitCertificates(one + "-----BEGIN CERTIFICATE-----\nxx\n"));
}

}  // namespace
}  // namespace hearth::net
