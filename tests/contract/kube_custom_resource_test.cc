// Custom resources with sub-resources, and discovery.
#include <set>

#include "contract_test.h"
#include "event_log.h"
#include "eventually.h"
#include "json/parse.h"
#include "kube/client/discovery.h"
#include "kube/model/api_status.h"

namespace hearth::kube {
namespace {

using json::Value;
using ::testing::Contains;
using ::testing::UnorderedElementsAre;

constexpr const char* kDefinition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "widgets.contract.hearth.test"},
  "spec": {"group": "contract.hearth.test", "scope": "Namespaced",
    "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "shortNames": ["wd"]},
    "versions": [{"name": "v1", "served": true, "storage": true,
      "subresources": {"status": {},
        "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "required": ["image"], "properties": {
          "image": {"type": "string"}, "replicas": {"type": "integer", "minimum": 0}}},
        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}}}}}}]}})";

const ResourceType kWidgets{"contract.hearth.test", "v1", "widgets", "Widget", true};

class KubeCustomResource : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    ASSERT_OK_AND_ASSIGN(const json::Blob body, json::Parse(kDefinition));
    const auto created =
        client().Create(types::CustomResourceDefinitions(), "", body.view(), Limit());
    ASSERT_TRUE(created.ok() || created.status().Is(Code::kAlreadyExists)) << created.status();
    // Serving begins a moment later.
    ASSERT_TRUE(Eventually([&] { return client().List(kWidgets, name_space(), Limit()).ok(); }));
  }
  Value Widget(const std::string& name) {
    Value widget = NewObject(kWidgets, Key(name));
    widget.MakePath("spec.image") = "i";
    widget.MakePath("spec.replicas") = 1;
    return widget;
  }
};

TEST_P(KubeCustomResource, StatusIsAWorldOfItsOwn) {
  ASSERT_OK_AND_ASSIGN(const Object created, Create(kWidgets, Widget("w")));
  Value changed = created.ToValue();
  changed.MakePath("spec.image") = "other";
  changed.MakePath("status.replicas") = 3;
  ASSERT_OK_AND_ASSIGN(const Object with_status,
                       Update(kWidgets, changed, {.subresource = "status"}));
  EXPECT_EQ(with_status["status"]["replicas"].Int(), 3);
  EXPECT_EQ(with_status["spec"]["image"].String(), "i");
  EXPECT_EQ(with_status.meta().generation(), created.meta().generation());
  changed = with_status.ToValue();
  changed.MakePath("spec.image") = "other";
  changed.MakePath("status.replicas") = 5;
  ASSERT_OK_AND_ASSIGN(const Object with_spec, Update(kWidgets, changed));
  EXPECT_EQ(with_spec["status"]["replicas"].Int(), 3);
  EXPECT_EQ(with_spec["spec"]["image"].String(), "other");
  EXPECT_EQ(with_spec.meta().generation(), created.meta().generation() + 1);
}

TEST_P(KubeCustomResource, ScaleIsReadAndWritten) {
  ASSERT_OK(Create(kWidgets, Widget("w")));
  ASSERT_OK_AND_ASSIGN(const Object scale,
                       client().Get(kWidgets, Key("w"), Limit(), {.subresource = "scale"}));
  EXPECT_EQ(scale.meta().kind(), "Scale");
  EXPECT_EQ(scale["spec"]["replicas"].Int(), 1);
  ASSERT_OK(UpdateWithRetry(client(), kWidgets, Key("w"), Limit(),
                            [](Value& value) {
                              value.MakePath("spec.replicas") = 4;
                              return Status::Ok();
                            },
                            {.subresource = "scale"}));
  ASSERT_OK_AND_ASSIGN(const Object widget, client().Get(kWidgets, Key("w"), Limit()));
  EXPECT_EQ(widget["spec"]["replicas"].Int(), 4);
}

TEST_P(KubeCustomResource, TheSchemaIsEnforcedFieldByField) {
  Value widget = Widget("w");
  widget["spec"].Erase("image");
  widget.MakePath("spec.replicas") = -1;
  const auto invalid = Create(kWidgets, widget);
  EXPECT_CODE(Code::kInvalid, invalid);
  std::set<std::string> fields;
  for (const Cause& cause : invalid.status().causes()) {
    fields.insert(cause.field);
  }
  EXPECT_THAT(fields, ::testing::IsSupersetOf({"spec.image", "spec.replicas"}));
}

