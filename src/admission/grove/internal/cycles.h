#pragma once

#include <cstddef>
#include <vector>

namespace hearth::admission::grove {

// By node, the nodes its edges lead to.
using Graph = std::vector<std::vector<size_t>>;

// One cycle of at least two nodes for each knot of the graph (nodes that all reach each other), as
// short as one through the knot's first node can be, beginning with that node. Edges from a node to
// itself do not count. Linear in nodes and edges, and without recursion, since users choose the
// graph.
std::vector<std::vector<size_t>> FindCycles(const Graph& graph);

}  // namespace hearth::admission::grove
