#include "http/internal/response_decoder.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/testing/status_matchers.h"

namespace hearth::http {
namespace {

// An answer as far as it was decoded.
struct Decoded : ResponseDecoder::Sink {
  void OnHead(Response response) override {
    EXPECT_FALSE(head.has_value()) << "two heads";
    head = std::move(response);
  }
  void OnBody(std::string_view bytes, size_t readable) override {
    EXPECT_GE(readable, bytes.size());
    EXPECT_FALSE(bytes.empty());
    body.append(bytes);
  }

  std::optional<Response> head;
  std::string body;
  Status status;
  bool done = false;
  bool reusable = false;
};

struct Feeding {
  size_t piece_size = 1 << 20;
  bool close = false;  // the connection ends behind the bytes
  ResponseDecoder::Options options;
};

void Decode(const std::string& bytes, const Feeding& feeding, Decoded& decoded) {
  ResponseDecoder decoder(feeding.options, decoded);
  for (size_t at = 0; at < bytes.size() && decoded.status.ok(); at += feeding.piece_size) {
    // A copy of its own, so that the address sanitizer sees a read past its end.
    const std::string piece = bytes.substr(at, feeding.piece_size);
    decoded.status = decoder.Decode(piece, piece.size());
  }
  if (feeding.close && decoded.status.ok()) {
    decoded.status = decoder.DecodeEnd(true);
  }
  decoded.done = decoded.status.ok() && decoder.done();
  decoded.reusable = decoded.done && decoder.reusable();
}

Decoded DecodeWhole(const std::string& bytes, const Feeding& feeding = {}) {
  Decoded decoded;
  Decode(bytes, feeding, decoded);
  return decoded;
}

TEST(ResponseDecoder, PieceSizesDoNotMatter) {
  const std::string bytes =
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
      "HTTP/1.1 200 Fine\r\nA: 1\r\nTransfer-Encoding: chunked\r\nB:  two \r\n\r\n"
      "4;x=\"y\"\r\nabcd\r\n00001A\r\nefghijklmnopqrstuvwxyz0123\r\n0\r\nT: t\r\n\r\n";
  for (size_t size = 1; size <= bytes.size(); ++size) {
    const Decoded decoded = DecodeWhole(bytes, {.piece_size = size});
    ASSERT_OK(decoded.status);
    EXPECT_TRUE(decoded.done) << size;
    EXPECT_TRUE(decoded.reusable) << size;
    EXPECT_EQ(decoded.body, "abcdefghijklmnopqrstuvwxyz0123") << size;
    EXPECT_EQ(decoded.head->headers.Get("b"), "two") << size;
    EXPECT_FALSE(decoded.head->headers.Has("T")) << size;
    EXPECT_FALSE(decoded.head->headers.Has("Link")) << size;
  }
}

TEST(ResponseDecoder, EveryCutIsDataLossOrWaiting) {
  const std::string bytes =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeWhole(bytes.substr(0, size)).done) << size;
    EXPECT_CODE(Code::kDataLoss, DecodeWhole(bytes.substr(0, size), {.close = true}).status);
  }
}

// Who waits for more bytes than will come waits for ever.
TEST(ResponseDecoder, NeverOwesMoreThanFollowsBeforeThereIsMoreToHandOn) {
  const std::string bytes =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n";
  for (size_t first = 1; first < bytes.size(); ++first) {
    for (size_t second = 1; first + second < bytes.size(); ++second) {
      Decoded decoded;
      ResponseDecoder decoder({}, decoded);
      ASSERT_OK(decoder.Decode(bytes.substr(0, first), first));
      ASSERT_OK(decoder.Decode(bytes.substr(first, second), second));
      const size_t owed = decoder.bytes_owed();
      const std::string rest = bytes.substr(first + second);
      ASSERT_LE(owed, rest.size()) << first << " " << second;
      const size_t handed_on = decoded.body.size();
      ASSERT_OK(decoder.Decode(rest.substr(0, owed + 2), std::min(rest.size(), owed + 2)));
      EXPECT_TRUE(owed == 0 || decoder.done() || decoded.body.size() > handed_on)
          << first << " " << second;
    }
  }
}

