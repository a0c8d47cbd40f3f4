#include "claims/inject.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "kube/model/names.h"

namespace hearth::claims {
namespace {

using api::grove::SharingScope;
using json::Value;

constexpr size_t kMaxLabel = 63;
constexpr size_t kHashDigits = 8;

// Of one level: those for all replicas, then those for this one.
void AddLevel(const std::vector<Sharing>& sharing, std::string_view owner, int32_t index,
              const PodPlace& place, std::vector<std::string>& names) {
  for (const SharingScope scope : {SharingScope::kAllReplicas, SharingScope::kPerReplica}) {
    for (const Sharing& entry : sharing) {
      if (entry.scope == scope && IsUsedBy(entry, place.clique_template, place.group_template)) {
        names.push_back(scope == SharingScope::kAllReplicas ? ClaimName(owner, entry.name)
                                                            : ClaimName(owner, index, entry.name));
      }
    }
  }
}

// The end of the name, as far as there is room, in characters of a DNS label.
std::string ReadablePart(std::string_view claim) {
  constexpr size_t kRoom = kMaxLabel - kHashDigits - 1;
  std::string part(claim.substr(claim.size() - std::min(claim.size(), kRoom)));
  for (char& c : part) {
    const bool legal = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    c = legal ? c : '-';
  }
  const size_t first = part.find_first_not_of('-');
  return first == std::string::npos ? "claim" : part.substr(first);
}

std::string HashedName(std::string_view claim, uint64_t seed) {
  return fmt::format("{}-{:08x}", ReadablePart(claim),
                     static_cast<uint32_t>(HashBytes(claim, seed)));
}

bool HasText(const Value& item, std::string_view member, std::string_view text) {
  const Value* value = item.Find(member);
  return value != nullptr && value->IsString() && value->string() == text;
}

const Value* FindItem(const Value& list, std::string_view member, std::string_view text) {
  if (!list.IsArray()) {
    return nullptr;
  }
  const auto& items = list.items();
  const auto found = std::find_if(items.begin(), items.end(),
                                  [&](const Value& item) { return HasText(item, member, text); });
  return found == items.end() ? nullptr : &*found;
}

// A list to append to, in place of what is not there or is none.
Value& ListAt(Value& object, std::string_view name) {
  Value& list = object[name];
  if (!list.IsArray()) {
    list = Value::Array();
  }
  return list;
}

// Refers to the claim, unless that is done already; what the pod calls it.
std::string Refer(const std::string& claim, Value& references) {
  if (const Value* present = FindItem(references, "resourceClaimName", claim)) {
    if (const Value* name = present->Find("name"); name != nullptr && name->IsString()) {
      return name->string();
    }
  }
  std::string local = LocalName(claim);
  for (uint64_t seed = 0; FindItem(references, "name", local) != nullptr; ++seed) {
    local = HashedName(claim, seed);
  }
  references.Append(Value::Object({{"name", local}, {"resourceClaimName", claim}}));
  return local;
}

void UseInContainers(const std::vector<std::string>& locals, Value* containers) {
  if (containers == nullptr || !containers->IsArray()) {
    return;
  }
  for (Value& container : containers->items()) {
    if (!container.IsObject()) {
      continue;
    }
    Value& resources = container["resources"];
    if (!resources.IsObject()) {
      resources = Value::Object();
    }
    Value& used = ListAt(resources, "claims");
    for (const std::string& local : locals) {
      if (FindItem(used, "name", local) == nullptr) {
        used.Append(Value::Object({{"name", local}}));
      }
    }
  }
}

}  // namespace

std::vector<std::string> ClaimsOf(const grove::SetFacts& set, const PodPlace& place) {
  std::vector<std::string> names;
  AddLevel(SharingOf(set.parts().resource_sharing), set.id.name, place.set_replica, place, names);
  if (const auto* group = set.FindGroup(place.group_template)) {
    AddLevel(SharingOf(group->resource_sharing), place.group, place.group_replica, place, names);
  }
  if (const auto* clique = set.FindClique(place.clique_template)) {
    AddLevel(SharingOf(clique->resource_sharing), place.clique, place.index, place, names);
  }
  return names;
}

std::string LocalName(std::string_view claim) {
  return kube::CheckDnsLabel(claim).ok() ? std::string(claim) : HashedName(claim, 0);
}

void Inject(const std::vector<std::string>& claims, Value& pod_spec) {
  if (claims.empty()) {
    return;
  }
  Value& references = ListAt(pod_spec, "resourceClaims");
  std::vector<std::string> locals;
  locals.reserve(claims.size());
  for (const std::string& claim : claims) {
    locals.push_back(Refer(claim, references));
  }
  UseInContainers(locals, pod_spec.Find("initContainers"));
  UseInContainers(locals, pod_spec.Find("containers"));
}

}  // namespace hearth::claims
