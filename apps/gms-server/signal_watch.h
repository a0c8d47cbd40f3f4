#pragma once

#include <stop_token>
#include <thread>

#include "base/unique_fd.h"

namespace hearth::gms::server {

// Asks to stop when a descriptor polls readable, for waits that no loop runs in. What is to be read
// there stays. Without a thread or a descriptor to be had nothing is asked.
class SignalWatch {
 public:
  explicit SignalWatch(int fd);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  UniqueFd over_;
  std::thread thread_;
};

}  // namespace hearth::gms::server
