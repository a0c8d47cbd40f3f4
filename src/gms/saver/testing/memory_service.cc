#include "gms/saver/testing/memory_service.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "base/check.h"
#include "base/random.h"
#include "gms/protocol/socket_path.h"

namespace hearth::gms::saver {
namespace {

constexpr uint64_t kBudget = 16ULL << 30;

std::string SampleBytes(uint64_t seed, size_t index, uint64_t size) {
  std::string bytes(size, '\0');
  Random random(seed * 100 + index);
  for (size_t i = 0; index != 1 && i + 8 <= size; i += 8) {
    const uint64_t word = random.Next();
    std::memcpy(bytes.data() + i, &word, 8);
  }
  return bytes;
}

std::vector<std::unique_ptr<Device>> HostDevices(int count, HostPages pages, uint64_t granularity) {
  std::vector<std::unique_ptr<Device>> devices;
  for (int i = 0; i < count; ++i) {
    auto device = OpenHostDevice({.ordinal = i,
                                  .uuid = fmt::format("GPU-test-{}", i),
                                  .budget_bytes = kBudget,
                                  .granularity = granularity,
                                  .pages = pages});
    CHECK(device.ok()) << device.status().ToString();
    devices.push_back(std::move(*device));
  }
  return devices;
}

// Through a mapping: huge pages cannot be written otherwise.
void Fill(int fd, const std::string& bytes) {
  void* memory = ::mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(memory != MAP_FAILED);
  std::memcpy(memory, bytes.data(), bytes.size());
  ::munmap(memory, bytes.size());
}

}  // namespace

Weights Weights::Sample(uint64_t seed, const std::vector<uint64_t>& granules) {
  Weights weights;
  for (size_t i = 0; i < granules.size(); ++i) {
    const std::string id = fmt::format("allocation-{}", i);
    weights.pieces.push_back({id, SampleBytes(seed, i, granules[i] * MemoryService::kGranularity)});
    weights.metadata.push_back({.key = fmt::format("layer.{}.weight", i),
                                .allocation_id = id,
                                .offset_bytes = static_cast<int64_t>(8 * i),
                                .value = fmt::format("seed {}", seed)});
  }
  return weights;
}

bool operator==(const Weights& a, const Weights& b) {
  const auto same_piece = [](const Weights::Piece& x, const Weights::Piece& y) {
    return x.id == y.id && x.bytes == y.bytes;
  };
  const auto same_entry = [](const MetadataItem& x, const MetadataItem& y) {
    return x.key == y.key && x.allocation_id == y.allocation_id &&
           x.offset_bytes == y.offset_bytes && x.value == y.value;
  };
  return std::equal(a.pieces.begin(), a.pieces.end(), b.pieces.begin(), b.pieces.end(),
                    same_piece) &&
         std::equal(a.metadata.begin(), a.metadata.end(), b.metadata.begin(), b.metadata.end(),
                    same_entry);
}

MemoryService::MemoryService(int devices, HostPages pages, uint64_t granularity)
    : MemoryService(HostDevices(devices, pages, granularity), {.driver = "none"}) {}

MemoryService::MemoryService(std::vector<std::unique_ptr<Device>> devices, CudaLibraries cuda)
    : cuda_(std::move(cuda)) {
  std::vector<server::DeviceSetup> setups;
  setups.reserve(devices.size());
  for (auto& device : devices) {
    setups.push_back({.device = std::move(device), .quick = true});
  }
  auto made =
      server::Server::Create({.directory = directory_.path()}, std::move(setups), Logger::Null());
  CHECK(made.ok()) << made.status().ToString();
  server_ = std::move(*made);
  const Status listening = server_->Listen();
  CHECK(listening.ok()) << listening.ToString();
  thread_ = std::jthread([this] { static_cast<void>(server_->Run()); });
}

MemoryService::~MemoryService() {
  server_->Stop();
  thread_.join();
}

std::string MemoryService::Socket(int device) const {
  return OrdinalSocketPath(directory_.path(), device, kWeightsTag);
}

std::vector<storage::DeviceAccess> MemoryService::Devices() const {
  auto devices = storage::SelectDevices(
      {.socket_directory = directory_.path(), .cuda = cuda_},
      [](const std::string&) { return std::nullopt; }, RealClock(), WaitLimit::Forever());
  CHECK(devices.ok()) << devices.status().ToString();
  return std::move(*devices);
}

Result<std::unique_ptr<Session>> MemoryService::Connect(int device, LeaseRequest lease) const {
  return Session::Connect({.socket = Socket(device),
                           .lease = lease,
                           .client = "test",
                           .admission_timeout = Duration::zero()});
}

Status MemoryService::Commit(int device, const Weights& weights) {
  ASSIGN_OR_RETURN(const auto session, Connect(device, LeaseRequest::kRw));
  std::vector<AllocationItem> items;
  for (const Weights::Piece& piece : weights.pieces) {
    items.push_back({.allocation_id = piece.id,
                     .size = static_cast<int64_t>(piece.bytes.size()),
                     .tag = "weights"});
  }
  ASSIGN_OR_RETURN(const AllocatedBatch batch, session->AllocateBatch(items, true));
  for (size_t i = 0; i < weights.pieces.size(); ++i) {
    Fill(batch.fds[i].get(), weights.pieces[i].bytes);
  }
  RETURN_IF_ERROR(session->PutMetadataBatch(weights.metadata));
  return ToStatus(session->Commit(false));
}

Result<Weights> MemoryService::Read(int device) const {
  ASSIGN_OR_RETURN(const auto session, Connect(device, LeaseRequest::kRo));
  ASSIGN_OR_RETURN(OpenedLayout layout, session->OpenLayout());
  Weights weights;
  for (size_t i = 0; i < layout.allocations.size(); ++i) {
    std::string bytes(static_cast<size_t>(layout.allocations[i].aligned_size), '\1');
    CHECK(::pread(layout.fds[i].get(), bytes.data(), bytes.size(), 0) ==
          static_cast<ssize_t>(bytes.size()));
    weights.pieces.push_back({layout.allocations[i].allocation_id, std::move(bytes)});
  }
  weights.metadata = std::move(layout.metadata);
  return weights;
}

int64_t MemoryService::OpenAllocations(int device) const {
  const auto session = Connect(device, LeaseRequest::kRw);
  CHECK(session.ok()) << session.status().ToString();
  return (*session)->AllocationCount().value();
}

}  // namespace hearth::gms::saver
