#include "gms/device/testing/standin_cuda.h"

#include <dlfcn.h>

#include "base/check.h"

namespace hearth::gms {

CudaLibraries StandInCuda() {
  return {.driver = HEARTH_STANDIN_CUDA, .management = HEARTH_STANDIN_CUDA};
}

StandInCudaControl::StandInCudaControl()
    : library_(::dlopen(HEARTH_STANDIN_CUDA, RTLD_NOW | RTLD_LOCAL)) {
  CHECK(library_ != nullptr) << ::dlerror();
}

StandInCudaControl::~StandInCudaControl() { Clear(); }

void* StandInCudaControl::Symbol(const char* name) const {
  void* symbol = ::dlsym(library_, name);
  CHECK(symbol != nullptr) << name;
  return symbol;
}

int StandInCudaControl::Ask(const char* name) const {
  return reinterpret_cast<int (*)()>(Symbol(name))();
}

void StandInCudaControl::Fail(const std::string& call, int nth, int result) {
  using Function = void (*)(const char*, int, int);
  reinterpret_cast<Function>(Symbol("standin_cuda_fail"))(call.c_str(), nth, result);
}

void StandInCudaControl::Clear() { reinterpret_cast<void (*)()>(Symbol("standin_cuda_clear"))(); }

int StandInCudaControl::Calls(const std::string& call) const {
  using Function = int (*)(const char*);
  return reinterpret_cast<Function>(Symbol("standin_cuda_calls"))(call.c_str());
}

}  // namespace hearth::gms
