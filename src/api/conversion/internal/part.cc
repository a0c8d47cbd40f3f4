#include "api/conversion/internal/part.h"

#include <algorithm>

#include "api/conversion/internal/envelope.h"
#include "api/conversion/internal/type_check.h"

namespace hearth::api::conversion::internal {
namespace {

Steps Beside(const Steps& steps, const Steps& others) {
  Steps path(steps.begin(), steps.end() - 1);
  path.insert(path.end(), others.begin(), others.end());
  return path;
}

// The role among workers means something with the type it was saved with only.
Condition SameType(const Edit& edit, const Tree& from) {
  Condition condition{.at = Beside(edit.at, {"componentType"}), .digest = ""};
  if (const Tree type = At(from, condition.at); type.Exists()) {
    condition.digest = Digest(type);
  }
  return condition;
}

// The name of a container means something as long as the container is there.
std::optional<Condition> HasContainer(const Edit& edit, const Tree& to) {
  Steps path = Beside(edit.at, {"podTemplate", "spec", "containers"});
  path.push_back("name=" + std::string(edit.value.text()));
  return At(to, path).Exists() ? std::optional(Condition{.at = std::move(path)}) : std::nullopt;
}

// Ties what is saved to what it was saved with. `from` is the tree that edits start from, `to` the
// one they lead to.
void AddConditions(std::vector<Edit>& edits, const Tree& from, const Tree& to) {
  for (Edit& edit : edits) {
    if (edit.at.empty() || edit.kind != Edit::Kind::kAdd) {
      continue;
    }
    if (edit.at.back() == "subComponentType") {
      edit.only_if = SameType(edit, from);
    } else if (edit.at.back() == "frontendSidecar" && edit.value.IsString()) {
      edit.only_if = HasContainer(edit, to);
    }
  }
}

std::vector<Edit> ReadSaved(const Passage& passage, const Tree& converted,
                            std::optional<std::string_view> saved, Arena& arena) {
  if (!saved.has_value()) {
    return {};
  }
  std::vector<Edit> edits = ReadEnvelope(*saved, passage.part, converted, arena);
  std::erase_if(
      edits, [&](const Edit& edit) { return !TypeError(edit, *passage.to, passage.part).empty(); });
  return edits;
}

}  // namespace

Result<Converted> Convert(const Passage& passage, const json::Value& value,
                          std::optional<std::string_view> saved) {
  Arena arena;
  const Tree live(&value);
  const Tree converted = passage.there(live, arena);
  const std::vector<Edit> edits = ReadSaved(passage, converted, saved, arena);
  const Restored restored = Restore(converted, edits, live, passage.back, arena);
  std::vector<Edit> lost;
  if (!Tree::Same(restored.said, live)) {
    auto different = Diff(restored.said, live);
    if (!different.ok()) {
      return different.status().WithContext(passage.part);
    }
    lost = *std::move(different);
  }
  for (const Edit& edit : lost) {
    if (std::string error = TypeError(edit, *passage.from, passage.part); !error.empty()) {
      return InvalidError(std::move(error));
    }
  }
  if (lost.empty()) {
    return Converted{.value = restored.tree.ToValue()};
  }
  AddConditions(lost, restored.said, live);
  return Converted{.value = restored.tree.ToValue(),
                   .saved = WriteEnvelope(lost, passage.part, live)};
}

}  // namespace hearth::api::conversion::internal
