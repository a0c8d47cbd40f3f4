#pragma once

#include <cstdint>

#include "agent/pages/page_plan.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::agent {

// Shared memory of a process, mapped by us, with all its pages missing. Moves.
class SharedView {
 public:
  // `pid` as seen from here. Nothing may have been written to it yet.
  static Result<SharedView> Open(int pid, const SharedMemory& memory);
  SharedView(SharedView&& other) noexcept;
  SharedView& operator=(SharedView&&) = delete;
  ~SharedView();

  uint64_t address() const { return reinterpret_cast<uint64_t>(memory_); }
  int faults() const { return faults_.get(); }

 private:
  SharedView(void* memory, uint64_t bytes, UniqueFd faults)
      : memory_(memory), bytes_(bytes), faults_(std::move(faults)) {}
  void* memory_;
  uint64_t bytes_;
  UniqueFd faults_;
};

}  // namespace hearth::agent
