#pragma once

#include <pthread.h>

namespace hearth {

// No thread of the usual kind can be started while it lives, as where a limit of processes is
// reached: each would want a stack that no machine has.
class NoThreads {
 public:
  NoThreads();
  ~NoThreads();
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_;
};

}  // namespace hearth
