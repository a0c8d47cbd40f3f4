#include "admission/webhook/review.h"

#include <fmt/format.h>

#include <utility>

#include "admission/webhook/internal/value_count.h"
#include "base/base64.h"
#include "base/strings.h"
#include "json/parse.h"
#include "kube/model/api_status.h"

namespace hearth::admission::webhook {
namespace {

using json::Value;

constexpr std::string_view kAdmissionVersion = "admission.k8s.io/v1";
constexpr std::string_view kConversionVersion = "apiextensions.k8s.io/v1";
constexpr size_t kMaxUidBytes = 256;
constexpr size_t kExcerptBytes = 80;

std::string Text(const Value& object, std::string_view path) {
  const Value* found = object.FindPath(path);
  return found != nullptr ? found->StringOr("") : "";
}

// Moved out of `from`; null when it is not there.
Value Take(Value& from, std::string_view name) {
  Value* found = from.Find(name);
  return found != nullptr ? std::move(*found) : Value();
}

struct Limits {
  size_t bytes;
  size_t values;
  int depth;
};

constexpr Limits kAdmissionLimits{kMaxAdmissionBytes, kMaxAdmissionValues, kMaxAdmissionDepth};
constexpr Limits kConversionLimits{kMaxConversionBytes, kMaxConversionValues, kMaxConversionDepth};

Status TooManyValues(size_t most) {
  return ExhaustedError(fmt::format(
      "it has more than {} values; shorten the object, or list fewer objects at a time", most));
}

// Every value takes two bytes at least: most reviews need not be counted.
bool MayHaveMoreValues(std::string_view body, size_t most) {
  return body.size() / 2 >= most && internal::MostValues(body) > most;
}

// Without the status, which such a request does not write.
size_t ValuesWritten(const Value& object) {
  const Value* status = object.IsObject() ? object.Find("status") : nullptr;
  return internal::CountValues(object) - (status == nullptr ? 0 : internal::CountValues(*status));
}

// One that is as large already can be changed: a finalizer must go.
bool Grows(const Value& object, const Value& old_object) {
  const size_t values = ValuesWritten(object);
  return values > kMaxObjectValues && values > ValuesWritten(old_object);
}

Result<Value> Parse(std::string_view body, const Limits& limits) {
  if (body.size() <= limits.bytes) {
    if (MayHaveMoreValues(body, limits.values)) {
      return TooManyValues(limits.values);
    }
  }
  return json::ParseValue(body, {.max_bytes = limits.bytes, .max_depth = limits.depth});
}

// The review's "request", checked for what every review must say.
Result<Value> ReadRequest(std::string_view body, const Limits& limits, std::string_view api_version,
                          std::string_view kind) {
  ASSIGN_OR_RETURN(Value review, Parse(body, limits));
  if (Text(review, "kind") != kind || Text(review, "apiVersion") != api_version) {
    return InvalidError(fmt::format(
        "expected kind {} of {}, got apiVersion \"{}\", kind \"{}\"; list v1 in the webhook's "
        "review versions",
        kind, api_version, Excerpt(Text(review, "apiVersion"), kExcerptBytes),
        Excerpt(Text(review, "kind"), kExcerptBytes)));
  }
  Value request = Take(review, "request");
  if (!request.IsObject()) {
    return InvalidError("request is missing");
  }
  const std::string uid = Text(request, "uid");
  if (uid.empty() || uid.size() > kMaxUidBytes) {
    return InvalidError(fmt::format("request.uid must be a text of 1 to {} bytes", kMaxUidBytes));
  }
  return request;
}

KindName ReadKind(const Value& request, std::string_view name) {
  const std::string at(name);
  return {Text(request, at + ".group"), Text(request, at + ".version"),
          Text(request, at + ".kind")};
}

Status CheckObject(const Value& object, std::string_view name, bool wanted) {
  if (object.IsObject() || (object.IsNull() && !wanted)) {
    return Status::Ok();
  }
  return InvalidError(fmt::format("request.{} must be an object", name));
}

Status CheckObjects(const AdmissionRequest& request) {
  const bool writes = request.operation == "CREATE" || request.operation == "UPDATE";
  RETURN_IF_ERROR(CheckObject(request.object, "object", writes));
  return CheckObject(request.old_object, "oldObject", request.operation == "UPDATE");
}

Value Envelope(std::string_view api_version, std::string_view kind, Value response) {
  return Value::Object(
      {{"apiVersion", api_version}, {"kind", kind}, {"response", std::move(response)}});
}

}  // namespace

std::string KindName::ToString() const {
  return fmt::format("{}/{}, Kind={}", group, version, kind);
}

Result<AdmissionRequest> ReadAdmissionReview(std::string_view body) {
  ASSIGN_OR_RETURN(Value request,
                   ReadRequest(body, kAdmissionLimits, kAdmissionVersion, "AdmissionReview"));
  AdmissionRequest read{.uid = Text(request, "uid"),
                        .kind = ReadKind(request, "kind"),
                        .asked_kind = ReadKind(request, "requestKind"),
                        .operation = Text(request, "operation"),
                        .name = Text(request, "name"),
                        .name_space = Text(request, "namespace"),
                        .user = Text(request, "userInfo.username"),
                        .user_info = Take(request, "userInfo"),
                        .object = Take(request, "object"),
                        .old_object = Take(request, "oldObject")};
  if (read.asked_kind.kind.empty()) {
    read.asked_kind = read.kind;
  }
  if (MayHaveMoreValues(body, kMaxObjectValues) &&
      (read.old_object.IsNull() || Grows(read.object, read.old_object))) {
    return TooManyValues(kMaxObjectValues);
  }
  const Value* dry_run = request.Find("dryRun");
  read.dry_run = dry_run != nullptr && *dry_run == Value(true);
  RETURN_IF_ERROR(CheckObjects(read));
  return read;
}

std::string WriteAdmissionReview(const std::string& uid, const AdmissionAnswer& answer) {
  Value response = Value::Object({{"uid", uid}, {"allowed", answer.denied.IsNull()}});
  if (!answer.denied.IsNull()) {
    response.Set("status", answer.denied);
  }
  if (answer.patch.IsArray() && !answer.patch.items().empty()) {
    response.Set("patchType", "JSONPatch");
    response.Set("patch", EncodeBase64(answer.patch.Write()));
  }
  for (const std::string& warning : answer.warnings) {
    response["warnings"].Append(warning);
  }
  return Envelope(kAdmissionVersion, "AdmissionReview", std::move(response)).Write();
}

Value DenialOf(const Status& status, const KindName& kind, const std::string& name) {
  Value object = kube::StatusToObject(status);
  Value& details = object["details"];
  details["name"] = name;
  details["group"] = kind.group;
  details["kind"] = kind.kind;
  return object;
}

Result<ConversionRequest> ReadConversionReview(std::string_view body) {
  ASSIGN_OR_RETURN(Value request,
                   ReadRequest(body, kConversionLimits, kConversionVersion, "ConversionReview"));
  ConversionRequest read{.uid = Text(request, "uid"),
                         .desired_api_version = Text(request, "desiredAPIVersion")};
  if (read.desired_api_version.empty()) {
    return InvalidError("request.desiredAPIVersion is missing");
  }
  Value objects = Take(request, "objects");
  if (!objects.IsArray()) {
    return InvalidError("request.objects must be a list");
  }
  read.objects = std::move(objects.items());
  return read;
}

std::string WriteConversionReview(const std::string& uid, Result<std::vector<Value>> converted) {
  Value response = Value::Object({{"uid", uid}});
  if (converted.ok()) {
    response.Set("convertedObjects", Value::FromItems(*std::move(converted)));
    response.Set("result", Value::Object({{"status", "Success"}}));
  } else {
    response.Set("result",
                 Value::Object({{"status", "Failure"}, {"message", converted.status().message()}}));
  }
  return Envelope(kConversionVersion, "ConversionReview", std::move(response)).Write();
}

}  // namespace hearth::admission::webhook
