// Who may come in.
#include "contract_test.h"
#include "eventually.h"
#include "kube/model/api_status.h"

namespace hearth::kube {
namespace {

using json::Value;
using ::testing::HasSubstr;

class KubeAuth : public ContractTest {
 protected:
  Result<Object> GetAs(std::unique_ptr<Credentials> credentials) {
    ASSIGN_OR_RETURN(const auto transport, server().TransportAs(std::move(credentials)));
    Client other(*transport, RealClock());
    return other.Get(types::ConfigMaps(), Key("a"), Limit());
  }
  // Of a new service account without any rights.
  Result<std::string> ServiceAccountToken(const std::string& name) {
    RETURN_IF_ERROR(
        Create(types::ServiceAccounts(), NewObject(types::ServiceAccounts(), Key(name))));
    const json::Blob body = Value::Object({{"apiVersion", "authentication.k8s.io/v1"},
                                           {"kind", "TokenRequest"},
                                           {"spec", Value::Object({{"expirationSeconds", 3600}})}})
                                .ToBlob();
    ASSIGN_OR_RETURN(const Object answer,
                     client().CreateSubresource(types::ServiceAccounts(), Key(name), body.view(),
                                                Limit(), {.subresource = "token"}));
    return answer["status"]["token"].StringOr("");
  }
};

TEST_P(KubeAuth, AnUnknownTokenIsUnauthenticated) {
  const auto refused = GetAs(StaticToken("made-up"));
  EXPECT_CODE(Code::kUnauthenticated, refused);
  EXPECT_EQ(refused.status().reason(), reason::kUnauthorized);
  EXPECT_EQ(refused.status().http_code(), 401);
}

TEST_P(KubeAuth, WithoutRightsItIsForbidden) {
  ASSERT_OK_AND_ASSIGN(const std::string token, ServiceAccountToken("nobody"));
  ASSERT_FALSE(token.empty());
  const auto refused = GetAs(StaticToken(token));
  EXPECT_CODE(Code::kPermissionDenied, refused);
  EXPECT_EQ(refused.status().reason(), reason::kForbidden);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("system:serviceaccount:" + name_space() + ":nobody"));
}

TEST_P(KubeAuth, AnonymousPeopleMayNotReadObjects) {
  const auto refused = GetAs(NoCredentials());
  EXPECT_TRUE(refused.status().Is(Code::kPermissionDenied) ||
              refused.status().Is(Code::kUnauthenticated))
      << refused.status();
}

TEST_P(KubeAuth, ARoleLetsAServiceAccountIn) {
  const ResourceType roles{"rbac.authorization.k8s.io", "v1", "roles", "Role", true};
  const ResourceType bindings{"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding",
                              true};
  ASSERT_OK_AND_ASSIGN(const std::string token, ServiceAccountToken("reader"));
  ASSERT_OK(Create(types::ConfigMaps(), ConfigMap("a")));
  Value role = NewObject(roles, Key("reader"));
  role["rules"] = Value::Array({Value::Object({{"apiGroups", Value::Array({""})},
                                               {"resources", Value::Array({"configmaps"})},
                                               {"verbs", Value::Array({"get"})}})});
  ASSERT_OK(Create(roles, role));
  Value binding = NewObject(bindings, Key("reader"));
  binding["roleRef"] = Value::Object(
      {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", "reader"}});
  binding["subjects"] = Value::Array({Value::Object(
      {{"kind", "ServiceAccount"}, {"name", "reader"}, {"namespace", name_space()}})});
  ASSERT_OK(Create(bindings, binding));
  // The authorizer learns of it through its own watch.
  EXPECT_TRUE(Eventually([&] { return GetAs(StaticToken(token)).ok(); }));
}

INSTANTIATE_CONTRACT(KubeAuth);

}  // namespace
}  // namespace hearth::kube
