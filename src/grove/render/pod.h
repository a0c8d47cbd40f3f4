#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "grove/model/facts.h"
#include "grove/scheduler/backend.h"
#include "json/value.h"

namespace hearth::grove {

struct PodRequest {
  const SetFacts& set;
  const CliqueFacts& clique;
  json::View pod_spec;  // of the clique
  int32_t index = 0;
  std::string name;         // made by PodName
  bool gated = true;        // whether it waits for its gang or its claims
  std::string initc_image;  // of grove-initc, with its tag
};

// "<clique>-" and five characters, as an API server would choose them; `random` is any number.
std::string PodName(std::string_view clique, uint64_t random);

// The pod, with labels, environment, hostname, claims and, when the clique waits for others, the
// init container that does the waiting. kInvalid: clique and set do not fit together.
Result<json::Value> RenderPod(const PodRequest& request, const Backend& backend);

}  // namespace hearth::grove
