#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "json/internal/same_value.h"
#include "json/patch.h"
#include "json/pointer.h"

namespace hearth::json {
namespace {

// As deep as json::Parse lets anything in; a document must not grow past that by being patched.
constexpr size_t kMaxDepth = 512;
// As many operations as kube-apiserver takes.
constexpr size_t kMaxOperations = 10'000;
// Copying the whole into itself doubles it every time: the sum of all copies is limited.
constexpr size_t kMaxCopied = size_t{16} << 20;

// About how much memory a copy takes.
size_t SizeOf(const Value& value) {
  size_t size = sizeof(Value);
  switch (value.kind()) {
    case Kind::kString:
      return size + value.string().size();
    case Kind::kArray:
      for (const Value& item : value.items()) {
        size += SizeOf(item);
      }
      return size;
    case Kind::kObject:
      for (const auto& [name, child] : value.members()) {
        size += name.size() + SizeOf(child);
      }
      return size;
    default:
      return size;
  }
}

bool IsPrefix(const std::vector<std::string>& prefix, const std::vector<std::string>& tokens) {
  return prefix.size() <= tokens.size() && std::equal(prefix.begin(), prefix.end(), tokens.begin());
}

// The places of one patch in one document, changed one after another.
class Editor {
 public:
  explicit Editor(Value& document) : document_(document) {}

  Status Apply(const Value& operation);

 private:
  Status Add(const Pointer& path, Value value);
  Status AddToArray(Value& array, const Pointer& path, Value value);
  Status Replace(const Pointer& path, Value value);
  Result<Value> Remove(const Pointer& path);
  Status Move(const Pointer& from, const Pointer& path);
  Status Copy(const Pointer& from, const Pointer& path);
  Status Test(const Pointer& path, const Value& value);

  static Status CheckDepth(const Pointer& path, const Value& value);
  Result<Value*> Existing(const Pointer& path);
  Result<Value*> ParentOf(const Pointer& path);

