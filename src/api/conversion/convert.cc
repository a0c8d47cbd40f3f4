#include "api/conversion/convert.h"

#include <optional>

#include "api/conversion/internal/fit.h"
#include "api/conversion/internal/kinds.h"
#include "base/strings.h"

namespace hearth::api::conversion {
namespace {

using internal::ConvertibleKind;
using internal::Direction;
using internal::Tree;
using json::Value;

constexpr std::string_view kGroup = "nvidia.com/";
constexpr std::string_view kOlderVersion = "v1alpha1";

std::string TextAt(const Value& object, std::string_view member) {
  const Value* found = object.Find(member);
  return found == nullptr ? std::string() : found->StringOr("");
}

// What is known of an object before its spec and status are looked at.
struct Plan {
  const ConvertibleKind& kind;
  Direction direction;
  std::string api_version;
  const Value& metadata;
};

Status MustBeObject(const std::string& path, const Value& value) {
  if (value.IsObject()) {
    return Status::Ok();
  }
  return InvalidError(path + ": must be an object, not " +
                      std::string(json::KindName(value.kind())));
}

Result<Plan> MakePlan(const Value& object, std::string_view version) {
  const ConvertibleKind* kind = internal::FindKind(TextAt(object, "kind"));
  const std::string from = TextAt(object, "apiVersion");
  const bool known = version == kHubVersion || version == kOlderVersion;
  const bool to_beta = version == kHubVersion;
  const std::string expected =
      std::string(kGroup) + std::string(to_beta ? kOlderVersion : kHubVersion);
  if (kind == nullptr || !known || from != expected) {
    return NotFoundError("no conversion of " + TextAt(object, "kind") + " " + from + " to " +
                         std::string(version));
  }
  static const Value kNull;
  const Value* metadata = object.Find("metadata");
  RETURN_IF_ERROR(MustBeObject("metadata", metadata == nullptr ? kNull : *metadata));
  const Value* annotations = metadata->Find("annotations");
  if (annotations != nullptr && !annotations->IsNull()) {
    RETURN_IF_ERROR(MustBeObject("metadata.annotations", *annotations));
  }
  return Plan{*kind, to_beta ? Direction::kToBeta : Direction::kToAlpha,
              std::string(kGroup) + std::string(version), *metadata};
}

struct Parts {
  Value spec;
  Value status;
  internal::SavedTexts saved;
};

// A part that is missing or null stays so, whatever was saved of it.
Status ConvertPart(const internal::Passage& passage, const Value* live,
                   const internal::Saved& saved, Value& to, std::optional<std::string>& to_save) {
  if (live == nullptr || live->IsNull()) {
    return Status::Ok();
  }
  RETURN_IF_ERROR(MustBeObject(passage.part, *live));
  ASSIGN_OR_RETURN(internal::Converted converted, internal::Convert(passage, *live, saved));
  to = std::move(converted.value);
  to_save = std::move(converted.saved);
  return Status::Ok();
}

// Each takes thousands of bytes while it is converted, however little it says: many times what
// reading it took. Schemas take 25, but conversion comes before they are asked. What a status has
// of each is little, and no schema counts them: whatever is stored must be read.
Status CheckCount(const std::string& path, const Tree& components) {
  constexpr size_t kMostComponents = 100;
  if (components.size() <= kMostComponents) {
    return Status::Ok();
  }
  return InvalidError(path + ": has " + std::to_string(components.size()) + " entries, and " +
                      std::to_string(kMostComponents) + " are converted at most");
}

// The name is said again for every field of the component that must be saved.
Status CheckNames(const std::string& path, const Tree& components) {
  constexpr size_t kMostNameBytes = 253;
  for (size_t i = 0; i < components.size(); ++i) {
    const std::string_view name =
        components.IsObject() ? components.name(i) : components.at(i).Find("name").text();
    if (name.size() > kMostNameBytes) {
      return InvalidError(path + ": the name \"" + Excerpt(name, 32) + "\" has " +
                          std::to_string(name.size()) + " bytes, and " +
                          std::to_string(kMostNameBytes) + " are converted at most; shorten it");
    }
  }
  return Status::Ok();
}

Status CheckComponents(const Value* spec) {
  for (const std::string name : {"services", "components"}) {
    RETURN_IF_ERROR(CheckCount("spec." + name, Tree(spec).Find(name)));
    RETURN_IF_ERROR(CheckNames("spec." + name, Tree(spec).Find(name)));
  }
  return Status::Ok();
}

internal::Saved SavedIn(const Value& metadata, std::string_view annotation) {
  return {annotation, internal::FindAnnotation(metadata, annotation)};
}

Result<Parts> ConvertParts(const Plan& plan, const Value& object) {
  const Value* spec = object.Find("spec");
  RETURN_IF_ERROR(CheckComponents(spec));
  if (plan.direction == Direction::kToAlpha) {
    RETURN_IF_ERROR(plan.kind.check_beta(Tree(spec)));
  }
  Parts parts;
  const Tree name(plan.metadata.Find("name"));
  RETURN_IF_ERROR(ConvertPart(plan.kind.spec(plan.direction, name), spec,
                              SavedIn(plan.metadata, plan.kind.annotations.spec), parts.spec,
                              parts.saved.spec));
  RETURN_IF_ERROR(ConvertPart(plan.kind.status(plan.direction), object.Find("status"),
                              SavedIn(plan.metadata, plan.kind.annotations.status), parts.status,
                              parts.saved.status));
  RETURN_IF_ERROR(internal::MakeFit(plan.metadata, plan.kind.annotations, parts.saved));
  return parts;
}

Value Member(const Plan& plan, const std::string& name, const Value& member, Parts& parts) {
  if (name == "apiVersion") {
    return plan.api_version;
  }
  if (name == "metadata") {
    return internal::WithSaved(member, plan.kind.annotations, std::move(parts.saved));
  }
  if (name == "spec") {
    return std::move(parts.spec);
  }
  if (name == "status") {
    return std::move(parts.status);
  }
  return member;
}

Value Assemble(const Plan& plan, const Value& object, Parts parts) {
  Value::Members members;
  members.reserve(object.members().size());
  for (const auto& [name, member] : object.members()) {
    members.emplace_back(name, Member(plan, name, member, parts));
  }
  return Value::FromMembers(std::move(members));
}

}  // namespace

Result<Value> Convert(const Value& object, std::string_view version) {
  if (internal::FindKind(TextAt(object, "kind")) != nullptr &&
      TextAt(object, "apiVersion") == std::string(kGroup) + std::string(version)) {
    return object;
  }
  ASSIGN_OR_RETURN(const Plan plan, MakePlan(object, version));
  ASSIGN_OR_RETURN(Parts parts, ConvertParts(plan, object));
  return Assemble(plan, object, std::move(parts));
}

}  // namespace hearth::api::conversion
