#include "admission/certificates/rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "json/time.h"
#include "net/certificate_facts.h"

namespace hearth::admission::certificates {
namespace {

constexpr const char* kAuthorityName = "Dynamo-Webhook-CA";
constexpr const char* kOrganization = "NVIDIA";
// A bundle that others filled with certificates does not fill the Secret.
constexpr size_t kMostCarriedAuthorities = 8;

Status CheckNow(const net::CertificateFacts& certificate, WallTime now) {
  if (now >= certificate.not_after) {
    return InvalidError("has expired");
  }
  return now < certificate.not_before ? InvalidError("is not valid yet") : Status::Ok();
}

// Whether certificates can be signed with it now.
Status CheckAuthority(const std::string& certificate, const std::string& key, WallTime now) {
  ASSIGN_OR_RETURN(const net::CertificateFacts facts, net::ReadCertificateFacts(certificate));
  if (!facts.is_ca) {
    return InvalidError("it is not an authority");
  }
  RETURN_IF_ERROR(CheckNow(facts, now));
  return net::CheckKeyFits({certificate, key});
}

// Whether whoever believes the authority believes what is served.
Status CheckServing(const Keyring& keyring, WallTime now) {
  RETURN_IF_ERROR(net::CheckKeyFits({keyring.serving_certificate, keyring.serving_key}));
  ASSIGN_OR_RETURN(const auto serving, net::ReadCertificateFacts(keyring.serving_certificate));
  RETURN_IF_ERROR(CheckNow(serving, now).WithContext("the serving certificate"));
  ASSIGN_OR_RETURN(const auto authority, net::ReadCertificateFacts(keyring.authority));
  RETURN_IF_ERROR(CheckNow(authority, now).WithContext("the authority"));
  return net::CheckSignedBy(keyring.serving_certificate, keyring.authority);
}

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsGoodFor(const net::CertificateFacts& certificate, const ServingNames& wanted) {
  return std::all_of(wanted.dns_names.begin(), wanted.dns_names.end(),
                     [&](const std::string& name) { return Has(certificate.dns_names, name); }) &&
         std::all_of(wanted.ip_addresses.begin(), wanted.ip_addresses.end(),
                     [&](const std::string& address) {
                       return Has(certificate.ip_addresses, net::CanonicalAddress(address));
                     });
}

RotationPlan ReplaceBroken(const RotationFacts& facts, const Status& why) {
  const Keyring& keyring = facts.keyring;
  if (keyring == Keyring()) {
    return {Step::kReplaceAll, "there is none yet"};
  }
  const bool can_sign = CheckAuthority(keyring.authority, keyring.authority_key, facts.now).ok();
  return {can_sign ? Step::kRenewServing : Step::kReplaceAll, std::string(why.message()), true};
}

// What the change of authorities needs; kKeep when nothing now.
RotationPlan PlanAuthority(const RotationFacts& facts, const Periods& periods,
                           const net::CertificateFacts& authority) {
  const Keyring& keyring = facts.keyring;
  if (CheckAuthority(keyring.next_authority, keyring.next_authority_key, facts.now).ok()) {
    return facts.next_is_believed
               ? RotationPlan{Step::kPromoteAuthority, "every configuration carries the next one"}
               : RotationPlan{.why = "not every configuration carries the next authority yet"};
  }
  const Status usable = CheckAuthority(keyring.authority, keyring.authority_key, facts.now);
  if (!usable.ok()) {
    return {Step::kBeginAuthority, fmt::format("the authority cannot sign: {}", usable.message()),
            true};
  }
  if (authority.not_after - facts.now < periods.authority_renew_before) {
    return {Step::kBeginAuthority, "the authority would end before what it signs"};
  }
  return {.look_again = authority.not_after - periods.authority_renew_before - facts.now};
}

RotationPlan PlanServing(const RotationFacts& facts, const Periods& periods,
                         const net::CertificateFacts& serving,
                         const net::CertificateFacts& authority) {
  if (!IsGoodFor(serving, facts.names)) {
    return {Step::kRenewServing, "it lacks a name of the Service"};
  }
  const Duration left = serving.not_after - facts.now;
  if (serving.not_after >= authority.not_after) {
    return {.look_again = left};  // another one would end no later: the next authority is due
  }
  if (left < periods.renew_before) {
    return {Step::kRenewServing, "it is going to expire"};
  }
  return {.look_again = left - periods.renew_before};
}

// When those before are forgotten: as the Secret says, and never later than it could say.
WallTime PreviousEnd(const RotationFacts& facts, const Periods& periods,
                     const net::CertificateFacts& serving) {
  const auto until = json::Time::Parse(facts.keyring.previous_until);
  const bool sensible = until.ok() && until->at <= facts.now + periods.previous_stays;
  // What is served was made when the one before was put aside.
  return sensible ? until->at : serving.not_before + periods.previous_stays;
}

RotationPlan PlanPrevious(const RotationFacts& facts, const Periods& periods,
                          const net::CertificateFacts& serving) {
  if (facts.keyring.previous_authority.empty()) {
    return {};
  }
  const Duration left = PreviousEnd(facts, periods, serving) - facts.now;
  return left <= Duration::zero()
             ? RotationPlan{Step::kForgetPrevious, "nobody shows its certificates any more"}
             : RotationPlan{.look_again = left};
}

bool IsValidNow(const std::string& certificate, WallTime now) {
  const auto facts = net::ReadCertificateFacts(certificate);
  return facts.ok() && CheckNow(*facts, now).ok();
}

// Those of the text that are valid now; garbage has none.
std::vector<std::string> ValidAuthorities(const std::string& text, WallTime now) {
  auto all = net::SplitCertificates(text);
  if (!all.ok()) {
    return {};
  }
  std::erase_if(*all, [&](const std::string& each) { return !IsValidNow(each, now); });
  return *std::move(all);
}

RotationPlan PlanShown(const RotationFacts& facts) {
  if (!IsValidNow(facts.shown_authority, facts.now) ||
      Believes(facts.keyring, facts.shown_authority)) {
    return {};
  }
  return {Step::kRememberShown, "another certificate than this replica shows was put there", true};
}

void PutAside(Keyring& keyring, std::vector<std::string> authorities, const RotationFacts& facts,
              const Periods& periods) {
  authorities.push_back(std::move(keyring.previous_authority));
  keyring.previous_authority = MakeBundle(authorities);
  keyring.previous_until = keyring.previous_authority.empty()
                               ? ""
                               : json::Time{facts.now + periods.previous_stays}.ToString();
}

// The newest ones of those that bundles carry.
std::vector<std::string> NewestCarried(const RotationFacts& facts) {
  std::vector<std::pair<WallTime, std::string>> dated;
  for (std::string& authority : ValidAuthorities(facts.carried_authorities, facts.now)) {
    dated.emplace_back(net::ReadCertificateFacts(authority)->not_before, std::move(authority));
  }
  std::sort(dated.rbegin(), dated.rend());
  dated.resize(std::min(dated.size(), kMostCarriedAuthorities));
  std::vector<std::string> newest;
  newest.reserve(dated.size());
  for (auto& [date, authority] : dated) {
    newest.push_back(std::move(authority));
  }
  return newest;
}

// What replicas may be showing when the Secret does not tell.
std::vector<std::string> PerhapsShown(const RotationFacts& facts) {
  auto authorities = NewestCarried(facts);
  for (const std::string& more :
       {facts.shown_authority, facts.keyring.authority, facts.keyring.previous_authority}) {
    for (std::string& authority : ValidAuthorities(more, facts.now)) {
      authorities.push_back(std::move(authority));
    }
  }
  return authorities;
}

Result<net::CertificatePair> MakeAuthority(const Periods& periods, Clock& clock) {
  return net::MakeCertificate({.common_name = kAuthorityName,
                               .organizations = {kOrganization},
                               .lifetime = periods.authority_lifetime,
                               .is_ca = true},
                              clock);
}

Status SignServing(Keyring& keyring, const RotationFacts& facts, const Periods& periods,
                   Clock& clock) {
  const net::CertificatePair authority{keyring.authority, keyring.authority_key};
  ASSIGN_OR_RETURN(const auto signer, net::ReadCertificateFacts(keyring.authority));
  // The subject's name has 64 characters at most and means nothing to anybody.
  ASSIGN_OR_RETURN(
      auto pair, net::MakeCertificate({.organizations = {kOrganization},
                                       .dns_names = facts.names.dns_names,
                                       .ip_addresses = facts.names.ip_addresses,
                                       .lifetime = std::min<Duration>(
                                           periods.serving_lifetime, signer.not_after - facts.now)},
                                      clock, &authority));
  keyring.serving_certificate = std::move(pair.certificate_pem);
  keyring.serving_key = std::move(pair.private_key_pem);
  return Status::Ok();
}

Keyring Promoted(const RotationFacts& facts, const Periods& periods) {
  const Keyring& keyring = facts.keyring;
  Keyring promoted{.authority = keyring.next_authority,
                   .authority_key = keyring.next_authority_key,
                   .previous_authority = keyring.previous_authority};
  PutAside(promoted, {keyring.authority}, facts, periods);
  return promoted;
}

Result<Keyring> Replaced(const RotationFacts& facts, const Periods& periods, Clock& clock) {
  ASSIGN_OR_RETURN(auto authority, MakeAuthority(periods, clock));
  Keyring replaced{.authority = std::move(authority.certificate_pem),
                   .authority_key = std::move(authority.private_key_pem)};
  PutAside(replaced, PerhapsShown(facts), facts, periods);
  return replaced;
}

}  // namespace

ServingNames NamesOfService(std::string_view service, std::string_view name_space,
                            std::string_view cluster_domain) {
  return {.dns_names = {fmt::format("{}.{}.svc", service, name_space), std::string(service),
                        fmt::format("{}.{}", service, name_space),
                        fmt::format("{}.{}.svc.{}", service, name_space, cluster_domain)}};
}

RotationPlan PlanRotation(const RotationFacts& facts, const Periods& periods) {
  if (const Status fine = CheckServing(facts.keyring, facts.now); !fine.ok()) {
    return ReplaceBroken(facts, fine);
  }
  if (RotationPlan remember = PlanShown(facts); remember.step != Step::kKeep) {
    return remember;
  }
  // Both parse: they were just checked.
  const auto serving = net::ReadCertificateFacts(facts.keyring.serving_certificate).value();
  const auto authority = net::ReadCertificateFacts(facts.keyring.authority).value();
  RotationPlan plan = PlanAuthority(facts, periods, authority);
  const bool can_sign =
      CheckAuthority(facts.keyring.authority, facts.keyring.authority_key, facts.now).ok();
  for (const RotationPlan& other :
       {can_sign ? PlanServing(facts, periods, serving, authority) : RotationPlan{},
        PlanPrevious(facts, periods, serving)}) {
    if (plan.step == Step::kKeep) {
      const Duration look_again = std::min(plan.look_again, other.look_again);
      plan = other.step == Step::kKeep ? plan : other;
      plan.look_again = look_again;
    }
  }
  return plan;
}

Result<Keyring> CarryOut(Step step, const RotationFacts& facts, const Periods& periods,
                         Clock& clock) {
  Keyring keyring = facts.keyring;
  if (step == Step::kForgetPrevious) {
    keyring.previous_authority.clear();
    keyring.previous_until.clear();
    return keyring;
  }
  if (step == Step::kRememberShown) {
    PutAside(keyring, {facts.shown_authority}, facts, periods);
    return keyring;
  }
  if (step == Step::kBeginAuthority) {
    ASSIGN_OR_RETURN(auto next, MakeAuthority(periods, clock));
    keyring.next_authority = std::move(next.certificate_pem);
    keyring.next_authority_key = std::move(next.private_key_pem);
    return keyring;
  }
  if (step == Step::kReplaceAll) {
    ASSIGN_OR_RETURN(keyring, Replaced(facts, periods, clock));
  } else if (step == Step::kPromoteAuthority) {
    keyring = Promoted(facts, periods);
  }
  if (step != Step::kKeep) {
    RETURN_IF_ERROR(SignServing(keyring, facts, periods, clock));
  }
  return keyring;
}

}  // namespace hearth::admission::certificates
