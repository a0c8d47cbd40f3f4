#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "gms/storage/artifact_reader.h"
#include "gms/storage/transfer.h"

namespace hearth::gms::storage {

// One chunk that is not what was saved.
struct Damage {
  std::string file;
  uint64_t chunk = 0;
  uint64_t offset = 0;  // in the file
  uint64_t bytes = 0;
  std::string allocation_id;
  std::string message;
};

struct VerifyReport {
  uint64_t bytes = 0;  // read and compared; 0 for an artifact without digests
  uint64_t chunks = 0;
  std::vector<Damage> damages;  // by chunk
};

// Reads every chunk and compares it. (What needs no reading of shards was verified when the
// artifact was opened.) An error only when reading fails; what is wrong is in the report. An
// artifact before version 2 has nothing to compare with: its shards are read, and that is all.
Result<VerifyReport> VerifyChunks(const ArtifactReader& reader, TransferEngine& engine,
                                  Clock& clock, const WaitLimit& limit,
                                  std::atomic<uint64_t>* progress = nullptr);

}  // namespace hearth::gms::storage
