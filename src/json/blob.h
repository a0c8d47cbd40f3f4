#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/view.h"

namespace hearth::json {

// One JSON value as immutable compact text in one allocation, shared by counting. Copies are
// pointer copies; threads may share it.
class Blob {
 public:
  Blob() = default;  // holds nothing; view() is absent
  // `compact` must be valid compact JSON (see View::Trusted); foreign bytes go through json::Parse.
  static Blob Trusted(std::string_view compact);

  Blob(const Blob& other);
  Blob(Blob&& other) noexcept;
  Blob& operator=(const Blob& other);
  Blob& operator=(Blob&& other) noexcept;
  ~Blob();

  bool empty() const { return rep_ == nullptr; }
  std::string_view text() const&;
  std::string_view text() && = delete;  // it would not outlive the expression
  View view() const& { return View::Trusted(text()); }
  View view() && = delete;
  View operator[](std::string_view name) const& { return view()[name]; }
  View operator[](std::string_view name) && = delete;

 private:
  struct Rep;
  Rep* rep_ = nullptr;
};

}  // namespace hearth::json
