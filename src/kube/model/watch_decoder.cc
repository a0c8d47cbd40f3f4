#include "kube/model/watch_decoder.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "json/parse.h"

namespace hearth::kube {
namespace {

// Readable bytes kept behind an event that was cut, so that parsers which read ahead need not copy
// it.
constexpr size_t kPadding = 64;
// A larger buffer is given back after the event that needed it.
constexpr size_t kKeptBytes = size_t{256} << 10;

struct Spelling {
  WatchEventType type;
  std::string_view name;
  std::string_view prefix;  // of a line as the API server writes it
};
constexpr Spelling kSpellings[] = {
    {WatchEventType::kModified, "MODIFIED", R"({"type":"MODIFIED","object":)"},
    {WatchEventType::kAdded, "ADDED", R"({"type":"ADDED","object":)"},
    {WatchEventType::kDeleted, "DELETED", R"({"type":"DELETED","object":)"},
    {WatchEventType::kBookmark, "BOOKMARK", R"({"type":"BOOKMARK","object":)"},
    {WatchEventType::kError, "ERROR", R"({"type":"ERROR","object":)"},
};

struct Event {
  WatchEventType type;
  std::string_view object;
};

// Nothing when the line is not written exactly as the API server does. That nothing stands behind
// the object is left to whoever parses it: an event has these two members and no others.
std::optional<Event> TakeApart(std::string_view line) {
  for (const Spelling& spelling : kSpellings) {
    if (line.starts_with(spelling.prefix) && line.ends_with('}')) {
      const std::string_view object =
          line.substr(spelling.prefix.size(), line.size() - spelling.prefix.size() - 1);
      if (object.starts_with('{') && object.ends_with('}')) {
        return Event{spelling.type, object};
      }
      return std::nullopt;
    }
  }
  return std::nullopt;
}

Result<WatchEventType> TypeNamed(std::string_view name) {
  for (const Spelling& spelling : kSpellings) {
    if (spelling.name == name) {
      return spelling.type;
    }
  }
  return InvalidError(fmt::format("unknown watch event type \"{}\"", Excerpt(name, 40)));
}

Status NoEvent(std::string_view line, std::string_view why) {
  return InvalidError(fmt::format("this is no watch event ({}): {}", why, Excerpt(line, 120)));
}

}  // namespace

WatchDecoder::WatchDecoder(OnEvent on_event, size_t max_event_bytes)
    : on_event_(std::move(on_event)), max_event_bytes_(max_event_bytes) {}

Status WatchDecoder::Feed(std::string_view bytes, size_t capacity) {
  while (failure_.ok() && !bytes.empty()) {
    const void* found = std::memchr(bytes.data(), '\n', bytes.size());
    if (found == nullptr) {
      failure_ = Keep(bytes);
      break;
    }
    const size_t length = static_cast<const char*>(found) - bytes.data();
    failure_ = pending_.empty() ? Line(bytes.substr(0, length), capacity)
                                : LineBegunBefore(bytes.substr(0, length));
    bytes.remove_prefix(length + 1);
    capacity -= length + 1;
  }
  return failure_;
}

Status WatchDecoder::Keep(std::string_view piece) {
  if (piece.size() > max_event_bytes_ - pending_.size()) {
    return TooLong();
  }
  pending_.append(piece);
  return Status::Ok();
}

Status WatchDecoder::LineBegunBefore(std::string_view rest) {
  RETURN_IF_ERROR(Keep(rest));
  std::string line = std::exchange(pending_, {});
  const size_t length = line.size();
  line.append(kPadding, '\0');
  Status status = Line(std::string_view(line).substr(0, length), line.size());
  if (line.capacity() <= kKeptBytes) {
    line.clear();
    pending_ = std::move(line);
  }
  return status;
}

Status WatchDecoder::Line(std::string_view line, size_t capacity) {
  if (line.size() > max_event_bytes_) {
    return TooLong();
  }
  if (const auto event = TakeApart(line)) {
    return on_event_(event->type, event->object, capacity - (event->object.data() - line.data()));
  }
  return Trim(line).empty() ? Status::Ok() : OddLine(line);
}

// Other order, spaces, more members: correct, but not what servers send, so it may cost a parse.
Status WatchDecoder::OddLine(std::string_view line) {
  const Result<json::Blob> parsed = json::Parse(line, {.allow_duplicate_keys = true});
  if (!parsed.ok()) {
    return NoEvent(line, parsed.status().message());
  }
  const json::View event = parsed->view();
  if (!event["object"].IsObject()) {
    return NoEvent(line, "it has no object");
  }
  ASSIGN_OR_RETURN(const WatchEventType type, TypeNamed(event["type"].StringOr("")));
  const std::string_view object = event["object"].raw();
  return on_event_(type, object, object.size());
}

Status WatchDecoder::Finish() {
  RETURN_IF_ERROR(failure_);
  if (Trim(pending_).empty()) {
    return Status::Ok();
  }
  // A line end is only missing, not an event, when what is there is complete.
  if (!json::Parse(pending_, {.allow_duplicate_keys = true}).ok()) {
    return DataLossError(
        fmt::format("the watch ended inside an event, after {} bytes of it", pending_.size()));
  }
  return LineBegunBefore("");
}

Status WatchDecoder::TooLong() const {
  return ExhaustedError(fmt::format("a watch event is longer than {} bytes", max_event_bytes_));
}

}  // namespace hearth::kube
