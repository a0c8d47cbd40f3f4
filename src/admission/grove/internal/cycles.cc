#include "admission/grove/internal/cycles.h"

#include <algorithm>
#include <limits>

namespace hearth::admission::grove {
namespace {

constexpr size_t kUnset = std::numeric_limits<size_t>::max();

// Tarjan's strongly connected components, with the calls on a stack of our own.
class Knots {
 public:
  explicit Knots(const Graph& graph)
      : graph_(graph),
        knot_of_(graph.size(), kUnset),
        order_(graph.size(), kUnset),
        low_(graph.size(), kUnset) {
    for (size_t node = 0; node < graph.size(); ++node) {
      if (order_[node] == kUnset) {
        Walk(node);
      }
    }
  }

  const std::vector<size_t>& knot_of() const { return knot_of_; }
  size_t count() const { return count_; }

 private:
  struct Call {
    size_t node;
    size_t next_edge = 0;
  };

  void Enter(size_t node) {
    order_[node] = low_[node] = visited_++;
    open_.push_back(node);
    calls_.push_back({node});
  }

  void Walk(size_t root) {
    Enter(root);
    while (!calls_.empty()) {
      Call& call = calls_.back();
      if (call.next_edge < graph_[call.node].size()) {
        Follow(call.node, graph_[call.node][call.next_edge++]);
      } else {
        Leave(call.node);
      }
    }
  }

  void Follow(size_t node, size_t target) {
    if (order_[target] == kUnset) {
      Enter(target);
    } else if (knot_of_[target] == kUnset) {
      low_[node] = std::min(low_[node], order_[target]);
    }
  }

  void Leave(size_t node) {
    calls_.pop_back();
    if (!calls_.empty()) {
      size_t& caller = low_[calls_.back().node];
      caller = std::min(caller, low_[node]);
    }
    if (low_[node] == order_[node]) {
      Close(node);
    }
  }

  void Close(size_t root) {
    size_t node = kUnset;
    do {
      node = open_.back();
      open_.pop_back();
      knot_of_[node] = count_;
    } while (node != root);
    ++count_;
  }

  const Graph& graph_;
  std::vector<size_t> knot_of_;
  std::vector<size_t> order_;
  std::vector<size_t> low_;
  std::vector<size_t> open_;
  std::vector<Call> calls_;
  size_t visited_ = 0;
  size_t count_ = 0;
};

// Breadth first from `start` within its knot until an edge leads back.
class ShortestCycle {
 public:
  ShortestCycle(const Graph& graph, const std::vector<size_t>& knot_of)
      : graph_(graph), knot_of_(knot_of), came_from_(graph.size(), kUnset) {}

  std::vector<size_t> From(size_t start) {
    std::vector<size_t> queue = {start};
    for (size_t i = 0; i < queue.size(); ++i) {
      for (const size_t target : graph_[queue[i]]) {
        if (target == start && queue[i] != start) {
          return Back(start, queue[i]);
        }
        if (target != start && knot_of_[target] == knot_of_[start] &&
            came_from_[target] == kUnset) {
          came_from_[target] = queue[i];
          queue.push_back(target);
        }
      }
    }
    return {};
  }

 private:
  std::vector<size_t> Back(size_t start, size_t last) const {
    std::vector<size_t> cycle;
    for (size_t node = last; node != start; node = came_from_[node]) {
      cycle.push_back(node);
    }
    cycle.push_back(start);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }

  const Graph& graph_;
  const std::vector<size_t>& knot_of_;
  std::vector<size_t> came_from_;
};

}  // namespace

std::vector<std::vector<size_t>> FindCycles(const Graph& graph) {
  const Knots knots(graph);
  std::vector<size_t> size(knots.count(), 0);
  for (const size_t knot : knots.knot_of()) {
    ++size[knot];
  }
  ShortestCycle shortest(graph, knots.knot_of());
  std::vector<std::vector<size_t>> cycles;
  for (size_t node = 0; node < graph.size(); ++node) {
    size_t& members = size[knots.knot_of()[node]];
    if (members > 1) {
      members = 0;  // told
      cycles.push_back(shortest.From(node));
    }
  }
  return cycles;
}

}  // namespace hearth::admission::grove
