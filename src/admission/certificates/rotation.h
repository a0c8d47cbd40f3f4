#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/certificates/keyring.h"
#include "base/clock.h"
#include "base/result.h"

// When certificates are made anew, and in which order. Pure but for the random numbers of keys.
//
// An authority is followed by the next in three steps, each one write of the Secret:
//
//   begin    next-ca.* appears. It is put into every caBundle beside ca.crt.
//   promote  when every caBundle has carried it for a while: it becomes ca.*, signs a new serving
//            certificate, and the old one stays as previous-ca.crt.
//   forget   a day later previous-ca.crt goes, and goes from the bundles.
//
// Somebody may delete the Secret, spoil it or put another one in its place while replicas show what
// the old one held. Whatever is shown must stay in the bundles, and the bundles follow from the
// Secret alone, so it goes in there:
//
//   replace  a new authority, with those that the bundles carried as previous-ca.crt.
//   remember who shows what the Secret does not believe adds its authority to previous-ca.crt.
//
// So nobody is ever shown a certificate that they do not believe yet, wherever a crash or another
// replica comes in between.
namespace hearth::admission::certificates {

struct Periods {
  Duration authority_lifetime = std::chrono::hours(24 * 3650);
  Duration serving_lifetime = std::chrono::hours(24 * 365);
  Duration renew_before = std::chrono::hours(24 * 90);  // the serving certificate's end
  // An authority that would end before what it signs is due for the next one: there is a year's
  // time.
  Duration authority_renew_before = serving_lifetime;
  // For replicas that have not heard of the promotion.
  Duration previous_stays = std::chrono::hours(24);
};

// What the certificate must be good for.
struct ServingNames {
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
};
// As a Service is called: name.namespace.svc first, which is what the API server asks for.
ServingNames NamesOfService(std::string_view service, std::string_view name_space,
                            std::string_view cluster_domain = "cluster.local");

struct RotationFacts {
  Keyring keyring;  // empty when there is no Secret
  ServingNames names;
  WallTime now;
  // Every caBundle has carried the next authority for long enough.
  bool next_is_believed = false;
  std::string shown_authority = {};  // of what this replica serves; empty: nothing yet
  // Every certificate that some caBundle carries. Looked at only where nothing in the Secret can be
  // served.
  std::string carried_authorities = {};
};

enum class Step {
  kKeep,
  kRenewServing,
  kBeginAuthority,
  kPromoteAuthority,
  kForgetPrevious,
  kRememberShown,
  kReplaceAll,  // nothing there can be served: a new authority and a new certificate at once
};

struct RotationPlan {
  Step step = Step::kKeep;
  std::string why;
  // Somebody put something there that we cannot use; not just time going by.
  bool alarming = false;
  // Of kKeep: when time alone makes another plan.
  Duration look_again = Duration::max();
};

RotationPlan PlanRotation(const RotationFacts& facts, const Periods& periods);

// The keyring after `step`.
Result<Keyring> CarryOut(Step step, const RotationFacts& facts, const Periods& periods,
                         Clock& clock);

}  // namespace hearth::admission::certificates
