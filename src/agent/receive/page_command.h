#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hearth::agent::receive {

// What CRIU sends to a page server, in its own byte order: a command of this many bytes, and after
// an addition of pages that are present the pages themselves.
inline constexpr size_t kCommandBytes = 32;

// Flags of an addition, which are those of an entry of the pagemap.
inline constexpr uint32_t kInParent = 1U << 0U;
inline constexpr uint32_t kPresent = 1U << 2U;

// Whose pages they are.
struct Owner {
  bool shared = false;  // shared memory and not a process
  uint64_t id = 0;

  // The name of the image that says which pages there are.
  std::string PagemapName() const;
  friend bool operator==(const Owner&, const Owner&) = default;
};

struct Command {
  enum class Verb {
    kOpen,       // what follows is of this owner
    kAdd,        // `pages` from `address` on
    kAskParent,  // whether there is an older image of it; answered with an int
    kEnd,        // there is no more; answered with an int, 0 when all is well
  };
  Verb verb = Verb::kEnd;
  bool answered = false;  // of kOpen: with one byte, whether there is an older image
  uint32_t flags = 0;
  uint64_t pages = 0;
  uint64_t address = 0;
  Owner owner;
};

// `bytes` are kCommandBytes. kDataLoss: no command of CRIU's, or one that makes no sense.
Result<Command> DecodeCommand(std::string_view bytes);

}  // namespace hearth::agent::receive
