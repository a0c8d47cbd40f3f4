#pragma once

#include <string>

#include "base/result.h"

namespace hearth::gms::internal {

// A library found at run time. It stays loaded for ever: drivers start threads and do not survive
// being unloaded.
class SharedLibrary {
 public:
  // kUnavailable with the linker's words.
  static Result<SharedLibrary> Open(const std::string& name);

  // Puts the address of `symbol` into `function`. kUnavailable when the library is too old.
  template <typename Function>
  Status Find(const char* symbol, Function*& function) const {
    ASSIGN_OR_RETURN(void* address, Address(symbol));
    function = reinterpret_cast<Function*>(address);
    return Status::Ok();
  }

 private:
  SharedLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}
  Result<void*> Address(const char* symbol) const;

  std::string name_;
  void* handle_;
};

}  // namespace hearth::gms::internal
