#pragma once

#include <string_view>
#include <vector>

#include "snapshot/artifact/manifest.h"
#include "snapshot/ctl/internal/judgement.h"
#include "snapshot/ctl/internal/node_facts.h"

// What machines must be like. Pure.
namespace hearth::snapshot::ctl {

// Whether anything can be captured and restored there.
std::vector<Judgement> JudgeNode(const NodeFacts& facts);

// Whether this very artifact can be restored there: each judgement names the field that differs.
// `image_digest`: of the image that the pod to be restored into has; empty: not known.
std::vector<Judgement> JudgeRestore(const Manifest& manifest, const NodeFacts& facts,
                                    std::string_view image_digest);

// Whether version a is older than b by the numbers in front: "4.2" than "4.10", "5.12" than
// "6.1.0-18".
bool OlderThan(std::string_view a, std::string_view b);

}  // namespace hearth::snapshot::ctl
