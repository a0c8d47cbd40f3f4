#include "admission/certificates/rotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "json/parse.h"
#include "json/time.h"
#include "net/certificate_facts.h"

namespace hearth::admission::certificates {
namespace {

using std::chrono::hours;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr hours kDay(24);

class RotationTest : public testing::Test {
 protected:
  RotationFacts Facts(const Keyring& keyring) {
    return {.keyring = keyring,
            .names = NamesOfService("hearth-webhook", "hearth-system"),
            .now = clock_.WallNow()};
  }
  RotationPlan Plan(const Keyring& keyring, bool believed = false) {
    RotationFacts facts = Facts(keyring);
    facts.next_is_believed = believed;
    return PlanRotation(facts, periods_);
  }
  Keyring After(Step step, const Keyring& keyring) {
    return CarryOut(step, Facts(keyring), periods_, clock_).value();
  }
  Keyring Fresh() { return After(Step::kReplaceAll, {}); }
  static bool Believes(const std::string& bundle, const Keyring& keyring) {
    const auto authorities = net::SplitCertificates(bundle).value();
    return std::any_of(authorities.begin(), authorities.end(), [&](const std::string& authority) {
      return net::CheckSignedBy(keyring.serving_certificate, authority).ok();
    });
  }

  ManualClock clock_;
  Periods periods_;
};

TEST_F(RotationTest, AFullBundleDoesNotFillTheSecret) {
  RotationFacts facts = Facts({});
  std::string newest;
  for (int i = 0; i < 12; ++i) {
    newest = net::MakeCertificate({.common_name = "other", .is_ca = true}, clock_)->certificate_pem;
    facts.carried_authorities += newest;
    clock_.Advance(hours(1));
  }
  facts.carried_authorities += Fresh().serving_certificate;
  facts.now = clock_.WallNow();
  ASSERT_OK_AND_ASSIGN(const Keyring replaced,
                       CarryOut(Step::kReplaceAll, facts, periods_, clock_));
  EXPECT_EQ(net::SplitCertificates(replaced.previous_authority)->size(), 8U);
  EXPECT_TRUE(certificates::Believes(replaced, newest));
}

TEST_F(RotationTest, ThoseBeforeGoWhenTheSecretSaysSoAndNotLater) {
  Keyring keyring = Fresh();
  clock_.Advance(48 * kDay);
  keyring.previous_authority = Fresh().authority;
  EXPECT_EQ(Plan(keyring).step, Step::kForgetPrevious) << "the serving certificate is old";
  keyring.previous_until = json::Time{clock_.WallNow() + hours(3)}.ToString();
  EXPECT_EQ(Plan(keyring).step, Step::kKeep);
  EXPECT_EQ(Plan(keyring).look_again, hours(3));
  for (const char* odd : {"2999-01-01T00:00:00Z", "soon"}) {
    keyring.previous_until = odd;
    EXPECT_EQ(Plan(keyring).step, Step::kForgetPrevious) << odd;
  }
}

TEST_F(RotationTest, MakesAnAuthorityAndACertificateWhereThereIsNone) {
  const RotationPlan plan = Plan({});
  EXPECT_EQ(plan.step, Step::kReplaceAll);
  EXPECT_FALSE(plan.alarming);
  const Keyring keyring = Fresh();
  ASSERT_OK_AND_ASSIGN(const auto authority, net::ReadCertificateFacts(keyring.authority));
  EXPECT_EQ(authority.common_name, "Dynamo-Webhook-CA");
  EXPECT_THAT(authority.organizations, ElementsAre("NVIDIA"));
  EXPECT_TRUE(authority.is_ca);
  EXPECT_EQ(authority.not_after, clock_.WallNow() + 3650 * kDay);
  ASSERT_OK_AND_ASSIGN(const auto serving, net::ReadCertificateFacts(keyring.serving_certificate));
  EXPECT_EQ(serving.not_after, clock_.WallNow() + 365 * kDay);
  EXPECT_THAT(serving.dns_names, ElementsAre("hearth-webhook.hearth-system.svc", "hearth-webhook",
                                             "hearth-webhook.hearth-system",
                                             "hearth-webhook.hearth-system.svc.cluster.local"));
  EXPECT_OK(net::CheckSignedBy(keyring.serving_certificate, keyring.authority));
}

TEST_F(RotationTest, KeepsWhatIsFineAndKnowsUntilWhen) {
  const RotationPlan plan = Plan(Fresh());
  EXPECT_EQ(plan.step, Step::kKeep);
  EXPECT_EQ(plan.look_again, 275 * kDay);
}

TEST_F(RotationTest, RenewsTheCertificateNinetyDaysBeforeItsEnd) {
  const Keyring keyring = Fresh();
  clock_.Advance(275 * kDay - hours(1));
  EXPECT_EQ(Plan(keyring).step, Step::kKeep);
  clock_.Advance(hours(2));
  EXPECT_EQ(Plan(keyring).step, Step::kRenewServing);
  const Keyring renewed = After(Step::kRenewServing, keyring);
  EXPECT_EQ(renewed.authority, keyring.authority);
  EXPECT_NE(renewed.serving_certificate, keyring.serving_certificate);
  EXPECT_EQ(BundleOf(renewed), BundleOf(keyring));
  EXPECT_EQ(Plan(renewed).step, Step::kKeep);
}

TEST_F(RotationTest, RenewsTheCertificateWhenTheServiceIsCalledOtherwise) {
  RotationFacts facts = Facts(Fresh());
  facts.names = NamesOfService("other", "hearth-system");
  EXPECT_EQ(PlanRotation(facts, periods_).step, Step::kRenewServing);
  facts.names = {.ip_addresses = {"127.0.0.1"}};
  EXPECT_EQ(PlanRotation(facts, periods_).step, Step::kRenewServing);
}

TEST_F(RotationTest, AnAddressIsTheSameHoweverItIsSpelt) {
  RotationFacts facts = Facts({});
  facts.names.ip_addresses = {"FD00:0:0::1", "10.0.0.1"};
  ASSERT_OK_AND_ASSIGN(facts.keyring, CarryOut(Step::kReplaceAll, facts, periods_, clock_));
  EXPECT_EQ(PlanRotation(facts, periods_).step, Step::kKeep);
}

TEST_F(RotationTest, AnAuthorityIsFollowedInThreeSteps) {
  Keyring keyring = Fresh();
  clock_.Advance((3650 - 364) * kDay);
  keyring = After(Step::kRenewServing, keyring);  // the last one it signs

  ASSERT_EQ(Plan(keyring).step, Step::kBeginAuthority);
  const Keyring begun = After(Step::kBeginAuthority, keyring);
  EXPECT_EQ(begun.Served(), keyring.Served());
  EXPECT_EQ(Plan(begun).step, Step::kKeep) << "not before it is believed";

  ASSERT_EQ(Plan(begun, true).step, Step::kPromoteAuthority);
  const Keyring promoted = After(Step::kPromoteAuthority, begun);
  EXPECT_EQ(promoted.authority, begun.next_authority);
  EXPECT_EQ(promoted.previous_authority, begun.authority);
  EXPECT_EQ(promoted.next_authority_key, "");
  EXPECT_EQ(BundleOf(promoted), BundleOf(begun)) << "bundles need no change at that moment";
  EXPECT_TRUE(Believes(BundleOf(begun), promoted));
  EXPECT_TRUE(Believes(BundleOf(promoted), begun)) << "a replica may show the old one still";

  EXPECT_EQ(Plan(promoted).step, Step::kKeep);
  clock_.Advance(kDay);
  ASSERT_EQ(Plan(promoted).step, Step::kForgetPrevious);
  const Keyring forgotten = After(Step::kForgetPrevious, promoted);
  EXPECT_EQ(BundleOf(forgotten), MakeBundle(std::vector<std::string>{promoted.authority}));
  EXPECT_EQ(Plan(forgotten).step, Step::kKeep);
}

TEST_F(RotationTest, NothingSignedOutlivesItsAuthority) {
  const Keyring keyring = Fresh();
  clock_.Advance((3650 - 100) * kDay);
  const Keyring renewed = After(Step::kRenewServing, keyring);
  EXPECT_EQ(net::ReadCertificateFacts(renewed.serving_certificate).value().not_after,
            net::ReadCertificateFacts(keyring.authority).value().not_after);
}

// Every renewal is a write that wakes whoever renews.
TEST_F(RotationTest, WhatEndsWithItsAuthorityIsNotRenewedAgainAndAgain) {
  Keyring keyring = Fresh();
  clock_.Advance(3600 * kDay);
  keyring = After(Step::kBeginAuthority, keyring);
  keyring = After(Step::kRenewServing, keyring);
  const RotationPlan plan = Plan(keyring);
  EXPECT_EQ(plan.step, Step::kKeep) << plan.why;
  EXPECT_GT(plan.look_again, kDay);
  EXPECT_EQ(Plan(keyring, true).step, Step::kPromoteAuthority);
}

TEST_F(RotationTest, AnExpiredCertificateIsReplacedAtOnce) {
  const Keyring keyring = Fresh();
  clock_.Advance(366 * kDay);
  EXPECT_EQ(Plan(keyring).step, Step::kRenewServing);
  clock_.Advance(3650 * kDay);
  EXPECT_EQ(Plan(keyring).step, Step::kReplaceAll);
}

TEST_F(RotationTest, WhatCannotBeUsedIsReplacedWithAnAlarm) {
  const Keyring good = Fresh();
  const Keyring other = Fresh();
  struct Row {
    const char* name;
    std::string Keyring::*member;
    std::string value;
    Step step;
  };
  const Row rows[] = {
      {"certificate gone", &Keyring::serving_certificate, "", Step::kRenewServing},
      {"certificate garbage", &Keyring::serving_certificate, "garbage", Step::kRenewServing},
      {"key of another", &Keyring::serving_key, other.serving_key, Step::kRenewServing},
      {"authority gone", &Keyring::authority, "", Step::kReplaceAll},
      {"authority of another", &Keyring::authority, other.authority, Step::kReplaceAll},
      {"authority garbage", &Keyring::authority, "-----BEGIN CERTIFICATE-----\nx",
       Step::kReplaceAll},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Keyring broken = good;
    broken.*row.member = row.value;
    const RotationPlan plan = Plan(broken);
    EXPECT_EQ(plan.step, row.step);
    EXPECT_TRUE(plan.alarming);
    EXPECT_EQ(Plan(After(plan.step, broken)).step, Step::kKeep);
  }
}

TEST_F(RotationTest, ACertificateOfAnotherToolIsServedUntilOursTakesOver) {
  Keyring keyring = Fresh();
  keyring.authority_key.clear();
  const RotationPlan plan = Plan(keyring);
  EXPECT_EQ(plan.step, Step::kBeginAuthority);
  const Keyring begun = After(Step::kBeginAuthority, keyring);
  EXPECT_EQ(begun.Served(), keyring.Served());
  clock_.Advance(300 * kDay);
  EXPECT_EQ(Plan(begun).step, Step::kKeep) << "nothing can sign a renewal yet";
  EXPECT_EQ(Plan(begun, true).step, Step::kPromoteAuthority);
}

TEST_F(RotationTest, ANextAuthorityThatCannotSignIsMadeAnew) {
  Keyring keyring = Fresh();
  clock_.Advance(3300 * kDay);
  keyring = After(Step::kRenewServing, keyring);
  Keyring begun = After(Step::kBeginAuthority, keyring);
  begun.next_authority_key = "garbage";
  EXPECT_EQ(Plan(begun, true).step, Step::kBeginAuthority);
}

TEST(Keyring, GoesThroughASecretAndLeavesTheRestAlone) {
  const Keyring keyring{.serving_certificate = "a", .serving_key = "b", .authority = "c"};
  json::Value secret = json::ParseValue(R"({"data":{"mine":"eA==","next-ca.crt":"eA=="}})").value();
  keyring.WriteTo(secret);
  EXPECT_EQ(secret.FindPath("data.mine")->string(), "eA==");
  EXPECT_EQ(secret.Find("data")->Find("next-ca.crt"), nullptr);
  const json::Blob blob = secret.ToBlob();
  EXPECT_EQ(Keyring::From(blob.view()), keyring);
}

TEST(Keyring, OfAnEmptySecretIsEmpty) {
  for (const char* text : {"{}", R"({"data":null})", R"({"data":{"tls.crt":"%%"}})"}) {
    const json::Blob blob = json::Parse(text).value();
    EXPECT_EQ(Keyring::From(blob.view()), Keyring()) << text;
  }
}

TEST(Bundle, HoldsEachAuthorityOnceInAnyOrder) {
  const auto make = [] {
    return net::MakeCertificate({.common_name = "ca", .is_ca = true}, RealClock())
        .value()
        .certificate_pem;
  };
  const std::string one = make();
  const std::string two = make();
  EXPECT_EQ(MakeBundle({one, two, one}), MakeBundle({two, one}));
  EXPECT_EQ(MakeBundle({one + two}), MakeBundle({two, one}));
  EXPECT_EQ(MakeBundle({one, "garbage", ""}), one);
}

}  // namespace
}  // namespace hearth::admission::certificates
