#include "api/conversion/internal/part.h"

#include <algorithm>

#include "api/conversion/convert.h"
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

// Dropping what it keeps would lose fields of the user without a word.
Status Unkept(std::string_view annotation, const std::string& why) {
  return Status(Code::kInvalid, std::string(kUnkeptReason),
                "annotation " + std::string(annotation) + ": " + why);
}

Status TooMuchWork(std::string_view annotation) {
  return Unkept(annotation,
                "keeps so much that does not fit the object any more that finding out what does "
                "takes too much work; only the conversion should write it: undo what was changed "
                "in it or in the object, or remove it to give up the fields that it keeps");
}

Status TooLong(std::string_view annotation, size_t bytes) {
  return Unkept(annotation, "takes " + std::to_string(bytes) + " bytes, and " +
                                std::to_string(kMostEnvelopeBytes) + " are read at most");
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

// What the way back loses or changes.
Result<std::vector<Edit>> Lost(const Passage& passage, const Tree& said, const Tree& live) {
  if (Tree::Same(said, live)) {
    return std::vector<Edit>();
  }
  auto different = Diff(said, live);
  if (!different.ok()) {
    return different.status().WithContext(passage.part);
  }
  for (const Edit& edit : *different) {
    if (std::string error = TypeError(edit, *passage.from, passage.part); !error.empty()) {
      return InvalidError(std::move(error));
    }
  }
  return different;
}

// A status is written anew by controllers and never passes a webhook, so nobody could refuse one
// that cannot be put back, or kept: what was saved of it is given up. Of a spec nothing is.
bool MayGiveUp(const Passage& passage) { return passage.part == "status"; }

}  // namespace

Result<Converted> Convert(const Passage& passage, const json::Value& value, const Saved& saved) {
  if (saved.text.has_value() && saved.text->size() > kMostEnvelopeBytes) {
    return MayGiveUp(passage) ? Convert(passage, value, {saved.annotation, std::nullopt})
                              : TooLong(saved.annotation, saved.text->size());
  }
  Arena arena;
  const Tree live(&value);
  const Tree converted = passage.there(live, arena);
  const std::vector<Edit> edits = ReadSaved(passage, converted, saved.text, arena);
  const Restored restored = Restore(converted, edits, live, passage.back, arena);
  if (saved.text.has_value() && arena.GaveUp()) {
    return MayGiveUp(passage) ? Convert(passage, value, {saved.annotation, std::nullopt})
                              : TooMuchWork(saved.annotation);
  }
  auto lost = Lost(passage, restored.said, live);
  if (!lost.ok() && !MayGiveUp(passage)) {
    return lost.status();
  }
  if (!lost.ok() || lost->empty()) {
    return Converted{.value = restored.tree.ToValue()};
  }
  AddConditions(*lost, restored.said, live);
  return Converted{.value = restored.tree.ToValue(),
                   .saved = WriteEnvelope(*lost, passage.part, live)};
}

}  // namespace hearth::api::conversion::internal
