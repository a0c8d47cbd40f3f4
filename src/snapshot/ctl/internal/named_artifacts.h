#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/wait_limit.h"
#include "kube/client/client.h"
#include "snapshot/artifact/manifest.h"

namespace hearth::snapshot::ctl {

// The artifacts that somebody in a cluster still counts on.
struct NamedArtifacts {
  std::set<std::string> ids;
  std::set<std::string> contents;  // uids of PodSnapshotContents: manifests tell theirs

  bool HasId(const std::string& id) const { return ids.contains(id); }
  bool HasContentOf(const Manifest& manifest) const {
    return !manifest.content_uid.empty() && contents.contains(manifest.content_uid);
  }
};

// Adds whatever an object says: ids as labels, of its own or of pods that it makes, and in its
// status; of a PodSnapshotContent its uid, which names an artifact before the status does. Rather
// too much than too little: what is not named is deleted.
void AddNamed(std::string_view kind, const kube::Object& object, NamedArtifacts& named);

// Asks for every kind of object that names artifacts, in all namespaces. Kinds that the cluster
// does not have are passed over; one that may not be listed is a failure.
Status FindNamed(kube::Client& client, const WaitLimit& limit, NamedArtifacts& named);

}  // namespace hearth::snapshot::ctl