TEST(ResponseDecoder, OwesTheRestOfAChunkAndTheLinesBehindIt) {
  Decoded decoded;
  ResponseDecoder decoder({}, decoded);
  const auto owed_after = [&](const std::string& bytes) {
    EXPECT_OK(decoder.Decode(bytes, bytes.size()));
    return decoder.bytes_owed();
  };
  EXPECT_EQ(owed_after("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), 0U);
  EXPECT_EQ(owed_after("a\r\n012"), 7U);
  EXPECT_EQ(owed_after("3456789"), 5U);
  EXPECT_EQ(owed_after("\r\n"), 0U);
  EXPECT_EQ(owed_after("0\r\n"), 0U);
}

TEST(ResponseDecoder, SaysWhenTheConnectionCanBeKept) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n";
  EXPECT_TRUE(DecodeWhole(head + "\r\nx").reusable);
  EXPECT_FALSE(DecodeWhole(head + "Connection: close\r\n\r\nx").reusable);
  EXPECT_FALSE(DecodeWhole(head + "\r\nx and more").reusable);
  EXPECT_FALSE(DecodeWhole("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx").reusable);
  EXPECT_FALSE(DecodeWhole("HTTP/1.1 200 OK\r\n\r\nx", {.close = true}).reusable);
}

TEST(ResponseDecoder, BodyWithoutLengthEndsWithTheConnection) {
  const std::string bytes = "HTTP/1.1 200 OK\r\n\r\nall of this";
  EXPECT_FALSE(DecodeWhole(bytes).done);
  const Decoded decoded = DecodeWhole(bytes, {.close = true});
  EXPECT_TRUE(decoded.done);
  EXPECT_EQ(decoded.body, "all of this");
}

TEST(ResponseDecoder, ForgedEndOfABodyWithoutLengthIsDataLoss) {
  Decoded decoded;
  ResponseDecoder decoder({}, decoded);
  const std::string bytes = "HTTP/1.1 200 OK\r\n\r\nhalf";
  ASSERT_OK(decoder.Decode(bytes, bytes.size()));
  EXPECT_CODE(Code::kDataLoss, decoder.DecodeEnd(false));
}

TEST(ResponseDecoder, SomeAnswersHaveNoBodyWhateverTheySay) {
  EXPECT_TRUE(DecodeWhole("HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n").reusable);
  EXPECT_TRUE(DecodeWhole("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n").reusable);
  const Feeding to_head{.options = {.answers_head = true}};
  EXPECT_TRUE(DecodeWhole("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", to_head).reusable);
  EXPECT_TRUE(DecodeWhole("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", to_head).done);
}

TEST(ResponseDecoder, RefusesWhatCouldBeReadInTwoWays) {
  const char* const kBad[] = {
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 0x10\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11112222333344445\r\nx",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2 junk\r\nab\r\n",
      "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
      "HTTP/1.1 200 OK\r\nA\x01: b\r\n\r\n",
      "HTTP/1.1 200 OK\nA: b\n\n--------",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      "HTTP/1.1 20 OK\r\n\r\n-------",
      "HTTP/2.0 200 OK\r\n\r\n",
      "SSH-2.0-OpenSSH_9.2\r\n",
      "\x15\x03\x03 a TLS alert\r\n",
  };
  for (const char* bytes : kBad) {
    SCOPED_TRACE(bytes);
    EXPECT_CODE(Code::kDataLoss, DecodeWhole(bytes).status);
    // In small pieces the verdict may come later, but never a better one.
    EXPECT_CODE(Code::kDataLoss, DecodeWhole(bytes, {.piece_size = 1, .close = true}).status);
  }
}

TEST(ResponseDecoder, BoundsTheHead) {
  const Feeding small{.options = {.max_head_bytes = 200}};
  const std::string start = "HTTP/1.1 200 OK\r\nA: ";
  EXPECT_OK(DecodeWhole(start + std::string(100, 'a') + "\r\n\r\n", small).status);
  EXPECT_CODE(Code::kExhausted, DecodeWhole(start + std::string(300, 'a'), small).status);
  EXPECT_CODE(Code::kExhausted,
              DecodeWhole(start + std::string(300, 'a') + "\r\n\r\n", small).status);
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 100; ++i) {
    many += "A: b\r\n";
  }
  EXPECT_CODE(Code::kExhausted,
              DecodeWhole(many, {.piece_size = 7, .options = small.options}).status);
}

TEST(ResponseDecoder, BoundsChunkLinesAndTrailers) {
  const Feeding small{.piece_size = 10, .options = {.max_head_bytes = 200}};
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_CODE(Code::kExhausted, DecodeWhole(head + "1;" + std::string(1000, 'x'), small).status);
  EXPECT_CODE(Code::kExhausted,
              DecodeWhole(head + "0\r\nT: " + std::string(1000, 'x'), small).status);
}

TEST(ResponseDecoder, InterimAnswersComeToAnEnd) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    bytes += "HTTP/1.1 102 Processing\r\n\r\n";
  }
  EXPECT_CODE(Code::kDataLoss, DecodeWhole(bytes).status);
}

TEST(ResponseDecoder, LargeBodiesAreNotCopied) {
  struct Pointers : ResponseDecoder::Sink {
    void OnHead(Response /*head*/) override {}
    void OnBody(std::string_view bytes, size_t readable) override {
      data = bytes;
      room = readable;
    }
    std::string_view data;
    size_t room = 0;
  } sink;
  ResponseDecoder decoder({}, sink);
  const std::string bytes =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n" + std::string(4096, 'x');
  ASSERT_OK(decoder.Decode(std::string_view(bytes).substr(0, bytes.size() - 64), bytes.size()));
  EXPECT_EQ(sink.data.size(), 4096U - 64);
  EXPECT_EQ(sink.data.data(), bytes.data() + bytes.size() - 4096);
  EXPECT_EQ(sink.room, 4096U);
}

}  // namespace
}  // namespace hearth::http
