#pragma once

#include <pthread.h>

#include <string>
#include <thread>
#include <utility>

namespace hearth::controller::internal {

// A thread that can be told from others in a process list. The kernel keeps 15 characters of the
// name.
template <typename Body>
std::jthread NamedThread(const std::string& name, Body body) {
  std::jthread thread(std::move(body));
  ::pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
  return thread;
}

}  // namespace hearth::controller::internal
