#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"

namespace hearth::net {
namespace {

using std::chrono::hours;
using testing::HasSubstr;

CertificatePair Make(const CertificateRequest& request = {.common_name = "x"}) {
  return MakeCertificate(request, RealClock()).value();
}

std::string ErrorOf(const TlsMaterial& material, TlsContext::Options options = {}) {
  const auto context = TlsContext::Create(material, std::move(options));
  EXPECT_CODE(Code::kInvalid, context);
  return std::string(context.status().message());
}

TEST(TlsContext, ErrorsSayWhichPart) {
  const CertificatePair pair = Make();
  const CertificatePair other = Make();
  const std::string& certificate = pair.certificate_pem;
  const std::string& key = pair.private_key_pem;
  EXPECT_THAT(ErrorOf({.ca_pem = "rubbish"}), HasSubstr("ca"));
  EXPECT_THAT(ErrorOf({.ca_pem = key}), HasSubstr("no PEM certificate"));
  EXPECT_THAT(ErrorOf({.ca_pem = certificate + certificate.substr(0, 100) +
                                 "\n-----END CERTIFICATE-----\n"}),
              HasSubstr("certificate 2"));
  EXPECT_THAT(ErrorOf({.certificate_pem = certificate}), HasSubstr("private key: is missing"));
  EXPECT_THAT(ErrorOf({.private_key_pem = key}), HasSubstr("certificate: is missing"));
  EXPECT_THAT(ErrorOf({.certificate_pem = "x", .private_key_pem = key}), HasSubstr("certificate"));
  EXPECT_THAT(ErrorOf({.certificate_pem = certificate, .private_key_pem = "x"}),
              HasSubstr("private key"));
  EXPECT_THAT(ErrorOf({.certificate_pem = certificate, .private_key_pem = other.private_key_pem}),
              HasSubstr("does not fit"));
  EXPECT_THAT(ErrorOf({}, {.server = true}), HasSubstr("a server needs one"));
  EXPECT_THAT(ErrorOf({.certificate_pem = certificate, .private_key_pem = key},
                      {.server = true, .require_client_certificate = true}),
              HasSubstr("ca"));
}

TEST(TlsContext, TakesChainsAndSeveralAuthorities) {
  const CertificatePair ca = Make({.common_name = "ca", .is_ca = true});
  const CertificatePair leaf = MakeCertificate({.common_name = "leaf"}, RealClock(), &ca).value();
  EXPECT_OK(TlsContext::Create({.ca_pem = ca.certificate_pem + Make().certificate_pem,
                                .certificate_pem = leaf.certificate_pem + ca.certificate_pem,
                                .private_key_pem = leaf.private_key_pem},
                               {.server = true}));
}

TEST(TlsContext, FailedReplaceChangesNothing) {
  const CertificatePair pair = Make();
  ASSERT_OK_AND_ASSIGN(const auto context,
                       TlsContext::Create({.certificate_pem = pair.certificate_pem,
                                           .private_key_pem = pair.private_key_pem},
                                          {.server = true}));
  EXPECT_CODE(Code::kInvalid, context->Replace({}));
  EXPECT_TRUE(context->options().server);
}

TEST(Certificate, LastsAsLongAsAsked) {
  ManualClock clock(WallTime(std::chrono::seconds(1'700'000'000)));
  ASSERT_OK_AND_ASSIGN(const CertificatePair pair,
                       MakeCertificate({.common_name = "x", .lifetime = hours(48)}, clock));
  ASSERT_OK_AND_ASSIGN(const WallTime expiry, CertificateExpiry(pair.certificate_pem));
  EXPECT_EQ(expiry, clock.WallNow() + hours(48));
}

TEST(Certificate, ExpiryOfTheFirstInTheText) {
  ManualClock clock;
  const auto first = MakeCertificate({.lifetime = hours(1)}, clock).value();
  const auto second = MakeCertificate({.lifetime = hours(2)}, clock).value();
  EXPECT_EQ(*CertificateExpiry("# comment\n" + first.certificate_pem + second.certificate_pem),
            clock.WallNow() + hours(1));
  EXPECT_CODE(Code::kInvalid, CertificateExpiry(""));
  EXPECT_CODE(Code::kInvalid, CertificateExpiry(first.private_key_pem));
}

TEST(Certificate, EachIsDifferent) {
  EXPECT_NE(Make().certificate_pem, Make().certificate_pem);
  EXPECT_NE(Make().private_key_pem, Make().private_key_pem);
}

TEST(Certificate, RefusesWhatItCannotWrite) {
  const auto error_of = [](const CertificateRequest& request, const CertificatePair* ca = nullptr) {
    const auto made = MakeCertificate(request, RealClock(), ca);
    EXPECT_CODE(Code::kInvalid, made);
    return std::string(made.status().message());
  };
  EXPECT_THAT(error_of({.ip_addresses = {"not-an-address"}}), HasSubstr("not-an-address"));
  EXPECT_THAT(error_of({.common_name = std::string(100, 'x')}), HasSubstr("common name"));
  const CertificatePair empty;
  EXPECT_THAT(error_of({.common_name = "x"}, &empty), HasSubstr("authority"));
  const CertificatePair mixed{Make().certificate_pem, Make().private_key_pem};
  EXPECT_THAT(error_of({.common_name = "x"}, &mixed), HasSubstr("does not fit"));
}

TEST(Certificate, NamesAreDataAndNotConfiguration) {
  EXPECT_OK(MakeCertificate(
      {.dns_names = {"a.example,IP:1.2.3.4", "*.b.example"}, .ip_addresses = {"::1", "10.0.0.1"}},
      RealClock()));
}

}  // namespace
}  // namespace hearth::net
