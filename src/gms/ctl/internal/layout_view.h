#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace hearth::gms::ctl {

// Allocations and what lies in them, of a server or of a save. Pure.
struct LayoutView {
  struct Allocation {
    std::string id;
    std::string tag;
    uint64_t size = 0;
    uint64_t aligned_size = 0;
  };
  struct Tensor {
    std::string key;
    std::string allocation_id;
    uint64_t offset = 0;
    std::string value;
  };
  std::vector<Allocation> allocations;  // by slot
  std::vector<Tensor> tensors;          // by key

  // Only the tensors whose key begins so, and the allocations they lie in. Empty: everything.
  LayoutView WithPrefix(std::string_view prefix) const;
  // A line for each tensor, then one for each allocation without any.
  std::string Table() const;
  // {"tensors": [...], "allocations": [...]}, added to `to`.
  void AddJson(json::Value& to) const;
};

}  // namespace hearth::gms::ctl
