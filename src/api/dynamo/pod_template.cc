#include "api/dynamo/pod_template.h"

#include "api/dynamo/internal/edit_schema.h"

namespace hearth::api::dynamo {
namespace {

using internal::EditedAt;

// The API server wants to know how often a rule may run. No pod comes near these.
constexpr int64_t kMaxContainers = 128;
constexpr int64_t kMaxAnnotationLength = 262144;  // what Kubernetes allows for all of them together

void NeedImage(schema::Schema& containers, const std::string& condition,
               const std::string& message) {
  containers.max_items = kMaxContainers;
  schema::Schema container = *containers.items;
  container.rules.push_back({.rule = condition, .message = message});
  containers.items = std::make_shared<const schema::Schema>(std::move(container));
}

void CheckExecutor(schema::Schema& annotations) {
  annotations.additional_properties = String().MaxLength(kMaxAnnotationLength).Share();
  annotations.rules.push_back(
      {.rule = "!('nvidia.com/vllm-distributed-executor-backend' in self) || "
               "self['nvidia.com/vllm-distributed-executor-backend'].lowerAscii() in ['mp', 'ray']",
       .message = "podTemplate backend annotation must be mp or ray, case-insensitively"});
}

}  // namespace

Node ComponentPodTemplate() {
  Node node = Kube("core.v1.PodTemplateSpec");
  node = EditedAt(node, "spec.containers", [](schema::Schema& containers) {
    NeedImage(containers, "self.name == 'main' || (has(self.image) && self.image != '')",
              "sidecar containers must specify a non-empty image");
  });
  node = EditedAt(node, "spec.initContainers", [](schema::Schema& containers) {
    NeedImage(containers, "has(self.image) && self.image != ''",
              "init containers must specify a non-empty image");
  });
  return EditedAt(node, "metadata.annotations", CheckExecutor);
}

Node SchemalessPodTemplate() { return FreeForm(); }

}  // namespace hearth::api::dynamo
