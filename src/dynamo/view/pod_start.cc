#include "base/strings.h"
#include "dynamo/view/chain.h"
#include "dynamo/view/internal/reading.h"
#include "snapshot/protocol/start_proof.h"

namespace hearth::dynamo {

PodStart PodStart::Of(json::View pod) {
  using view::AnnotationOf;
  PodStart start{.way = AnnotationOf(pod, snapshot::kStartAnnotation),
                 .reason = AnnotationOf(pod, snapshot::kStartReasonAnnotation),
                 .from = AnnotationOf(pod, snapshot::kRestoredFromAnnotation),
                 .digest = AnnotationOf(pod, snapshot::kRestoredDigestAnnotation)};
  const std::string phases = AnnotationOf(pod, snapshot::kRestorePhasesAnnotation);
  for (const std::string_view phase : Split(phases, ',')) {
    const size_t equals = phase.find('=');
    if (equals != std::string_view::npos) {
      start.phases.emplace_back(Trim(phase.substr(0, equals)), Trim(phase.substr(equals + 1)));
    }
  }
  return start;
}

}  // namespace hearth::dynamo
