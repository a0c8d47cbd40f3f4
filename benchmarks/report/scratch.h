#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace hearth::bench {

// A directory of our own below another one, removed with everything in it.
class Scratch {
 public:
  static Result<Scratch> Make(const std::string& below);
  ~Scratch();
  Scratch(Scratch&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  Scratch& operator=(Scratch&&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Seconds since then.
double SecondsSince(SteadyTime then);

}  // namespace hearth::bench
