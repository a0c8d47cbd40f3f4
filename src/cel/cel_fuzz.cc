// Whatever the bytes are, compiling and evaluating them ends soon, within the budget and without
// harm; and constants folded or not, it gives the same kind of value.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "cel/json_value.h"
#include "cel/program.h"
#include "json/parse.h"

namespace hearth::cel {
namespace {

constexpr uint64_t kCallLimit = 2000;

const json::Value& Self() {
  static const json::Value self =
      json::ParseValue(R"({"a":1,"b":[1,2.5,"x"],"c":{"d":null,"e":"text"},"f":true,"s":"é"})")
          .value();
  return self;
}

Environment MakeEnvironment(bool fold_constants) {
  return {.variables = {{"self", std::nullopt}, {"oldSelf", std::nullopt}},
          .max_expression_bytes = 4096,
          .fold_constants = fold_constants};
}

// Nothing when it does not compile or costs too much.
std::optional<Result<Value>> Run(std::string_view text, bool fold_constants) {
  const auto program = Compile(text, MakeEnvironment(fold_constants));
  if (!program.ok()) {
    CHECK(!program.status().message().empty());
    return std::nullopt;
  }
  CostBudget budget(kCallLimit * 2, kCallLimit);
  auto value = (*program)->Evaluate({FromJson(Self()), Value::Null()}, budget);
  if (value.status().code() == Code::kExhausted) {
    return std::nullopt;
  }
  CHECK(budget.last_cost() <= kCallLimit);
  return value;
}

}  // namespace
}  // namespace hearth::cel

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto folded = hearth::cel::Run(text, true);
  const auto plain = hearth::cel::Run(text, false);
  // Failures may differ: nothing is evaluated to look for it in an empty list that is folded.
  if (folded.has_value() && plain.has_value() && folded->ok() && plain->ok()) {
    CHECK((**folded).kind() == (**plain).kind()) << text;
  }
  return 0;
}
