#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "claims/plan.h"
#include "json/value.h"

namespace hearth::claims {

// Claims of one namespace, as an API server would keep them: plans are executed on them. Refuses
// what a server refuses: a second one of a name, a change or deletion of another than was meant.
class ClaimStore {
 public:
  void Execute(const ClaimPlan& plan);
  // Puts one in as it is; "metadata.name" says which. Gives it a uid when it has none.
  void Put(json::Value claim);
  // As a deletion does while a finalizer holds the claim.
  void MarkDeleting(const std::string& name);
  void Remove(const std::string& name) { claims_.erase(name); }

  std::vector<ClaimFacts> Facts() const;
  std::vector<std::string> Names() const;
  // Null: there is none.
  const json::Value* Find(const std::string& name) const;
  json::Value& Get(const std::string& name) { return claims_.at(name); }

 private:
  void ExecuteStep(const ClaimStep& step);
  std::string UidOf(const std::string& name) const;

  std::map<std::string, json::Value> claims_;
  int uids_ = 0;
};

}  // namespace hearth::claims
