#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "kube/config/config.h"

namespace hearth::kube {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

// A kubeconfig with one context; cluster and user are given as flow mappings.
std::string OneContext(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: dev\n"
         "contexts:\n- name: dev\n  context: {cluster: c, user: u, namespace: team}\n"
         "clusters:\n- name: c\n  cluster: " +
         cluster + "\nusers:\n- name: u\n  user: " + user + "\n";
}

std::string OneUser(const std::string& user) { return OneContext("{server: 'https://h:1'}", user); }

class KubeconfigTest : public ::testing::Test {
 protected:
  Result<Config> Parse(const std::string& text, const std::string& context = "") {
    return ParseKubeconfig({{directory_ / "config", text}}, context, sources_);
  }
  std::string Authorization(const Config& config) {
    auto current = config.credentials->Get(WaitLimit::Forever());
    EXPECT_OK(current);
    return current.ok() ? current->authorization : "";
  }
  void Write(const std::string& name, const std::string& text, uint32_t mode = 0600) {
    ASSERT_OK(RealFileSystem().Write(directory_ / name, text, mode));
  }

  TempDirectory directory_;
  ConfigSources sources_ = ConfigSources::Real();
};

TEST_F(KubeconfigTest, ReadsTheCurrentContext) {
  ASSERT_OK_AND_ASSIGN(const Config config,
                       Parse(OneContext("{server: 'https://h:6443/prefix/', tls-server-name: name, "
                                        "certificate-authority-data: " +
                                            EncodeBase64(kPem) + "}",
                                        "{token: abc}")));
  EXPECT_EQ(config.server.ToString(), "https://h:6443");
  EXPECT_EQ(config.path_prefix, "/prefix");
  EXPECT_EQ(config.server_name, "name");
  EXPECT_EQ(config.ca_pem, kPem);
  EXPECT_EQ(config.ca_file, "");
  EXPECT_EQ(config.name_space, "team");
  EXPECT_FALSE(config.insecure_skip_verify);
  EXPECT_FALSE(config.compress);
  EXPECT_EQ(Authorization(config), "Bearer abc");
  EXPECT_EQ(config.origin, "context dev of " + (directory_ / "config"));
}

TEST_F(KubeconfigTest, DefaultsWhatIsNotSaid) {
  ASSERT_OK_AND_ASSIGN(const Config config, Parse(R"(
current-context: a
contexts: [{name: a, context: {cluster: c}}]
clusters: [{name: c, cluster: {server: 'http://h:1', disable-compression: false}}]
)"));
  EXPECT_EQ(config.name_space, "default");
  EXPECT_EQ(Authorization(config), "");
  EXPECT_TRUE(config.compress);
}

TEST_F(KubeconfigTest, FilesAreRelativeToTheKubeconfig) {
  Write("ca.pem", kPem);
  Write("cert.pem", kPem);
  Write("key.pem", "-----BEGIN PRIVATE KEY-----\n");
  Write("token", "from-file");
  ASSERT_OK_AND_ASSIGN(
      const Config config,
      Parse(OneContext("{server: 'https://h:1', certificate-authority: ca.pem}",
                       "{client-certificate: cert.pem, client-key: " + (directory_ / "key.pem") +
                           ", tokenFile: token, token: ignored}")));
  EXPECT_EQ(config.ca_file, directory_ / "ca.pem");
  EXPECT_EQ(config.ca_pem, kPem);
  EXPECT_EQ(config.certificate_file, directory_ / "cert.pem");
  EXPECT_EQ(config.certificate_pem, kPem);
  EXPECT_EQ(config.private_key_file, directory_ / "key.pem");
  EXPECT_EQ(Authorization(config), "Bearer from-file");
}

TEST_F(KubeconfigTest, TokenDoesWhileItsFileCannotBeRead) {
  ASSERT_OK_AND_ASSIGN(const Config config, Parse(OneUser("{tokenFile: token, token: inline}")));
  EXPECT_EQ(Authorization(config), "Bearer inline");
  Write("token", "from-file");
  EXPECT_EQ(Authorization(config), "Bearer from-file");
}

TEST_F(KubeconfigTest, EmptyCountsAsNotThere) {
  Write("plugin",
        "#!/bin/sh\n"
        "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","
        "\"status\":{\"token\":\"from-plugin\"}}'\n",
        0755);
  ASSERT_OK_AND_ASSIGN(
      const Config config,
      Parse(OneContext("{server: 'https://h:1', proxy-url: '', certificate-authority: ''}",
                       "{token: '', tokenFile: '', username: '', password: '', as: '', as-uid: '', "
                       "as-groups: [], as-user-extra: {}, client-certificate: '', "
                       "auth-provider: null, exec: {apiVersion: client.authentication.k8s.io/v1, "
                       "command: ./plugin, args: [], interactiveMode: Never}}")));
  EXPECT_EQ(Authorization(config), "Bearer from-plugin");
}

TEST_F(KubeconfigTest, InlineDataWinsOverFiles) {
  ASSERT_OK_AND_ASSIGN(const Config config,
                       Parse(OneContext("{server: 'https://h:1', certificate-authority: missing, "
                                        "certificate-authority-data: " +
                                            EncodeBase64(kPem) + "}",
                                        "{}")));
  EXPECT_EQ(config.ca_pem, kPem);
  EXPECT_EQ(config.ca_file, "");
}

TEST_F(KubeconfigTest, BasicAuthentication) {
  ASSERT_OK_AND_ASSIGN(const Config config, Parse(OneUser("{username: a, password: b}")));
  EXPECT_EQ(Authorization(config), "Basic YTpi");
}

TEST_F(KubeconfigTest, ExecPluginBesideTheKubeconfig) {
  Write("plugin", R"(#!/bin/sh
case "$KUBERNETES_EXEC_INFO" in *'"config":{"audience":"x"}'*) info=told ;; *) info=untold ;; esac
echo "{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",\"kind\":\"ExecCredential\",
       \"status\":{\"token\":\"$1-$A-$info\"}}"
)",
        0755);
  ASSERT_OK_AND_ASSIGN(
      const Config config,
      Parse(OneContext("{server: 'https://h:1', extensions: [{name: "
                       "client.authentication.k8s.io/exec, extension: {audience: x}}]}",
                       "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: "
                       "./plugin, args: [arg], env: [{name: A, value: env}], "
                       "provideClusterInfo: true, interactiveMode: Never}}")));
  EXPECT_EQ(Authorization(config), "Bearer arg-env-told");
}

