#pragma once

#include <string>

#include "base/status.h"
#include "kubelet_rig.h"

// Images of the stories, made of the programs that were built here.
namespace hearth::node {

// The example engine and the memory service, on memory of the machine. Everything is started as
// manifests start it: python3 -m dynamo.vllm, python3 -m gpu_memory_service.cli.server.
Status LoadEngineImage(KubeletRig& node, const std::string& name);

// Nothing but gms-saver and gms-loader, by their own names.
Status LoadMoversImage(KubeletRig& node, const std::string& name);

// grove-initc, for pods that wait for pods of other cliques.
Status LoadInitImage(KubeletRig& node, const std::string& name);

}  // namespace hearth::node
