// A change for people and for machines.
#include <fmt/format.h>

#include "api/grove/constants.h"
#include "command_line/text_table.h"
#include "grove/view/change.h"
#include "grove/view/internal/words.h"

namespace hearth::grove {
namespace {

using command_line::TextTable;
using json::Value;

std::string Title(const Change& change) {
  std::string title = fmt::format("PodCliqueSet {}/{}", change.name_space, change.set);
  for (size_t i = 0; i < change.sizes.size(); ++i) {
    const Change::Size& size = change.sizes[i];
    title +=
        fmt::format("{}{} from {} to {}", i == 0 ? ": " : ", ", size.name, size.before, size.after);
  }
  return title + "\n";
}

std::string Counts(const Change& change) {
  using enum TextTable::Align;
  TextTable table(
      {{"KIND"}, {"NOW", kRight}, {"THEN", kRight}, {"CREATED", kRight}, {"DELETED", kRight}});
  for (const Change::Kind& kind : change.kinds) {
    table.Add({std::string(kind.kind), fmt::format("{}", kind.before),
               fmt::format("{}", kind.after), fmt::format("{}", kind.created.size()),
               fmt::format("{}", kind.deleted.size())});
  }
  return table.Text();
}

void AddLines(char sign, std::string_view kind, const std::vector<std::string>& names,
              std::string& text) {
  for (const std::string& name : names) {
    text += fmt::format("{} {} {}\n", sign, kind, name);
  }
}

// Created first, then what goes.
std::string ClaimLines(const Change& change) {
  std::string text;
  for (const bool created : {true, false}) {
    for (const Change::Claim& claim : change.claims) {
      if (created ? claim.before.has_value() : claim.after.has_value()) {
        continue;
      }
      const ComposedClaim& facts = claim.claim;
      text += fmt::format("{} ResourceClaim {}: {} of {} {}, {}\n", created ? '+' : '-', facts.name,
                          ScopeName(facts.scope), facts.owner_kind, facts.owner,
                          Counted(facts.consumers, "pod"));
    }
  }
  return text;
}

Value Strings(const std::vector<std::string>& strings) {
  Value array = Value::Array();
  for (const std::string& string : strings) {
    array.Append(string);
  }
  return array;
}

Value NumberOrNull(const std::optional<int64_t>& number) {
  return number ? Value(*number) : Value();
}

Value ClaimJson(const Change::Claim& claim) {
  const ComposedClaim& facts = claim.claim;
  return Value::Object({{"name", facts.name},
                        {"ownerKind", facts.owner_kind},
                        {"owner", facts.owner},
                        {"template", facts.claim_template},
                        {"scope", ScopeName(facts.scope)},
                        {"consumersBefore", NumberOrNull(claim.before)},
                        {"consumersAfter", NumberOrNull(claim.after)}});
}

}  // namespace

std::string ToText(const Change& change) {
  std::string text = Title(change) + "\n" + Counts(change);
  std::string lines;
  for (const Change::Kind& kind : change.kinds) {
    if (kind.kind != "ResourceClaim") {
      AddLines('+', kind.kind, kind.created, lines);
      AddLines('-', kind.kind, kind.deleted, lines);
    }
  }
  lines += ClaimLines(change);
  text += lines.empty() ? "\nnothing would change\n" : "\n" + lines;
  for (const std::string& warning : change.warnings) {
    text += fmt::format("warning: {}\n", warning);
  }
  return text;
}

Value ToJson(const Change& change) {
  Value kinds = Value::Array();
  for (const Change::Kind& kind : change.kinds) {
    kinds.Append(Value::Object({{"kind", kind.kind},
                                {"before", uint64_t{kind.before}},
                                {"after", uint64_t{kind.after}},
                                {"created", Strings(kind.created)},
                                {"deleted", Strings(kind.deleted)}}));
  }
  Value claims = Value::Array();
  for (const Change::Claim& claim : change.claims) {
    claims.Append(ClaimJson(claim));
  }
  Value sizes = Value::Array();
  for (const Change::Size& size : change.sizes) {
    sizes.Append(Value::Object(
        {{"name", size.name}, {"before", int{size.before}}, {"after", int{size.after}}}));
  }
  return Value::Object({{"namespace", change.name_space},
                        {"set", change.set},
                        {"fresh", change.fresh},
                        {"sizes", std::move(sizes)},
                        {"kinds", std::move(kinds)},
                        {"claims", std::move(claims)},
                        {"warnings", Strings(change.warnings)}});
}

}  // namespace hearth::grove
