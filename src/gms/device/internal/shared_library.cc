#include "gms/device/internal/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace hearth::gms::internal {

Result<SharedLibrary> SharedLibrary::Open(const std::string& name) {
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    return UnavailableError(fmt::format("the library {} cannot be loaded: {}", name,
                                        why == nullptr ? "no reason given" : why));
  }
  return SharedLibrary(name, handle);
}

Result<void*> SharedLibrary::Address(const char* symbol) const {
  void* address = ::dlsym(handle_, symbol);
  if (address == nullptr) {
    return UnavailableError(
        fmt::format("the library {} has no {}: the driver is too old", name_, symbol));
  }
  return address;
}

}  // namespace hearth::gms::internal
