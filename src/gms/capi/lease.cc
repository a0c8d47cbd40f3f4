#include <algorithm>
#include <cstddef>
#include <cstring>

#include "gms/capi/client.h"

// Opening, leases, publication, sleep and wake.
using hearth::InvalidError;
using hearth::Result;
using hearth::Status;
using hearth::gms::EngineMemoryOptions;
using hearth::gms::Grant;
using hearth::gms::LeaseRequest;
using hearth::gms::MemoryManager;
using hearth::gms::capi::DurationOf;
using hearth::gms::capi::Guarded;
using hearth::gms::capi::LeaseOf;
using hearth::gms::capi::LimitOf;

namespace {

constexpr int64_t kDefaultTimeoutMs = 30'000;
// What options were in 1.0.
constexpr size_t kFirstOptionsBytes = offsetof(gms_options, granularity) + sizeof(uint64_t);

// What the caller's library knew of the options; the rest keeps its default.
Result<gms_options> Known(const gms_options* given) {
  gms_options options;
  gms_options_init(&options);
  if (given != nullptr) {
    if (given->struct_size == 0 || given->struct_size > sizeof options) {
      return InvalidError(
          "options of an unknown size: call gms_options_init, or use a newer libgms");
    }
    std::memcpy(&options, given, given->struct_size);
  }
  return options;
}

void SetIfGiven(std::string& to, const char* from) {
  if (from != nullptr) {
    to = from;
  }
}

EngineMemoryOptions ToEngineOptions(const gms_options& from) {
  EngineMemoryOptions to;
  SetIfGiven(to.socket, from.socket);
  SetIfGiven(to.socket_dir, from.socket_dir);
  SetIfGiven(to.tag, from.tag);
  to.device = from.device;
  auto& connect = to.memory.connect;
  connect.client = "libgms";
  SetIfGiven(connect.client, from.name);
  connect.connect_timeout = DurationOf(from.connect_timeout_ms);
  connect.rpc_timeout.reset();
  if (from.rpc_timeout_ms >= 0) {
    connect.rpc_timeout = DurationOf(from.rpc_timeout_ms);
  }
  to.granularity = from.granularity;
  if (from.scratch_block != 0) {
    to.memory.scratch_block = from.scratch_block;
  }
  return to;
}

Status ConnectWithin(gms_client* client, gms_lease wanted, int64_t timeout_ms) {
  ASSIGN_OR_RETURN(const LeaseRequest lease, LeaseOf(wanted));
  return client->memory->Connect(lease, LimitOf(timeout_ms));
}

}  // namespace

extern "C" {

void gms_options_init_sized(gms_options* options, size_t struct_size) {
  const gms_options defaults = {.struct_size = struct_size,
                                .connect_timeout_ms = kDefaultTimeoutMs,
                                .rpc_timeout_ms = kDefaultTimeoutMs};
  std::memset(static_cast<void*>(options), 0, struct_size);
  std::memcpy(options, &defaults, std::min(struct_size, sizeof defaults));
}

void(gms_options_init)(gms_options* options) {
  gms_options_init_sized(options, kFirstOptionsBytes);
}

gms_code gms_open(const gms_options* options, gms_client** client) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(const gms_options known, Known(options));
    *client = new gms_client(ToEngineOptions(known));
    return {};
  });
}

void gms_close(gms_client* client) { delete client; }

gms_code gms_connect(gms_client* client, gms_lease lease, int64_t timeout_ms) {
  return Guarded([&] { return ConnectWithin(client, lease, timeout_ms); });
}

gms_code gms_disconnect(gms_client* client) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
    return manager->Disconnect();
  });
}

gms_grant gms_granted(gms_client* client) {
  const Result<MemoryManager*> manager = client->memory->manager();
  const auto grant = manager.ok() && (*manager)->connected() ? (*manager)->grant() : std::nullopt;
  if (!grant) {
    return GMS_GRANT_NONE;
  }
  switch (*grant) {
    case Grant::kRo:
      return GMS_GRANT_RO;
    case Grant::kRw:
      return GMS_GRANT_RW;
    case Grant::kRwData:
      return GMS_GRANT_RW_DATA;
  }
  return GMS_GRANT_NONE;
}

gms_code gms_commit(gms_client* client) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
    ASSIGN_OR_RETURN(const auto committed, manager->Commit());
    // A server without the extension ended the lease: come back as a reader.
    return committed.still_connected ? Status() : hearth::ToStatus(manager->Wake());
  });
}

gms_code gms_commit_layout(gms_client* client) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
    return hearth::ToStatus(manager->CommitLayout());
  });
}

gms_code gms_sleep(gms_client* client) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
    return manager->Sleep();
  });
}

gms_code gms_wake(gms_client* client, gms_lease wanted, int64_t timeout_ms) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
    ASSIGN_OR_RETURN(const LeaseRequest lease, LeaseOf(wanted));
    return hearth::ToStatus(manager->Wake({.lease = lease}, LimitOf(timeout_ms)));
  });
}

gms_code gms_reset(gms_client* client) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
    return manager->Reset();
  });
}

gms_code gms_scratch_to_memory(gms_client* client) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
    return manager->PrepareScratchForReallocation();
  });
}

}  // extern "C"
