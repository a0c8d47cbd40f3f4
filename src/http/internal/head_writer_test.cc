#include "http/internal/head_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::http {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RequestHead, FramingIsOurs) {
  const Request request{.method = "POST",
                        .target = "/x?y",
                        .headers = {{"Content-Length", "999"},
                                    {"transfer-encoding", "chunked"},
                                    {"Accept", "application/json"}},
                        .body = "four"};
  ASSERT_OK_AND_ASSIGN(const std::string head, WriteRequestHead(request, "h:1", false));
  EXPECT_EQ(head,
            "POST /x?y HTTP/1.1\r\nHost: h:1\r\nAccept: application/json\r\n"
            "Content-Length: 4\r\n\r\n");
}

TEST(RequestHead, LengthOnlyWhereABodyBelongs) {
  EXPECT_THAT(*WriteRequestHead({}, "h", false), Not(HasSubstr("Content-Length")));
  EXPECT_THAT(*WriteRequestHead({.method = "PATCH"}, "h", false), HasSubstr("Content-Length: 0"));
  EXPECT_THAT(*WriteRequestHead({.method = "DELETE", .body = "x"}, "h", true),
              HasSubstr("Accept-Encoding: gzip\r\nContent-Length: 1\r\n"));
}

TEST(RequestHead, OwnHostWins) {
  ASSERT_OK_AND_ASSIGN(const std::string head,
                       WriteRequestHead({.headers = {{"host", "other"}}}, "h", false));
  EXPECT_THAT(head, HasSubstr("host: other\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Host: h")));
}

TEST(RequestHead, RefusesInjection) {
  const Request kBad[] = {
      {.method = "GET / HTTP/1.1\r\nX:"},
      {.method = ""},
      {.method = "GE T"},
      {.target = ""},
      {.target = "no-slash"},
      {.target = "/a b"},
      {.target = "/a\r\nX: y"},
      {.target = std::string("/a\0b", 4)},
      {.headers = {{"A", "b\r\nC: d"}}},
      {.headers = {{"A", "b\nC: d"}}},
      {.headers = {{"A", "b\rC: d"}}},
      {.headers = {{"A", std::string("b\0c", 3)}}},
      {.headers = {{"A:", "b"}}},
      {.headers = {{"A\r\nB", "c"}}},
      {.headers = {{"", "c"}}},
      {.headers = {{"Content-Length", "1\r\nX: y"}}},
  };
  for (const Request& request : kBad) {
    EXPECT_CODE(Code::kInvalid, WriteRequestHead(request, "h", false));
  }
}

TEST(ResponseHead, FramesAsTold) {
  const Response response{.status = 200,
                          .headers = {{"Date", "today"}, {"Connection", "x"}, {"A", "b"}}};
  EXPECT_EQ(*WriteResponseHead(response, {.content_length = 7}),
            "HTTP/1.1 200 OK\r\nDate: today\r\nA: b\r\nContent-Length: 7\r\n\r\n");
  EXPECT_EQ(*WriteResponseHead(response, {.chunked = true, .close = true}),
            "HTTP/1.1 200 OK\r\nDate: today\r\nA: b\r\nTransfer-Encoding: chunked\r\n"
            "Connection: close\r\n\r\n");
}

TEST(ResponseHead, AddsADate) {
  ASSERT_OK_AND_ASSIGN(const std::string head, WriteResponseHead({.status = 404}, {}));
  EXPECT_THAT(head, testing::ContainsRegex("Date: [A-Z][a-z]+, [0-9]+ [A-Z][a-z]+ [0-9]+ "
                                           "[0-9]+:[0-9]+:[0-9]+ GMT\r\n"));
}

TEST(ResponseHead, RefusesWhatCannotBeSent) {
  EXPECT_CODE(Code::kInvalid, WriteResponseHead({.status = 100}, {}));
  EXPECT_CODE(Code::kInvalid, WriteResponseHead({.status = 0}, {}));
  EXPECT_CODE(Code::kInvalid,
              WriteResponseHead({.status = 200, .headers = {{"A", "b\r\nSet-Cookie: c"}}}, {}));
}

}  // namespace
}  // namespace hearth::http
