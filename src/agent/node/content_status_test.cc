#include "agent/node/content_status.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/testing/status_matchers.h"
#include "controller/conditions.h"
#include "controller/testing/direct_transport.h"
#include "controller/testing/memory_api.h"
#include "kube/model/object.h"

namespace hearth::agent::node {
namespace {

using Settled = ContentStatus::Settled;

class ContentStatusTest : public testing::Test {
 protected:
  void SetUp() override { Put({}); }
  // As another writer: a condition that is True, or none.
  void Put(const std::string& type) {
    json::Value content = api_.Find(Contents(), {"", "content"})
                              .value_or(kube::NewObject(Contents(), {"", "content"}));
    content["spec"].Set("turn", ++turn_);
    if (!type.empty()) {
      content["status"].Set("conditions",
                            json::Value::Array({json::Value::Object(
                                {{"type", type}, {"status", "True"}, {"reason", "ByAnother"}})}));
    }
    api_.Put(Contents(), std::move(content));
  }
  ContentFacts Facts() {
    const std::string text = api_.Find(Contents(), {"", "content"})->Write();
    return ReadContent(json::View::Trusted(text));
  }
  Result<Settled> SetReady(const ContentFacts& content) {
    return status_.SetReady(content, {"lark", "1", 9, "digest"}, WaitLimit::Forever());
  }

  int turn_ = 0;
  int patches_ = 0;
  std::function<void()> before_patch_;
  int fail_with_ = 0;
  controller::MemoryApi api_;
  controller::DirectTransport transport_{
      [this](const http::Request& request, const WaitLimit&) -> Result<http::Response> {
        if (request.method == "PATCH") {
          ++patches_;
          if (before_patch_) {
            before_patch_();
          }
          if (fail_with_ != 0) {
            http::Response response;
            response.status = fail_with_;
            return response;
          }
        }
        return api_.Answer(request);
      }};
  kube::Client client_{transport_, RealClock(), {.max_tries = 1}};
  ContentStatus status_{client_, RealClock()};
};

TEST_F(ContentStatusTest, ReadyTellsWhatIsStored) {
  const auto settled = SetReady(Facts());
  ASSERT_OK(settled);
  EXPECT_EQ(*settled, Settled::kWritten);
  const ContentFacts now = Facts();
  EXPECT_TRUE(now.ready);
  EXPECT_EQ(now.artifact_id, "lark");
  const std::string text = now.conditions.Write();
  const auto ready = controller::FindCondition(json::View::Trusted(text), "Ready");
  EXPECT_EQ(ready->reason, "Captured");
  EXPECT_EQ(ready->message, "Checkpoint captured and verified");
}

// A68: what cannot be written is a failure, and nothing has changed.
TEST_F(ContentStatusTest, AFailedWriteIsToldAndChangesNothing) {
  fail_with_ = 500;
  EXPECT_FALSE(SetReady(Facts()).ok());
  EXPECT_FALSE(Facts().terminal());
  EXPECT_EQ(patches_, 1) << "only conflicts are tried again";
  EXPECT_FALSE(status_.SetFailed(Facts(), "X", "x", WaitLimit::Forever()).ok());
  EXPECT_FALSE(Facts().terminal());
}

// A68: a conflict that never ends.
TEST_F(ContentStatusTest, ConflictsAreNotTriedForEver) {
  before_patch_ = [this] { Put({}); };
  EXPECT_CODE(Code::kConflict, SetReady(Facts()));
  EXPECT_EQ(patches_, 8);
  EXPECT_FALSE(Facts().terminal());
}

// A70, A71: decided again on what is there now.
TEST_F(ContentStatusTest, AConflictShowsWhatAnotherWrote) {
  const ContentFacts stale = Facts();
  Put("Failed");
  EXPECT_EQ(*SetReady(stale), Settled::kWasFailed);
  EXPECT_EQ(patches_, 1);
  EXPECT_TRUE(Facts().failed);
  EXPECT_FALSE(Facts().ready);
}

TEST_F(ContentStatusTest, AConflictMayShowThatItIsReady) {
  const ContentFacts stale = Facts();
  Put("Ready");
  EXPECT_EQ(*SetReady(stale), Settled::kWasReady);
  EXPECT_EQ(*status_.SetFailed(stale, "LeaseCancelled", "late", WaitLimit::Forever()),
            Settled::kWasReady);
  EXPECT_FALSE(Facts().failed) << "Ready stays";
}

// A71: the second conflict shows that it failed.
TEST_F(ContentStatusTest, TheSecondConflictMayShowFailed) {
  before_patch_ = [this] { Put(patches_ == 1 ? "" : "Failed"); };
  EXPECT_EQ(*SetReady(Facts()), Settled::kWasFailed);
  EXPECT_EQ(patches_, 2);
}

TEST_F(ContentStatusTest, WhatIsGoneOrAnotherIsLeftAlone) {
  const ContentFacts old = Facts();
  api_.Remove(Contents(), {"", "content"});
  EXPECT_EQ(*SetReady(old), Settled::kGone);
  Put({});
  EXPECT_EQ(*SetReady(old), Settled::kGone) << "another of the same name";
  EXPECT_FALSE(Facts().ready);
}

}  // namespace
}  // namespace hearth::agent::node
