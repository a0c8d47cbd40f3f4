#include "kube/model/names.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::kube {
namespace {

TEST(ResourceType, TellsItsApiVersionAndName) {
  EXPECT_EQ(types::Pods().ApiVersion(), "v1");
  EXPECT_EQ(types::Pods().ToString(), "pods");
  EXPECT_EQ(types::Deployments().ApiVersion(), "apps/v1");
  EXPECT_EQ(types::Deployments().ToString(), "deployments.apps");
}

TEST(GroupVersion, ParsesCoreAndNamedGroups) {
  ASSERT_OK_AND_ASSIGN(const GroupVersion core, GroupVersion::Parse("v1"));
  EXPECT_EQ(core.group, "");
  EXPECT_EQ(core.version, "v1");
  ASSERT_OK_AND_ASSIGN(const GroupVersion apps, GroupVersion::Parse("apps/v1"));
  EXPECT_EQ(apps.group, "apps");
  EXPECT_EQ(apps.version, "v1");
}

TEST(GroupVersion, RefusesWhatIsNeither) {
  for (const char* text : {"", "/", "apps/", "/v1", "a/b/c"}) {
    SCOPED_TRACE(text);
    EXPECT_CODE(Code::kInvalid, GroupVersion::Parse(text));
  }
}

TEST(ObjectKey, ReadsWhatItWrites) {
  for (const char* text : {"name", "ns/name"}) {
    ASSERT_OK_AND_ASSIGN(const ObjectKey key, ObjectKey::Parse(text));
    EXPECT_EQ(key.ToString(), text);
  }
  for (const char* text : {"", "/name", "ns/", "a/b/c"}) {
    SCOPED_TRACE(text);
    EXPECT_CODE(Code::kInvalid, ObjectKey::Parse(text));
  }
}

TEST(ObjectKey, HashTellsNameSpaceFromName) {
  const ObjectKeyHash hash;
  EXPECT_EQ(hash({"a", "b"}), hash({"a", "b"}));
  EXPECT_NE(hash({"a", "b"}), hash({"b", "a"}));
  EXPECT_NE(hash({"", "ab"}), hash({"a", "b"}));
}

TEST(DnsNames, LabelFollowsTheRules) {
  EXPECT_OK(CheckDnsLabel("a"));
  EXPECT_OK(CheckDnsLabel("0a-b9"));
  EXPECT_OK(CheckDnsLabel(std::string(63, 'a')));
  for (const std::string& name :
       {std::string(), std::string(64, 'a'), std::string("-a"), std::string("a-"), std::string("A"),
        std::string("a.b"), std::string("a_b"), std::string("\xc3\xa4")}) {
    SCOPED_TRACE(name);
    EXPECT_CODE(Code::kInvalid, CheckDnsLabel(name));
  }
}

TEST(DnsNames, SubdomainIsLimitedAsAWholeOnly) {
  EXPECT_OK(CheckDnsSubdomain("a.b-c.d"));
  EXPECT_OK(CheckDnsSubdomain(std::string(100, 'a') + ".b"));
  EXPECT_OK(CheckDnsSubdomain(std::string(253, 'a')));
  for (const std::string& name : {std::string(), std::string(254, 'a'), std::string("a..b"),
                                  std::string(".a"), std::string("a."), std::string("a.-b")}) {
    SCOPED_TRACE(name);
    EXPECT_CODE(Code::kInvalid, CheckDnsSubdomain(name));
  }
}

TEST(CheckKeyTest, AKeyIsTheAddressOfOneObject) {
  EXPECT_OK(CheckKey(types::Pods(), {"ns", "a"}));
  EXPECT_OK(CheckKey(types::Nodes(), {"", "a"}));
  EXPECT_OK(CheckKey(types::Nodes(), {"", "system:a.b"}));
  for (const char* step : {"", ".", "..", "a/b", "a%2fb"}) {
    EXPECT_CODE(Code::kInvalid, CheckKey(types::Pods(), {"ns", step}));
    EXPECT_CODE(Code::kInvalid, CheckKey(types::Pods(), {step, "a"}));
    EXPECT_CODE(Code::kInvalid, CheckKey(types::Nodes(), {"", step}));
  }
}

}  // namespace
}  // namespace hearth::kube
