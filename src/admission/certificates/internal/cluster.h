#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admission/certificates/injection.h"
#include "admission/certificates/keyring.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "kube/client/client.h"

// The keeper's reads and writes. Always from the server and never from a cache: the cache of a kind
// may itself need a conversion that needs our certificate.
namespace hearth::admission::certificates::internal {

const kube::ResourceType& MutatingConfigurations();
const kube::ResourceType& ValidatingConfigurations();

// One object whose caBundle is ours to keep.
struct Target {
  const kube::ResourceType* type;
  kube::Object object;
  const OurService* service;  // by which it asks us

  bool Carries(const std::string& bundle) const;
  std::string Carried() const;
  std::string ToString() const;  // "mutatingwebhookconfigurations.admission... hearth-mutating"
};

struct TargetNames {
  std::string label_selector;            // of webhook configurations
  std::vector<std::string> definitions;  // that may convert through us
  OurService service;
};
// Definitions that are not there, or convert elsewhere, are left out. Borrows `names`.
Result<std::vector<Target>> ReadTargets(kube::Client& client, const TargetNames& names,
                                        const WaitLimit& limit);
// What all of them carry, each certificate once. One bundle of garbage does not spoil the others.
std::string CarriedBy(const std::vector<Target>& targets);
// kConflict when somebody else wrote it meanwhile, kNotFound when it is gone.
Status Inject(kube::Client& client, const Target& target, const std::string& bundle,
              const WaitLimit& limit);

// Nothing when there is no such Secret.
Result<std::optional<kube::Object>> ReadSecret(kube::Client& client, const kube::ObjectKey& key,
                                               const WaitLimit& limit);
// Creates it, or changes exactly the version in `current`. kConflict and kAlreadyExists: somebody
// was faster.
Status WriteSecret(kube::Client& client, const kube::ObjectKey& key,
                   const std::optional<kube::Object>& current, const Keyring& keyring,
                   const WaitLimit& limit);

}  // namespace hearth::admission::certificates::internal
