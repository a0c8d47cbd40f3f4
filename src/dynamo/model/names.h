#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Names of what comes of a graph. They are upstream's, so that a cluster can be taken over.
namespace hearth::dynamo {

std::string Lower(std::string_view name);
// Eight hex digits that tell texts apart.
std::string ShortHash(std::string_view text);

// Of a DynamoComponentDeployment: "<graph>-<component>[-<worker hash>]".
std::string ComponentDeploymentName(std::string_view graph, std::string_view component,
                                    std::string_view worker_hash);
// Of the Service of a component: dots become hyphens.
std::string ServiceName(std::string_view graph, std::string_view component);
// Of the Service of a DynamoComponentDeployment.
std::string ServiceNameOfDeployment(std::string_view deployment);
// Under which the processes of a graph find each other: "dynamo" when it is global.
std::string DynamoNamespace(std::string_view name_space, std::string_view graph, bool global);
std::string DiscoveryAccountName(std::string_view graph);
// Of the PodCliqueSet: the graph's name, cut and told apart by a hash when the component with the
// longest names, `longest_component` characters, leaves too little room.
std::string SetName(std::string_view graph, size_t longest_component);

// ---- Of the GPU claims of components with a memory service.
// "<graph>-<component>-gpu-<hash>": its content is part of its name, for a ResourceClaimTemplate
// can never be changed.
std::string ClaimTemplateName(std::string_view graph, std::string_view component,
                              std::string_view content_hash);
// Of a checkpoint Job.
std::string CheckpointClaimTemplateName(std::string_view checkpoint_id);
// Within a PodCliqueSet, of a rank.
std::string RankClaimName(std::string_view component, int32_t rank);

// ---- Cliques of a component. Single node without a memory service of its own: the component.
std::string LeaderClique(std::string_view component);
std::string WorkerClique(std::string_view component);
std::string RankedWorkerClique(std::string_view component, int32_t rank);
std::string MemoryClique(std::string_view component, int32_t rank);

}  // namespace hearth::dynamo
