#include "admission/certificates/internal/cluster.h"

#include <utility>

namespace hearth::admission::certificates::internal {
namespace {

constexpr const char* kGroup = "admissionregistration.k8s.io";

bool IsDefinition(const kube::ResourceType& type) {
  return type == kube::types::CustomResourceDefinitions();
}

Status AddConfigurations(kube::Client& client, const kube::ResourceType& type,
                         const TargetNames& names, const WaitLimit& limit,
                         std::vector<Target>& targets) {
  ASSIGN_OR_RETURN(kube::ListPage page,
                   client.List(type, "", limit, {.label_selector = names.label_selector}));
  for (kube::Object& object : page.items) {
    targets.push_back({&type, std::move(object), &names.service});
  }
  return Status::Ok();
}

Status AddDefinition(kube::Client& client, const std::string& name, const OurService& service,
                     const WaitLimit& limit, std::vector<Target>& targets) {
  const kube::ResourceType& type = kube::types::CustomResourceDefinitions();
  auto definition = client.Get(type, {"", name}, limit);
  if (definition.status().Is(Code::kNotFound)) {
    return Status::Ok();
  }
  RETURN_IF_ERROR(definition);
  if (ConvertsThroughUs(definition->view(), service)) {
    targets.push_back({&type, *std::move(definition), &service});
  }
  return Status::Ok();
}

}  // namespace

const kube::ResourceType& MutatingConfigurations() {
  static const kube::ResourceType kType{kGroup, "v1", "mutatingwebhookconfigurations",
                                        "MutatingWebhookConfiguration", false};
  return kType;
}

const kube::ResourceType& ValidatingConfigurations() {
  static const kube::ResourceType kType{kGroup, "v1", "validatingwebhookconfigurations",
                                        "ValidatingWebhookConfiguration", false};
  return kType;
}

bool Target::Carries(const std::string& bundle) const {
  return IsDefinition(*type) ? ConversionCarries(object.view(), bundle)
                             : WebhooksCarry(object.view(), bundle, *service);
}

std::string Target::Carried() const {
  return IsDefinition(*type) ? ConversionBundle(object.view())
                             : WebhookBundles(object.view(), *service);
}

std::string Target::ToString() const { return type->ToString() + " " + object.meta().name(); }

Result<std::vector<Target>> ReadTargets(kube::Client& client, const TargetNames& names,
                                        const WaitLimit& limit) {
  std::vector<Target> targets;
  for (const kube::ResourceType* type : {&MutatingConfigurations(), &ValidatingConfigurations()}) {
    RETURN_IF_ERROR(AddConfigurations(client, *type, names, limit, targets));
  }
  for (const std::string& name : names.definitions) {
    RETURN_IF_ERROR(AddDefinition(client, name, names.service, limit, targets));
  }
  return targets;
}

std::string CarriedBy(const std::vector<Target>& targets) {
  std::vector<std::string> bundles;
  bundles.reserve(targets.size());
  for (const Target& target : targets) {
    bundles.push_back(target.Carried());
  }
  return MakeBundle(bundles);
}

Status Inject(kube::Client& client, const Target& target, const std::string& bundle,
              const WaitLimit& limit) {
  const kube::ObjectKey key = target.object.meta().key();
  if (IsDefinition(*target.type)) {
    // A definition is up to a megabyte long; only the place itself is sent.
    const json::Blob patch = ConversionPatch(target.object.view(), bundle).ToBlob();
    return client.Patch(*target.type, key, kube::PatchType::kMerge, patch.view(), limit).status();
  }
  json::Value changed = target.object.ToValue();
  InjectWebhooks(changed, bundle, *target.service);
  const json::Blob body = changed.ToBlob();
  return client.Update(*target.type, key, body.view(), limit).status();
}

Result<std::optional<kube::Object>> ReadSecret(kube::Client& client, const kube::ObjectKey& key,
                                               const WaitLimit& limit) {
  auto secret = client.Get(kube::types::Secrets(), key, limit);
  if (secret.status().Is(Code::kNotFound)) {
    return std::optional<kube::Object>();
  }
  RETURN_IF_ERROR(secret);
  return std::optional<kube::Object>(*std::move(secret));
}

Status WriteSecret(kube::Client& client, const kube::ObjectKey& key,
                   const std::optional<kube::Object>& current, const Keyring& keyring,
                   const WaitLimit& limit) {
  const kube::ResourceType& secrets = kube::types::Secrets();
  json::Value secret = current ? current->ToValue() : kube::NewObject(secrets, key);
  keyring.WriteTo(secret);
  const json::Blob body = secret.ToBlob();
  return current ? client.Update(secrets, key, body.view(), limit).status()
                 : client.Create(secrets, key.name_space, body.view(), limit).status();
}

}  // namespace hearth::admission::certificates::internal
