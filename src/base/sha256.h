#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace hearth {

// SHA-256, of pieces that are given one after the other. For names and hashes that others know by
// it; what is only for us to compare has faster ones (disk/digest.h). Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Add(std::string_view bytes);
  // In lower-case hex. Once, and then nothing more.
  std::string Hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// Of one piece.
std::string Sha256Hex(std::string_view bytes);

}  // namespace hearth
