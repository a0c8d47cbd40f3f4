#include "claims/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/seeded_hash.h"
#include "claims/versions.h"
#include "grove/model/labels.h"

namespace hearth::claims {
namespace {

using json::Value;

std::string_view GroupOf(std::string_view api_version) {
  return api_version.substr(0, api_version.find('/'));
}

// The same object by name, now or formerly.
bool SameName(const kube::OwnerReference& a, const kube::OwnerReference& b) {
  return GroupOf(a.api_version) == GroupOf(b.api_version) && a.kind == b.kind && a.name == b.name;
}

bool HasLabels(const grove::Labels& labels, const grove::Labels& wanted) {
  return std::includes(labels.begin(), labels.end(), wanted.begin(), wanted.end());
}

// What a template hands on, without what is ours to say.
Value HandedOn(const Value& metadata, std::string_view member) {
  Value kept = Value::Object();
  const Value* given = metadata.Find(member);
  if (given == nullptr || !given->IsObject()) {
    return kept;
  }
  for (const auto& [key, value] : given->members()) {
    if (value.IsString() && !std::string_view(key).starts_with("grove.io/")) {
      kept.Set(key, value);
    }
  }
  return kept;
}

Value NewClaim(const Owner& owner, const Claim& claim, const Template& source) {
  Value body = kube::NewObject(ResourceClaims(ApiVersion::kV1), {owner.name_space, claim.name});
  Value labels = HandedOn(source.metadata, "labels");
  for (const auto& [key, value] : ClaimLabels(owner, claim)) {
    labels.Set(key, value);
  }
  Value annotations = HandedOn(source.metadata, "annotations");
  annotations.Set(grove::kClaimTemplateAnnotation, source.identity);
  Value& metadata = body["metadata"];
  metadata.Set("labels", std::move(labels));
  metadata.Set("annotations", std::move(annotations));
  metadata.Set("ownerReferences", Value::Array({owner.reference.ToValue()}));
  body.Set("spec", source.spec.IsObject() ? source.spec : Value::Object());
  return body;
}

// Ours first; those of others stay, but not one that means us or who was there before us.
Value Repointed(const Owner& owner, const ClaimFacts& claim) {
  Value references = Value::Array({owner.reference.ToValue()});
  for (const kube::OwnerReference& other : claim.other_owners) {
    if (!SameName(other, owner.reference)) {
      references.Append(other.ToValue());
    }
  }
  return references;
}

// What makes our keys right; null when they are.
Value MetadataPatch(const Owner& owner, const Claim& wanted, const ClaimFacts& claim) {
  Value changes;
  for (const auto& [key, value] : ClaimLabels(owner, wanted)) {
    const auto present = claim.labels.find(key);
    if (present == claim.labels.end() || present->second != value) {
      changes["labels"].Set(key, value);
    }
  }
  if (!claim.id.IsControlledBy(owner.reference.uid)) {
    changes.Set("ownerReferences", Repointed(owner, claim));
  }
  if (changes.IsNull()) {
    return changes;
  }
  changes.Set("uid", claim.id.uid);  // of nothing else that has its name
  return Value::Object({{"metadata", std::move(changes)}});
}

void AddOnce(std::vector<std::string>& texts, std::string text) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
    texts.push_back(std::move(text));
  }
}

class Planner {
 public:
  Planner(const Owner& owner,
          const std::vector<api::grove::ResourceClaimTemplate>& internal_templates,
          std::span<const ClaimFacts> existing, const FindExternal& find_external)
      : owner_(owner),
        internal_templates_(internal_templates),
        find_external_(find_external),
        templates_(owner.sharing.size()),
        identities_(owner.sharing.size()) {
    for (const ClaimFacts& claim : existing) {
      if (claim.id.name_space == owner.name_space) {
        rest_.emplace(claim.id.name, &claim);
      }
    }
    plan_.shares = !owner.sharing.empty();
  }

  void Want(const Claim& wanted) {
    ++plan_.total;
    const auto found = rest_.find(wanted.name);
    const ClaimFacts* claim = found == rest_.end() ? nullptr : found->second;
    switch (StateOf(owner_, claim)) {
      case ClaimState::kMissing:
        Create(wanted);
        break;
      case ClaimState::kReady:
        Keep(wanted, *claim);
        break;
      case ClaimState::kTerminating:
        AddProblem(
            wanted, kClaimTerminating,
            fmt::format("ResourceClaim {} is being deleted; it is made again when it is gone",
                        wanted.name));
        break;
      case ClaimState::kForeign:
        AddProblem(wanted, kClaimNameConflict,
                   fmt::format("ResourceClaim {} belongs to {} {}, not to {} {}", wanted.name,
                               claim->id.controller->kind, claim->id.controller->name,
                               owner_.reference.kind, owner_.reference.name));
        break;
    }
    if (claim != nullptr) {
      rest_.erase(found);
    }
  }

