#include "admission/dynamo/internal/job_overlay.h"

#include "admission/rules/reading.h"
#include "api/core/kube_types.h"
#include "base/check.h"
#include "schema/defaults.h"
#include "schema/prune.h"
#include "schema/validate.h"

namespace hearth::admission::dynamo {

const Rule kJobOverlayIsStrict{
    "checkpoint-job-template",
    "job.podTemplate is merged over the pod of the checkpoint Job. A misspelt field would be "
    "dropped without a word; write it as in a pod template."};

namespace {

using json::Value;
using schema::Schema;

constexpr const char* kMember = "podTemplate";

schema::SchemaPtr Shared(Schema schema) {
  return std::make_shared<const Schema>(std::move(schema));
}

// The template below a member: an object of its own would have its metadata checked elsewhere.
schema::SchemaPtr OverlaySchema() {
  Schema pod_template = *api::core::TypeSchema("core.v1.PodTemplateSpec");
  for (schema::Property& property : pod_template.properties) {
    if (property.name == "spec") {
      Schema spec = *property.schema;
      spec.required.clear();
      property.schema = Shared(std::move(spec));
    }
  }
  Schema job{.type = schema::Type::kObject};
  job.properties.push_back({kMember, Shared(std::move(pod_template))});
  return Shared(std::move(job));
}

const schema::Validator& OverlayValidator() {
  static const schema::Validator kValidator = [] {
    auto validator = schema::Validator::Make(OverlaySchema());
    CHECK(validator.ok()) << validator.status().ToString();
    return std::move(*validator);
  }();
  return kValidator;
}

}  // namespace

void CheckJobOverlay(const Value* job, const schema::FieldPath& path, Findings& findings) {
  const Value* overlay = At(job, kMember);
  if (overlay == nullptr || overlay->IsNull()) {
    return;
  }
  const schema::Validator& validator = OverlayValidator();
  const std::string place = path.ToString() + ".";
  Value copy = Value::Object({{kMember, *overlay}});
  for (const std::string& unknown : schema::PruneValue(copy, *validator.schema())) {
    findings.Add(kJobOverlayIsStrict,
                 {.type = schema::ErrorType::kForbidden,
                  .path = place + unknown,
                  .detail = "unknown field: not part of a pod template; check the spelling"});
  }
  schema::PruneNulls(copy, *validator.schema());
  schema::ApplyDefaults(copy, *validator.schema());
  for (schema::FieldError& error : validator.Validate(copy)) {
    error.path = place + error.path;
    findings.Add(kJobOverlayIsStrict, std::move(error));
  }
}

}  // namespace hearth::admission::dynamo
