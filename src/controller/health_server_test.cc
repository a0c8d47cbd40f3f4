#include "controller/health_server.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/testing/status_matchers.h"
#include "http/client.h"
#include "http/testing/raw_client.h"

namespace hearth::controller {
namespace {

class HealthServerTest : public testing::Test {
 protected:
  HealthServerTest() {
    pages_.live.Add("ping", [] { return Status::Ok(); });
    pages_.ready.Add("caches", [] { return UnavailableError("not filled"); });
    pages_.metrics = [] { return std::string("up 1\n"); };
  }
  http::Response Ask(const std::string& target, const std::string& method = "GET") {
    return AnswerHealth(pages_, {.method = method, .target = target});
  }
  HealthPages pages_;
};

TEST_F(HealthServerTest, EachPageHasItsAddress) {
  EXPECT_EQ(Ask("/healthz").body, "ok");
  EXPECT_EQ(Ask("/livez").body, "ok");
  EXPECT_EQ(Ask("/healthz/ping").body, "ok");
  EXPECT_EQ(Ask("/readyz?verbose").status, 500);
  EXPECT_EQ(Ask("/readyz?exclude=caches").status, 200);
  EXPECT_EQ(Ask("/metrics").body, "up 1\n");
  EXPECT_EQ(Ask("/metrics").headers.Get("Content-Type"),
            "text/plain; version=0.0.4; charset=utf-8");
}

TEST_F(HealthServerTest, OtherAddressesAndMethodsAreRefused) {
  EXPECT_EQ(Ask("/").status, 404);
  EXPECT_EQ(Ask("/healthzz").status, 404);
  EXPECT_EQ(Ask("/healthz", "POST").status, 405);
}

TEST_F(HealthServerTest, ServesOnAFreePort) {
  net::EventLoop loop("health");
  for (const char* address : {"127.0.0.1:0", ":0"}) {
    ASSERT_OK_AND_ASSIGN(const auto server,
                         StartHealthServer(loop, address, pages_, Logger::Null()));
    net::Endpoint endpoint = server->endpoint();
    endpoint.host = "127.0.0.1";
    http::Client client(loop, endpoint, nullptr);
    ASSERT_OK_AND_ASSIGN(const http::Response answer,
                         client.Send({.target = "/readyz"}, WaitLimit::Forever()));
    EXPECT_EQ(answer.status, 500);
    EXPECT_EQ(answer.body, "[-]caches failed: not filled\nreadyz check failed\n");
  }
}

TEST_F(HealthServerTest, CrowdThatSaysNothingKeepsNobodyOut) {
  net::EventLoop loop("health");
  ASSERT_OK_AND_ASSIGN(const auto server,
                       StartHealthServer(loop, "127.0.0.1:0", pages_, Logger::Null()));
  std::vector<std::unique_ptr<http::RawClient>> crowd;
  for (int i = 0; i < 100; ++i) {
    crowd.push_back(std::make_unique<http::RawClient>(server->endpoint()));
  }
  http::Client client(loop, server->endpoint(), nullptr);
  ASSERT_OK_AND_ASSIGN(const http::Response answer,
                       client.Send({.target = "/healthz"}, WaitLimit::Forever()));
  EXPECT_EQ(answer.status, 200);
}

TEST_F(HealthServerTest, BadAddressIsSaidSo) {
  net::EventLoop loop("health");
  for (const char* address : {"127.0.0.1:port", ":99999", "a b:1", "127.0.0.1:80/path"}) {
    const auto server = StartHealthServer(loop, address, pages_, Logger::Null());
    EXPECT_CODE(Code::kInvalid, server);
    EXPECT_NE(server.status().message().find(address), std::string_view::npos);
  }
}

}  // namespace
}  // namespace hearth::controller
