#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/unique_fd.h"
#include "gms/storage/artifact_reader.h"
#include "gms/storage/artifact_writer.h"
#include "gms/storage/publication.h"
#include "gms/storage/transfer.h"

namespace hearth::gms::storage {

// Weights that are told apart by a seed: a few allocations in memfds with bytes that depend on
// seed, allocation and place, metadata, and a stretch of zeros.
class SampleWeights {
 public:
  static constexpr uint64_t kGranularity = 64 << 10;

  // Sizes in granules. The second allocation is all zeros when there is one.
  explicit SampleWeights(uint64_t seed, const std::vector<uint64_t>& granules = {5, 2, 33});
  ~SampleWeights();
  SampleWeights(const SampleWeights&) = delete;
  SampleWeights& operator=(const SampleWeights&) = delete;

  SavedLayout Layout() const;
  size_t count() const { return bytes_.size(); }
  std::string_view Bytes(size_t allocation) const { return bytes_[allocation]; }
  Memory& memory(size_t allocation) { return *memories_[allocation]; }
  // A descriptor of its own memory.
  UniqueFd Descriptor(size_t allocation) const;

 private:
  uint64_t seed_;
  std::vector<std::string> bytes_;
  std::vector<UniqueFd> fds_;
  std::vector<void*> mappings_;
  std::vector<std::unique_ptr<Memory>> memories_;
};

// Fresh memory of a sample's sizes, to load into.
class EmptyMemory {
 public:
  explicit EmptyMemory(const Manifest& manifest);
  Memory& memory(size_t allocation) { return *memories_[allocation]; }
  std::string Bytes(size_t allocation) const;

 private:
  std::vector<int> fds_;
  std::vector<uint64_t> sizes_;
  std::vector<std::unique_ptr<Memory>> memories_;
};

struct SampleOptions {
  std::vector<std::string> roots;
  bool whole = true;
  uint64_t shard_bytes = 16 * SampleWeights::kGranularity;
  uint64_t chunk_bytes = SampleWeights::kGranularity;
};

EngineOptions SmallEngine();

// A whole save, as a saver does it.
Status SaveSample(FileSystem& files, const std::string& directory,
                  const std::map<int64_t, SampleWeights*>& devices,
                  const SampleOptions& options = {});
// Everything into fresh memory; what was loaded, by allocation.
Result<std::vector<std::string>> LoadSample(const ArtifactReader& reader, TransferEngine& engine);
// Opens a device's artifact, loads it, and says whether it is this sample: bytes, sizes and
// metadata.
Status CheckSample(const std::string& directory, int64_t device, const SampleWeights& sample,
                   const ReadOptions& options = {});

}  // namespace hearth::gms::storage
