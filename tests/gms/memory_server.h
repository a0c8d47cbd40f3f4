#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process_runner.h"
#include "base/testing/temp_directory.h"
#include "gms/client/admin.h"
#include "gms/client/session.h"

namespace hearth::gms {

// A real gms-server with two devices of host memory, in a directory of its own. Everything here
// waits for at most a minute.
class MemoryServer {
 public:
  MemoryServer();

  const std::string& directory() const { return directory_.path(); }
  int pid() const { return process_->pid(); }
  bool Running() { return process_->Running(); }
  std::string Socket(std::string_view tag, int device = 0) const;
  std::string log() const;

  // SIGKILL, then another in its place.
  void Replace();
  // One that takes over, or tries to; it has a log of its own.
  ChildProcess StartSuccessor() const;
  // By one that takes over, and waits until the one before has ended.
  void Succeed();
  Status Signal(int signal) { return process_->Signal(signal); }

  StatusResponse ReadStatus();
  const DomainItem Pool(std::string_view tag, int device = 0);
  size_t OpenFds() const;
  Result<std::unique_ptr<Session>> Connect(LeaseRequest lease, std::string_view tag = "weights",
                                           int device = 0) const;
  // Commits marked weights on the first device.
  void Publish(uint64_t seed, int pieces = 9);

  // Nobody holds or waits for anything, the fence is down, all memory that is used belongs to what
  // is committed or sealed, and the server has no more descriptors open than that takes. Waits for
  // it; what is not so, otherwise.
  std::optional<std::string> Unsettled();
  // What is committed is whole, and whoever comes next is served, as reader and as writer.
  Status CheckServing();

  ChildProcess StartParticipant(const std::string& role, uint64_t seed, int rounds) const;

 private:
  Result<ChildProcess> Launch(const std::string& log, const std::vector<std::string>& more) const;
  void Start();
  void Adopt(Result<ChildProcess> process);
  std::optional<std::string> WhatIsLeft();

  TempDirectory directory_;
  std::optional<ChildProcess> process_;
  std::unique_ptr<Admin> admin_;
  size_t idle_fds_ = 0;  // without memory, with our own connection
};

WaitLimit Soon();

}  // namespace hearth::gms
