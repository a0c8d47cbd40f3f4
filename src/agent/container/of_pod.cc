#include "agent/container/of_pod.h"

#include <fmt/format.h>

namespace hearth::agent {

Status CheckOfPod(const Container& container, std::string_view pod_uid) {
  const std::string& has = container.in_pod.pod_uid;
  return has.empty() || pod_uid.empty() || has == pod_uid
             ? Status::Ok()
             : Status(Code::kConflict,
                      fmt::format("container {} is of the pod with uid {}, not of that with {}",
                                  container.id, has, pod_uid));
}

}  // namespace hearth::agent
