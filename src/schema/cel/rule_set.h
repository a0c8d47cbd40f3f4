#pragma once

#include <memory>

#include "base/result.h"
#include "cel/cost.h"
#include "schema/rules.h"
#include "schema/schema.h"

namespace hearth::schema {

// The rules (x-kubernetes-validations) of a schema, compiled once. Immutable and thread-safe.
class RuleSet {
 public:
  // kInvalid, with a cause for each: rules that do not compile, and where they stand.
  static Result<RuleSet> Compile(SchemaPtr schema);
  RuleSet(RuleSet&&) noexcept;
  RuleSet& operator=(RuleSet&&) noexcept;
  ~RuleSet();

  // For one call of a Validator of the same schema, with the cost that one request may have. Must
  // not outlive the set.
  std::unique_ptr<RuleChecker> NewChecker(uint64_t budget = cel::CostBudget::kTotal) const;

 private:
  struct Impl;
  explicit RuleSet(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace hearth::schema
