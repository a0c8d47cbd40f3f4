#include "memory_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/testing/status_matchers.h"
#include "eventually.h"
#include "gms/protocol/socket_path.h"
#include "marked_weights.h"

namespace hearth::gms {

WaitLimit Soon() { return WaitLimit::For(RealClock(), std::chrono::seconds(60)); }

MemoryServer::MemoryServer() { Start(); }

Result<ChildProcess> MemoryServer::Launch(const std::string& log,
                                          const std::vector<std::string>& more) const {
  std::vector<std::string> argv = {GMS_SERVER_PROGRAM,
                                   "--device-type",
                                   "host",
                                   "--device",
                                   "0",
                                   "--device",
                                   "1",
                                   "--host-memory",
                                   "64Mi",
                                   "--host-granularity",
                                   "4Ki",
                                   "--adopt-quarantine",
                                   "0s",
                                   "--socket-dir",
                                   directory()};
  argv.insert(argv.end(), more.begin(), more.end());
  return ChildProcess::Start({.argv = std::move(argv), .log_path = directory_ / log});
}

void MemoryServer::Start() { Adopt(Launch("server.log", {})); }

ChildProcess MemoryServer::StartSuccessor() const {
  auto process = Launch("successor.log", {"--take-over"});
  EXPECT_OK(process);
  return *std::move(process);
}

void MemoryServer::Succeed() {
  auto successor = Launch("successor.log", {"--take-over"});
  ASSERT_OK(process_->Wait(Soon()));
  Adopt(std::move(successor));
}

void MemoryServer::Adopt(Result<ChildProcess> process) {
  ASSERT_OK(process);
  process_ = *std::move(process);
  auto admin = Admin::Connect(AdminSocketPath(directory()), Soon());
  ASSERT_TRUE(admin.ok()) << admin.status().ToString() << log();
  admin_ = *std::move(admin);
  ASSERT_OK(admin_->ReadStatus(Soon().deadline));
  // A later one may be busy from its first moment, but needs no more than the first.
  idle_fds_ = idle_fds_ == 0 ? OpenFds() : idle_fds_;
}

void MemoryServer::Replace() {
  admin_.reset();
  (void)process_->Signal(SIGKILL);  // it may have ended
  ASSERT_OK(process_->Wait(Soon()));
  // The sockets of the one before are still there; whoever dials them is refused until now.
  Start();
}

std::string MemoryServer::Socket(std::string_view tag, int device) const {
  return OrdinalSocketPath(directory(), device, tag);
}

std::string MemoryServer::log() const {
  std::ostringstream text;
  text << std::ifstream(directory_ / "server.log").rdbuf();
  return text.str();
}

StatusResponse MemoryServer::ReadStatus() {
  auto status = admin_->ReadStatus(Soon().deadline);
  EXPECT_OK(status);
  return status.ok() ? *std::move(status) : StatusResponse{};
}

const DomainItem MemoryServer::Pool(std::string_view tag, int device) {
  for (DomainItem& pool : ReadStatus().domains) {
    if (pool.domain == tag && pool.device == device) {
      return std::move(pool);
    }
  }
  ADD_FAILURE() << "no " << tag << " of device " << device;
  return {};
}

size_t MemoryServer::OpenFds() const {
  const std::filesystem::directory_iterator fds(fmt::format("/proc/{}/fd", pid()));
  return static_cast<size_t>(std::distance(begin(fds), end(fds)));
}

Result<std::unique_ptr<Session>> MemoryServer::Connect(LeaseRequest lease, std::string_view tag,
                                                       int device) const {
  return Session::Connect({.socket = Socket(tag, device), .lease = lease, .client = "test"},
                          Soon());
}

void MemoryServer::Publish(uint64_t seed, int pieces) {
  ASSERT_OK_AND_ASSIGN(const auto session, Connect(LeaseRequest::kRw));
  ASSERT_OK(WriteMarked(*session, seed, pieces));
  ASSERT_OK(session->Commit(false));
}

std::optional<std::string> MemoryServer::Unsettled() {
  std::optional<std::string> left;
  Eventually([&] { return !(left = WhatIsLeft()); });
  return left;
}

std::optional<std::string> MemoryServer::WhatIsLeft() {
  std::map<int64_t, int64_t> unaccounted;  // bytes by device
  size_t allocations = 0;
  for (const DomainItem& pool : ReadStatus().domains) {
    if (!pool.sessions.empty() || pool.fence != "serving") {
      return fmt::format("device {} {}: {} sessions, {}", pool.device, pool.domain,
                         pool.sessions.size(), pool.fence);
    }
    if (pool.kept_bytes != pool.bytes || pool.state == "RW" || pool.state == "RO") {
      return fmt::format("device {} {}: {}, keeps {}", pool.device, pool.domain, pool.state,
                         pool.kept_bytes);
    }
    unaccounted.try_emplace(pool.device, pool.device_total_bytes - pool.device_free_bytes);
    unaccounted[pool.device] -= pool.bytes;
    allocations += static_cast<size_t>(pool.allocation_count);
  }
  for (const auto& [device, bytes] : unaccounted) {
    if (bytes != 0) {
      return fmt::format("device {}: {} bytes belong to nobody", device, bytes);
    }
  }
  const size_t fds = OpenFds();
  if (fds != idle_fds_ + allocations) {
    return fmt::format("{} descriptors, of which {} are for {} allocations", fds, fds - idle_fds_,
                       allocations);
  }
  return std::nullopt;
}

Status MemoryServer::CheckServing() {
  {
    ASSIGN_OR_RETURN(const auto reader, Connect(LeaseRequest::kRo));
    RETURN_IF_ERROR(CheckMarked(*reader));
  }
  ASSIGN_OR_RETURN(const auto writer, Connect(LeaseRequest::kRw));
  RETURN_IF_ERROR(writer->Allocate(4096));
  return writer->Abort();
}

ChildProcess MemoryServer::StartParticipant(const std::string& role, uint64_t seed,
                                            int rounds) const {
  auto process = ChildProcess::Start({.argv = {PARTICIPANT_PROGRAM, role, directory(),
                                               std::to_string(seed), std::to_string(rounds)},
                                      .log_path = directory_ / "participants.log"});
  EXPECT_OK(process);
  return *std::move(process);
}

}  // namespace hearth::gms