TEST_F(KubeconfigTest, TheFirstFileToNameSomethingWins) {
  const KubeconfigFile first{directory_ / "1", R"(
contexts: [{name: a, context: {cluster: c, user: first}}]
users: [{name: first, user: {token: one}}]
)"};
  const KubeconfigFile second{directory_ / "2", R"(
current-context: a
contexts: [{name: a, context: {cluster: other, user: second}}, {name: b, context: {cluster: c, user: second}}]
clusters: [{name: c, cluster: {server: 'https://h:1'}}]
users: [{name: first, user: {token: ignored, username: ignored}}, {name: second, user: {token: two}}]
)"};
  const KubeconfigFile third{directory_ / "3", "current-context: b\n"};
  ASSERT_OK_AND_ASSIGN(const Config config, ParseKubeconfig({first, second, third}, "", sources_));
  EXPECT_EQ(Authorization(config), "Bearer one");
  ASSERT_OK_AND_ASSIGN(const Config other, ParseKubeconfig({first, second, third}, "b", sources_));
  EXPECT_EQ(Authorization(other), "Bearer two");
}

struct Malformed {
  const char* name;
  std::string text;
  Code code;
  std::vector<std::string> told;
};

TEST_F(KubeconfigTest, MalformedOnesAreToldWithPlaceAndRemedy) {
  const std::string server = "{server: 'https://h:1'}";
  const std::string file = directory_ / "config";
  const Malformed cases[] = {
      {"not YAML", "a: [", Code::kInvalid, {file, "YAML"}},
      {"a list", "[]", Code::kInvalid, {file, "kind Config"}},
      {"two documents", "a: 1\n---\nb: 2\n", Code::kInvalid, {file, "one object"}},
      {"another kind", "kind: Pod", Code::kInvalid, {file, "Pod"}},
      {"empty", "", Code::kNotFound, {file, "current-context", "--context", "no contexts"}},
      {"no current context",
       "contexts: [{name: a, context: {}}]",
       Code::kNotFound,
       {file, "use-context", "it has: a"}},
      {"unknown current context",
       "current-context: x\ncontexts: [{name: a, context: {}}]",
       Code::kNotFound,
       {file, "no context x", "it has: a"}},
      {"contexts no list", "contexts: {}", Code::kInvalid, {file, "contexts must be a list"}},
      {"entry without name", "users: [{user: {}}]", Code::kInvalid, {file, "users", "name"}},
      {"entry of the wrong shape", "users: [{name: a, user: 1}]", Code::kInvalid, {file, "users"}},
      {"entry twice", "users: [{name: a}, {name: a}]", Code::kInvalid, {file, "user a", "twice"}},
      {"context no string", "current-context: 1", Code::kInvalid, {file, "quotes"}},
      {"no cluster named",
       "current-context: a\ncontexts: [{name: a, context: {}}]",
       Code::kNotFound,
       {file, "context a", "no cluster"}},
      {"unknown cluster",
       "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]",
       Code::kNotFound,
       {file, "context a", "cluster c"}},
      {"unknown user",
       "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
       "clusters: [{name: c, cluster: {server: 'https://h'}}]",
       Code::kNotFound,
       {file, "context a", "user u"}},
      {"no server",
       OneContext("{}", "{}"),
       Code::kInvalid,
       {file, "context dev", "cluster c", "server is missing"}},
      {"odd server",
       OneContext("{server: 'gopher://x'}", "{}"),
       Code::kInvalid,
       {"cluster c", "server"}},
      {"proxy",
       OneContext("{server: 'https://h', proxy-url: 'http://p'}", "{}"),
       Code::kUnsupported,
       {"cluster c", "proxy-url", "directly"}},
      {"CA no base64",
       OneContext("{server: 'https://h', certificate-authority-data: '%%'}", "{}"),
       Code::kInvalid,
       {"cluster c", "certificate-authority-data", "base64"}},
      {"CA no PEM",
       OneContext("{server: 'https://h', certificate-authority-data: AAAA}", "{}"),
       Code::kInvalid,
       {"cluster c", "certificate-authority-data", "PEM"}},
      {"CA file missing",
       OneContext("{server: 'https://h', certificate-authority: ca.crt}", "{}"),
       Code::kNotFound,
       {"cluster c", directory_ / "ca.crt"}},
      {"insecure with CA",
       OneContext("{server: 'https://h', insecure-skip-tls-verify: true, "
                  "certificate-authority-data: " +
                      EncodeBase64(kPem) + "}",
                  "{}"),
       Code::kInvalid,
       {"cluster c", "contradict"}},
      {"flag no boolean",
       OneContext("{server: 'https://h', insecure-skip-tls-verify: 1}", "{}"),
       Code::kInvalid,
       {"insecure-skip-tls-verify", "true or false"}},
      {"token a number",
       OneUser("{token: 123}"),
       Code::kInvalid,
       {file, "context dev", "user u", "token", "quotes"}},
      {"token and password",
       OneUser("{token: a, username: b}"),
       Code::kInvalid,
       {"user u", "remove one"}},
      {"certificate without key",
       OneUser("{client-certificate-data: " + EncodeBase64(kPem) + "}"),
       Code::kInvalid,
       {"user u", "client-key"}},
      {"auth provider",
       OneUser("{auth-provider: {name: gcp}}"),
       Code::kUnsupported,
       {"user u", "exec plugin"}},
      {"impersonation", OneUser("{as: somebody}"), Code::kUnsupported, {"user u", "impersonation"}},
      {"exec no object", OneUser("{exec: 1}"), Code::kInvalid, {"user u", "exec"}},
      {"exec without command", OneUser("{exec: {}}"), Code::kInvalid, {"user u", "exec.command"}},
      {"exec args", OneUser("{exec: {command: a, args: [1]}}"), Code::kInvalid, {"exec.args"}},
      {"exec env", OneUser("{exec: {command: a, env: [{name: a}]}}"), Code::kInvalid, {"exec.env"}},
      {"exec mode",
       OneUser("{exec: {command: a, interactiveMode: Maybe}}"),
       Code::kInvalid,
       {"interactiveMode"}},
  };
  for (const Malformed& c : cases) {
    const auto config = Parse(c.text);
    SCOPED_TRACE(c.name);
    EXPECT_CODE(c.code, config);
    for (const std::string& part : c.told) {
      EXPECT_THAT(std::string(config.status().message()), HasSubstr(part)) << c.name;
    }
  }
}

