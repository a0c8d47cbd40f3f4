#include "net/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::net {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Endpoint, ParsesUrls) {
  EXPECT_EQ(*Endpoint::ParseUrl("http://localhost:8080"),
            (Endpoint{.tls = false, .host = "localhost", .port = 8080}));
  EXPECT_EQ(*Endpoint::ParseUrl("https://10.0.0.1"),
            (Endpoint{.tls = true, .host = "10.0.0.1", .port = 443}));
  EXPECT_EQ(*Endpoint::ParseUrl("HTTP://a-b.c_d.example/"),
            (Endpoint{.tls = false, .host = "a-b.c_d.example", .port = 80}));
  EXPECT_EQ(*Endpoint::ParseUrl("https://[fe80::1]:6443"),
            (Endpoint{.tls = true, .host = "fe80::1", .port = 6443}));
  EXPECT_EQ(*Endpoint::ParseUrl("http://127.0.0.1:0"),
            (Endpoint{.tls = false, .host = "127.0.0.1", .port = 0}));
  EXPECT_EQ(*Endpoint::ParseUrl("unix:///run/x.sock"), (Endpoint{.unix_path = "/run/x.sock"}));
  EXPECT_EQ(*Endpoint::ParseUrl("unix://@name"), (Endpoint{.unix_path = "@name"}));
}

TEST(Endpoint, HandsThePathBack) {
  std::string path = "old";
  ASSERT_OK(Endpoint::ParseUrl("https://h:1/k8s/clusters/c-1", &path));
  EXPECT_EQ(path, "/k8s/clusters/c-1");
  ASSERT_OK(Endpoint::ParseUrl("https://h:1/", &path));
  EXPECT_EQ(path, "");
  EXPECT_CODE(Code::kInvalid, Endpoint::ParseUrl("https://h:1/path"));
}

TEST(Endpoint, RefusesWhatIsNoEndpoint) {
  const std::string kBad[] = {
      "",
      "localhost",
      "localhost:80",
      "ftp://host",
      "http://",
      "http:///path",
      "http://:80",
      "http://host:",
      "http://host:65536",
      "http://host:-1",
      "http://host:8x",
      "http://ho st",
      "http://host\r\nX: y",
      "http://a:b:c",
      "http://::1",
      "http://[::1",
      "http://[::1]80",
      "http://[::g]",
      "http://[127.0.0.1]",
      "http://[fe80::1%eth0]",
      "http://host?query",
      "http://host#fragment",
      "http://host/a b",
      "http://" + std::string(300, 'a'),
      "unix://",
      "unix:///",
      "unix://relative",
      "unix:///" + std::string(200, 'a'),
      std::string("unix:///a\0b", 11),
  };
  for (const std::string& url : kBad) {
    std::string path;
    const Result<Endpoint> endpoint = Endpoint::ParseUrl(url, &path);
    EXPECT_CODE(Code::kInvalid, endpoint);
  }
}

TEST(Endpoint, DoesNotRepeatPasswords) {
  const Result<Endpoint> endpoint = Endpoint::ParseUrl("https://user:hunter2@host");
  EXPECT_CODE(Code::kInvalid, endpoint);
  EXPECT_THAT(endpoint.status().ToString(), Not(HasSubstr("hunter2")));
}

TEST(Endpoint, WritesWhatItParsed) {
  for (const char* url : {"http://h:80", "https://[::1]:443", "unix:///a", "unix://@a"}) {
    EXPECT_EQ(Endpoint::ParseUrl(url)->ToString(), url);
  }
}

TEST(Endpoint, HostHeaderLeavesTheUsualPortOut) {
  EXPECT_EQ(Endpoint::ParseUrl("https://h:443")->HostHeader(), "h");
  EXPECT_EQ(Endpoint::ParseUrl("https://h:80")->HostHeader(), "h:80");
  EXPECT_EQ(Endpoint::ParseUrl("http://[::1]:8080")->HostHeader(), "[::1]:8080");
  EXPECT_EQ(Endpoint::ParseUrl("unix:///a")->HostHeader(), "localhost");
}

TEST(Endpoint, KnowsLoopback) {
  for (const char* host :
       {"127.0.0.1", "127.255.0.1", "::1", "localhost", "LocalHost", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE((Endpoint{.host = host}.IsLoopback())) << host;
  }
  for (const char* host :
       {"", "0.0.0.0", "::", "128.0.0.1", "localhost.example", "127.0.0.1.nip.io"}) {
    EXPECT_FALSE((Endpoint{.host = host}.IsLoopback())) << host;
  }
  EXPECT_TRUE((Endpoint{.unix_path = "/a"}.IsLoopback()));
}

}  // namespace
}  // namespace hearth::net
