#include "http/internal/request_decoder.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/testing/status_matchers.h"

namespace hearth::http {
namespace {

struct Decoded : RequestDecoder::Sink {
  void OnHead(RequestHead request) override {
    EXPECT_FALSE(head.has_value()) << "two heads";
    head = std::move(request);
  }
  void OnBody(std::string_view bytes) override { body.append(bytes); }

  std::optional<RequestHead> head;
  std::string body;
  std::string rest;  // bytes of the next request
  Status status;
  bool done = false;
};

Decoded Decode(const std::string& bytes, size_t piece_size = 1 << 20,
               const RequestDecoder::Limits& limits = {}) {
  Decoded decoded;
  RequestDecoder decoder(limits, decoded);
  for (size_t at = 0; at < bytes.size() && decoded.status.ok(); at += piece_size) {
    const std::string piece = bytes.substr(at, piece_size);
    if (decoder.done()) {
      decoded.rest += piece;
      continue;
    }
    const Result<size_t> taken = decoder.Decode(piece);
    if (taken.ok()) {
      decoded.rest += piece.substr(*taken);
    } else {
      decoded.status = taken.status();
    }
  }
  decoded.done = decoded.status.ok() && decoder.done();
  return decoded;
}

int RefusalOf(const std::string& bytes, const RequestDecoder::Limits& limits = {}) {
  const int whole = Decode(bytes, 1 << 20, limits).status.http_code();
  // In small pieces the verdict may come later, but no other one.
  const Decoded in_pieces = Decode(bytes, 1, limits);
  EXPECT_TRUE(in_pieces.status.http_code() == whole || !in_pieces.done) << bytes;
  return whole;
}

TEST(RequestDecoder, PieceSizesDoNotMatter) {
  const std::string next = "GET /next HTTP/1.1\r\nHost: h\r\n\r\n";
  const std::string bytes =
      "POST /a?b=c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n" +
      next;
  for (size_t size = 1; size <= bytes.size(); ++size) {
    const Decoded decoded = Decode(bytes, size);
    ASSERT_OK(decoded.status);
    EXPECT_TRUE(decoded.done) << size;
    EXPECT_EQ(decoded.head->message.method, "POST") << size;
    EXPECT_EQ(decoded.head->message.target, "/a?b=c") << size;
    EXPECT_EQ(decoded.body, "hello world") << size;
    EXPECT_EQ(decoded.rest, next) << size;
  }
}

TEST(RequestDecoder, KeepAliveFollowsVersionAndConnection) {
  const std::string fields = "Host: h\r\n\r\n";
  EXPECT_TRUE(Decode("GET / HTTP/1.1\r\n" + fields).head->keep_alive);
  EXPECT_FALSE(Decode("GET / HTTP/1.1\r\nConnection: close\r\n" + fields).head->keep_alive);
  EXPECT_FALSE(Decode("GET / HTTP/1.0\r\n" + fields).head->keep_alive);
  EXPECT_TRUE(Decode("GET / HTTP/1.0\r\nConnection: keep-alive\r\n" + fields).head->keep_alive);
}

TEST(RequestDecoder, RefusesWhatCouldBeReadInTwoWays) {
  const std::string post = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(RefusalOf(post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), 501);
  EXPECT_EQ(RefusalOf(post + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf(post + "Transfer-Encoding: gzip\r\n\r\n"), 501);
  EXPECT_EQ(RefusalOf(post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf(post + "Content-Length: +1\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf(post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400);
  EXPECT_EQ(RefusalOf("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 501);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\n\r\n"), 400) << "no host";
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\nHost : a\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(RefusalOf("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(RefusalOf("G@T / HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(RefusalOf(std::string("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 28)), 400);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\nHost: a\n\n----"), 505);
  EXPECT_EQ(RefusalOf("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), 400);
}

TEST(RequestDecoder, LimitsHaveTheirOwnAnswers) {
  const RequestDecoder::Limits limits{.max_head_bytes = 200, .max_body_bytes = 10};
  const std::string post = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(RefusalOf(post + "A: " + std::string(300, 'a') + "\r\n\r\n", limits), 431);
  EXPECT_EQ(RefusalOf("GET /" + std::string(300, 'a'), limits), 431);
  EXPECT_EQ(RefusalOf(post + "Content-Length: 11\r\n\r\n", limits), 413);
  EXPECT_EQ(RefusalOf(post + "Transfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n", limits),
            413);
  EXPECT_EQ(RefusalOf(post + "Content-Length: 10\r\n\r\n0123456789", limits), 0);
  EXPECT_EQ(RefusalOf(post + "Expect: miracles\r\n\r\n"), 417);
}

TEST(RequestDecoder, NoticesExpectContinue) {
  const std::string fields = "Host: h\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n";
  EXPECT_TRUE(Decode("PUT / HTTP/1.1\r\n" + fields).head->expects_continue);
  EXPECT_FALSE(Decode("PUT / HTTP/1.0\r\n" + fields).head->expects_continue);
}

}  // namespace
}  // namespace hearth::http
