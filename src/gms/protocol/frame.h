#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gms/protocol/codec.h"

// Frames on the stream: four bytes of length, the most significant first, then that many bytes.
namespace hearth::gms {

inline constexpr size_t kFrameHeaderBytes = 4;

// A message with its length in front, ready to be sent.
template <typename M>
std::string EncodeFrame(const M& message) {
  std::string frame(kFrameHeaderBytes, '\0');
  internal::Encoder(frame).Put(message);
  const size_t size = frame.size() - kFrameHeaderBytes;
  for (size_t i = 0; i < kFrameHeaderBytes; ++i) {
    frame[i] = static_cast<char>(size >> (8 * (kFrameHeaderBytes - 1 - i)));
  }
  return frame;
}

// Puts frames together from whatever pieces the stream brings. Memory follows what has arrived,
// never what a length claims, and a frame takes no more than itself. Not thread-safe.
class FrameReader {
 public:
  // `limit`: of a payload.
  explicit FrameReader(size_t limit) : limit_(limit) {}
  // Of those that Next has not looked at.
  void SetLimit(size_t limit) { limit_ = limit; }

  // Room for what is read next; invalidates payloads that Next returned.
  std::span<char> Room();
  void Filled(size_t bytes) { end_ += bytes; }

  // The next whole payload, or nothing yet. kDataLoss for a length above the limit: the stream
  // cannot be read on.
  Result<std::optional<std::string_view>> Next();
  // Bytes of an unfinished frame are there: an end of the stream now would cut it.
  bool InFrame() const { return end_ > begin_; }
  // Memory that is held.
  size_t held_bytes() const { return buffer_.size(); }
  // Gives back what nobody needs who is not in a frame; invalidates payloads that Next returned.
  void Trim();

 private:
  size_t Wanted() const;

  size_t limit_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // of what is not handed out yet
  size_t end_ = 0;
};

}  // namespace hearth::gms
