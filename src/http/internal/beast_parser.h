#pragma once

// This version of Beast asserts on what a peer sends (a last chunk that arrives in two packets).
// Without the assertion it does the right thing.
#ifndef BOOST_DISABLE_ASSERTS
#define BOOST_DISABLE_ASSERTS
#endif

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/strings.h"
#include "http/message.h"

namespace hearth::http {

namespace beast = boost::beast;
using BeastError = beast::http::error;

inline std::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

// Beast's parser with our checks on top: body bytes go straight from the input to OnBody.
// `is_request` picks the kind of message.
template <bool is_request>
class BeastParser : public beast::http::basic_parser<is_request> {
 public:
  explicit BeastParser(size_t max_head_bytes) {
    // The parser's own counter is 32 bits wide.
    this->header_limit(static_cast<uint32_t>(std::min<size_t>(max_head_bytes, UINT32_MAX)));
    // Not boost::none: this version of Beast takes that for zero when a length is given.
    this->body_limit(std::numeric_limits<uint64_t>::max());
    this->eager(true);
  }
  virtual ~BeastParser() = default;

  // How many bytes from the start of a piece given to OnBody may be read.
  size_t ReadableFrom(const char* piece) const { return static_cast<size_t>(readable_ - piece); }
  // Before each put: where its bytes end, and where what may be read does.
  void Begin(const char* end, const char* readable_end) {
    end_ = end;
    readable_ = readable_end;
    bytes_owed_ = 0;
  }
  // How many bytes are sure to follow before there is more to hand on; 0 when that is not known.
  size_t bytes_owed() const { return bytes_owed_; }

 protected:
  virtual void OnField(std::string_view name, std::string_view value) = 0;
  // Refuses with an error code.
  virtual void OnHeadDone(boost::system::error_code& error) = 0;
  virtual void OnBody(std::string_view bytes, boost::system::error_code& error) = 0;

  int http_version() const { return version_; }
  void set_http_version(int version) { version_ = version; }

 private:
  using Error = beast::error_code;

  void on_field_impl(beast::http::field id, beast::string_view name, beast::string_view value,
                     Error& error) final {
    if (this->is_header_done()) {
      return;  // trailers: nobody needs them
    }
    // Any other coding would leave us guessing where the body ends.
    const bool bad_coding = id == beast::http::field::transfer_encoding &&
                            (version_ < 11 || !EqualIgnoreCase(Trim(View(value)), "chunked"));
    if (bad_coding) {
      error = BeastError::bad_transfer_encoding;
      return;
    }
    OnField(View(name), View(value));
  }
  void on_header_impl(Error& error) final { OnHeadDone(error); }
  void on_body_init_impl(const boost::optional<uint64_t>& /*length*/, Error& /*error*/) final {}
  size_t on_body_impl(beast::string_view bytes, Error& error) final {
    OnBody(View(bytes), error);
    return bytes.size();
  }
  void on_chunk_header_impl(uint64_t /*size*/, beast::string_view /*extensions*/,
                            Error& /*error*/) final {}
  size_t on_chunk_body_impl(uint64_t remaining, beast::string_view bytes, Error& error) final {
    if (bytes.data() + bytes.size() == end_) {
      // The rest of the chunk; behind it, the end of its line and the shortest line of a next one.
      constexpr size_t kBetweenChunks = 5;
      const uint64_t left = remaining - bytes.size();
      bytes_owed_ = left > 0 ? static_cast<size_t>(left) : kBetweenChunks;
    }
    OnBody(View(bytes), error);
    return bytes.size();
  }
  void on_finish_impl(Error& /*error*/) final {}

  int version_ = 11;
  size_t bytes_owed_ = 0;
  const char* end_ = nullptr;
  const char* readable_ = nullptr;
};

// Gives bytes to a parser that wants each line in one piece: keeps what it did not take and puts it
// in front of the next bytes.
template <typename Parser>
class Feeder {
 public:
  // A line or trailer that is longer than `max_line_bytes` is refused.
  explicit Feeder(size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  // How many of the bytes belong to this message: all of them, unless it is done. `readable` bytes
  // from their start on may be read.
  size_t Feed(Parser& parser, std::string_view bytes, size_t readable, beast::error_code& error) {
    const char* const begin = bytes.data();
    const char* const end = begin + readable;
    error = {};
    while (!bytes.empty() && !parser.is_done() && !error) {
      bytes.remove_prefix(kept_.empty() ? PutDirectly(parser, bytes, end, error)
                                        : PutBehindKept(parser, bytes, error));
      if (!error && kept_.size() > max_line_bytes_) {
        error = BeastError::header_limit;
      }
    }
    return static_cast<size_t>(bytes.data() - begin);
  }

 private:
  // Few, so that body bytes which follow a kept line are hardly ever copied.
  static constexpr size_t kStep = 256;
  static constexpr size_t kPadding = 64;

  static size_t Put(Parser& parser, std::string_view bytes, const char* end,
                    beast::error_code& error) {
    parser.Begin(bytes.data() + bytes.size(), end);
    const size_t taken = parser.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
    if (error == BeastError::need_more) {
      error = {};
    }
    return taken;
  }

  size_t PutDirectly(Parser& parser, std::string_view bytes, const char* end,
                     beast::error_code& error) {
    const size_t taken = Put(parser, bytes, end, error);
    if (parser.is_done() || error) {
      return taken;
    }
    kept_.assign(bytes.substr(taken));
    return bytes.size();
  }

  size_t PutBehindKept(Parser& parser, std::string_view bytes, beast::error_code& error) {
    const size_t kept_before = kept_.size();
    const std::string_view more = bytes.substr(0, kStep);
    kept_.append(more);
    kept_.reserve(kept_.size() + kPadding);
    const size_t taken = Put(parser, kept_, kept_.data() + kept_.capacity(), error);
    if (taken >= kept_before) {
      kept_.clear();  // what was not taken is still in `bytes`
      return taken - kept_before;
    }
    kept_.erase(0, taken);
    return more.size();
  }

  const size_t max_line_bytes_;
  std::string kept_;
};

}  // namespace hearth::http
