#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "snapshot/images/image_folder.h"

namespace hearth::agent {

// Memory that several processes may have mapped, as one of them has it.
struct SharedMemory {
  uint64_t id = 0;       // pagemap-shmem-ID.img
  uint64_t bytes = 0;    // all of it, whole pages
  uint32_t process = 0;  // in its own pid namespace
  uint64_t mapped_at = 0;
};

// Pages that lie one behind the other, in a file of an artifact and in memory.
struct PagePiece {
  uint64_t offset = 0;  // in the file
  uint64_t bytes = 0;
  uint64_t address = 0;  // in shared memory: from its beginning
  size_t target = 0;     // PagePlan::processes, then PagePlan::shared
};
struct PageFile {
  std::string name;               // pages-N.img
  std::vector<PagePiece> pieces;  // by offset

  // Whether all of these bytes are in pieces.
  bool Covers(uint64_t begin, uint64_t end) const;
};

// Which pages of an artifact go where if it is us who put them there and not CRIU.
struct PagePlan {
  std::vector<uint32_t> processes;  // in their own pid namespace
  std::vector<SharedMemory> shared;
  std::vector<PageFile> files;
  // Not empty: CRIU has to do it, and this is why.
  std::string left_to_criu;

  // Null when nothing goes there. `target` as in PagePiece.
  const PagePiece* Find(size_t target, uint64_t address, size_t& file) const;
};

// Pages that processes have in common since one forked the other are CRIU's: it knows how to share
// them again. So is shared memory that nobody may write to any more, or that nobody has mapped.
Result<PagePlan> PlanPages(const snapshot::images::ImageFolder& images);

}  // namespace hearth::agent
