#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::snapshot::images {

// Writes one protobuf message, member by member. Knows nothing of the reader's description of them,
// so that a wrong number there is noticed.
class MessageWriter {
 public:
  MessageWriter& Number(int field, uint64_t value);
  MessageWriter& Bytes(int field, std::string_view bytes);
  std::string Take() { return std::move(bytes_); }

 private:
  void Varint(uint64_t value);
  std::string bytes_;
};

// An image of these entries: with the common magic in front unless it is the inventory.
std::string ImageOf(uint32_t magic, const std::vector<std::string>& entries);

// The images of a capture of two processes: an engine that listens on TCP port 8000 and on
// /run/engine.sock, has a connection to 10.0.0.9:4222, a mounted token open, and HF_TOKEN and PATH
// in its environment; and its child, which shares memory with it. `secret` is the token's value.
std::map<std::string, std::string> SampleImages(std::string_view secret = "hf_sample");

}  // namespace hearth::snapshot::images
