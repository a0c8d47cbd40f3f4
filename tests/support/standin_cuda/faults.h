#pragma once

#include <map>
#include <mutex>
#include <string>

// Calls that fail on demand, told by STANDIN_CUDA_FAULTS when the library is loaded, or by a test
// that finds standin_cuda_fail in it.
namespace standin {

class Faults {
 public:
  static Faults& Get();

  // The `nth` call from now (1: the next) gives `result`; 0 means every call.
  void Fail(const std::string& call, int nth, int result);
  void Clear();
  // Counts the call; what it must give instead of working, or 0.
  int Next(const std::string& call);
  int Calls(const std::string& call);

 private:
  struct Plan {
    int remaining = 0;  // 0: every call
    int result = 0;
  };
  Faults();

  std::mutex mutex_;
  std::map<std::string, Plan> plans_;
  std::map<std::string, int> calls_;
};

}  // namespace standin

extern "C" {
void standin_cuda_fail(const char* call, int nth, int result);
void standin_cuda_clear();
int standin_cuda_calls(const char* call);
}
