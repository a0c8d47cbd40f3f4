#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "cel/value.h"

namespace hearth::cel {

// A value only a library's functions look into: a URL, a quantity, an address. Immutable.
class Opaque {
 public:
  explicit Opaque(Kind kind) : kind_(kind) {}
  Opaque(const Opaque&) = delete;
  Opaque& operator=(const Opaque&) = delete;
  virtual ~Opaque() = default;
  Kind kind() const { return kind_; }
  // `other` has the same kind.
  virtual bool Equals(const Opaque& other) const = 0;
  // What it counts for when its size costs.
  virtual size_t size() const { return 1; }

 private:
  Kind kind_;
};

}  // namespace hearth::cel
