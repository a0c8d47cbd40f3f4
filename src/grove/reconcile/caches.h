#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "claims/versions.h"
#include "controller/manager.h"
#include "grove/model/facts.h"
#include "grove/reconcile/known_sets.h"
#include "grove/reconcile/resources.h"

namespace hearth::grove {

// What all controllers of sets look at. Copies are cheap.
struct GroveCaches {
  // Declares the watches; before the manager runs. Only objects that carry our label are watched,
  // but for sets, claim templates (of which nothing but their names is kept) and topologies.
  // `claim_api` is what the cluster serves; nothing: it has no claims.
  GroveCaches(controller::Manager& manager, std::optional<claims::ApiVersion> claim_api,
              const std::string& name_space,
              std::function<bool(std::string_view name_space)> includes = {});

  // Whether objects of a namespace are ours to look after.
  bool Include(std::string_view name_space) const { return !includes || includes(name_space); }

  controller::Cached<SetFields> sets;
  controller::Cached<GroupFields> groups;
  controller::Cached<CliqueFields> cliques;
  controller::Cached<PodFields> pods;
  controller::Cached<GangFields> gangs;
  controller::Cached<ServiceFields> services;
  controller::Cached<AccountFields> accounts;
  controller::Cached<RoleFields> roles;
  controller::Cached<RoleBindingFields> role_bindings;
  controller::Cached<SecretFields> secrets;
  controller::Cached<AutoscalerFields> autoscalers;
  controller::Cached<TopologyFields> topologies;
  std::optional<controller::Cached<ClaimFields>> claims;
  std::optional<controller::Cached<ClaimTemplateFields>> claim_templates;
  std::optional<claims::ApiVersion> claim_api;
  std::function<bool(std::string_view name_space)> includes;              // not said: all
  std::shared_ptr<KnownSets> known_sets = std::make_shared<KnownSets>();  // what was read of them
};

// A cached object as facts.
template <typename Facts, typename P>
auto FactsOf(const controller::Snapshot<P>& object) {
  return Facts::From(Identity::Of(*object), object->view());
}

}  // namespace hearth::grove
