#include "agent/receive/page_command.h"

#include <fmt/format.h>

#include <cstring>

#include "base/check.h"

namespace hearth::agent::receive {
namespace {

// More than any address space has.
constexpr uint64_t kMostPages = 1ULL << 45U;

enum Number : uint32_t {
  kAddOld = 1,
  kHoleOld = 2,
  kOpenOld = 3,
  kOpen2 = 4,
  kParent = 5,
  kAddFlags = 6,
  kClose = 0x1023,
  kForceClose = 0x1024,
};

struct Fields {
  uint32_t number = 0;
  uint32_t padding = 0;
  uint64_t pages = 0;
  uint64_t address = 0;
  uint64_t owner = 0;
};
static_assert(sizeof(Fields) == kCommandBytes);

Result<Owner> OwnerOf(uint64_t number) {
  constexpr uint64_t kProcess = 1;
  constexpr uint64_t kShared = 2;
  const uint64_t kind = number & 0xffU;
  if (kind != kProcess && kind != kShared) {
    return DataLossError(fmt::format("CRIU sent pages of an unknown kind: {}", kind));
  }
  return Owner{.shared = kind == kShared, .id = number >> 8U};
}

Result<Command> Addition(Command command) {
  command.verb = Command::Verb::kAdd;
  if (command.pages == 0 || command.pages > kMostPages) {
    return DataLossError(fmt::format("CRIU sent {} pages at once", command.pages));
  }
  if ((command.flags & kInParent) != 0) {
    return DataLossError("CRIU left pages to an older capture, and there is none");
  }
  return command;
}

}  // namespace

std::string Owner::PagemapName() const {
  return fmt::format("pagemap-{}{}.img", shared ? "shmem-" : "", id);
}

Result<Command> DecodeCommand(std::string_view bytes) {
  CHECK(bytes.size() == kCommandBytes);
  Fields fields;
  std::memcpy(&fields, bytes.data(), sizeof(fields));
  Command command{.flags = fields.number >> 16U, .pages = fields.pages, .address = fields.address};
  const uint32_t number = fields.number & 0xffffU;
  if (number == kClose || number == kForceClose) {
    return command;
  }
  ASSIGN_OR_RETURN(command.owner, OwnerOf(fields.owner));
  switch (number) {
    case kOpenOld:
    case kOpen2:
      command.verb = Command::Verb::kOpen;
      command.answered = number == kOpen2;
      return command;
    case kParent:
      command.verb = Command::Verb::kAskParent;
      return command;
    case kAddOld:
      command.flags = kPresent;
      return Addition(command);
    case kHoleOld:
      command.flags = kInParent;
      return Addition(command);
    case kAddFlags:
      return Addition(command);
    default:
      return DataLossError(fmt::format("CRIU sent the unknown command {}", number));
  }
}

}  // namespace hearth::agent::receive
