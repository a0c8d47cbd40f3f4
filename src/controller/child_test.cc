#include "controller/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "controller/testing/direct_transport.h"
#include "controller/testing/memory_api.h"
#include "controller/testing/pruned.h"

namespace hearth::controller {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kOwner = "owner-uid";
const kube::ObjectKey kKey{"ns", "child"};

Value Desired(int size = 1, const std::string& owner = kOwner) {
  Value child = kube::NewObject(kube::types::ConfigMaps(), kKey);
  child.MakePath("metadata")
      .Set("ownerReferences", Value::Array({Value::Object({{"apiVersion", "v1"},
                                                           {"kind", "Owner"},
                                                           {"name", owner + "-name"},
                                                           {"uid", owner},
                                                           {"controller", true}})}));
  child.MakePath("data").Set("size", size);
  return child;
}

class EnsureChildTest : public testing::Test {
 protected:
  // With what the cache shows of it, nothing when `cached` is false. The requests of this alone.
  Result<bool> Ensure(Value desired, bool cached) {
    const auto there = api_.Find(kube::types::ConfigMaps(), kKey);
    const ObjectPtr object = cached ? MakeCached(there->Write()) : ObjectPtr();
    Pass pass(
        client_, events_, [] { return Logger::Null(); },
        WaitLimit::For(RealClock(), std::chrono::seconds(30)));
    const size_t before = api_.requests().size();
    auto sent =
        EnsureChild(pass, {kube::types::ConfigMaps(), std::move(desired), object.get()}, kOwner);
    requests_.clear();
    for (size_t i = before; i < api_.requests().size(); ++i) {
      requests_.push_back(api_.requests()[i].substr(0, api_.requests()[i].find(' ')));
    }
    return sent;
  }
  int64_t Size() {
    return api_.Find(kube::types::ConfigMaps(), kKey)->FindPath("data.size")->Int().value_or(0);
  }

  MemoryApi api_;
  DirectTransport transport_{[this](const http::Request& request, const WaitLimit&) {
    return Result<http::Response>(api_.Answer(request));
  }};
  kube::Client client_{transport_, RealClock()};
  EventRecorder events_{client_, RealClock(), {}, Logger::Null()};
  std::vector<std::string> requests_;
};

TEST_F(EnsureChildTest, MakesItWithOneRequestAndThenLeavesItAlone) {
  ASSERT_OK_AND_ASSIGN(const bool made, Ensure(Desired(), false));
  EXPECT_TRUE(made);
  EXPECT_THAT(requests_, ElementsAre("POST"));
  ASSERT_OK_AND_ASSIGN(const bool again, Ensure(Desired(), true));
  EXPECT_FALSE(again);
  EXPECT_THAT(requests_, IsEmpty());
}

TEST_F(EnsureChildTest, NeverTakesOverWhatTheCacheDoesNotShow) {
  for (const bool owned : {false, true}) {
    Value theirs = Desired(7, "their-uid");
    if (!owned) {
      theirs["metadata"].Erase("ownerReferences");
    }
    const Value stored = api_.Put(kube::types::ConfigMaps(), theirs);
    const auto sent = Ensure(Desired(), false);
    EXPECT_EQ(sent.status().reason(), "NameConflict");
    EXPECT_THAT(sent.status().message(),
                HasSubstr(owned ? "belongs to Owner their-uid-name" : "is not ours"));
    EXPECT_EQ(*api_.Find(kube::types::ConfigMaps(), kKey), stored);
  }
}

TEST_F(EnsureChildTest, KnowsItsOwnWhereTheCacheLagsBehind) {
  ASSERT_OK(Ensure(Desired(), false));
  ASSERT_OK_AND_ASSIGN(const bool same, Ensure(Desired(), false));
  EXPECT_FALSE(same);
  EXPECT_THAT(requests_, ElementsAre("POST", "GET"));
  ASSERT_OK(Ensure(Desired(2), false));
  EXPECT_EQ(Size(), 2);
}

// Else fields that are no longer wanted would stay for ever; see ownership.h.
TEST_F(EnsureChildTest, TakesTheFieldsOfItsCreationWithTheFirstChange) {
  ASSERT_OK(Ensure(Desired(), false));
  ASSERT_OK(Ensure(Desired(2), true));
  EXPECT_THAT(requests_, ElementsAre("GET", "PATCH")) << "it looks who owns what";
  ASSERT_OK(Ensure(Desired(3), true));
  EXPECT_THAT(requests_, ElementsAre("PATCH")) << "all is ours";
  EXPECT_EQ(Size(), 3);
}

}  // namespace
}  // namespace hearth::controller