  // What is left, when it is ours. In the order of `existing`, so that equal facts give equal
  // plans.
  void Remove(std::span<const ClaimFacts> existing,
              const std::function<bool(std::string_view claim)>& in_use) {
    const grove::Labels labels = LevelLabels(owner_);
    for (const ClaimFacts& claim : existing) {
      const auto left = rest_.find(claim.id.name);
      if (left != rest_.end() && left->second == &claim && !claim.id.deleting &&
          claim.id.IsControlledBy(owner_.reference.uid) && HasLabels(claim.labels, labels) &&
          !in_use(claim.id.name)) {
        plan_.steps.push_back({ClaimStep::Kind::kDelete, claim.id.name, claim.id.uid, Value()});
      }
    }
  }

  ClaimPlan Finish() && { return std::move(plan_); }

 private:
  void AddProblem(const Claim& wanted, std::string_view reason, std::string message) {
    plan_.problems.push_back({wanted.name, std::string(reason), std::move(message)});
  }

  void Create(const Claim& wanted) {
    if (const Status legal = kube::CheckDnsSubdomain(wanted.name); !legal.ok()) {
      AddProblem(wanted, kClaimNameTooLong,
                 fmt::format("no claim can be named {}: {}", wanted.name, legal.message()));
      return;
    }
    const Result<Template>& source = TemplateOf(wanted.entry);
    if (!source.ok()) {
      AddProblem(wanted, kTemplateNotFound,
                 fmt::format("ResourceClaim {} cannot be made: {}", wanted.name,
                             source.status().message()));
      return;
    }
    if (created_ == kMostPerPlan) {
      plan_.more = true;
      AddProblem(wanted, kClaimNotCreated,
                 fmt::format("ResourceClaim {} is made after others", wanted.name));
      return;
    }
    ++created_;
    plan_.steps.push_back(
        {ClaimStep::Kind::kCreate, wanted.name, "", NewClaim(owner_, wanted, *source)});
    Compare(wanted.entry, source->identity);
  }

  void Keep(const Claim& wanted, const ClaimFacts& claim) {
    plan_.bound += claim.allocated ? 1 : 0;
    Value patch = MetadataPatch(owner_, wanted, claim);
    if (!patch.IsNull()) {
      plan_.steps.push_back(
          {ClaimStep::Kind::kPatchMetadata, wanted.name, claim.id.uid, std::move(patch)});
    }
    Compare(wanted.entry, claim.template_identity);
  }

  // Asked for once, however many claims are made of it.
  const Result<Template>& TemplateOf(size_t entry) {
    std::optional<Result<Template>>& known = templates_[entry];
    if (!known) {
      const Sharing& sharing = owner_.sharing[entry];
      known = ResolveTemplate(internal_templates_, owner_.name_space, sharing, find_external_);
      if (!known->ok()) {
        AddOnce(plan_.missing_templates, ExternalKey(owner_.name_space, sharing).ToString());
      }
    }
    return *known;
  }

  void Compare(size_t entry, const std::string& identity) {
    std::string& first = identities_[entry];
    if (first.empty()) {
      first = identity;
    } else if (!SameTemplate(first, identity)) {
      AddOnce(plan_.replaced_templates,
              ExternalKey(owner_.name_space, owner_.sharing[entry]).ToString());
    }
  }

  const Owner& owner_;
  const std::vector<api::grove::ResourceClaimTemplate>& internal_templates_;
  const FindExternal& find_external_;
  SeededMap<std::string_view, const ClaimFacts*> rest_;     // existing and not wanted so far
  std::vector<std::optional<Result<Template>>> templates_;  // by entry
  std::vector<std::string> identities_;                     // by entry: the first one seen
  ClaimPlan plan_;
  size_t created_ = 0;
};

}  // namespace

ClaimFacts ClaimFacts::From(grove::Identity id, json::View object) {
  const kube::Meta meta(object);
  ClaimFacts facts;
  facts.id = std::move(id);
  for (const json::Member& member : meta.labels().members()) {
    facts.labels.insert_or_assign(member.Name(), member.value.StringOr(""));
  }
  facts.template_identity = meta.annotation(grove::kClaimTemplateAnnotation).value_or("");
  facts.allocated = object["status"]["allocation"].IsObject();
  facts.consumers = object["status"]["reservedFor"].size();
  for (kube::OwnerReference& owner : meta.owners()) {
    if (!owner.controller) {
      facts.other_owners.push_back(std::move(owner));
    }
  }
  return facts;
}

ClaimState StateOf(const Owner& owner, const ClaimFacts* claim) {
  if (claim == nullptr) {
    return ClaimState::kMissing;
  }
  const auto& controller = claim->id.controller;
  if (controller && controller->uid != owner.reference.uid &&
      !SameName(*controller, owner.reference)) {
    return ClaimState::kForeign;
  }
  return claim->id.deleting ? ClaimState::kTerminating : ClaimState::kReady;
}

ClaimPlan PlanClaims(const Owner& owner,
                     const std::vector<api::grove::ResourceClaimTemplate>& internal_templates,
                     std::span<const ClaimFacts> existing,
                     const std::function<bool(std::string_view claim)>& in_use,
                     const FindExternal& find_external) {
  Planner planner(owner, internal_templates, existing, find_external);
  for (const Claim& claim : DesiredClaims(owner)) {
    planner.Want(claim);
  }
  planner.Remove(existing, in_use);
  return std::move(planner).Finish();
}

}  // namespace hearth::claims
