#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"
#include "gms/core/lease.h"
#include "gms/protocol/messages.h"

namespace hearth::gms {

// Which server a client found or insists on. Empty: any.
struct ServerIdentity {
  std::string nonce;     // another one after every start of the server
  std::string gpu_uuid;  // of the physical device

  friend bool operator==(const ServerIdentity&, const ServerIdentity&) = default;
};

struct ConnectOptions {
  std::string socket;  // gms/protocol/socket_path.h makes one of folder, device and tag
  LeaseRequest lease = LeaseRequest::kRo;
  std::string client = "gms-client";  // who we are, for people who look at the server
  ServerIdentity expected;
  // Three waits, kept apart. For the socket to appear and answer:
  Duration connect_timeout = std::chrono::seconds(30);
  // For the lease, while others hold it: as long as it takes unless said otherwise. Zero tries
  // once.
  std::optional<Duration> admission_timeout;
  // For any other answer. Allocations are exempt: the server waits for memory and bounds that
  // itself.
  std::optional<Duration> rpc_timeout = std::chrono::seconds(30);
  // Speak only what servers without the extension know.
  bool plain = false;
};

// An allocation with a descriptor of its memory, which the caller maps or drops.
struct ExportedAllocation {
  AllocationItem allocation;
  UniqueFd fd;
};

// Allocations, with descriptors in their order when those were asked for.
struct AllocatedBatch {
  std::vector<AllocationItem> allocations;
  std::vector<UniqueFd> fds;
};
// Takes a part of a batch or layout as it comes, at most 253 descriptors at a time, so that a large
// layout needs no more open files than that. A failure ends the call; the session goes on.
using TakeBatch = std::function<Status(AllocatedBatch part)>;

struct OpenLayoutOptions {
  std::string expected_hash;         // empty: any
  uint64_t expected_generation = 0;  // 0: any; not checked by a server without the extension
  bool with_fds = true;
  bool with_metadata = true;
};

struct OpenedLayout {
  uint64_t generation = 0;  // 0: the server has no extension
  std::string hash;
  std::vector<AllocationItem> allocations;  // by slot
  std::vector<UniqueFd> fds;                // one per allocation, or none
  std::vector<MetadataItem> metadata;       // by key
};

using TakeLayout = std::function<Status(OpenedLayout part)>;

struct CommittedLayout {
  std::string hash;         // empty: the server has no extension
  uint64_t generation = 0;  // likewise 0
  bool still_connected = false;
};

// A lease on one memory pool and the connection that is the lease: it ends when the connection
// does, whoever ends it. Calls block; one thread at a time. With a server that knows our extension,
// batches travel in one message, otherwise the same calls go one by one, with the same results.
//
// Errors of every call: kUnavailable, naming socket and request, when the connection failed, timed
// out or the answer made no sense: the session is over then (connected() is false) and so is the
// lease. Otherwise the server refused and the session goes on; the code is that of the server's
// error (gms/protocol/errors.h): kPermissionDenied, kInvalid, kNotFound, kAlreadyExists, kExhausted
// (no memory in time), kUnavailable with reason DeviceFailed, kConflict with reason StaleLayout
// when a layout is not the expected one. The message is "GMS request <Name> error: <its words>".
class Session {
 public:
  static constexpr std::string_view kStaleLayout = "StaleLayout";
  static constexpr std::string_view kOtherServer = "OtherServer";

  // Waits for the socket, then for the lease. `limit` bounds both together; its stop also ends
  // every later wait of the session, with kCancelled.
  // kDeadlineExceeded "Timeout waiting for lock": somebody else kept it. kUnavailable: no server
  // within the connect timeout. kConflict with reason OtherServer: another server than expected.
  static Result<std::unique_ptr<Session>> Connect(const ConnectOptions& options,
                                                  const WaitLimit& limit = WaitLimit::Forever());
  // Gives the lease back without waiting.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& socket() const;
  bool connected() const;
  Grant grant() const;
  bool committed() const;  // as the handshake said
  // What only servers with the extension tell; otherwise false, empty, 0.
  bool extended() const;
  const ServerIdentity& identity() const;
  const std::string& device_kind() const;
  uint64_t granularity() const;
  uint64_t generation() const;  // what we see; changes with our commit

  // ---- What every lease may do.
  Result<GetLockStateResponse> LockState();
  Result<int64_t> AllocationCount();
  Result<AllocationItem> Get(const std::string& allocation_id);
  Result<std::vector<AllocationItem>> List(std::optional<std::string> tag = std::nullopt);
  Result<ExportedAllocation> Export(const std::string& allocation_id);
  Result<std::optional<MetadataItem>> GetMetadata(const std::string& key);
  Result<std::vector<std::string>> ListMetadata(const std::string& prefix = "");
  Result<std::string> LayoutHash();  // "" unless committed or sealed
  // All allocations and metadata. kConflict, reason StaleLayout, when it is not the expected one.
  Result<OpenedLayout> OpenLayout(const OpenLayoutOptions& options = {});
  Status OpenLayoutInParts(const OpenLayoutOptions& options, const TakeLayout& take);

  // ---- What a writer may do.
  // `allocation_id`: our own name for it; kUnsupported without the extension. Empty: the server's.
  Result<AllocationItem> Allocate(uint64_t size, const std::string& tag = "default",
                                  const std::string& allocation_id = "");
  // Size, tag and id of each item count. All or nothing, unless `take` fails: what it was given and
  // what it was not is then allocated all the same.
  Result<AllocatedBatch> AllocateBatch(std::span<const AllocationItem> items, bool with_fds);
  Status AllocateInParts(std::span<const AllocationItem> items, bool with_fds,
                         const TakeBatch& take);
  Result<bool> Free(const std::string& allocation_id);  // false: no such allocation
  Result<int64_t> FreeBatch(std::span<const std::string> allocation_ids);  // how many there were
  Status PutMetadata(const MetadataItem& item);
  // All or nothing, in messages of some megabytes; those before the failing message stay. Without
  // the extension each item is a message.
  Status PutMetadataBatch(std::span<const MetadataItem> items);
  Result<bool> DeleteMetadata(const std::string& key);

  // Publishes. With `stay` and the extension, the same connection goes on as a reader of what was
  // published, so that nobody can come between; otherwise the server ends it.
  Result<CommittedLayout> Commit(bool stay);
  // Seals the shape; the grant narrows to kRwData. The hash.
  Result<std::string> CommitLayout();
  // Ends the session. A writer's memory is free again when this returns ok; without the extension,
  // soon after.
  Status Abort();
  // Ends the session without waiting. Never fails; does nothing the second time.
  void Close();

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace hearth::gms
