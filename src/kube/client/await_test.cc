#include "kube/client/await.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "kube/client/testing/scripted_api.h"

namespace hearth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kPage =
    R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"p"},"n":1}]})";
constexpr const char* kNone = R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[]})";

std::string Event(const std::string& type, int n) {
  return R"({"type":")" + type + R"(","object":{"kind":"Pod","metadata":{"name":"p"},"n":)" +
         std::to_string(n) + "}}\n";
}

class AwaitTest : public ::testing::Test {
 protected:
  Status Await(int until) {
    return AwaitObject(client_, types::Pods(), {"ns", "p"}, limit_,
                       [&, until](const Object& object) -> Result<bool> {
                         seen_.push_back(object["n"].Int().value_or(0));
                         return seen_.back() == until;
                       });
  }

  WaitLimit limit_ = WaitLimit::For(RealClock(), std::chrono::minutes(2));
  std::vector<int64_t> seen_;
  net::EventLoop loop_{"test"};
  ScriptedApi api_;
  std::unique_ptr<Transport> transport_ = MakeHandlerTransport(loop_, api_.handler());
  Client client_{*transport_, RealClock()};
};

TEST_F(AwaitTest, WhatIsAlreadySoIsNotWaitedFor) {
  api_.Json(200, kPage);
  EXPECT_OK(Await(1));
  EXPECT_THAT(api_.request_lines(),
              ElementsAre("GET /api/v1/namespaces/ns/pods?fieldSelector=metadata.name%3Dp"));
}

TEST_F(AwaitTest, WatchesFromTheListOnUntilItIsSo) {
  api_.Json(200, kPage).Stream({Event("MODIFIED", 2), Event("MODIFIED", 3)}, true);
  EXPECT_OK(Await(3));
  EXPECT_THAT(seen_, ElementsAre(1, 2, 3));
  EXPECT_THAT(api_.request_lines().at(1), HasSubstr("resourceVersion=5"));
}

TEST_F(AwaitTest, AWatchThatEndsBeginsAnew) {
  api_.Json(200, kPage)
      .Stream({Event("MODIFIED", 2)})
      .Json(200, kPage)
      .Stream({Event("MODIFIED", 3)}, true);
  EXPECT_OK(Await(3));
  EXPECT_THAT(seen_, ElementsAre(1, 2, 1, 3));
}

TEST_F(AwaitTest, SaysWhenItWasDeleted) {
  api_.Json(200, kPage).Stream({Event("DELETED", 1)}, true);
  EXPECT_CODE(Code::kNotFound, Await(2));
  api_.Json(200, kNone);
  EXPECT_CODE(Code::kNotFound, Await(2));
}

TEST_F(AwaitTest, EndsWithItsLimit) {
  limit_ = WaitLimit::For(RealClock(), std::chrono::milliseconds(50));
  api_.Json(200, kPage).Stream({}, true);
  EXPECT_CODE(Code::kDeadlineExceeded, Await(2));
}

TEST_F(AwaitTest, ANameThatIsNoneIsNotSent) {
  EXPECT_CODE(Code::kInvalid, AwaitObject(client_, types::Pods(), {"ns", ""}, limit_,
                                          [](const Object&) -> Result<bool> { return true; }));
  EXPECT_TRUE(api_.request_lines().empty());
}

}  // namespace
}  // namespace hearth::kube
