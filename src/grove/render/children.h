#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grove/model/facts.h"
#include "json/value.h"
#include "kube/model/object.h"

// The objects of a set, as they should be: facts in, objects out. Each holds only fields that we
// own, so that comparing it with what is there tells whether something must be written.
namespace hearth::grove {

kube::OwnerReference OwnerOf(const SetFacts& set);
kube::OwnerReference OwnerOf(const GroupFacts& group);
kube::OwnerReference OwnerOf(const CliqueFacts& clique);

// ---- Once for a set.
json::Value RenderServiceAccount(const SetFacts& set);
json::Value RenderRole(const SetFacts& set);
json::Value RenderRoleBinding(const SetFacts& set);
json::Value RenderTokenSecret(const SetFacts& set);
// Whether some clique waits for others, so that its pods need the secret.
bool NeedsTokenSecret(const SetFacts& set);

// ---- For each replica of the set.
json::Value RenderService(const SetFacts& set, int32_t i);
// `replicas` is what the live object has; nothing: it is made, with the template's.
json::Value RenderGroup(const SetFacts& set, const api::grove::ScalingGroupTemplate& group,
                        int32_t i, std::optional<int32_t> replicas);
json::Value RenderClique(const SetFacts& set, const api::grove::CliqueTemplate& clique, int32_t i,
                         std::string_view template_hash, std::optional<int32_t> replicas);
// HorizontalPodAutoscalers of a replica.
std::vector<json::Value> RenderAutoscalers(const SetFacts& set, int32_t i);

// ---- For each replica of a scaling group. `group` is the live object, which belongs to `set`.
json::Value RenderMember(const SetFacts& set, const GroupFacts& group,
                         const api::grove::CliqueTemplate& clique, int32_t j,
                         std::string_view template_hash, std::optional<int32_t> replicas);

}  // namespace hearth::grove