TEST_P(KubeCustomResource, AStrategicMergePatchIsNotSupported) {
  ASSERT_OK(Create(kWidgets, Widget("w")));
  const auto patched = Patch(kWidgets, "w", PatchType::kStrategic, Value::Object());
  EXPECT_CODE(Code::kUnsupported, patched);
  EXPECT_EQ(patched.status().http_code(), 415);
}

TEST_P(KubeCustomResource, AVersionLongGoneIsExpired) {
  EventLog log;
  // No server keeps what was before the type existed.
  const auto stream = client().StartWatch(
      kWidgets, name_space(), {.resource_version = "1", .timeout_seconds = 10}, log, {});
  ASSERT_TRUE(log.AwaitEnd());
  // It is told in the stream, or by refusing it.
  EXPECT_CODE(Code::kGone, log.error().ok() ? log.end() : log.error());
}

TEST_P(KubeCustomResource, DiscoveryFindsIt) {
  Discovery discovery(client(), RealClock());
  ASSERT_OK_AND_ASSIGN(const ResourceType by_kind,
                       discovery.FindKind("contract.hearth.test", "Widget", "", Limit()));
  EXPECT_EQ(by_kind, kWidgets);
  for (const char* text :
       {"wd", "widget", "widgets.contract.hearth.test", "widgets.v1.contract.hearth.test"}) {
    ASSERT_OK_AND_ASSIGN(const ResourceType type, discovery.FindResource(text, Limit()));
    EXPECT_EQ(type, kWidgets) << text;
  }
  ASSERT_OK_AND_ASSIGN(const auto entries, discovery.All(Limit()));
  for (const Discovery::Entry& entry : entries) {
    if (entry.type == kWidgets) {
      EXPECT_THAT(entry.subresources, UnorderedElementsAre("status", "scale"));
      EXPECT_THAT(entry.verbs, Contains("deletecollection"));
    }
  }
  const auto missing = discovery.FindKind("contract.hearth.test", "Gadget", "", Limit());
  EXPECT_EQ(missing.status().reason(), "NoMatch");
}

// A server that knows plain discovery only: nobody asks it for another kind.
class PlainTransport : public Transport {
 public:
  explicit PlainTransport(Transport& inner) : inner_(inner) {}
  Result<http::Response> Send(http::Request request, const WaitLimit& limit) override {
    request.headers.Set("Accept", "application/json");
    ++requests;
    return inner_.Send(std::move(request), limit);
  }
  std::unique_ptr<http::Stream> Start(http::Request request, http::StreamHandler& handler,
                                      const http::StreamOptions& options) override {
    return inner_.Start(std::move(request), handler, options);
  }
  net::EventLoop& loop() override { return inner_.loop(); }
  int requests = 0;

 private:
  Transport& inner_;
};

std::set<std::string> Names(const std::vector<Discovery::Entry>& entries) {
  std::set<std::string> names;
  for (const Discovery::Entry& entry : entries) {
    std::string line = entry.type.ApiVersion() + " " + entry.type.name + " " + entry.type.kind +
                       (entry.type.namespaced ? " namespaced" : "");
    std::set<std::string> parts(entry.subresources.begin(), entry.subresources.end());
    for (const std::string& part : parts) {
      line += " /" + part;
    }
    names.insert(line);
  }
  return names;
}

TEST_P(KubeCustomResource, BothWaysOfDiscoveryTellTheSame) {
  Discovery aggregated(client(), RealClock());
  PlainTransport transport(server().transport());
  Client plain_client(transport, RealClock());
  Discovery plain(plain_client, RealClock());
  ASSERT_OK_AND_ASSIGN(const auto one, aggregated.All(Limit()));
  ASSERT_OK_AND_ASSIGN(const auto other, plain.All(Limit()));
  EXPECT_GT(transport.requests, 10);
  EXPECT_GT(one.size(), 30u);
  EXPECT_EQ(Names(one), Names(other));
}

INSTANTIATE_CONTRACT(KubeCustomResource);

}  // namespace
}  // namespace hearth::kube
