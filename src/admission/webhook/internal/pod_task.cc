#include <utility>
#include <variant>

#include "admission/webhook/internal/tasks.h"
#include "json/patch.h"

namespace hearth::admission::webhook::internal {
namespace {

Answer Cold(const AdmissionRequest& request, pod_restore::Unchanged why) {
  const bool asked = pod_restore::StartsColdInstead(request.object, why.skip);
  Answer answer =
      asked ? Allow(request, {.patch = json::DiffJsonPatch(
                                  request.object, pod_restore::MarkCold(request.object, why.skip))})
            : Allow(request);
  const json::Value* owners = request.object.FindPath("metadata.ownerReferences");
  answer.cold_start = {std::move(why), asked, request.name_space,
                       owners != nullptr ? *owners : json::Value(), request.dry_run};
  return answer;
}

}  // namespace

Answer RestorePod(const AdmissionRequest& request, const Services& services) {
  if (request.object.IsObject()) {
    if (const Status pod = pod_restore::CheckPod(request.object); !pod.ok()) {
      return Deny(request, pod.WithReason("BadRequest").WithHttpCode(400));
    }
  }
  const pod_restore::RequestFacts facts{
      .create = request.operation == "CREATE",
      .checkpoints_enabled = services.setup.checkpoints,
      .namespace_excluded = services.leaves_alone && services.leaves_alone(request.name_space),
      .name_space = request.name_space};
  auto restored = pod_restore::RestorePod(request.object, facts, services.restore);
  if (auto* unchanged = std::get_if<pod_restore::Unchanged>(&restored)) {
    return Cold(request, std::move(*unchanged));
  }
  return Allow(request,
               {.patch = json::DiffJsonPatch(request.object, std::get<json::Value>(restored))});
}

}  // namespace hearth::admission::webhook::internal
