#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// The messages between a client and the memory service, as values. On the wire each is a
// MessagePack map of `type` and the fields named here, behind a length of four bytes
// (docs/formats/gms-wire.md). The first part is the protocol that existing clients speak; what
// follows "extension" is ours and used only after both sides said so in the handshake.
//
// Visit names each field once, for encoder and decoder alike (codec.h). All are written; a message
// without a field that is `required` is refused, others take their default then. Fields of the
// extension are added with `extra`: they are written only when they differ from their default, so
// that a client that never asked for the extension sees the bytes it knows.
namespace hearth::gms {

// The version of our extension. 0: a client or server without it.
inline constexpr int64_t kExtensionVersion = 1;

using Bytes = std::string;  // MessagePack bin, marked with v.bytes

struct HandshakeRequest {
  static constexpr const char* kType = "handshake_request";
  std::string lock_type;
  std::optional<int64_t> timeout_ms;
  int64_t extension = 0;
  std::string client;  // who it is, for people: "gms-saver"
  std::string expected_nonce,
      expected_gpu_uuid;  // refused when the server is another one; empty: any
  template <typename V>
  void Visit(V& v) {
    v.required("lock_type", lock_type);
    v("timeout_ms", timeout_ms);
    v.extra("extension", extension);
    v.extra("client", client);
    v.extra("expected_nonce", expected_nonce);
    v.extra("expected_gpu_uuid", expected_gpu_uuid);
  }
};

struct HandshakeResponse {
  static constexpr const char* kType = "handshake_response";
  bool success = false;
  bool committed = false;
  std::optional<std::string> granted_lock_type;
  int64_t extension = 0;
  std::string nonce, gpu_uuid, device_kind;
  uint64_t generation = 0;
  uint64_t granularity = 0;
  template <typename V>
  void Visit(V& v) {
    v.required("success", success);
    v.required("committed", committed);
    v("granted_lock_type", granted_lock_type);
    v.extra("extension", extension);
    v.extra("nonce", nonce);
    v.extra("gpu_uuid", gpu_uuid);
    v.extra("device_kind", device_kind);
    v.extra("generation", generation);
    v.extra("granularity", granularity);
  }
};

struct CommitRequest {
  static constexpr const char* kType = "commit_request";
  bool in_place = false;  // extension: stay connected, as a reader
  template <typename V>
  void Visit(V& v) {
    v.extra("in_place", in_place);
  }
};

struct CommitResponse {
  static constexpr const char* kType = "commit_response";
  bool success = false;
  std::string memory_layout_hash;  // extension
  uint64_t generation = 0;         // extension
  template <typename V>
  void Visit(V& v) {
    v.required("success", success);
    v.extra("memory_layout_hash", memory_layout_hash);
    v.extra("generation", generation);
  }
};

struct CommitLayoutRequest {
  static constexpr const char* kType = "commit_layout_request";
  template <typename V>
  void Visit(V&) {}
};

struct CommitLayoutResponse {
  static constexpr const char* kType = "commit_layout_response";
  bool success = false;
  std::string memory_layout_hash;
  std::optional<std::string> granted_lock_type;
  template <typename V>
  void Visit(V& v) {
    v.required("success", success);
    v("memory_layout_hash", memory_layout_hash);
    v("granted_lock_type", granted_lock_type);
  }
};

struct GetLockStateRequest {
  static constexpr const char* kType = "get_lock_state_request";
  template <typename V>
  void Visit(V&) {}
};

struct GetLockStateResponse {
  static constexpr const char* kType = "get_lock_state_response";
  std::string state;
  bool has_rw_session = false;
  int64_t ro_session_count = 0;
  int64_t waiting_writers = 0;
  bool committed = false;
  bool is_ready = false;
  bool layout_committed = false;
  template <typename V>
  void Visit(V& v) {
    v.required("state", state);
    v.required("has_rw_session", has_rw_session);
    v.required("ro_session_count", ro_session_count);
    v.required("waiting_writers", waiting_writers);
    v.required("committed", committed);
    v.required("is_ready", is_ready);
    v("layout_committed", layout_committed);
  }
};

struct GetAllocationStateRequest {
  static constexpr const char* kType = "get_allocation_state_request";
  template <typename V>
  void Visit(V&) {}
};

struct GetAllocationStateResponse {
  static constexpr const char* kType = "get_allocation_state_response";
  int64_t allocation_count = 0;
  template <typename V>
  void Visit(V& v) {
    v.required("allocation_count", allocation_count);
  }
};

struct AllocateRequest {
  static constexpr const char* kType = "allocate_request";
  int64_t size = 0;
  std::string tag = "default";
  std::string allocation_id;  // extension: the client's own name for it
  template <typename V>
  void Visit(V& v) {
    v.required("size", size);
    v("tag", tag);
    v.extra("allocation_id", allocation_id);
  }
};

struct AllocateResponse {
  static constexpr const char* kType = "allocate_response";
  std::string allocation_id;
  int64_t size = 0;
  int64_t aligned_size = 0;
  int64_t layout_slot = 0;
  template <typename V>
  void Visit(V& v) {
    v.required("allocation_id", allocation_id);
    v.required("size", size);
    v.required("aligned_size", aligned_size);
    v.required("layout_slot", layout_slot);
  }
};

// One descriptor comes with the response.
struct ExportAllocationRequest {
  static constexpr const char* kType = "export_allocation_request";
  std::string allocation_id;
  template <typename V>
  void Visit(V& v) {
    v.required("allocation_id", allocation_id);
  }
};

struct ExportAllocationResponse {
  static constexpr const char* kType = "export_allocation_response";
  std::string allocation_id;
  int64_t size = 0;
  int64_t aligned_size = 0;
  std::string tag;
  int64_t layout_slot = 0;
  template <typename V>
  void Visit(V& v) {
    v.required("allocation_id", allocation_id);
    v.required("size", size);
    v.required("aligned_size", aligned_size);
    v.required("tag", tag);
    v.required("layout_slot", layout_slot);
  }
};

struct GetAllocationRequest {
  static constexpr const char* kType = "get_allocation_request";
  std::string allocation_id;
  template <typename V>
  void Visit(V& v) {
    v.required("allocation_id", allocation_id);
  }
};

struct GetAllocationResponse {
  static constexpr const char* kType = "get_allocation_response";
  std::string allocation_id;
  int64_t size = 0;
  int64_t aligned_size = 0;
  std::string tag;
  int64_t layout_slot = 0;
  template <typename V>
  void Visit(V& v) {
    v.required("allocation_id", allocation_id);
    v.required("size", size);
    v.required("aligned_size", aligned_size);
    v.required("tag", tag);
    v.required("layout_slot", layout_slot);
  }
};

struct ListAllocationsRequest {
  static constexpr const char* kType = "list_allocations_request";
  std::optional<std::string> tag;
  template <typename V>
  void Visit(V& v) {
    v("tag", tag);
  }
};

struct ListAllocationsResponse {
  static constexpr const char* kType = "list_allocations_response";
  std::vector<GetAllocationResponse> allocations;  // tagged
  template <typename V>
  void Visit(V& v) {
    v("allocations", allocations);
  }
};

struct FreeAllocationRequest {
  static constexpr const char* kType = "free_allocation_request";
  std::string allocation_id;
  template <typename V>
  void Visit(V& v) {
    v.required("allocation_id", allocation_id);
  }
};

struct FreeAllocationResponse {
  static constexpr const char* kType = "free_allocation_response";
  bool success = false;
  template <typename V>
  void Visit(V& v) {
    v.required("success", success);
  }
};

struct MetadataPutRequest {
  static constexpr const char* kType = "metadata_put_request";
  std::string key;
  std::string allocation_id;
  int64_t offset_bytes = 0;
  Bytes value;
  template <typename V>
  void Visit(V& v) {
    v.required("key", key);
    v.required("allocation_id", allocation_id);
    v.required("offset_bytes", offset_bytes);
    v.bytes("value", value);
  }
};

struct MetadataPutResponse {
  static constexpr const char* kType = "metadata_put_response";
  bool success = false;
  template <typename V>
  void Visit(V& v) {
    v.required("success", success);
  }
};

struct MetadataGetRequest {
  static constexpr const char* kType = "metadata_get_request";
  std::string key;
  template <typename V>
  void Visit(V& v) {
    v.required("key", key);
  }
};

struct MetadataGetResponse {
  static constexpr const char* kType = "metadata_get_response";
  bool found = false;
  std::optional<std::string> allocation_id;
  std::optional<int64_t> offset_bytes;
  std::optional<Bytes> value;
  template <typename V>
  void Visit(V& v) {
    v.required("found", found);
    v("allocation_id", allocation_id);
    v("offset_bytes", offset_bytes);
    v.bytes("value", value);
  }
};

struct MetadataDeleteRequest {
  static constexpr const char* kType = "metadata_delete_request";
  std::string key;
  template <typename V>
  void Visit(V& v) {
    v.required("key", key);
  }
};

struct MetadataDeleteResponse {
  static constexpr const char* kType = "metadata_delete_response";
  bool deleted = false;
  template <typename V>
  void Visit(V& v) {
    v.required("deleted", deleted);
  }
};

struct MetadataListRequest {
  static constexpr const char* kType = "metadata_list_request";
  std::string prefix;
  template <typename V>
  void Visit(V& v) {
    v("prefix", prefix);
  }
};

struct MetadataListResponse {
  static constexpr const char* kType = "metadata_list_response";
  std::vector<std::string> keys;  // sorted
  template <typename V>
  void Visit(V& v) {
    v("keys", keys);
  }
};

struct GetMemoryLayoutHashRequest {
  static constexpr const char* kType = "get_memory_layout_hash_request";
  template <typename V>
  void Visit(V&) {}
};

struct GetMemoryLayoutHashResponse {
  static constexpr const char* kType = "get_memory_layout_hash_response";
  std::string memory_layout_hash;
  template <typename V>
  void Visit(V& v) {
    v.required("memory_layout_hash", memory_layout_hash);
  }
};

// First and only message of a connection; so is the next one.
struct GetRuntimeStateRequest {
  static constexpr const char* kType = "get_runtime_state_request";
  template <typename V>
  void Visit(V&) {}
};

struct GetRuntimeStateResponse {
  static constexpr const char* kType = "get_runtime_state_response";
  std::string state;
  bool has_rw_session = false;
  int64_t ro_session_count = 0;
  int64_t waiting_writers = 0;
  bool committed = false;
  bool is_ready = false;
  int64_t allocation_count = 0;
  std::string memory_layout_hash;
  bool layout_committed = false;
  template <typename V>
  void Visit(V& v) {
    v.required("state", state);
    v.required("has_rw_session", has_rw_session);
    v.required("ro_session_count", ro_session_count);
    v.required("waiting_writers", waiting_writers);
    v.required("committed", committed);
    v.required("is_ready", is_ready);
    v("allocation_count", allocation_count);
    v("memory_layout_hash", memory_layout_hash);
    v("layout_committed", layout_committed);
  }
};

struct GetEventHistoryRequest {
  static constexpr const char* kType = "get_event_history_request";
  template <typename V>
  void Visit(V&) {}
};

struct HistoryEvent {  // without `type`
  static constexpr const char* kType = nullptr;
  std::string kind;
  int64_t allocation_count = 0;
  template <typename V>
  void Visit(V& v) {
    v.required("kind", kind);
    v("allocation_count", allocation_count);
  }
};

struct GetEventHistoryResponse {
  static constexpr const char* kType = "get_event_history_response";
  std::vector<HistoryEvent> events;
  template <typename V>
  void Visit(V& v) {
    v("events", events);
  }
};

struct ErrorResponse {
  static constexpr const char* kType = "error_response";
  std::string error;
  int64_t code = 0;  // errors.h
  template <typename V>
  void Visit(V& v) {
    v.required("error", error);
    v("code", code);
  }
};

// ---- Extension. Descriptors come with a response in the order of its allocations, at most kMaxFds
// of them; `more` says that another response follows.

struct AllocationItem {  // without `type`
  static constexpr const char* kType = nullptr;
  std::string allocation_id;
  int64_t size = 0;
  int64_t aligned_size = 0;
  std::string tag;
  int64_t layout_slot = 0;
  template <typename V>
  void Visit(V& v) {
    v("allocation_id", allocation_id);
    v("size", size);
    v("aligned_size", aligned_size);
    v("tag", tag);
    v("layout_slot", layout_slot);
  }
};

struct MetadataItem {  // without `type`
  static constexpr const char* kType = nullptr;
  std::string key;
  std::string allocation_id;
  int64_t offset_bytes = 0;
  Bytes value;
  template <typename V>
  void Visit(V& v) {
    v("key", key);
    v("allocation_id", allocation_id);
    v("offset_bytes", offset_bytes);
    v.bytes("value", value);
  }
};

// All or nothing. An item's allocation_id may be empty: the server makes one. aligned_size and
// layout_slot are ignored.
struct AllocateBatchRequest {
  static constexpr const char* kType = "allocate_batch_request";
  std::vector<AllocationItem> items;
  bool with_fds = false;
  template <typename V>
  void Visit(V& v) {
    v("items", items);
    v("with_fds", with_fds);
  }
};

struct AllocateBatchResponse {
  static constexpr const char* kType = "allocate_batch_response";
  std::vector<AllocationItem> items;
  bool more = false;
  template <typename V>
  void Visit(V& v) {
    v("items", items);
    v("more", more);
  }
};

// The whole layout in one call: every allocation by slot, with descriptors, then the metadata by
// key.
struct OpenLayoutRequest {
  static constexpr const char* kType = "open_layout_request";
  std::string expected_hash;         // refused as stale when the layout is another; empty: any
  uint64_t expected_generation = 0;  // likewise
  bool with_fds = true;
  bool with_metadata = true;
  template <typename V>
  void Visit(V& v) {
    v("expected_hash", expected_hash);
    v("expected_generation", expected_generation);
    v("with_fds", with_fds);
    v("with_metadata", with_metadata);
  }
};

struct OpenLayoutResponse {
  static constexpr const char* kType = "open_layout_response";
  uint64_t generation = 0;
  std::string memory_layout_hash;
  std::vector<AllocationItem> allocations;
  std::vector<MetadataItem> metadata;
  bool more = false;
  template <typename V>
  void Visit(V& v) {
    v("generation", generation);
    v("memory_layout_hash", memory_layout_hash);
    v("allocations", allocations);
    v("metadata", metadata);
    v("more", more);
  }
};

// All or nothing.
struct MetadataPutBatchRequest {
  static constexpr const char* kType = "metadata_put_batch_request";
  std::vector<MetadataItem> items;
  template <typename V>
  void Visit(V& v) {
    v("items", items);
  }
};

struct MetadataPutBatchResponse {
  static constexpr const char* kType = "metadata_put_batch_response";
  int64_t count = 0;
  template <typename V>
  void Visit(V& v) {
    v("count", count);
  }
};

struct FreeBatchRequest {
  static constexpr const char* kType = "free_batch_request";
  std::vector<std::string> allocation_ids;
  template <typename V>
  void Visit(V& v) {
    v("allocation_ids", allocation_ids);
  }
};

struct FreeBatchResponse {
  static constexpr const char* kType = "free_batch_response";
  int64_t freed = 0;
  template <typename V>
  void Visit(V& v) {
    v("freed", freed);
  }
};

// Gives the writer's lease and all it built back before it is answered.
struct AbortRequest {
  static constexpr const char* kType = "abort_request";
  template <typename V>
  void Visit(V&) {}
};

struct AbortResponse {
  static constexpr const char* kType = "abort_response";
  template <typename V>
  void Visit(V&) {}
};

// First message of a connection that holds no lease: from the answer on, the server sends a
// ChangeNotice for each event.
struct SubscribeRequest {
  static constexpr const char* kType = "subscribe_request";
  uint64_t after = 0;  // the last sequence seen: kept events after it come first
  template <typename V>
  void Visit(V& v) {
    v("after", after);
  }
};

struct SubscribeResponse {
  static constexpr const char* kType = "subscribe_response";
  uint64_t sequence = 0;  // of the newest event
  template <typename V>
  void Visit(V& v) {
    v("sequence", sequence);
  }
};

struct ChangeNotice {
  static constexpr const char* kType = "change_notice";
  uint64_t sequence = 0;
  std::string kind;
  int64_t allocation_count = 0;
  uint64_t generation = 0;
  int64_t at_ms = 0;  // since 1970, by the server's clock
  template <typename V>
  void Visit(V& v) {
    v("sequence", sequence);
    v("kind", kind);
    v("allocation_count", allocation_count);
    v("generation", generation);
    v("at_ms", at_ms);
  }
};

// ---- The checkpoint fence: each the first and only message of a connection.

struct PrepareCheckpointRequest {
  static constexpr const char* kType = "prepare_checkpoint_request";
  std::optional<int64_t> deadline_ms;  // the fence comes down by itself then
  bool bound_to_peer = false;          // and when the asking process ends
  template <typename V>
  void Visit(V& v) {
    v.extra("deadline_ms", deadline_ms);
    v.extra("bound_to_peer", bound_to_peer);
  }
};

struct AbortCheckpointRequest {
  static constexpr const char* kType = "abort_checkpoint_request";
  std::string token;
  template <typename V>
  void Visit(V& v) {
    v.required("token", token);
  }
};

struct CompleteRestoreRequest {
  static constexpr const char* kType = "complete_restore_request";
  std::string token;
  template <typename V>
  void Visit(V& v) {
    v.required("token", token);
  }
};

struct GetCheckpointStateRequest {
  static constexpr const char* kType = "get_checkpoint_state_request";
  template <typename V>
  void Visit(V&) {}
};

struct CheckpointStateResponse {
  static constexpr const char* kType = "checkpoint_state_response";
  std::string state;  // serving, checkpoint_ready
  std::optional<std::string> token;
  template <typename V>
  void Visit(V& v) {
    v("state", state);
    v("token", token);
  }
};

// ---- The administration's socket: gms_admin.sock. Any number of requests on a connection.

struct StatusRequest {
  static constexpr const char* kType = "status_request";
  template <typename V>
  void Visit(V&) {}
};

struct SessionItem {  // without `type`
  static constexpr const char* kType = nullptr;
  uint64_t session = 0;
  int64_t pid = 0, uid = 0;
  std::string client;
  std::string request;
  std::string grant;  // empty: waits
  uint64_t generation = 0;
  int64_t age_ms = 0;
  int64_t waited_ms = 0;
  template <typename V>
  void Visit(V& v) {
    v("session", session);
    v("pid", pid);
    v("uid", uid);
    v("client", client);
    v("request", request);
    v("grant", grant);
    v("generation", generation);
    v("age_ms", age_ms);
    v("waited_ms", waited_ms);
  }
};

struct DomainItem {  // without `type`
  static constexpr const char* kType = nullptr;
  int64_t device = 0;
  std::string gpu_uuid, device_kind, domain, socket, state, memory_layout_hash;
  uint64_t generation = 0, generations = 0;
  int64_t allocation_count = 0;
  int64_t bytes = 0, kept_bytes = 0;
  int64_t device_free_bytes = 0, device_total_bytes = 0;
  std::string fence;
  std::vector<SessionItem> sessions;
  template <typename V>
  void Visit(V& v) {
    v("device", device);
    v("gpu_uuid", gpu_uuid);
    v("device_kind", device_kind);
    v("domain", domain);
    v("socket", socket);
    v("state", state);
    v("memory_layout_hash", memory_layout_hash);
    v("generation", generation);
    v("generations", generations);
    v("allocation_count", allocation_count);
    v("bytes", bytes);
    v("kept_bytes", kept_bytes);
    v("device_free_bytes", device_free_bytes);
    v("device_total_bytes", device_total_bytes);
    v("fence", fence);
    v("sessions", sessions);
  }
};

struct StatusResponse {
  static constexpr const char* kType = "status_response";
  std::string version, nonce;
  int64_t pid = 0;
  int64_t uptime_ms = 0;
  std::vector<DomainItem> domains;
  template <typename V>
  void Visit(V& v) {
    v("version", version);
    v("nonce", nonce);
    v("pid", pid);
    v("uptime_ms", uptime_ms);
    v("domains", domains);
  }
};

struct EvictRequest {
  static constexpr const char* kType = "evict_request";
  uint64_t session = 0;
  template <typename V>
  void Visit(V& v) {
    v("session", session);
  }
};

struct EvictResponse {
  static constexpr const char* kType = "evict_response";
  bool evicted = false;
  template <typename V>
  void Visit(V& v) {
    v("evicted", evicted);
  }
};

struct MetricsRequest {
  static constexpr const char* kType = "metrics_request";
  template <typename V>
  void Visit(V&) {}
};

struct MetricsResponse {
  static constexpr const char* kType = "metrics_response";
  std::string text;  // Prometheus exposition
  template <typename V>
  void Visit(V& v) {
    v("text", text);
  }
};

// A successor asks for everything. From the first answer on the server stands still: it takes no
// requests of sessions and no connections, until the successor says that it has all, or is gone.
struct HandOverRequest {
  static constexpr const char* kType = "hand_over_request";
  template <typename V>
  void Visit(V&) {}
};

// The number of a domain's next generation: no number is used twice with one nonce.
struct NextGenerationItem {  // without `type`
  static constexpr const char* kType = nullptr;
  std::string gpu_uuid, domain;
  uint64_t generation = 0;
  friend bool operator==(const NextGenerationItem&, const NextGenerationItem&) = default;
  template <typename V>
  void Visit(V& v) {
    v("gpu_uuid", gpu_uuid);
    v("domain", domain);
    v("generation", generation);
  }
};

// A part of what one domain has committed or sealed; descriptors come as with open_layout_response.
// An answer without a domain is the last one and tells the nonce and the numbers that come next.
struct HandOverResponse {
  static constexpr const char* kType = "hand_over_response";
  std::string gpu_uuid, domain;
  uint64_t generation = 0;
  bool sealed = false;
  std::string memory_layout_hash;
  std::vector<AllocationItem> allocations;
  std::vector<MetadataItem> metadata;
  bool more = false;  // of this domain
  std::string nonce;
  // Of a sealed layout: who may still write to it; 0: nobody; -1: a process without a number here.
  int64_t writer_pid = 0;
  std::vector<NextGenerationItem> next_generations;  // of all domains, in the last one
  template <typename V>
  void Visit(V& v) {
    v("gpu_uuid", gpu_uuid);
    v("domain", domain);
    v("generation", generation);
    v("sealed", sealed);
    v("memory_layout_hash", memory_layout_hash);
    v("allocations", allocations);
    v("metadata", metadata);
    v("more", more);
    v("nonce", nonce);
    v.extra("writer_pid", writer_pid);
    v.extra("next_generations", next_generations);
  }
};

// The successor has all. When this is answered the server's sockets are gone; it keeps what it has
// until it hears that the successor serves it, and goes on when the successor ends before.
struct HandOverDoneRequest {
  static constexpr const char* kType = "hand_over_done_request";
  template <typename V>
  void Visit(V&) {}
};

struct HandOverDoneResponse {
  static constexpr const char* kType = "hand_over_done_response";
  template <typename V>
  void Visit(V&) {}
};

// The successor listens. Not answered: the server ends.
struct HandOverTakenNotice {
  static constexpr const char* kType = "hand_over_taken_notice";
  template <typename V>
  void Visit(V&) {}
};

}  // namespace hearth::gms
