#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"
#include "json/value.h"

namespace hearth::snapshot::ctl {

// A manifest of one pod that can be created: kind Pod or none, a name, and containers that all have
// an image. kInvalid names the file and the rule.
Result<json::Value> LoadPodManifest(FileSystem& files, const std::string& path);
Status CheckPodManifest(const json::Value& pod);

// The containers that a command is about: what its option names and what the pod's annotation
// names. Either may be missing; both must say the same. At most `most` (0: any number).
Result<std::vector<std::string>> ReconcileTargets(std::string_view option_name,
                                                  std::string_view option, const json::Value& pod,
                                                  size_t most);

// The first that is not blank: what was asked for, the manifest's, the context's.
std::string ChooseNamespace(std::string_view asked, const json::Value& pod,
                            std::string_view of_context);

// Of the PodSnapshot for a capture job: its name, at most 63 characters, without '-' or '.' at the
// end.
std::string PodSnapshotName(std::string_view job);

}  // namespace hearth::snapshot::ctl
