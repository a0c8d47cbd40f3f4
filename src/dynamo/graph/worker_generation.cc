#include "dynamo/graph/worker_generation.h"

#include "dynamo/model/component_hash.h"
#include "dynamo/model/labels.h"

namespace hearth::dynamo {

WorkerGeneration GenerationOf(const GraphFacts& graph) {
  WorkerGeneration generation;
  generation.content = WorkersHash(graph);
  generation.noted_hash = graph.Annotation(kWorkerHashAnnotation);
  generation.noted_content = graph.Annotation(kWorkerContentAnnotation);
  if (generation.content.empty()) {
    generation.noted_hash.clear();
    generation.noted_content.clear();
    return generation;
  }
  const std::string former = generation.noted_hash.empty()
                                 ? std::string(graph.Annotation(kOldWorkerHashAnnotation))
                                 : generation.noted_hash;
  const bool unchanged = generation.noted_content.empty() ||  // whoever noted it knew no content
                         generation.noted_content == generation.content;
  generation.hash = unchanged && !former.empty() ? former : generation.content;
  return generation;
}

}  // namespace hearth::dynamo
