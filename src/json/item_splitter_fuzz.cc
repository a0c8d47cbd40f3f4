// A list gives the same items whatever pieces it arrives in. The first byte of the input chooses
// the pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "json/item_splitter.h"

namespace hearth::json {
namespace {

struct Outcome {
  std::vector<std::string> items;
  std::string head;
  Code code = Code::kOk;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Piece sizes follow from `seed`; 0 is all at once.
Outcome Split(std::string_view text, uint32_t seed) {
  Outcome outcome;
  ItemSplitter splitter(
      [&](std::string_view item, size_t) {
        outcome.items.emplace_back(item);
        return Status::Ok();
      },
      {.max_item_bytes = 4096, .max_head_bytes = 4096});
  Status fed;
  while (!text.empty() && fed.ok()) {
    const size_t piece = seed == 0 ? text.size() : std::min<size_t>(1 + seed % 97, text.size());
    seed = seed == 0 ? 0 : seed * 1664525 + 1013904223;
    fed = splitter.Feed(text.substr(0, piece));
    text.remove_prefix(piece);
  }
  const auto head = splitter.Finish();
  outcome.head = head.ok() ? *head : head.status().ToString();
  outcome.code = head.status().code();
  return outcome;
}

}  // namespace
}  // namespace hearth::json

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = hearth::json::Split(text, 0);
  const auto pieces = hearth::json::Split(text, data[0] + 1U);
  CHECK(whole == pieces) << whole.head << " and in pieces " << pieces.head;
  return 0;
}
