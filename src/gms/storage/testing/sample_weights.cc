#include "gms/storage/testing/sample_weights.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "base/check.h"
#include "base/random.h"
#include "gms/core/layout.h"
#include "gms/storage/checkpoint.h"

namespace hearth::gms::storage {
namespace {

std::string MakeBytes(uint64_t seed, size_t index, uint64_t size) {
  std::string bytes(size, '\0');
  if (index == 1) {
    return bytes;
  }
  Random random(seed * 1000 + index + 1);
  for (size_t i = 0; i + 8 <= size; i += 8) {
    const uint64_t word = random.Next();
    std::memcpy(bytes.data() + i, &word, 8);
  }
  return bytes;
}

UniqueFd MakeMemory(uint64_t size) {
  UniqueFd fd(::memfd_create("sample", MFD_CLOEXEC));
  CHECK(fd.valid() && ::ftruncate(fd.get(), static_cast<off_t>(size)) == 0);
  return fd;
}

}  // namespace

SampleWeights::SampleWeights(uint64_t seed, const std::vector<uint64_t>& granules) : seed_(seed) {
  for (size_t i = 0; i < granules.size(); ++i) {
    bytes_.push_back(MakeBytes(seed, i, granules[i] * kGranularity));
    const std::string& bytes = bytes_.back();
    fds_.push_back(MakeMemory(bytes.size()));
    CHECK(::pwrite(fds_.back().get(), bytes.data(), bytes.size(), 0) ==
          static_cast<ssize_t>(bytes.size()));
    void* mapping = ::mmap(nullptr, bytes.size(), PROT_READ, MAP_SHARED, fds_.back().get(), 0);
    CHECK(mapping != MAP_FAILED);
    mappings_.push_back(mapping);
    memories_.push_back(MappedMemory(mapping, true));
  }
}

SampleWeights::~SampleWeights() {
  for (size_t i = 0; i < mappings_.size(); ++i) {
    ::munmap(mappings_[i], bytes_[i].size());
  }
}

UniqueFd SampleWeights::Descriptor(size_t allocation) const {
  return UniqueFd(::dup(fds_[allocation].get()));
}

SavedLayout SampleWeights::Layout() const {
  SavedLayout saved;
  saved.compatibility = {
      .model = "sample", .rank = 0, .device_kind = "host", .granularity = kGranularity};
  Manifest manifest;
  for (size_t i = 0; i < bytes_.size(); ++i) {
    const std::string id = fmt::format("allocation-{}", i);
    const uint64_t size = bytes_[i].size();
    saved.allocations.push_back(
        {.id = id, .size = size - 1, .aligned_size = size, .tag = "weights"});
    saved.metadata.push_back({.key = fmt::format("layer.{}", i),
                              .allocation_id = id,
                              .offset_bytes = 64 * i,
                              .value = fmt::format("value {}\xff", seed_)});
  }
  manifest.allocations = saved.allocations;
  saved.layout_hash = LayoutHashOf(manifest, saved.metadata);
  return saved;
}

EmptyMemory::EmptyMemory(const Manifest& manifest) {
  for (const StoredAllocation& allocation : manifest.allocations) {
    UniqueFd fd = MakeMemory(allocation.aligned_size);
    fds_.push_back(fd.get());
    sizes_.push_back(allocation.aligned_size);
    memories_.push_back(DescriptorMemory(std::move(fd)));
  }
}

std::string EmptyMemory::Bytes(size_t allocation) const {
  std::string bytes(sizes_[allocation], '\1');
  CHECK(
      memories_[allocation]->Get(0, reinterpret_cast<std::byte*>(bytes.data()), bytes.size()).ok());
  return bytes;
}

EngineOptions SmallEngine() {
  return {.workers = 2, .depth = 8, .staging_bytes = 8 << 20, .slot_bytes = 256 << 10};
}

Status SaveSample(FileSystem& files, const std::string& directory,
                  const std::map<int64_t, SampleWeights*>& devices, const SampleOptions& options) {
  TransferEngine engine(SmallEngine());
  PublicationOptions publish{
      .directory = directory, .roots = options.roots, .whole = options.whole};
  for (const auto& [device, weights] : devices) {
    publish.devices.push_back(device);
  }
  ASSIGN_OR_RETURN(const auto publication, Publication::Begin(files, publish));
  std::map<int64_t, Manifest> manifests;
  for (const auto& [device, weights] : devices) {
    ASSIGN_OR_RETURN(const auto writer,
                     ArtifactWriter::Create(
                         files, publication->staged(device), weights->Layout(),
                         {.shard_bytes = options.shard_bytes, .chunk_bytes = options.chunk_bytes}));
    const auto transfer =
        engine.Begin({.direction = Direction::kSave, .lanes = 2, .records = writer->records()});
    for (size_t i = 0; i < weights->count(); ++i) {
      transfer->Add(i, writer->PiecesOf(i, weights->memory(i)));
    }
    RETURN_IF_ERROR(transfer->Finish(RealClock(), WaitLimit::Forever()));
    ASSIGN_OR_RETURN(manifests[device], writer->Seal(RealClock().WallNow()));
  }
  return publication->Commit(manifests, RealClock().WallNow());
}

Result<std::vector<std::string>> LoadSample(const ArtifactReader& reader, TransferEngine& engine) {
  EmptyMemory memory(reader.manifest());
  const auto transfer = engine.Begin({.lanes = 2, .records = reader.records()});
  for (size_t i = 0; i < reader.manifest().allocations.size(); ++i) {
    transfer->Add(i, reader.PiecesOf(i, memory.memory(i)));
  }
  RETURN_IF_ERROR(transfer->Finish(RealClock(), WaitLimit::Forever()));
  std::vector<std::string> bytes;
  for (size_t i = 0; i < reader.manifest().allocations.size(); ++i) {
    bytes.push_back(memory.Bytes(i));
  }
  return bytes;
}

Status CheckSample(const std::string& directory, int64_t device, const SampleWeights& sample,
                   const ReadOptions& options) {
  ASSIGN_OR_RETURN(const auto reader, OpenDevice(directory, device, options));
  TransferEngine engine(SmallEngine());
  ASSIGN_OR_RETURN(const std::vector<std::string> loaded, LoadSample(*reader, engine));
  const SavedLayout layout = sample.Layout();
  if (reader->artifact().metadata != layout.metadata || loaded.size() != sample.count()) {
    return ConflictError("another layout");
  }
  for (size_t i = 0; i < loaded.size(); ++i) {
    if (loaded[i] != sample.Bytes(i) ||
        reader->manifest().allocations[i].size != layout.allocations[i].size) {
      return ConflictError(fmt::format("allocation {} is another", i));
    }
  }
  return {};
}

}  // namespace hearth::gms::storage
