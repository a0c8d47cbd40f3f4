#pragma once

#include <cstdint>
#include <string>

namespace hearth::agent::receive {

// The image that says which pages an image of pages holds: byte for byte what CRIU writes when it
// writes both itself.
class PagemapImage {
 public:
  // `pages_id` is the number in the name of the other image.
  explicit PagemapImage(uint32_t pages_id);

  // In the order of the pages.
  void Add(uint64_t address, uint64_t pages, uint32_t flags);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace hearth::agent::receive
