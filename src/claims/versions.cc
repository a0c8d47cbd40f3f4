#include "claims/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hearth::claims {
namespace {

using json::Value;

struct Version {
  ApiVersion version;
  std::string_view name;
  kube::ResourceType claims;
  kube::ResourceType templates;
};

Version Row(ApiVersion version, std::string_view name) {
  const std::string group = "resource.k8s.io";
  const std::string text(name);
  return {version,
          name,
          {group, text, "resourceclaims", "ResourceClaim"},
          {group, text, "resourceclaimtemplates", "ResourceClaimTemplate"}};
}

// The best first.
const std::array<Version, 3>& Versions() {
  static const std::array<Version, 3> kVersions = {Row(ApiVersion::kV1, "v1"),
                                                   Row(ApiVersion::kV1Beta2, "v1beta2"),
                                                   Row(ApiVersion::kV1Beta1, "v1beta1")};
  return kVersions;
}

const Version& RowOf(ApiVersion version) {
  return *std::find_if(Versions().begin(), Versions().end(),
                       [&](const Version& row) { return row.version == version; });
}

// What v1beta1 has beside a request's name, and the others under `exactly`.
constexpr std::array<std::string_view, 7> kExactFields = {
    "deviceClassName", "selectors",   "allocationMode", "count",
    "adminAccess",     "tolerations", "capacity"};

bool IsExactField(std::string_view name) {
  return std::find(kExactFields.begin(), kExactFields.end(), name) != kExactFields.end();
}

// Null when the spec has none.
Value* RequestsOf(Value& spec) {
  Value* devices = spec.Find("devices");
  Value* requests = devices == nullptr ? nullptr : devices->Find("requests");
  return requests != nullptr && requests->IsArray() ? requests : nullptr;
}

Status Unsayable(const Value& request, std::string_view why) {
  const Value* name = request.Find("name");
  return InvalidError(fmt::format(
      "device request {} cannot be said in resource.k8s.io/v1beta1, the only version that this "
      "cluster serves: {}",
      name == nullptr ? "" : name->StringOr(""), why));
}

// Each of `fields` can stand beside the name of `request`.
Status CheckFlat(const Value& request, const Value& fields) {
  if (!fields.IsObject() || fields.Find("deviceClassName") == nullptr) {
    return Unsayable(request, "exactly names no deviceClassName");
  }
  for (const auto& [name, value] : fields.members()) {
    if (!IsExactField(name)) {
      return Unsayable(request, fmt::format("it has no {}", name));
    }
  }
  return Status::Ok();
}

Status Flatten(Value& request) {
  if (!request.IsObject()) {
    return Unsayable(request, "it is not an object");
  }
  for (const auto& [name, value] : request.members()) {
    if (IsExactField(name)) {
      return Unsayable(request, fmt::format("{} stands outside of exactly", name));
    }
  }
  const Value* exactly = request.Find("exactly");
  if (exactly == nullptr) {
    return Status::Ok();
  }
  RETURN_IF_ERROR(CheckFlat(request, *exactly));
  const Value fields = *exactly;
  request.Erase("exactly");
  for (const auto& [name, value] : fields.members()) {
    request.Set(name, value);
  }
  return Status::Ok();
}

void Unflatten(Value& request) {
  if (!request.IsObject() || request.Find("exactly") != nullptr) {
    return;
  }
  Value exactly = Value::Object();
  for (const std::string_view name : kExactFields) {
    if (const Value* field = request.Find(name)) {
      exactly.Set(name, *field);
      request.Erase(name);
    }
  }
  if (!exactly.members().empty()) {
    request.Set("exactly", std::move(exactly));
  }
}

}  // namespace

std::optional<ApiVersion> ChooseVersion(const std::vector<std::string>& served) {
  for (const Version& row : Versions()) {
    if (std::find(served.begin(), served.end(), row.name) != served.end()) {
      return row.version;
    }
  }
  return std::nullopt;
}

const kube::ResourceType& ResourceClaims(ApiVersion version) { return RowOf(version).claims; }

const kube::ResourceType& ResourceClaimTemplates(ApiVersion version) {
  return RowOf(version).templates;
}

Result<Value> SpecTo(ApiVersion version, Value spec) {
  Value* requests = version == ApiVersion::kV1Beta1 ? RequestsOf(spec) : nullptr;
  if (requests != nullptr) {
    for (Value& request : requests->items()) {
      RETURN_IF_ERROR(Flatten(request));
    }
  }
  return spec;
}

Value SpecFrom(ApiVersion version, Value spec) {
  Value* requests = version == ApiVersion::kV1Beta1 ? RequestsOf(spec) : nullptr;
  if (requests != nullptr) {
    std::for_each(requests->items().begin(), requests->items().end(), Unflatten);
  }
  return spec;
}

Result<Value> ClaimTo(ApiVersion version, Value claim) {
  Value& spec = claim["spec"];
  ASSIGN_OR_RETURN(spec, SpecTo(version, std::move(spec)));
  claim["apiVersion"] = ResourceClaims(version).ApiVersion();
  return claim;
}

}  // namespace hearth::claims
