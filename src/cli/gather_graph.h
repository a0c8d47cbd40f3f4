#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/wait_limit.h"
#include "dynamo/view/graph_objects.h"
#include "kube/client/client.h"

namespace hearth::cli {

// A graph and all that belongs to it. Reads only. What may not be read, or is of a kind that the
// cluster does not know, is told in `unread` and left out; the graph itself must be readable.
// kNotFound: there is no such graph, with the one that was probably meant, or the cluster does not
// know the kind.
Result<dynamo::GraphObjects> GatherGraph(kube::Client& client, const kube::ObjectKey& graph,
                                         const WaitLimit& limit);
// The same of one checkpoint: what is below it, no graph.
Result<dynamo::GraphObjects> GatherCheckpoint(kube::Client& client,
                                              const kube::ObjectKey& checkpoint,
                                              const WaitLimit& limit);

// One object by its name. kNotFound as above.
Result<kube::Object> GetNamed(kube::Client& client, const kube::ResourceType& type,
                              const kube::ObjectKey& key, const WaitLimit& limit);
// What to say when the cluster does not know a kind.
Status UnknownKind(const kube::ResourceType& type);
// All objects of a type, of one namespace or (empty) of all.
Result<std::vector<kube::Object>> ListAll(kube::Client& client, const kube::ResourceType& type,
                                          const std::string& name_space,
                                          const std::string& label_selector,
                                          const WaitLimit& limit);

}  // namespace hearth::cli
