// Edits to text.
#include "api/conversion/internal/envelope.h"
#include "base/base64.h"

namespace hearth::api::conversion::internal {
namespace {

using json::Value;

constexpr std::string_view kItem = "name=";

// Whether a tree that has nothing but additions can say it: lists only on the way, and their items
// known by name. Only the whole tree tells whether a step is an item or a member.
bool FitsIntoTree(const Edit& edit, const Tree& whole) {
  if (edit.kind != Edit::Kind::kAdd || edit.only_if.has_value()) {
    return false;
  }
  Tree at = whole;
  for (const std::string& step : edit.at) {
    if (at.IsArray() && (!step.starts_with(kItem) || &step == &edit.at.back())) {
      return false;
    }
    at = Child(at, step);
  }
  return true;
}

// The item of a list, made when missing.
Value& Item(Value& list, const std::string& name) {
  if (list.IsNull()) {
    list = Value::Array();
  }
  for (Value& item : list.items()) {
    if (item.Find("name")->string() == name) {
      return item;
    }
  }
  list.Append(Value::Object({{"name", name}}));
  return list.items().back();
}

void AddToTree(Value& tree, const Edit& edit, const Tree& whole) {
  Value* to = &tree;
  Tree at = whole;
  for (const std::string& step : edit.at) {
    to = at.IsArray() ? &Item(*to, step.substr(kItem.size())) : &(*to)[step];
    at = Child(at, step);
  }
  *to = edit.value.ToValue();
}

Value ToJson(const Condition& condition) {
  Value json = Value::Object({{"path", ToText(condition.at)}});
  if (condition.digest.has_value()) {
    json.Set("is", *condition.digest);
  }
  return json;
}

Value Names(const std::vector<std::string>& names) {
  Value list = Value::Array();
  for (const std::string& name : names) {
    list.Append(name);
  }
  return list;
}

Value ToJson(const Edit& edit) {
  Value json = Value::Object({{"path", ToText(edit.at)}});
  if (edit.kind == Edit::Kind::kOrder) {
    json.Set("key", edit.key);
    json.Set("order", Names(edit.order));
  } else if (edit.kind == Edit::Kind::kRemove) {
    json.Set("nil", true);
  } else {
    json.Set("raw", EncodeBase64(edit.value.ToValue().WriteCanonical()));
  }
  if (!edit.was.empty()) {
    json.Set("was", edit.was);
  }
  if (edit.only_if.has_value()) {
    json.Set("if", ToJson(*edit.only_if));
  }
  return json;
}

}  // namespace

std::string WriteEnvelope(const std::vector<Edit>& edits, const std::string& part,
                          const Tree& whole) {
  Value added = Value::Object();
  Value rest = Value::Array();
  for (const Edit& edit : edits) {
    if (FitsIntoTree(edit, whole)) {
      AddToTree(added, edit, whole);
    } else {
      rest.Append(ToJson(edit));
    }
  }
  Value envelope = Value::Object({{"version", 1}, {part, std::move(added)}});
  if (!rest.items().empty()) {
    envelope.Set("rawJSON", std::move(rest));
  }
  return envelope.WriteCanonical();
}

}  // namespace hearth::api::conversion::internal
