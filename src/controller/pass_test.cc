#include "controller/pass.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/testing/status_matchers.h"
#include "controller/testing/memory_api.h"
#include "controller/testing/pruned.h"
#include "json/parse.h"
#include "kube/model/api_status.h"

namespace hearth::controller {
namespace {

bool Needs(std::string_view cached, std::string_view desired) {
  const auto have = json::Parse(cached);
  const auto want = json::Parse(desired);
  EXPECT_TRUE(have.ok() && want.ok());
  return NeedsApply(have->view(), want->view());
}

// Trap 7: writes that would change nothing are not sent.
TEST(NeedsApply, DefaultsAndOtherOwnersFieldsDoNotCount) {
  EXPECT_FALSE(Needs(
      R"({"metadata":{"labels":{"a":"b","theirs":"x"}},"spec":{"replicas":1,"policy":"Default"}})",
      R"({"apiVersion":"v1","kind":"X","metadata":{"name":"n","namespace":"ns","labels":{"a":"b"}},"spec":{"replicas":1}})"));
}

TEST(NeedsApply, SpellingsOfTheSameValueDoNotCount) {
  EXPECT_FALSE(
      Needs(R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1"}}}]}})",
            R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1000m"}}}]}})"));
  EXPECT_FALSE(Needs(R"({"spec":{}})", R"({"spec":{"selector":{}}})"));
  EXPECT_FALSE(Needs(R"({"spec":{"x":1}})", R"({"spec":{"x":1.0}})"));
}

TEST(NeedsApply, ReorderedMapListsDoNotCount) {
  EXPECT_FALSE(
      Needs(R"({"spec":{"containers":[{"name":"b","image":"2"},{"name":"a","image":"1"}]}})",
            R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]}})"));
}

TEST(NeedsApply, ChangedValuesCount) {
  EXPECT_TRUE(Needs(R"({"spec":{"replicas":1}})", R"({"spec":{"replicas":2}})"));
  EXPECT_TRUE(Needs(R"({"spec":{}})", R"({"spec":{"replicas":0}})"));
  EXPECT_TRUE(Needs(R"({"metadata":{}})", R"({"metadata":{"labels":{"a":"b"}}})"));
}

TEST(NeedsApply, AFieldGivenUpIsNoticedByTheStamp) {
  EXPECT_TRUE(Needs(
      R"({"metadata":{"annotations":{"hearth.dev/applied":"1"}},"spec":{"replicas":1,"old":2}})",
      R"({"metadata":{"annotations":{"hearth.dev/applied":"2"}},"spec":{"replicas":1}})"));
  EXPECT_FALSE(Needs(
      R"({"metadata":{"annotations":{"hearth.dev/applied":"2"}},"spec":{"replicas":1,"old":2}})",
      R"({"metadata":{"annotations":{"hearth.dev/applied":"2"}},"spec":{"replicas":1}})"));
}

TEST(NeedsApply, AdoptingWhatIsRightAlreadyCostsNothing) {
  EXPECT_FALSE(
      Needs(R"({"spec":{"replicas":1}})",
            R"({"metadata":{"annotations":{"hearth.dev/applied":"2"}},"spec":{"replicas":1}})"));
}

class PassTest : public testing::Test {
 protected:
  PassTest() { Put(R"({"metadata":{"name":"a","namespace":"ns"},"data":{"x":"1"}})"); }

  void Put(std::string_view text) { api_.Put(kube::types::ConfigMaps(), *json::ParseValue(text)); }
  // What a cache would show now.
  ObjectPtr Cached() {
    const auto stored = api_.Find(kube::types::ConfigMaps(), {"ns", "a"});
    return stored ? MakeCached(stored->Write()) : ObjectPtr();
  }
  std::unique_ptr<Pass> NewPass() {
    return std::make_unique<Pass>(client_, events_, Logger::Null,
                                  WaitLimit::For(RealClock(), std::chrono::minutes(2)));
  }
  static json::Value Desired(const std::string& x) {
    json::Value desired = kube::NewObject(kube::types::ConfigMaps(), {"ns", "a"});
    desired.Set("data", json::Value::Object({{"x", x}}));
    return desired;
  }

