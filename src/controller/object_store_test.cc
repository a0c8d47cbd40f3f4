#include "controller/object_store.h"

#include <gtest/gtest.h>

#include "controller/testing/pruned.h"

namespace hearth::controller {
namespace {

class ObjectStoreTest : public testing::Test {
 protected:
  void Put(const std::string& text) { store_.Upsert(MakeCached(text), Record()); }
  ObjectStore::OnChange Record() {
    return [this](const Change& change) { changes_.push_back(change); };
  }
  std::vector<Change::Type> Types() const {
    std::vector<Change::Type> types;
    for (const Change& change : changes_) {
      types.push_back(change.type);
    }
    return types;
  }

  ObjectStore store_;
  std::vector<Change> changes_;
};

using Type = Change::Type;

TEST_F(ObjectStoreTest, TellsAdditionsAndUpdates) {
  Put(ObjectText("a", "u1", 1));
  Put(ObjectText("a", "u1", 2, 5));
  EXPECT_EQ(Types(), (std::vector{Type::kAdded, Type::kUpdated}));
  EXPECT_EQ(changes_[1].before->resource_version(), 1U);
  EXPECT_EQ(store_.Get("ns", "a")->view()["spec"]["v"].Int(), 5);
}

TEST_F(ObjectStoreTest, OlderVersionOfTheSameObjectIsIgnored) {
  Put(ObjectText("a", "u1", 7));
  Put(ObjectText("a", "u1", 6, 9));
  EXPECT_EQ(Types(), std::vector{Type::kAdded});
  EXPECT_EQ(store_.Get("ns", "a")->resource_version(), 7U);
}

TEST_F(ObjectStoreTest, RecreationUnderTheSameNameIsADeletionAndAnAddition) {
  Put(ObjectText("a", "u1", 7));
  Put(ObjectText("a", "u2", 9));
  EXPECT_EQ(Types(), (std::vector{Type::kAdded, Type::kDeleted, Type::kAdded}));
  EXPECT_EQ(changes_[1].before->uid(), "u1");
  EXPECT_EQ(changes_[2].after->uid(), "u2");
}

TEST_F(ObjectStoreTest, DeletionOfAnOlderObjectLeavesTheNewOne) {
  Put(ObjectText("a", "u2", 9));
  store_.Remove("ns", "a", MakeCached(ObjectText("a", "u1", 8)), Record());
  EXPECT_TRUE(store_.Get("ns", "a"));
}

// Trap 4.
TEST_F(ObjectStoreTest, ReplaceDeletesWhatVanishedAndKeepsWhatIsThere) {
  Put(ObjectText("a", "u1", 1));
  Put(ObjectText("b", "u2", 2));
  store_.AdvanceTo(2);
  changes_.clear();
  store_.BeginReplace();
  Put(ObjectText("b", "u2", 2));
  Put(ObjectText("c", "u3", 3));
  store_.EndReplace(5, Record());
  EXPECT_EQ(Types(), (std::vector{Type::kAdded, Type::kDeleted}));
  EXPECT_EQ(changes_[1].before->name(), "a");
  EXPECT_EQ(store_.size(), 2U);
  EXPECT_EQ(store_.resource_version(), 5U);
}

TEST_F(ObjectStoreTest, ReplaceBegunAgainCountsOnlyTheSecondTime) {
  Put(ObjectText("a", "u1", 1));
  store_.BeginReplace();
  Put(ObjectText("a", "u1", 1));
  store_.BeginReplace();
  store_.EndReplace(5, Record());
  EXPECT_EQ(store_.size(), 0U);
}

TEST_F(ObjectStoreTest, AuthoritativeReplaceTakesLowerVersions) {
  Put(ObjectText("a", "u1", 70, 1));
  store_.AdvanceTo(70);
  store_.BeginReplace(true);
  Put(ObjectText("a", "u1", 30, 2));
  store_.EndReplace(31, Record());
  EXPECT_EQ(store_.Get("ns", "a")->view()["spec"]["v"].Int(), 2);
  EXPECT_EQ(store_.resource_version(), 31U);
}

TEST_F(ObjectStoreTest, FirstFillingIsMarkedInitial) {
  store_.BeginReplace();
  Put(ObjectText("a", "u1", 1));
  store_.EndReplace(1, Record());
  Put(ObjectText("b", "u2", 2));
  EXPECT_TRUE(changes_[0].initial);
  EXPECT_FALSE(changes_[1].initial);
}

TEST_F(ObjectStoreTest, PointersStayValidAndUnchanged) {
  Put(ObjectText("a", "u1", 1, 1));
  const ObjectPtr before = store_.Get("ns", "a");
  Put(ObjectText("a", "u1", 2, 2));
  store_.Remove("ns", "a", {}, Record());
  EXPECT_EQ(before->view()["spec"]["v"].Int(), 1);
}

TEST_F(ObjectStoreTest, IndexesFollowEveryChange) {
  ObjectStore store({IndexByField("v", "spec.app"), IndexByOwner()});
  const auto object = [](const char* name, const char* app, int version) {
    return MakeCached(std::string(R"({"metadata":{"name":")") + name + R"(","uid":")" + name +
                      R"(","resourceVersion":")" + std::to_string(version) +
                      R"(","ownerReferences":[{"uid":"o1"},{"uid":"o2"}]},"spec":{"app":")" + app +
                      R"("}})");
  };
  const auto ignore = [](const Change&) {};
  store.Upsert(object("b", "web", 1), ignore);
  store.Upsert(object("a", "web", 2), ignore);
  ASSERT_EQ(store.Lookup("v", "web").size(), 2U);
  EXPECT_EQ(store.Lookup("v", "web")[0]->name(), "a");
  store.Upsert(object("b", "db", 3), ignore);
  EXPECT_EQ(store.Lookup("v", "web").size(), 1U);
  EXPECT_EQ(store.Lookup("v", "db").size(), 1U);
  EXPECT_EQ(store.Lookup("owner", "o2").size(), 2U);
  store.Remove("", "b", {}, ignore);
  EXPECT_TRUE(store.Lookup("v", "db").empty());
  EXPECT_EQ(store.Lookup("owner", "o1").size(), 1U);
}

TEST(CachedObject, PacksUidsAndKeepsOddOnes) {
  const std::string uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
  EXPECT_EQ(MakeCached(ObjectText("a", uuid, 1))->uid(), uuid);
  EXPECT_EQ(MakeCached(ObjectText("a", "Not-A-Uuid", 1))->uid(), "Not-A-Uuid");
  const std::string upper = "0F8FAD5B-D9CB-469F-A165-70867728950E";
  EXPECT_EQ(MakeCached(ObjectText("a", upper, 1))->uid(), upper);
  EXPECT_LT(MakeCached(ObjectText("a", uuid, 1))->allocated_bytes(),
            MakeCached(ObjectText("a", upper, 1))->allocated_bytes() + 40);
}

}  // namespace
}  // namespace hearth::controller
