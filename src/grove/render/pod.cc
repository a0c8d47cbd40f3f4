#include "grove/render/pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "claims/inject.h"
#include "claims/place.h"
#include "grove/model/labels.h"
#include "grove/model/names.h"
#include "grove/render/children.h"
#include "grove/render/internal/environment.h"
#include "grove/render/internal/init_container.h"
#include "grove/render/internal/metadata.h"
#include "grove/render/internal/parents.h"
#include "grove/render/internal/priority.h"
#include "grove/render/internal/sizes.h"

namespace hearth::grove {
namespace {

using json::Value;

// What API servers put behind a generateName: no vowels and nothing that looks like another one.
constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr size_t kRandomCharacters = 5;
constexpr size_t kLongestBase = 63 - kRandomCharacters;

Labels PodLabels(const PodRequest& request, int32_t i) {
  Labels labels = request.clique.labels;
  labels[std::string(kManagedByLabel)] = kManagedBy;
  labels[std::string(kPartOfLabel)] = request.set.id.name;
  labels[std::string(kCliqueLabel)] = request.clique.id.name;
  labels[std::string(kSetReplicaLabel)] = std::to_string(i);
  labels[std::string(kGangLabel)] = request.clique.gang;
  labels[std::string(kPodIndexLabel)] = std::to_string(request.index);
  return labels;
}

Labels AnnotationsOf(const CliqueFacts& clique) {
  Labels annotations = clique.annotations;
  std::erase_if(annotations,
                [](const auto& entry) { return internal::IsOfOneObject(entry.first); });
  return annotations;
}

// Gates of the template stay: somebody else takes them away.
void AddGate(Value& pod_spec) {
  Value& gates = pod_spec["schedulingGates"];
  if (!gates.IsArray()) {
    gates = Value::Array();
  }
  const bool there = std::any_of(gates.items().begin(), gates.items().end(), [](const Value& gate) {
    const Value* const name = gate.Find("name");
    return name != nullptr && name->StringOr("") == kGate;
  });
  if (!there) {
    gates.Append(Value::Object({{"name", kGate}}));
  }
}

// The cliques that `request.clique` says it waits for, with how many of their pods.
Result<std::vector<internal::WaitFor>> ParentsToAwait(const PodRequest& request,
                                                      const claims::PodPlace& place) {
  const api::grove::CliqueTemplate* const clique = request.set.FindClique(place.clique_template);
  std::vector<internal::Parent> known;
  if (clique != nullptr) {
    known = internal::ParentsOf(
        request.set, *clique, place.set_replica,
        place.group.empty() ? std::nullopt : std::optional(place.group_replica));
  }
  std::vector<internal::WaitFor> parents;
  for (const std::string& name : request.clique.starts_after) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const internal::Parent& p) { return p.name == name; });
    if (found == known.end()) {
      return InvalidError(fmt::format("PodClique {} starts after {}, which set {} does not say",
                                      request.clique.id.name, name, request.set.id.name));
    }
    parents.push_back({name, internal::MinAvailable(*found->clique)});
  }
  return parents;
}

}  // namespace

std::string PodName(std::string_view clique, uint64_t random) {
  std::string name = std::string(clique) + "-";
  name.resize(std::min(name.size(), kLongestBase));
  for (size_t k = 0; k < kRandomCharacters; ++k) {
    name += kAlphabet[random % kAlphabet.size()];
    random /= kAlphabet.size();
  }
  return name;
}

Result<Value> RenderPod(const PodRequest& request, const Backend& backend) {
  const SetFacts& set = request.set;
  const CliqueFacts& clique = request.clique;
  ASSIGN_OR_RETURN(const claims::PodPlace place, claims::PlaceOf(set, clique, request.index));
  ASSIGN_OR_RETURN(const std::vector<internal::WaitFor> parents, ParentsToAwait(request, place));

  Value pod = internal::NewObject("v1", "Pod", clique.id.name_space, request.name,
                                  PodLabels(request, place.set_replica), AnnotationsOf(clique),
                                  OwnerOf(clique));
  Value spec = request.pod_spec.IsObject() ? Value(request.pod_spec) : Value::Object();
  internal::SetPriority(set, spec);
  if (request.gated) {
    AddGate(spec);
  }
  internal::PrependVariables(internal::PodVariables(set, clique, place.set_replica), spec);
  spec.Set("hostname", Hostname(clique.id.name, request.index));
  spec.Set("subdomain", ReplicaName(set.id.name, place.set_replica));
  claims::Inject(claims::ClaimsOf(set, place), spec);
  if (!parents.empty()) {
    internal::AddInitContainer(request.initc_image, TokenSecretName(set.id.name), parents, spec);
  }
  pod.Set("spec", std::move(spec));
  backend.PreparePod(clique, pod);
  return pod;
}

}  // namespace hearth::grove
