#pragma once

#include "api/dynamo/component.h"
#include "base/result.h"
#include "json/value.h"

namespace hearth::dynamo::internal {

// Where the engine keeps what it compiles: the mount and the volume of its claim. kInvalid: the
// path is taken, read-only, or nobody knows it.
Status AddCompilationCache(const api::dynamo::ComponentSpec& component, std::string_view engine,
                           json::Value& pod_spec, json::Value& main);

// /dev/shm of the size the component asks for, 8 GiB when it says nothing, none when it says 0.
void AddSharedMemory(const json::Value& size, json::Value& pod_spec, json::Value& main);

// A volume for every mount of `main` that has none: the PersistentVolumeClaim of its name. Volumes
// stand in the order of the mounts, others after them.
void CompleteVolumes(const json::Value& main, json::Value& pod_spec);

}  // namespace hearth::dynamo::internal
