#include "claims/testing/claim_store.h"

#include "base/check.h"
#include "json/patch.h"

namespace hearth::claims {

using json::Value;

void ClaimStore::Execute(const ClaimPlan& plan) {
  for (const ClaimStep& step : plan.steps) {
    ExecuteStep(step);
  }
}

void ClaimStore::ExecuteStep(const ClaimStep& step) {
  if (step.kind == ClaimStep::Kind::kCreate) {
    CHECK(!claims_.contains(step.name)) << step.name << " is there";
    CHECK(step.uid.empty() && step.body.FindPath("metadata.name")->string() == step.name);
    Put(step.body);
    return;
  }
  CHECK(claims_.contains(step.name)) << step.name << " is not there";
  CHECK(UidOf(step.name) == step.uid) << step.name << " is another one";
  if (step.kind == ClaimStep::Kind::kDelete) {
    CHECK(step.body.IsNull());
    claims_.erase(step.name);
  } else {
    json::ApplyMergePatch(claims_.at(step.name), step.body);
    CHECK(UidOf(step.name) == step.uid) << "the patch changes which claim it is";
  }
}

void ClaimStore::Put(Value claim) {
  Value& metadata = claim["metadata"];
  if (metadata.Find("uid") == nullptr) {
    metadata["uid"] = "claim-" + std::to_string(++uids_);
  }
  const std::string name = metadata["name"].string();
  claims_.insert_or_assign(name, std::move(claim));
}

void ClaimStore::MarkDeleting(const std::string& name) {
  claims_.at(name)["metadata"].Set("deletionTimestamp", "2026-11-17T12:00:00Z");
}

std::vector<ClaimFacts> ClaimStore::Facts() const {
  std::vector<ClaimFacts> facts;
  for (const auto& [name, claim] : claims_) {
    const json::Blob blob = claim.ToBlob();
    facts.push_back(ClaimFacts::From(grove::Identity::Of(blob.view()), blob.view()));
  }
  return facts;
}

std::vector<std::string> ClaimStore::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, claim] : claims_) {
    names.push_back(name);
  }
  return names;
}

const Value* ClaimStore::Find(const std::string& name) const {
  const auto found = claims_.find(name);
  return found == claims_.end() ? nullptr : &found->second;
}

std::string ClaimStore::UidOf(const std::string& name) const {
  return claims_.at(name).FindPath("metadata.uid")->string();
}

}  // namespace hearth::claims