  Value& document_;
  size_t copied_ = 0;
};

Status Editor::CheckDepth(const Pointer& path, const Value& value) {
  if (path.tokens().size() + internal::Depth(value) > kMaxDepth) {
    return InvalidError(fmt::format("the document would be nested deeper than {}", kMaxDepth));
  }
  return Status::Ok();
}

Result<Value*> Editor::Existing(const Pointer& path) {
  Value* value = path.Find(document_);
  if (value == nullptr) {
    return InvalidError(fmt::format("there is nothing at \"{}\"", Excerpt(path.ToString(), 256)));
  }
  return value;
}

// The array or object that holds, or is to hold, what `path` names. Not for the root.
Result<Value*> Editor::ParentOf(const Pointer& path) {
  const std::vector<std::string>& tokens = path.tokens();
  const Pointer parent_path(std::vector<std::string>(tokens.begin(), tokens.end() - 1));
  ASSIGN_OR_RETURN(Value * parent, Existing(parent_path));
  if (!parent->IsObject() && !parent->IsArray()) {
    return InvalidError(fmt::format("\"{}\" is {}, which holds no members",
                                    Excerpt(parent_path.ToString(), 256),
                                    KindName(parent->kind())));
  }
  return parent;
}

Status Editor::Add(const Pointer& path, Value value) {
  RETURN_IF_ERROR(CheckDepth(path, value));
  if (path.tokens().empty()) {
    document_ = std::move(value);
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(Value * parent, ParentOf(path));
  if (parent->IsArray()) {
    return AddToArray(*parent, path, std::move(value));
  }
  parent->Set(path.tokens().back(), std::move(value));
  return Status::Ok();
}

Status Editor::AddToArray(Value& array, const Pointer& path, Value value) {
  const std::string& token = path.tokens().back();
  Value::Items& items = array.items();
  const std::optional<size_t> index = token == "-" ? items.size() : ArrayIndex(token);
  if (!index || *index > items.size()) {
    return InvalidError(fmt::format(
        "\"{}\" is no place in an array of {}; use an index up to that, or - for the end",
        Excerpt(token, 64), items.size()));
  }
  items.insert(items.begin() + static_cast<ptrdiff_t>(*index), std::move(value));
  return Status::Ok();
}

Status Editor::Replace(const Pointer& path, Value value) {
  RETURN_IF_ERROR(CheckDepth(path, value));
  ASSIGN_OR_RETURN(Value * found, Existing(path));
  *found = std::move(value);
  return Status::Ok();
}

Result<Value> Editor::Remove(const Pointer& path) {
  if (path.tokens().empty()) {
    return InvalidError("the whole document cannot be removed");
  }
  ASSIGN_OR_RETURN(Value * found, Existing(path));
  Value removed = std::move(*found);
  ASSIGN_OR_RETURN(Value * parent, ParentOf(path));
  if (parent->IsArray()) {
    parent->items().erase(parent->items().begin() + (found - parent->items().data()));
  } else {
    parent->Erase(path.tokens().back());
  }
  return removed;
}

Status Editor::Move(const Pointer& from, const Pointer& path) {
  if (from.tokens() == path.tokens()) {
    RETURN_IF_ERROR(Existing(from));
    return Status::Ok();
  }
  if (IsPrefix(from.tokens(), path.tokens())) {
    return InvalidError(
        fmt::format("\"{}\" cannot be moved into itself", Excerpt(from.ToString(), 256)));
  }
  ASSIGN_OR_RETURN(Value value, Remove(from));
  return Add(path, std::move(value));
}

Status Editor::Copy(const Pointer& from, const Pointer& path) {
  ASSIGN_OR_RETURN(const Value* source, Existing(from));
  copied_ += SizeOf(*source);
  if (copied_ > kMaxCopied) {
    return InvalidError(fmt::format("the patch copies more than {} bytes", kMaxCopied));
  }
  return Add(path, Value(*source));
}

Status Editor::Test(const Pointer& path, const Value& value) {
  const Value* found = path.Find(document_);
  if (found == nullptr) {
    return ConflictError("there is nothing to test");
  }
  if (!internal::SameValue(*found, value)) {
    return ConflictError(fmt::format("expected {}, found {}", Excerpt(value.Write(), 128),
                                     Excerpt(found->Write(), 128)));
  }
  return Status::Ok();
}

Result<std::string> StringMember(const Value& operation, std::string_view name) {
  const Value* member = operation.Find(name);
  if (member == nullptr || !member->IsString()) {
    return InvalidError(fmt::format("\"{}\" must be given, as a string", name));
  }
  return member->string();
}

Result<Pointer> PointerMember(const Value& operation, std::string_view name) {
  ASSIGN_OR_RETURN(const std::string text, StringMember(operation, name));
  return Pointer::Parse(text);
}

Result<const Value*> ValueMember(const Value& operation) {
  const Value* value = operation.Find("value");
  if (value == nullptr) {
    return InvalidError("\"value\" must be given");
  }
  return value;
}

Status Editor::Apply(const Value& operation) {
  if (!operation.IsObject()) {
    return InvalidError(fmt::format("it must be an object, but is {}", KindName(operation.kind())));
  }
  ASSIGN_OR_RETURN(const std::string op, StringMember(operation, "op"));
  ASSIGN_OR_RETURN(const Pointer path, PointerMember(operation, "path"));
  if (op == "remove") {
    return ToStatus(Remove(path));
  }
  if (op == "move" || op == "copy") {
    ASSIGN_OR_RETURN(const Pointer from, PointerMember(operation, "from"));
    return op == "move" ? Move(from, path) : Copy(from, path);
  }
  if (op != "add" && op != "replace" && op != "test") {
    return InvalidError("\"op\" must be add, remove, replace, move, copy or test");
  }
  ASSIGN_OR_RETURN(const Value* value, ValueMember(operation));
  if (op == "test") {
    return Test(path, *value);
  }
  return op == "add" ? Add(path, *value) : Replace(path, *value);
}

// "operation 2 (replace /spec/replicas)"
std::string Describe(size_t index, const Value& operation) {
  const auto text = [&](std::string_view name) {
    const Value* member = operation.Find(name);
    return Excerpt(member == nullptr ? "?" : member->StringOr("?"), 256);
  };
  return fmt::format("operation {} of the JSON patch ({} \"{}\")", index, text("op"), text("path"));
}

}  // namespace

Status ApplyJsonPatch(Value& document, const Value& patch) {
  if (!patch.IsArray()) {
    return InvalidError(fmt::format("a JSON patch must be an array of operations, but this is {}",
                                    KindName(patch.kind())));
  }
  if (patch.items().size() > kMaxOperations) {
    return InvalidError(fmt::format("the JSON patch has {} operations; at most {} are taken",
                                    patch.items().size(), kMaxOperations));
  }
  Value changed = document;
  Editor editor(changed);
  for (size_t i = 0; i < patch.items().size(); ++i) {
    const Value& operation = patch.items()[i];
    const Status applied = editor.Apply(operation);
    if (!applied.ok()) {
      return applied.WithContext(Describe(i, operation));
    }
  }
  document = std::move(changed);
  return Status::Ok();
}

}  // namespace hearth::json
