#pragma once

#include <string>

#include "dynamo/model/component.h"

namespace hearth::dynamo {

// Which generation of workers a graph wants, and which one it had when all was well, as its
// annotations tell. A graph of another operator keeps the hash that its workers run with: only a
// change of what they are made of gives them another.
struct WorkerGeneration {
  std::string hash;     // of those that are wanted; empty: the graph has no workers
  std::string content;  // what they are made of
  std::string noted_hash;
  std::string noted_content;

  bool is_noted() const { return hash == noted_hash && content == noted_content; }
};
WorkerGeneration GenerationOf(const GraphFacts& graph);

}  // namespace hearth::dynamo