TEST_F(KubeconfigTest, AskedForContextIsToldWhenMissing) {
  const auto config = Parse(OneUser("{}"), "prod");
  EXPECT_CODE(Code::kNotFound, config);
  EXPECT_THAT(std::string(config.status().message()), HasSubstr("no context prod (it has: dev)"));
}

TEST_F(KubeconfigTest, ReadsWhatItWrites) {
  Config config;
  ASSERT_OK_AND_ASSIGN(config.server, net::Endpoint::ParseUrl("https://[::1]:6443"));
  config.path_prefix = "/p";
  config.ca_pem = kPem;
  config.certificate_pem = kPem;
  config.private_key_pem = "-----BEGIN PRIVATE KEY-----\n";
  config.server_name = "true";  // must stay a string
  config.name_space = "team";
  ASSERT_OK_AND_ASSIGN(const Config again, Parse(WriteKubeconfig(config, "123")));
  EXPECT_EQ(again.server, config.server);
  EXPECT_EQ(again.path_prefix, config.path_prefix);
  EXPECT_EQ(again.ca_pem, config.ca_pem);
  EXPECT_EQ(again.certificate_pem, config.certificate_pem);
  EXPECT_EQ(again.private_key_pem, config.private_key_pem);
  EXPECT_EQ(again.server_name, config.server_name);
  EXPECT_EQ(again.name_space, config.name_space);
  EXPECT_EQ(Authorization(again), "Bearer 123");
}

}  // namespace
}  // namespace hearth::kube
