#include <memory>
#include <string>
#include <vector>

#include "cel/collections.h"
#include "cel/internal/format_rules.h"
#include "cel/internal/function.h"
#include "cel/opaque.h"

namespace hearth::cel::internal {
namespace {

class FormatValue final : public Opaque {
 public:
  explicit FormatValue(const FormatRule& rule) : Opaque(Kind::kFormat), rule_(rule) {}
  bool Equals(const Opaque& other) const override {
    return &rule_ == &static_cast<const FormatValue&>(other).rule_;
  }
  const FormatRule& rule() const { return rule_; }

 private:
  const FormatRule& rule_;
};

const FormatRule& RuleOf(const Value& value) {
  return static_cast<const FormatValue&>(value.opaque()).rule();
}

Value Wrap(const FormatRule& rule) { return Value::OfOpaque(std::make_shared<FormatValue>(rule)); }

Value Named(const Call& call) {
  const FormatRule* rule = FindFormat(call[0].text());
  return rule == nullptr ? Value::None() : Value::Optional(Wrap(*rule));
}

Value Validate(const Call& call) {
  std::vector<Value> problems;
  for (auto& problem : RuleOf(call[0]).validate(call[1].text())) {
    problems.push_back(Value::String(std::move(problem)));
  }
  return problems.empty() ? Value::None() : Value::Optional(MakeList(std::move(problems)));
}

// The function's name without "format." names the rule.
constexpr const char* kNames[] = {"dns1123Label",
                                  "dns1123Subdomain",
                                  "dns1035Label",
                                  "qualifiedName",
                                  "dns1123LabelPrefix",
                                  "dns1123SubdomainPrefix",
                                  "dns1035LabelPrefix",
                                  "labelValue",
                                  "uri",
                                  "uuid",
                                  "byte",
                                  "date",
                                  "datetime"};

template <size_t index>
Value Constant(const Call&) {
  return Wrap(*FindFormat(kNames[index]));
}

const Overload kFunctions[] = {
    {"format.named", Style::kGlobal, {Kind::kString}, Named},
    {"validate", Style::kMember, {Kind::kFormat, Kind::kString}, Validate, CostRule::kValidate},
    {"format.dns1123Label", Style::kGlobal, {}, Constant<0>},
    {"format.dns1123Subdomain", Style::kGlobal, {}, Constant<1>},
    {"format.dns1035Label", Style::kGlobal, {}, Constant<2>},
    {"format.qualifiedName", Style::kGlobal, {}, Constant<3>},
    {"format.dns1123LabelPrefix", Style::kGlobal, {}, Constant<4>},
    {"format.dns1123SubdomainPrefix", Style::kGlobal, {}, Constant<5>},
    {"format.dns1035LabelPrefix", Style::kGlobal, {}, Constant<6>},
    {"format.labelValue", Style::kGlobal, {}, Constant<7>},
    {"format.uri", Style::kGlobal, {}, Constant<8>},
    {"format.uuid", Style::kGlobal, {}, Constant<9>},
    {"format.byte", Style::kGlobal, {}, Constant<10>},
    {"format.date", Style::kGlobal, {}, Constant<11>},
    {"format.datetime", Style::kGlobal, {}, Constant<12>},
};

}  // namespace

size_t FormatPatternSize(const Value& format) { return RuleOf(format).pattern_size; }

Overloads NamedFormatFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal
