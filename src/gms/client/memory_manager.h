#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/wait_limit.h"
#include "gms/client/session.h"
#include "gms/device/device.h"

namespace hearth::gms {

// One piece of memory at an address that stays.
struct Mapping {
  uintptr_t address = 0;
  std::string allocation_id;  // empty: scratch that has no memory of the server yet
  uint64_t size = 0;          // as asked for
  uint64_t aligned_size = 0;  // what is mapped
  uint64_t reserved = 0;      // of the address space
  std::string tag;
  uint64_t slot = 0;
  bool mapped = false;
  bool scratch = false;
  Access access = Access::kRead;
};

struct MemoryManagerOptions {
  // Lease is given with each connect.
  ConnectOptions connect;
  // Asked before every connect, so that a process restored on another device finds its server;
  // replaces connect.socket. Empty: that one stays.
  std::function<Result<std::string>()> find_socket;
  // The UUID of our own device, asked anew at every connect and compared with the server's. Empty:
  // the address space's.
  std::function<Result<std::string>()> device_uuid;
  // Address space is reserved in pieces of at least this size, and mappings lie one after another.
  uint64_t arena_bytes = 64ULL << 30;
  // The shared physical block behind scratch mappings: a power of two, a multiple of the
  // granularity.
  uint64_t scratch_block = 512ULL << 20;
};

// What a reader accepts when it wakes.
enum class WakeRule : uint8_t {
  // The same shape: sizes, tags, metadata. What a server restored from an artifact presents.
  kSameShape,
  // The very generation that was mapped before, of the very server: the bytes are those we knew.
  kSameGeneration,
};

struct WakeOptions {
  // kRo; for memory we write ourselves kRw (fresh memory) or kRwDataOrRw (adopts sealed memory when
  // it waits, otherwise fresh).
  LeaseRequest lease = LeaseRequest::kRo;
  WakeRule rule = WakeRule::kSameShape;
  // Fresh memory gets the names it had; without, or without the extension, the server makes new
  // ones.
  bool keep_ids = true;
  // When the sealed memory that kRwDataOrRw adopted has another shape: fresh memory instead of a
  // failure.
  bool replace_misfit = false;
};

struct WakeReport {
  Grant grant = Grant::kRo;
  size_t mapped = 0;
  uint64_t generation = 0;
  bool same_generation = false;  // of the same server, too
};

struct AttachedLayout {
  uint64_t generation = 0;
  std::string hash;
  std::vector<Mapping> mappings;  // by slot
  std::vector<MetadataItem> metadata;
};

struct MappingRequest {
  uint64_t size = 0;
  std::string tag = "default";
  std::string allocation_id;  // empty: the server's choice
};

// An engine's side of one memory pool: server memory at addresses that survive sleep and wake,
// loss of the server and publication. Thread-safe; calls are one after another.
//
// A failure of transport or device is latched: every later call but Reset, Close and the accessors
// returns a status of its own with the same words, because a half-mapped engine must not go on.
// Refusals (kInvalid, kNotFound, kPermissionDenied, kConflict, kExhausted, a lease that did not
// come in time) change nothing and are not latched.
class MemoryManager {
 public:
  static constexpr std::string_view kPreservedMappings = "PreservedMappings";
  static constexpr std::string_view kWrongDevice = "WrongDevice";

  // `space` must outlive the manager. Does not connect.
  MemoryManager(AddressSpace& space, MemoryManagerOptions options);
  ~MemoryManager();  // Close()
  MemoryManager(const MemoryManager&) = delete;
  MemoryManager& operator=(const MemoryManager&) = delete;

  // ---- The lease.
  // With mappings that wait for their memory, a lease that may replace it (kRw, kRwOrRo, kRwShadow)
  // is refused as kInvalid, reason PreservedMappings, unless `replace` says that this is meant.
  // kConflict, reason WrongDevice, "GMS sidecar is on another physical GPU".
  Status Connect(LeaseRequest lease, const WaitLimit& limit = WaitLimit::Forever(),
                 bool replace = false);
  // The same with a lease that the caller took himself, from the socket of the options.
  Status Adopt(std::unique_ptr<Session> session, bool replace = false);
  // Gives the lease back; mappings stay. A writer's memory is free again when this returns ok.
  Status Disconnect();
  bool connected() const;
  std::optional<Grant> grant() const;
  // Runs `use` with the session, for metadata and state. kInvalid when not connected.
  Status WithSession(const std::function<Status(Session&)>& use);

  // ---- Mappings.
  // Server memory of `size` (rounded up to the granularity), mapped for writing.
  Result<uintptr_t> CreateMapping(uint64_t size, const std::string& tag,
                                  const std::string& allocation_id = "");
  // All or nothing, in few messages, at neighbouring addresses.
  Result<std::vector<Mapping>> CreateMappings(std::span<const MappingRequest> requests);
  // Maps what is there. Known already: the same address. kInvalid when its memory is unmapped.
  Result<uintptr_t> OpenMapping(const std::string& allocation_id);
  // Maps the whole layout, at neighbouring addresses; what is mapped already stays where it is.
  Result<AttachedLayout> OpenLayout(const OpenLayoutOptions& options = {});
  // Frees it on the server, too, when we may. Nothing happens for an unknown address.
  Status DestroyMapping(uintptr_t address);
  // Destroys every mapping that is not named. How many bytes that were.
  Result<uint64_t> Prune(std::span<const std::string> keep_ids);
  // The mapping that holds this address, found in logarithmic time.
  std::optional<Mapping> Find(uintptr_t address) const;
  std::optional<Mapping> FindById(const std::string& allocation_id) const;
  std::vector<Mapping> mappings() const;  // by address
  bool has_unmapped() const;              // addresses that wait for memory; scratch excepted
  uint64_t total_bytes() const;           // of aligned sizes, scratch excepted
  uint64_t granularity() const;

  // ---- Publication.
  // Makes every mapping read-only in place, commits, and goes on as a reader over the same
  // connection. A server without the extension: unmaps, commits, and the lease is gone (Wake maps
  // again). kInvalid without a mapping to publish.
  Result<CommittedLayout> Commit();
  // Seals the shape; mappings stay writable.
  Result<std::string> CommitLayout();

  // ---- Sleep and wake.
  // Waits for the device, unmaps everything and gives the lease back. Addresses stay reserved.
  Status Sleep();
  Status UnmapAll();
  // Connects and maps everything where it was. Nothing is mapped unless everything can be: on
  // failure the manager sleeps as before, without a lease. kConflict, reason StaleLayout, when the
  // layout is not the one we knew.
  Result<WakeReport> Wake(const WakeOptions& options = {},
                          const WaitLimit& limit = WaitLimit::Forever());
  // The parts of Wake, for callers that connect themselves. Fresh server memory for every unmapped
  // mapping, in slot order; a writer's. Does not map.
  Status ReallocateAll(bool keep_ids = true, std::optional<std::string> tag = std::nullopt);
  // Mappings are found by identity (a part of a layout is enough) or, in a layout of the same hash
  // with other names, by rank.
  Result<WakeReport> RemapAll(WakeRule rule = WakeRule::kSameShape);

  // ---- Scratch: addresses of full size that share one physical block, without a server.
  Result<uintptr_t> CreateScratch(uint64_t size, const std::string& tag);
  // After UnmapAll: scratch mappings become ordinary ones that wait for memory.
  Status PrepareScratchForReallocation();
  struct ScratchSummary {
    size_t count = 0;
    uint64_t virtual_bytes = 0;
    uint64_t physical_bytes = 0;
  };
  ScratchSummary scratch_summary() const;

  // ---- Ends.
  // Unmaps, forgets all addresses and the lease. The first failure, after trying everything.
  Status Close();
  // Drops the connection and forgets, without touching the device: for a broken one. The address
  // space is lost to the process.
  void Forget();
  // After a latched failure: unmaps, drops the connection, keeps addresses, ready to Wake.
  Status Reset();
  // What is latched; ok otherwise.
  Status failure() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::gms