  MemoryApi api_;
  net::EventLoop loop_{"pass-test"};
  std::unique_ptr<kube::Transport> transport_ = kube::MakeHandlerTransport(loop_, api_.Handler());
  kube::Client client_{*transport_, RealClock()};
  EventRecorder events_{client_, RealClock(), {}, Logger::Null()};
};

TEST_F(PassTest, ApplySendsOnlyWhatChangesSomething) {
  const auto pass = NewPass();
  ASSERT_OK_AND_ASSIGN(const bool same,
                       pass->Apply(kube::types::ConfigMaps(), Desired("1"), Cached().get()));
  EXPECT_FALSE(same);
  EXPECT_TRUE(pass->writes().empty());
  ASSERT_OK_AND_ASSIGN(const bool other,
                       pass->Apply(kube::types::ConfigMaps(), Desired("2"), Cached().get()));
  EXPECT_TRUE(other);
  ASSERT_EQ(pass->writes().size(), 1U);
  EXPECT_EQ(pass->writes()[0].resource_version, Cached()->resource_version());
  ASSERT_OK_AND_ASSIGN(const bool again,
                       pass->Apply(kube::types::ConfigMaps(), Desired("2"), Cached().get()));
  EXPECT_FALSE(again);
}

TEST_F(PassTest, ApplyCanDependOnWhatTheCacheShowed) {
  const auto& type = kube::types::ConfigMaps();
  const ObjectPtr stale = Cached();
  Put(R"({"metadata":{"name":"a","namespace":"ns"},"data":{"x":"theirs"}})");
  EXPECT_CODE(Code::kConflict,
              NewPass()->Apply(type, Desired("2"), stale.get(), {.since = Pass::Since::kCached}));
  EXPECT_OK(NewPass()->Apply(type, Desired("2"), Cached().get(), {.since = Pass::Since::kCached}));
  EXPECT_EQ(*api_.Find(type, {"ns", "a"})->FindPath("data.x"), json::Value("2"));
}

TEST_F(PassTest, CreateAndPatchAreRemembered) {
  const auto pass = NewPass();
  const auto& type = kube::types::ConfigMaps();
  json::Value other = kube::NewObject(type, {"ns", "b"});
  ASSERT_OK(pass->Create(type, other));
  EXPECT_EQ(pass->Create(type, other).reason(), kube::reason::kAlreadyExists);
  json::Value patch;
  patch.MakePath("data.x") = "3";
  ASSERT_OK(pass->Patch(type, *Cached(), patch));
  ASSERT_EQ(pass->writes().size(), 2U);
  EXPECT_EQ(pass->writes()[1].resource_version, Cached()->resource_version());
  EXPECT_EQ(*api_.Find(type, {"ns", "a"})->FindPath("data.x"), json::Value("3"));
}

TEST_F(PassTest, StatusIsWrittenOnceAndOnlyWhenItDiffers) {
  const json::Value status = json::Value::Object({{"ready", 1}});
  ASSERT_OK_AND_ASSIGN(const bool first,
                       NewPass()->ApplyStatus(kube::types::ConfigMaps(), *Cached(), status));
  EXPECT_TRUE(first);
  ASSERT_OK_AND_ASSIGN(const bool second,
                       NewPass()->ApplyStatus(kube::types::ConfigMaps(), *Cached(), status));
  EXPECT_FALSE(second);
}

TEST_F(PassTest, FinalizerIsAddedOnceAndRemovedOnce) {
  const auto pass = NewPass();
  const auto& type = kube::types::ConfigMaps();
  ASSERT_OK_AND_ASSIGN(const bool added, pass->AddFinalizer(type, *Cached(), "hearth.dev/a"));
  EXPECT_TRUE(added);
  EXPECT_TRUE(kube::Meta(Cached()->view()).HasFinalizer("hearth.dev/a"));
  ASSERT_OK_AND_ASSIGN(const bool again, pass->AddFinalizer(type, *Cached(), "hearth.dev/a"));
  EXPECT_FALSE(again);
  ASSERT_OK_AND_ASSIGN(const bool removed, pass->RemoveFinalizer(type, *Cached(), "hearth.dev/a"));
  EXPECT_TRUE(removed);
  EXPECT_TRUE(kube::Meta(Cached()->view()).finalizers().empty());
}

