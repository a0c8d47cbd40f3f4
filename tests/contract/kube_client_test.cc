// Reading, creating, updating, deleting.
#include <set>
#include <tuple>

#include "contract_test.h"
#include "kube/model/api_status.h"

namespace hearth::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

class KubeClient : public ContractTest {
 protected:
  // So many ConfigMaps named c0, c1, ...
  void CreateMany(int count) {
    for (int i = 0; i < count; ++i) {
      json::Value map = ConfigMap("c" + std::to_string(i));
      map.MakePath("metadata.labels.half") = i % 2 == 0 ? "even" : "odd";
      ASSERT_OK(Create(types::ConfigMaps(), map));
    }
  }
};

TEST_P(KubeClient, CreatesAndReads) {
  ASSERT_OK_AND_ASSIGN(const Object created, Create(types::ConfigMaps(), ConfigMap("a")));
  EXPECT_EQ(created.meta().key(), Key("a"));
  EXPECT_FALSE(created.meta().uid().empty());
  EXPECT_FALSE(created.meta().resource_version().empty());
  ASSERT_OK_AND_ASSIGN(const Object read, Get("a"));
  EXPECT_EQ(read.meta().uid(), created.meta().uid());
  EXPECT_EQ(read.meta().resource_version(), created.meta().resource_version());
  EXPECT_EQ(read["data"]["k"].String(), "v");
}

TEST_P(KubeClient, GeneratesNames) {
  json::Value map = ConfigMap("");
  map["metadata"].Erase("name");
  map.MakePath("metadata.generateName") = "made-";
  ASSERT_OK_AND_ASSIGN(const Object first, Create(types::ConfigMaps(), map));
  ASSERT_OK_AND_ASSIGN(const Object second, Create(types::ConfigMaps(), map));
  EXPECT_THAT(first.meta().name(), StartsWith("made-"));
  EXPECT_NE(first.meta().name(), second.meta().name());
}

TEST_P(KubeClient, WhatIsThereCannotBeCreated) {
  ASSERT_OK(Create(types::ConfigMaps(), ConfigMap("a")));
  const auto again = Create(types::ConfigMaps(), ConfigMap("a"));
  EXPECT_CODE(Code::kAlreadyExists, again);
  EXPECT_EQ(again.status().reason(), reason::kAlreadyExists);
  EXPECT_EQ(again.status().http_code(), 409);
  EXPECT_THAT(std::string(again.status().message()),
              StartsWith("create configmaps " + name_space() + "/a: "));
}

TEST_P(KubeClient, WhatIsMissingIsNotFound) {
  const auto missing = Get("none");
  EXPECT_CODE(Code::kNotFound, missing);
  EXPECT_EQ(missing.status().reason(), reason::kNotFound);
  EXPECT_CODE(Code::kNotFound, Update(types::ConfigMaps(), ConfigMap("none")));
  EXPECT_CODE(Code::kNotFound, client().Delete(types::ConfigMaps(), Key("none"), Limit()));
  json::Value elsewhere = ConfigMap("a");
  elsewhere.MakePath("metadata.namespace") = "no-such-namespace";
  const json::Blob lost = elsewhere.ToBlob();
  EXPECT_CODE(Code::kNotFound,
              client().Create(types::ConfigMaps(), "no-such-namespace", lost.view(), Limit()));
  const ResourceType unknown{"no.such.group", "v1", "things", "Thing", true};
  EXPECT_CODE(Code::kNotFound, client().Get(unknown, Key("a"), Limit()));
}

TEST_P(KubeClient, AnInvalidObjectIsToldFieldByField) {
  json::Value map = ConfigMap("Not_A_Name");
  map.MakePath("metadata.labels")["-bad-"] = "x";
  const auto invalid = Create(types::ConfigMaps(), map);
  EXPECT_CODE(Code::kInvalid, invalid);
  EXPECT_EQ(invalid.status().reason(), reason::kInvalid);
  EXPECT_EQ(invalid.status().http_code(), 422);
  std::set<std::string> fields;
  for (const Cause& cause : invalid.status().causes()) {
    fields.insert(cause.field);
  }
  EXPECT_THAT(fields, ::testing::IsSupersetOf({"metadata.name", "metadata.labels"}));
}

TEST_P(KubeClient, ABodyOfAnotherKindIsABadRequest) {
  json::Value map = ConfigMap("a");
  map["kind"] = "Pod";
  const auto refused = Create(types::ConfigMaps(), map);
  EXPECT_CODE(Code::kInvalid, refused);
  EXPECT_EQ(refused.status().http_code(), 400);
}

