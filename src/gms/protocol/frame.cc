#include "gms/protocol/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace hearth::gms {
namespace {

constexpr size_t kLeastRoom = 4096;
// What an idle connection may keep.
constexpr size_t kKeptBytes = 64U << 10;

size_t LengthAt(const char* bytes) {
  size_t length = 0;
  for (size_t i = 0; i < kFrameHeaderBytes; ++i) {
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

}  // namespace

void FrameReader::Trim() {
  if (begin_ != end_) {
    return;
  }
  begin_ = end_ = 0;
  if (buffer_.size() > kKeptBytes) {
    std::vector<char>().swap(buffer_);
  }
}

// How large the buffer should be: twice what has arrived, but no larger than the frame.
size_t FrameReader::Wanted() const {
  const size_t arrived = end_ - begin_;
  const size_t twice = 2 * arrived + kLeastRoom;
  if (arrived < kFrameHeaderBytes) {
    return twice;
  }
  const size_t frame = kFrameHeaderBytes + LengthAt(buffer_.data() + begin_);
  return frame > arrived ? std::min(frame, twice) : twice;
}

std::span<char> FrameReader::Room() {
  Trim();
  const size_t arrived = end_ - begin_;
  const size_t wanted = Wanted();
  if (buffer_.size() - end_ < std::min(kLeastRoom, wanted - arrived)) {
    if (buffer_.size() < wanted) {
      std::vector<char> larger(wanted);
      std::copy_n(buffer_.data() + begin_, arrived, larger.data());
      buffer_.swap(larger);
    } else {
      std::memmove(buffer_.data(), buffer_.data() + begin_, arrived);
    }
    begin_ = 0;
    end_ = arrived;
  }
  return {buffer_.data() + end_, buffer_.size() - end_};
}

Result<std::optional<std::string_view>> FrameReader::Next() {
  if (end_ - begin_ < kFrameHeaderBytes) {
    return std::optional<std::string_view>();
  }
  const size_t length = LengthAt(buffer_.data() + begin_);
  if (length > limit_) {
    return Status(Code::kDataLoss,
                  fmt::format("a frame of {} bytes; at most {} are taken", length, limit_));
  }
  if (end_ - begin_ < kFrameHeaderBytes + length) {
    return std::optional<std::string_view>();
  }
  const std::string_view payload(buffer_.data() + begin_ + kFrameHeaderBytes, length);
  begin_ += kFrameHeaderBytes + length;
  return std::optional(payload);
}

}  // namespace hearth::gms
