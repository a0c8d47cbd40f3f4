#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hearth::kube {

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError };

// Cuts the bytes of a watch answer into events while they arrive, in pieces of any size. An event
// is handed on where it stands in the input when it lies whole in one piece; only one that is cut
// is copied. Not thread-safe.
class WatchDecoder {
 public:
  // `object` is the event's object as it came, followed by readable memory up to `capacity` bytes
  // from its start. A failure ends the decoding and is returned by Feed.
  using OnEvent =
      std::function<Status(WatchEventType type, std::string_view object, size_t capacity)>;

  explicit WatchDecoder(OnEvent on_event, size_t max_event_bytes = size_t{16} << 20);

  // kInvalid for a line that is no watch event (type unknown, no object), kExhausted for one that
  // is too long.
  Status Feed(std::string_view bytes, size_t capacity);
  // After the last byte. kDataLoss when it ended inside an event: that event was not delivered.
  Status Finish();

 private:
  Status Keep(std::string_view piece);
  Status LineBegunBefore(std::string_view rest);
  Status Line(std::string_view line, size_t capacity);
  Status OddLine(std::string_view line);
  Status TooLong() const;

  OnEvent on_event_;
  size_t max_event_bytes_;
  std::string pending_;  // the beginning of an event whose end has not come
  Status failure_;       // of an earlier Feed; everything after it is refused likewise
};

}  // namespace hearth::kube