TEST_P(KubeClient, AStaleUpdateIsAConflict) {
  ASSERT_OK_AND_ASSIGN(const Object created, Create(types::ConfigMaps(), ConfigMap("a")));
  json::Value changed = created.ToValue();
  changed.MakePath("data.k") = "first";
  ASSERT_OK_AND_ASSIGN(const Object updated, Update(types::ConfigMaps(), changed));
  EXPECT_NE(updated.meta().resource_version(), created.meta().resource_version());
  changed.MakePath("data.k") = "second";
  const auto stale = Update(types::ConfigMaps(), changed);
  EXPECT_CODE(Code::kConflict, stale);
  EXPECT_EQ(stale.status().reason(), reason::kConflict);
}

TEST_P(KubeClient, AnUpdateThatChangesNothingKeepsTheVersion) {
  ASSERT_OK_AND_ASSIGN(const Object created, Create(types::ConfigMaps(), ConfigMap("a")));
  ASSERT_OK_AND_ASSIGN(const Object updated, Update(types::ConfigMaps(), created.ToValue()));
  EXPECT_EQ(updated.meta().resource_version(), created.meta().resource_version());
}

TEST_P(KubeClient, UpdateWithRetryGetsThrough) {
  ASSERT_OK(Create(types::ConfigMaps(), ConfigMap("a")));
  int calls = 0;
  const auto updated =
      UpdateWithRetry(client(), types::ConfigMaps(), Key("a"), Limit(), [&](json::Value& map) {
        if (++calls == 1) {
          // Somebody is faster.
          EXPECT_OK(Patch(types::ConfigMaps(), "a", PatchType::kMerge,
                          json::Value::Object({{"data", json::Value::Object({{"other", "x"}})}})));
        }
        map.MakePath("data.k") = "mine";
        return Status::Ok();
      });
  ASSERT_OK(updated);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ((*updated)["data"]["k"].String(), "mine");
  EXPECT_EQ((*updated)["data"]["other"].String(), "x");
}

TEST_P(KubeClient, ListsPageByPage) {
  CreateMany(5);
  ASSERT_OK_AND_ASSIGN(const ListPage first,
                       client().List(types::ConfigMaps(), name_space(), Limit(), {.limit = 2}));
  EXPECT_EQ(first.items.size(), 2u);
  EXPECT_FALSE(first.continue_token.empty());
  EXPECT_EQ(first.remaining, 3);
  std::set<std::string> names;
  ASSERT_OK(client().ListAll(types::ConfigMaps(), name_space(), Limit(), {.limit = 2},
                             [&](const Object& map) {
                               names.insert(map.meta().name());
                               return Status::Ok();
                             }));
  EXPECT_THAT(names, UnorderedElementsAre("c0", "c1", "c2", "c3", "c4"));
}

TEST_P(KubeClient, ListsWithSelectors) {
  CreateMany(4);
  ASSERT_OK_AND_ASSIGN(const ListPage even,
                       client().List(types::ConfigMaps(), name_space(), Limit(),
                                     {.label_selector = "half in (even),half!=odd"}));
  EXPECT_EQ(even.items.size(), 2u);
  ASSERT_OK_AND_ASSIGN(const ListPage one, client().List(types::ConfigMaps(), name_space(), Limit(),
                                                         {.field_selector = "metadata.name=c3"}));
  ASSERT_EQ(one.items.size(), 1u);
  EXPECT_EQ(one.items[0].meta().name(), "c3");
  EXPECT_CODE(Code::kInvalid, client().List(types::ConfigMaps(), name_space(), Limit(),
                                            {.label_selector = "half in ("}));
}

TEST_P(KubeClient, AMadeUpContinueTokenIsABadRequest) {
  const auto page = client().List(types::ConfigMaps(), name_space(), Limit(),
                                  {.limit = 2, .continue_token = "nonsense"});
  EXPECT_CODE(Code::kInvalid, page);
}

class KubeClientOnce : public ContractTest {
 protected:
  ClientOptions Options() override {
    ClientOptions options;
    options.max_tries = 1;
    return options;
  }
};

TEST_P(KubeClientOnce, AVersionFromTheFutureIsToldApart) {
  const auto page =
      client().List(types::ConfigMaps(), name_space(), Limit(),
                    {.resource_version = "999999999", .resource_version_match = "NotOlderThan"});
  EXPECT_CODE(Code::kDeadlineExceeded, page);
  EXPECT_EQ(page.status().reason(), reason::kTimeout);
  EXPECT_TRUE(HasCause(page.status(), reason::kResourceVersionTooLarge));
  EXPECT_TRUE(page.status().retry_after().has_value());
}

