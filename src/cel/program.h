#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/cost.h"
#include "cel/environment.h"
#include "cel/value.h"

namespace hearth::cel {

// One value for each variable of the environment, in its order.
using Activation = std::vector<Value>;

// A compiled expression: functions and variables resolved, constant regular expressions compiled.
// Immutable and thread-safe.
class Program {
 public:
  virtual ~Program() = default;

  // The expression's value. kInvalid: it failed ("2:7: no such key: x"; the one cause has the place
  // "2:7" as field and the bare text as message). kExhausted: it cost more than one call may
  // (reason CostBudget::kCallExceeded) or than was left of the budget (kTotalExceeded). The budget
  // is spent in every case.
  virtual Result<Value> Evaluate(const Activation& variables, CostBudget& budget) const = 0;

  // The kind of value it gives, when that can be told before.
  virtual std::optional<Kind> kind() const = 0;
};

// CEL as the API server of Kubernetes 1.34 has it for validation rules: the standard library,
// optional values, two-variable comprehensions, and the extensions for strings, lists, sets,
// regular expressions, URLs, quantities, IP addresses, formats and versions. No messages, so no
// struct literals. kInvalid: a syntax error, an unknown name or function, a call with the wrong
// number of arguments or with kinds that cannot work, a literal (regex, duration) that is none; the
// message starts with line:column. kExhausted: too large or too deep. Thread-safe.
Result<std::shared_ptr<const Program>> Compile(std::string_view expression,
                                               const Environment& environment);

}  // namespace hearth::cel
