#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace hearth::admission {

// What the operator that asks is set up to do. The defaults are those of a full installation: what
// offline validation assumes.
struct Setup {
  bool grove = true;          // groups of pods through PodCliqueSets
  bool checkpoints = true;    // checkpoint.enabled of the operator's configuration
  bool gms_snapshots = true;  // checkpoints of components with a GPU memory service
  // Where the checkpoint storage is mounted: checkpoint.storage.pvc.basePath of the operator's
  // configuration, or where the snapshot agent has it, which is there unless somebody moved it.
  std::string checkpoint_path = "/checkpoints";
  bool topology = true;  // topology-aware scheduling
  // Scheduler profiles; the first one is meant where a clique names none.
  std::vector<std::string> schedulers = {"default-scheduler", "kai-scheduler"};
  std::string operator_version;  // semver, stamped on new graphs; empty: not stamped
  std::string operator_account;  // "system:serviceaccount:<namespace>:<name>"
};

enum class Operation { kCreate, kUpdate };

// One request to store an object, without the object itself.
struct Request {
  Operation operation = Operation::kCreate;
  const json::Value* old = nullptr;  // what is stored now; on a create null
  // Who asks; empty when that is not known, which opens nothing.
  std::string user;
  Setup setup;
};

}  // namespace hearth::admission