TEST_P(KubeClient, DeletesAtOnceWithoutFinalizers) {
  ASSERT_OK(Create(types::ConfigMaps(), ConfigMap("a")));
  ASSERT_OK_AND_ASSIGN(const DeleteOutcome outcome,
                       client().Delete(types::ConfigMaps(), Key("a"), Limit()));
  EXPECT_TRUE(outcome.gone);
  EXPECT_CODE(Code::kNotFound, Get("a"));
}

TEST_P(KubeClient, AFinalizerHoldsADeletionUp) {
  json::Value map = ConfigMap("a");
  map.MakePath("metadata.finalizers") = json::Value::Array({"hearth.test/hold"});
  ASSERT_OK(Create(types::ConfigMaps(), map));
  ASSERT_OK_AND_ASSIGN(const DeleteOutcome outcome,
                       client().Delete(types::ConfigMaps(), Key("a"), Limit()));
  EXPECT_FALSE(outcome.gone);
  EXPECT_TRUE(outcome.object.meta().deleting());
  ASSERT_OK(
      Patch(types::ConfigMaps(), "a", PatchType::kMerge,
            json::Value::Object({{"metadata", json::Value::Object({{"finalizers", nullptr}})}})));
  EXPECT_CODE(Code::kNotFound, Get("a"));
}

TEST_P(KubeClient, PreconditionsProtectADeletion) {
  ASSERT_OK_AND_ASSIGN(const Object created, Create(types::ConfigMaps(), ConfigMap("a")));
  EXPECT_CODE(Code::kConflict, client().Delete(types::ConfigMaps(), Key("a"), Limit(),
                                               {.uid = "00000000-0000-0000-0000-000000000000"}));
  EXPECT_CODE(Code::kConflict,
              client().Delete(types::ConfigMaps(), Key("a"), Limit(), {.resource_version = "1"}));
  EXPECT_OK(client().Delete(
      types::ConfigMaps(), Key("a"), Limit(),
      {.uid = created.meta().uid(), .resource_version = created.meta().resource_version()}));
  EXPECT_CODE(Code::kNotFound, Get("a"));
}

TEST_P(KubeClient, PropagationShowsAsAFinalizer) {
  constexpr std::tuple<const char*, const char*, const char*> kCases[] = {
      {"f", "Foreground", "foregroundDeletion"}, {"o", "Orphan", "orphan"}};
  for (const auto& [name, propagation, finalizer] : kCases) {
    ASSERT_OK(Create(types::ConfigMaps(), ConfigMap(name)));
    ASSERT_OK_AND_ASSIGN(
        const DeleteOutcome outcome,
        client().Delete(types::ConfigMaps(), Key(name), Limit(), {.propagation = propagation}));
    EXPECT_FALSE(outcome.gone) << propagation;
    EXPECT_TRUE(outcome.object.meta().HasFinalizer(finalizer)) << propagation;
  }
}

TEST_P(KubeClient, DeletesMany) {
  CreateMany(4);
  ASSERT_OK(client().DeleteCollection(types::ConfigMaps(), name_space(), Limit(),
                                      {.label_selector = "half=even"}));
  ASSERT_OK_AND_ASSIGN(const ListPage left, client().List(types::ConfigMaps(), name_space(),
                                                          Limit(), {.label_selector = "half"}));
  EXPECT_EQ(left.items.size(), 2u);
}

TEST_P(KubeClient, ADryRunChangesNothing) {
  ASSERT_OK(Create(types::ConfigMaps(), ConfigMap("a"), {.dry_run = true}));
  EXPECT_CODE(Code::kNotFound, Get("a"));
  ASSERT_OK_AND_ASSIGN(const Object created, Create(types::ConfigMaps(), ConfigMap("a")));
  ASSERT_OK(client().Delete(types::ConfigMaps(), Key("a"), Limit(), {.dry_run = true}));
  ASSERT_OK_AND_ASSIGN(const Object after, Get("a"));
  EXPECT_EQ(after.meta().resource_version(), created.meta().resource_version());
}

TEST_P(KubeClient, RawReachesAnyPath) {
  ASSERT_OK_AND_ASSIGN(const http::Response version,
                       client().Raw({"GET", "/version", {}, ""}, Limit()));
  EXPECT_THAT(version.body, HasSubstr("gitVersion"));
  ASSERT_OK(client().Raw({"GET", "/readyz", {}, ""}, Limit()));
  EXPECT_CODE(Code::kNotFound, client().Raw({"GET", "/no/such/path", {}, ""}, Limit()));
}

INSTANTIATE_CONTRACT(KubeClient);
INSTANTIATE_CONTRACT(KubeClientOnce);

}  // namespace
}  // namespace hearth::kube
