#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agent/receive/direct_writer.h"
#include "agent/receive/page_store.h"
#include "base/result.h"
#include "snapshot/artifact/folder_digester.h"

namespace hearth::agent::receive {

// An image of pages that grows at its end. Takes the digests of its bytes while they are at hand,
// and leaves holes where there would be nothing but zeros. Not thread-safe.
class PagesFile : public PageSink {
 public:
  // Made in `directory`, where nothing of the name may be. After its destruction the
  // writer must have nothing left to write to it.
  // `expected` bytes are going to come; more or less is no harm.
  static Result<std::unique_ptr<PagesFile>> Create(int directory, const std::string& name,
                                                   DirectWriter& writer, uint64_t expected = 0);

  std::span<std::byte> Next(uint64_t wish) override;
  Status Filled(uint64_t bytes) override;
  Status End() override;
  Result<snapshot::DigestedFile> Complete() override;

 private:
  PagesFile(UniqueFd direct, UniqueFd cached, const std::string& name, DirectWriter& writer,
            uint64_t expected);
  Status EndChunk();
  Status MakeRoom(uint64_t offset, bool dense);

  Target target_;
  DirectWriter& writer_;
  snapshot::StoredFile file_;
  std::byte* buffer_ = nullptr;  // of the chunk that is being filled
  uint64_t filled_ = 0;          // of it
  uint64_t room_end_ = 0;        // room was made up to here
  uint64_t next_room_;
  std::vector<std::pair<uint64_t, uint64_t>> spare_room_;  // made, and not needed: offset, bytes
};

// The runs of a chunk that are worth writing: all but the zeros, of which shorter stretches are
// written, too, as a hole would cost more than it saves. Empty: there is nothing but zeros.
std::vector<Run> RunsToWrite(std::span<const std::byte> chunk);

}  // namespace hearth::agent::receive
