#include "faults.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace standin {

Faults& Faults::Get() {
  static auto* faults = new Faults;
  return *faults;
}

// "cuMemCreate:2:999 cuMemMap:0:700"
Faults::Faults() {
  const char* text = std::getenv("STANDIN_CUDA_FAULTS");
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; words >> word;) {
    size_t first = word.find(':');
    size_t second = word.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      std::fprintf(stderr, "STANDIN_CUDA_FAULTS: '%s' is not CALL:NTH:RESULT\n", word.c_str());
      std::abort();
    }
    Fail(word.substr(0, first), std::atoi(word.c_str() + first + 1),
         std::atoi(word.c_str() + second + 1));
  }
}

void Faults::Fail(const std::string& call, int nth, int result) {
  std::lock_guard lock(mutex_);
  plans_[call] = {.remaining = nth, .result = result};
}

void Faults::Clear() {
  std::lock_guard lock(mutex_);
  plans_.clear();
}

int Faults::Next(const std::string& call) {
  std::lock_guard lock(mutex_);
  ++calls_[call];
  auto found = plans_.find(call);
  if (found == plans_.end()) {
    return 0;
  }
  int result = found->second.result;
  if (found->second.remaining == 0) {
    return result;
  }
  if (--found->second.remaining > 0) {
    return 0;
  }
  plans_.erase(found);
  return result;
}

int Faults::Calls(const std::string& call) {
  std::lock_guard lock(mutex_);
  return calls_[call];
}

}  // namespace standin

void standin_cuda_fail(const char* call, int nth, int result) {
  standin::Faults::Get().Fail(call, nth, result);
}
void standin_cuda_clear() { standin::Faults::Get().Clear(); }
int standin_cuda_calls(const char* call) { return standin::Faults::Get().Calls(call); }