TEST_F(PassTest, FinalizersOfOthersThatTheCacheDoesNotShowYetSurvive) {
  const auto& type = kube::types::ConfigMaps();
  ASSERT_OK(NewPass()->AddFinalizer(type, *Cached(), "hearth.dev/a"));
  const ObjectPtr stale = Cached();
  ASSERT_OK(NewPass()->AddFinalizer(type, *stale, "hearth.dev/theirs"));
  EXPECT_CODE(Code::kConflict, NewPass()->AddFinalizer(type, *stale, "hearth.dev/b"));
  EXPECT_CODE(Code::kConflict, NewPass()->RemoveFinalizer(type, *stale, "hearth.dev/a"));
  EXPECT_TRUE(kube::Meta(Cached()->view()).HasFinalizer("hearth.dev/theirs"));
}

TEST_F(PassTest, StatusIsNotWrittenOntoANewObjectOfTheSameName) {
  const ObjectPtr old = Cached();
  api_.Remove(kube::types::ConfigMaps(), {"ns", "a"});
  Put(R"({"metadata":{"name":"a","namespace":"ns"},"data":{"x":"new"}})");
  const json::Value status = json::Value::Object({{"ready", 1}});
  EXPECT_CODE(Code::kConflict, NewPass()->ApplyStatus(kube::types::ConfigMaps(), *old, status));
  EXPECT_FALSE(Cached()->view()["status"].exists());
}

TEST_F(PassTest, DeleteMeansThisVeryObject) {
  const ObjectPtr old = Cached();
  api_.Remove(kube::types::ConfigMaps(), {"ns", "a"});
  Put(R"({"metadata":{"name":"a","namespace":"ns"},"data":{"x":"new"}})");
  const auto pass = NewPass();
  ASSERT_OK(pass->Delete(kube::types::ConfigMaps(), *old));
  EXPECT_TRUE(Cached()) << "another object of the same name was deleted";
  ASSERT_OK(pass->Delete(kube::types::ConfigMaps(), *Cached()));
  EXPECT_FALSE(Cached());
  ASSERT_EQ(pass->writes().size(), 2U);
  EXPECT_TRUE(pass->writes()[1].gone);
}

TEST_F(PassTest, DeleteOfAnotherVersionThanWantedIsAConflict) {
  const ObjectPtr old = Cached();
  Put(R"({"metadata":{"name":"a","namespace":"ns"},"data":{"x":"in use again"}})");
  const auto pass = NewPass();
  kube::DeleteOptions options;
  options.resource_version = std::to_string(old->resource_version());
  EXPECT_CODE(Code::kConflict, pass->Delete(kube::types::ConfigMaps(), *old, options));
  EXPECT_TRUE(Cached());
  EXPECT_TRUE(pass->writes().empty());
}

// A proxy without a backend for us knows nothing of the object: taken at its word, a finalizer
// would stay for ever.
TEST_F(PassTest, OnlyTheApiServerCanSayThatAnObjectIsGone) {
  const auto& type = kube::types::ConfigMaps();
  ASSERT_OK(NewPass()->AddFinalizer(type, *Cached(), "hearth.dev/a"));
  api_.Intercept([](const http::Request&) -> std::optional<http::Response> {
    return http::Response{.status = 404, .headers = {}, .body = "404 page not found"};
  });
  EXPECT_CODE(Code::kNotFound, NewPass()->RemoveFinalizer(type, *Cached(), "hearth.dev/a"));
  EXPECT_CODE(Code::kNotFound, NewPass()->Delete(type, *Cached()));
  api_.Intercept({});
  const ObjectPtr old = Cached();
  ASSERT_OK(NewPass()->RemoveFinalizer(type, *Cached(), "hearth.dev/a"));
  api_.Remove(type, {"ns", "a"});
  EXPECT_OK(NewPass()->RemoveFinalizer(type, *old, "hearth.dev/a"));
  EXPECT_OK(NewPass()->Delete(type, *old));
}

}  // namespace
}  // namespace hearth::controller
