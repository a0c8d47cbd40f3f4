#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "kube/client/client.h"
#include "kube/client/testing/scripted_api.h"

namespace hearth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Item(const std::string& uid) { return R"({"metadata":{"uid":")" + uid + R"("}})"; }

std::string Page(const std::string& items, const std::string& continue_token) {
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":")" +
         continue_token + R"("},"items":[)" + items + "]}";
}

class ClientListTest : public ::testing::Test {
 protected:
  Status ListAll(const ListOptions& options = {}) {
    return client_.ListAll(types::Pods(), "", WaitLimit::Forever(), options,
                           [&](const Object& pod) {
                             seen_.push_back(pod.meta().uid());
                             return Status::Ok();
                           });
  }

  net::EventLoop loop_{"test"};
  ScriptedApi api_;
  std::unique_ptr<Transport> transport_ = MakeHandlerTransport(loop_, api_.handler());
  Client client_{*transport_, RealClock()};
  std::vector<std::string> seen_;
};

TEST_F(ClientListTest, APageTellsItsItemsAndWhereItEnds) {
  api_.Json(200, R"({"kind":"PodList","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}],
                     "metadata":{"resourceVersion":"7","continue":"t","remainingItemCount":3}})");
  ASSERT_OK_AND_ASSIGN(const ListPage page,
                       client_.List(types::Pods(), "", WaitLimit::Forever(), {.limit = 2}));
  ASSERT_EQ(page.items.size(), 2u);
  EXPECT_EQ(page.items[1].meta().name(), "b");
  EXPECT_EQ(page.resource_version, "7");
  EXPECT_EQ(page.continue_token, "t");
  EXPECT_EQ(page.remaining, 3);
}

TEST_F(ClientListTest, EmptyListsComeInMoreThanOneSpelling) {
  for (const char* body :
       {R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[]})",
        R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":null})"}) {
    api_.Json(200, body);
    ASSERT_OK_AND_ASSIGN(const ListPage page,
                         client_.List(types::Pods(), "", WaitLimit::Forever()));
    EXPECT_THAT(page.items, IsEmpty());
    EXPECT_EQ(page.resource_version, "7");
  }
}

TEST_F(ClientListTest, WhatIsNoListIsAnError) {
  for (const char* body : {"", "hello", "[]", R"({"kind":"Pod"})", R"({"items":[{"a":1})"}) {
    api_.Json(200, body);
    EXPECT_FALSE(client_.List(types::Pods(), "", WaitLimit::Forever()).ok()) << body;
  }
}

TEST_F(ClientListTest, PagesFollowEachOther) {
  api_.Json(200, Page(Item("a") + "," + Item("b"), "t1"))
      .Json(200, Page(Item("c"), "t2"))
      .Json(200, Page(Item("d"), ""));
  ASSERT_OK(
      ListAll({.limit = 2, .resource_version = "0", .resource_version_match = "NotOlderThan"}));
  EXPECT_THAT(seen_, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(
      api_.request_lines(),
      ElementsAre("GET /api/v1/pods?limit=2&resourceVersion=0&resourceVersionMatch=NotOlderThan",
                  "GET /api/v1/pods?limit=2&continue=t1", "GET /api/v1/pods?limit=2&continue=t2"));
}

TEST_F(ClientListTest, AnExpiredTokenStartsOverInOnePieceAndTellsNothingTwice) {
  api_.Json(200, Page(Item("a") + "," + Item("b"), "t1"))
      .Failure(Status(Code::kGone, "Expired", "too old"))
      .Json(200, Page(Item("b") + "," + Item("x") + "," + Item("c"), ""));
  ASSERT_OK(ListAll({.limit = 2}));
  EXPECT_THAT(seen_, ElementsAre("a", "b", "x", "c"));
  EXPECT_EQ(api_.request_lines().back(), "GET /api/v1/pods");
}

TEST_F(ClientListTest, ObjectsWithoutUidAreToldApartByName) {
  api_.Json(200, Page(R"({"metadata":{"name":"a"}},{"metadata":{"name":"b"}})", ""));
  ASSERT_OK(ListAll());
  EXPECT_EQ(seen_.size(), 2u);
}

TEST_F(ClientListTest, AVersionThatIsGoneFromTheStartIsTheCallersProblem) {
  api_.Failure(Status(Code::kGone, "Expired", "too old"));
  EXPECT_CODE(Code::kGone, ListAll({.resource_version = "1", .resource_version_match = "Exact"}));
}

TEST_F(ClientListTest, AReceiverThatFailsEndsIt) {
  api_.Json(200, Page(Item("a") + "," + Item("b"), "t1"));
  const Status status = client_.ListAll(types::Pods(), "", WaitLimit::Forever(), {},
                                        [&](const Object&) { return ConflictError("enough"); });
  EXPECT_CODE(Code::kConflict, status);
  EXPECT_EQ(api_.requests().size(), 1u);
}

}  // namespace
}  // namespace hearth::kube
