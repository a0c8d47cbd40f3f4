#pragma once

#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"
#include "files.h"
#include "json/value.h"

namespace hearth::generate {

// What follows from the manifests in deploy/ that are written by hand and from `made`, which is
// about to be there as well: lists for kustomize, rights that somebody who looks after one
// namespace needs beyond it, and the copies that the chart is made of (a chart sees no files but
// its own). `root` is the repository's. kInvalid, kNotFound: a manifest is not what is expected.
Result<std::vector<GeneratedFile>> DeploymentFiles(FileSystem& files, const std::string& root,
                                                   const std::vector<GeneratedFile>& made);

// Of a ClusterRole's rules those that do nothing when they are bound in a namespace, and those by
// which all namespaces are watched. Pure.
json::Value RulesBeyondNamespaces(const json::Value& rules);

}  // namespace hearth::generate
